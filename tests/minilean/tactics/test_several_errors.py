"""Alternatives, bullets and cases that fail: every error is reported, and nothing is proved."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text
from minilean.library import library
from minilean.proof import Problem


def errors(text: str) -> list[str]:
    return [m.text for m in check_text(text) if m.severity == "error"]


def test_each_alternative_is_told() -> None:
    text = (
        "theorem t (k : Nat) : k = k + 0 := by\n  induction k with\n  | zero => skip\n  | succ n ih => skip"
    )
    assert errors(text) == [
        "unsolved goals\ncase zero\n⊢ 0 = 0 + 0",
        "unsolved goals\ncase succ\nn : Nat\nih : n = n + 0\n⊢ n + 1 = n + 1 + 0",
    ]
    text = "example (p q : Prop) (h : p ∨ q) : p := by\n  cases h with\n  | inl h => exact x"
    assert errors(text) == ["Unknown identifier `x`", "Alternative `inr` has not been provided"]


@pytest.mark.parametrize("opening", ["· ", "case' left => ", "case left => ", "next => "])
def test_each_bullet_is_told(opening: str) -> None:
    text = f"example (p q : Prop) : p ∧ q := by\n  constructor\n  {opening}exact x\n  · exact y\n"
    told = errors(text)
    assert told[0] == "Unknown identifier `x`"
    assert told[1:] == ([] if opening.startswith("case'") else ["Unknown identifier `y`"])


def test_what_comes_behind_a_failed_bullet_is_told_as_well() -> None:
    text = "example (p q : Prop) (hp : p) : q ∧ p := by\n  constructor\n  · simp\n  exact hp"
    assert errors(text) == ["`simp` made no progress"]
    assert errors(text.replace("exact hp", "exact x")) == [
        "`simp` made no progress",
        "Unknown identifier `x`",
    ]


@pytest.mark.parametrize(
    "script",
    [
        "try (constructor; · exact h; · exact x)\nexact h",
        "first | (constructor; · skip; · skip) | skip",
        "constructor\n· exact x\n· exact y",
        "by_cases a : p\n· exact x\n· exact y",
        "all_goals (constructor; · exact x; · exact y)",
    ],
)
def test_nothing_is_proved_by_what_failed(script: str) -> None:
    problem = Problem.from_source("theorem t (p q : Prop) (h : q) : p ∧ q", library())
    step = problem.apply(problem.start(), script)
    assert step.error is not None or (step.state is not None and step.state.goals)


def test_the_first_of_several_is_the_error_of_a_tactic() -> None:
    problem = Problem.from_source("theorem t (p q : Prop) : p ∧ q", library())
    assert (
        problem.apply(problem.start(), "constructor\n· exact x\n· exact y").error == "Unknown identifier `x`"
    )
