"""The user's notations and tactic macros."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("command", "example"),
    [
        ('infixl:65 " ⊹ " => Nat.sub', "7 ⊹ 2 ⊹ 1 = 4"),
        ('infixr:65 " ⊹ " => Nat.sub', "7 ⊹ 2 ⊹ 1 = 6"),
        ('infix:50 " ≪ " => Nat.lt', "(1 + 1 ≪ 3) = Nat.lt 2 3"),
        ('prefix:max "√" => Nat.succ', "√2 = 3"),
        ('postfix:max "†" => Nat.succ', "2† = 3"),
        ('notation:max "‖" x "‖" => Nat.pred x', "‖4‖ = 3"),
        ('notation a " ⟪" b "⟫" => a * b', "2 ⟪3 + 1⟫ = 8"),
        ('notation "ten" => 10', "ten = 10"),
        ('infixl:65 " my- " => Nat.sub', "7 my- 2 my- 1 = 4"),
        ('infixl:65 " +' + "'" + ' " => Nat.add', "7 +' 2 = 9"),
    ],
)
def test_notations(messages: Check, command: str, example: str) -> None:
    assert messages(f"{command}\nexample : {example} := rfl") == []


def test_local_notations_end_with_their_section(messages: Check) -> None:
    text = 'section\nlocal notation "ten" => 10\nexample : ten = 10 := rfl\nend\nexample : ten = 10 := rfl'
    (message,) = messages(text)
    assert message.startswith("5:")


def test_tactic_macros(messages: Check) -> None:
    text = 'macro "close" : tactic => `(tactic| first | rfl | trivial)\nexample : 1 = 1 := by close\n'
    assert messages(text) == []
    (message,) = messages(text + "example : 1 = 2 := by close")
    assert "error" in message


def test_other_macros_are_refused_by_name(messages: Check) -> None:
    (message,) = messages('macro "x" n:term : term => `($n + 1)')
    assert "unsupported: macros" in message
