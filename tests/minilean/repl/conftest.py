"""A session in this process, and helpers that send it commands."""

from __future__ import annotations

from typing import Any

import pytest

from minilean.library import library
from minilean.repl.server import execute, new_session
from minilean.repl.session import Session


class Repl:
    """A new session; `repl("goal.start", expr="True")` is the answer to that command."""

    def __init__(self) -> None:
        self.session: Session = new_session()

    def __call__(self, command: str, **payload: Any) -> dict[str, Any]:
        return execute(self.session, command, payload)

    def start(self, expr: str) -> int:
        answer = self("goal.start", expr=expr)
        assert "error" not in answer, answer
        state_id = answer["stateId"]
        assert isinstance(state_id, int)
        return state_id

    def step(self, state_id: int, **action: Any) -> int:
        """Return the state after a step that has to succeed."""
        answer = self("goal.tactic", stateId=state_id, **action)
        assert "nextStateId" in answer, answer
        next_id = answer["nextStateId"]
        assert isinstance(next_id, int)
        return next_id

    def shown(self, state_id: int) -> list[str]:
        """Return the goals of a state, one line each: `tag? x : A, y : B := v ⊢ target`."""
        answer = self("goal.print", stateId=state_id, goals=True)
        return [self.line(goal) for goal in answer["goals"]]

    def axioms(self, state_id: int) -> tuple[str, ...]:
        """Let the kernel check a finished state; return the axioms of its proof."""
        goal_state = self.session.states[state_id]
        return goal_state.problem.check(goal_state.state)

    @staticmethod
    def line(goal: dict[str, Any]) -> str:
        """Return a goal on one line."""
        rows = [
            f"{var['userName']} : {var['type']['pp']}"
            + (f" := {var['value']['pp']}" if "value" in var else "")
            for var in goal["vars"]
        ]
        tag = [f"{goal['userName']}:"] if "userName" in goal else []
        context = [", ".join(rows)] if rows else []
        return " ".join([*tag, *context, "⊢", goal["target"]["pp"]])


@pytest.fixture
def repl() -> Repl:
    """A session right after its start."""
    return Repl()


@pytest.fixture(scope="session", autouse=True)
def _library_is_in_the_cache() -> None:
    """A process that has to prove the library says so on standard error, which some tests expect to be empty."""
    library()
