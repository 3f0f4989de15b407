"""Alternatives, bullets and cases that fail prove nothing."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem


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
