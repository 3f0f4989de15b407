"""`T.noConfusion` and `T.noConfusionType`: Lean's types, what they prove, and what they do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.library import library
from minilean.proof import Problem

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    "name", ["And.noConfusion", "Eq.noConfusion", "String.noConfusion", "T.noConfusions"]
)
def test_types_without_it(name: str, messages: Check) -> None:
    assert messages(f"inductive T | a\n#check @{name}") == [f"2:7 error Unknown constant `{name}`"]


def test_a_step_by_itself_uses_what_a_command_made() -> None:
    statement = "theorem t (h : T.a = T.b) : False"
    before = "inductive T | a | b\n"
    problem = Problem.from_source(statement, library(), before)
    refused = problem.apply(problem.start(), "exact T.noConfusion h")
    assert refused.error == "unsupported: `T.noConfusion` in a tactic step by itself"
    problem = Problem.from_source(
        statement, library(), before + "theorem u (h : T.a = T.b) : 1 = 2 := T.noConfusion h\n"
    )
    step = problem.apply(problem.start(), "exact T.noConfusion h")
    assert step.state is not None
    problem.check(step.state)
