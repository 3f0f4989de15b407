"""`simp` on sums of naturals with numbers: what both sides have in common cancels."""

from __future__ import annotations

import pytest

from lean_gym.minilean.check_command import check_text


def goal_after(statement: str, tactic: str = "simp") -> str:
    text = f"example (x y : Nat) : {statement} := by\n  {tactic}\n  trace_state\n  sorry"
    first = check_text(text)[0]
    return first.text.rpartition("⊢ ")[2] if first.severity == "trace" else first.text


@pytest.mark.parametrize(
    ("statement", "goal"),
    [
        ("x + 3 - 5 = y", "x - 2 = y"),
        ("x + 7 - 5 = y", "x + 2 = y"),
        ("7 - (x + 5) = y", "2 - x = y"),
        ("x + 3 - (y + 1) = y", "x + 2 - y = y"),
        ("x + 1 - (y + 1) = y", "x - y = y"),
        ("3 ≤ x + 2", "1 ≤ x"),
        ("5 = x + 3", "x = 2"),
        ("x + 3 = y + 5", "x = y + 2"),
        ("x + 3 ≤ y + 5", "x ≤ y + 2"),
        ("3 = x + 5", "False"),
        ("x + 1000000 - 999999 = y", "x + 1 = y"),
    ],
)
def test_numbers_on_both_sides_cancel(statement: str, goal: str) -> None:
    assert goal_after(statement) == goal


@pytest.mark.parametrize(
    "statement", ["x + 7 = x + 5", "x + 3 - 5 = x", "5 - (x + 3) = 2", "x + 5 ≤ x + 3", "7 = x + 3"]
)
def test_what_does_not_hold_is_not_proved(statement: str) -> None:
    (message,) = check_text(f"example (x : Nat) : {statement} := by simp")
    assert message.severity == "error"


def test_integers_are_left_to_their_own_rules() -> None:
    (message,) = check_text("example (x : Int) : 3 - (x + 5) = -2 - x := by simp")
    assert message.severity == "error"
    assert goal_after("x - y = 3") == "`simp` made no progress"
