"""`omega` on elements of `Fin`: their values, the bounds of these, and comparisons."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

PROVED = [
    "(i : Fin 3) : i.val < 5",
    "(i : Fin n) (h : n ≤ 4) : i.val ≠ 4",
    "(i : Fin (n + 1)) : (i : Nat) ≤ n",
    "(i : Fin 3) (h : i.val = 2) : i = 2",
    "(i j : Fin 3) (h : i < j) : i.val + 1 ≤ j",
    "(i j : Fin n) (h : i ≤ j) (h' : ¬i < j) : i = j",
    "(i : Fin 2) (h : i ≠ 0) : i = 1",
    "(i j k : Fin n) (h : i < j) (h' : j < k) : i < k",
    "(i : Fin 3) : i = 0 ∨ i = 1 ∨ i = 2",
    ": ((5 : Fin 3) : Nat) = 2",
]
REFUSED = [
    "(i : Fin 5) : i.val < 3",
    ": ((5 : Fin 3) : Nat) = 5",
    "(i : Fin n) : n < 1",
    "(i : Fin 3) : i.val = 2",
    "(i j : Fin 3) (h : i ≤ j) : i < j",
    "(i : Fin 3) : i = 0 ∨ i = 1",
    "(i j : Fin n) : i = j",
    "(h : (0 : Fin 2) = 2) : False",
]


@pytest.mark.parametrize("statement", PROVED)
def test_proved(statement: str) -> None:
    assert check_text(f"example {statement} := by omega") == []


@pytest.mark.parametrize("statement", REFUSED)
def test_what_does_not_hold_is_refused(statement: str) -> None:
    (message,) = check_text(f"example {statement} := by omega")
    assert message.text.startswith("omega could not prove the goal")


def test_another_order_says_nothing_about_values() -> None:
    text = "instance odd : LT (Fin 3) := ⟨fun _ _ => True⟩\n"
    (message,) = check_text(text + "example (i j : Fin 3) (h : i < j) : i.val < j.val := by omega")
    assert message.text.startswith("omega could not prove the goal")
