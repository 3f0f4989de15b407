"""Priority of simp lemmas.

Expected results follow Lean 4.34: `Simp.rewriteUsingDiscrTree` sorts by priority, and of two lemmas of one priority
that with a variable where the other has a symbol comes first; core's `Bool.false_eq` is `@[simp low]` for that reason.
"""

from __future__ import annotations

import pytest

from minilean.check_command import check_text
from minilean.commands.priority import priority_of

F = "opaque f : Nat → Nat\naxiom any (n : Nat) : f n = 1\naxiom two : f 2 = 5\n"


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


@pytest.mark.parametrize(
    "statement", ["¬false = true", "¬true = false", "(false = true) = False", "false ≠ true"]
)
def test_truth_values_that_differ_do_not_turn_round_for_ever(statement: str) -> None:
    assert check(f"example : {statement} := by simp") == []


def test_a_contradiction_of_truth_values_closes_the_goal() -> None:
    assert check("example (c : Bool) (h : (false && c) = true) : c = true := by simp at h") == []


@pytest.mark.parametrize(
    ("attributes", "value"),
    [
        ("", 1),
        ("attribute [simp low] any\n", 5),
        ("attribute [simp high] two\n", 5),
        ("attribute [simp 1001] two\n", 5),
    ],
)
def test_the_higher_priority_comes_first(attributes: str, value: int) -> None:
    assert check(f"{F}attribute [simp] any two\n{attributes}example : f 2 = {value} := by simp") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("low", 100),
        ("mid", 500),
        ("", 1000),
        ("high", 10_000),
        ("high + 1", 10_001),
        ("(low - 1)", 99),
        ("↓ 7", 7),
    ],
)
def test_priorities_are_read(text: str, value: int) -> None:
    assert priority_of(text) == value
