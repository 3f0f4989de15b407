"""Functions marked `@[coe]` are shown as `↑`; `↑e` coerces to a type that may be known later."""

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


SETS = """
def Set (α : Type u) := α → Prop
def Set.union {α : Type u} (a b : Set α) : Set α := fun x => a x ∨ b x
infix:55 " ∪∪ " => Set.union
def List.toSet : List α → Set α
  | []    => fun _ => False
  | a::as => fun x => x = a ∨ as.toSet x
instance : Coe (List α) (Set α) where
  coe a := a.toSet
def s : Set Nat := fun x => x = 1
"""


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        ("let x := ↑[2, 3]; s ∪∪ x", "let x := [2, 3].toSet;\ns ∪∪ x : Set Nat"),
        ("let x := [2, 3]; s ∪∪ x", "let x := [2, 3];\ns ∪∪ x.toSet : Set Nat"),
        ("(↑[2, 3] : Set Nat)", "[2, 3].toSet : Set Nat"),
        ("fun (n : Nat) => (↑n : Nat)", "fun n => n : Nat → Nat"),
        ("fun (n : Nat) => (↑n : Int)", "fun n => ↑n : Nat → Int"),
    ],
)
def test_a_coercion_waits_for_its_types(term: str, shown: str) -> None:
    [message] = check_text(f"{SETS}#check {term}")
    assert (message.severity, message.text) == ("info", shown)


def test_an_arrow_proves_nothing() -> None:
    assert check_text("example (p q : Prop) (h : p ∧ q) : p := ↑h.1") == []
    [message] = check_text("example (p q : Prop) (h : p) : q := ↑h")
    assert message.text == "Type mismatch\n  h\nhas type\n  p\nbut is expected to have type\n  q"
    [message] = check_text(f"{SETS}example (n : Nat) : Set Nat := ↑n")
    assert message.text.startswith("Type mismatch\n  n\nhas type\n  Nat")
