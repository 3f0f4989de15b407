"""Fixed tactic that tells which goals automation closes at once; nothing of it becomes part of a proof.

It uses what the environment's option `forbid` allows the agent: a goal that only a forbidden tactic closes at once is
work. The combinators around the tactics close nothing and always stay.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from lean_gym.types import ProofState, TacticResult
from lean_gym.verification.forbidden import forbidden_head

_FIRST: Final = "intros"
_CLOSERS: Final = (
    "assumption",
    "rfl",
    "trivial",
    "contradiction",
    "omega",
    "decide",
    "(simp_all; done)",
    "exact default",
)


def closing_tactic(forbid: Collection[str]) -> str | None:
    """Return the tactic that closes the first goal or fails; `None` when nothing that could close one is allowed.

    Args:
        forbid: Forbidden words, as `lean_gym.verification.forbidden.check_forbid` returns them.
    """
    closers = [one for one in _CLOSERS if forbidden_head(one, forbid) is None]
    before = "" if forbidden_head(_FIRST, forbid) else f"{_FIRST}; "
    return f"focus ({before}first | {' | '.join(closers)})" if closers else None


def probes(before: ProofState, after: ProofState, closing: str | None) -> list[tuple[int, str]]:
    """Return the goals to try, by their numbers from 0, each with the tactic that tries to close it.

    Args:
        before: The state before the last tactic; goals that it left alone are not tried.
        after: The state after it.
        closing: The tactic of `closing_tactic`.
    """
    old = {goal.text for goal in before.goals}
    return [
        (at, f"rotate_left {at}\n{closing}" if at else closing)
        for at, goal in enumerate(after.goals)
        if closing is not None and goal.text not in old
    ]


def closes(state: ProofState, result: TacticResult) -> bool:
    """Return whether the result of a probe in this state says that the goal was closed."""
    return result.state is not None and len(result.state.goals) < len(state.goals)
