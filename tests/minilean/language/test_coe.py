"""Functions marked `@[coe]` are shown as `↑`."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

TYPES = """
inductive Flag where | on | off
@[coe] def Flag.toBool : Flag → Bool | .on => true | .off => false
instance : Coe Flag Bool where coe := Flag.toBool
structure Map (α : Type) where
  fn : α → α
@[coe] def Map.app {α : Type} (f : Map α) : α → α := f.fn
"""


@pytest.mark.parametrize(
    ("statement", "goal"),
    [
        ("(g : Bool → Nat) (b : Flag) : g b = 3", "g ↑b = 3"),
        ("(b : Flag) : (!b) = true", "(!↑b) = true"),
        ("(f : Map Nat) : f.app 3 = 4", "↑f 3 = 4"),
    ],
)
def test_the_first_explicit_argument_is_shown(statement: str, goal: str) -> None:
    [message] = check_text(f"{TYPES}example {statement} := by skip")
    assert message.text.splitlines()[-1] == f"⊢ {goal}"


def test_a_constant_is_no_coercion() -> None:
    assert check_text("@[coe] def three : Nat := 3")[0].text == "expected at least one explicit argument"
