"""`T.noConfusion` in a step by itself."""

from __future__ import annotations

from minilean.library import library
from minilean.proof import Problem


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
