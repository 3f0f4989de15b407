"""Fixed tactic that tells which goals automation closes at once; nothing of it becomes part of a proof."""

from __future__ import annotations

from typing import Final

from lean_gym.types import ProofState, TacticResult

AUTOMATION: Final = (
    "focus (intros; first | assumption | rfl | trivial | contradiction | omega | decide | (simp_all; done) "
    "| exact default)"
)
"""Closes the first goal or fails."""


def probe_of(at: int) -> str:
    """Return the tactic that tries to close the goal with this number, counted from 0."""
    return f"rotate_left {at}\n{AUTOMATION}" if at else AUTOMATION


def closes(state: ProofState, result: TacticResult) -> bool:
    """Return whether the result of a probe in this state says that the goal was closed."""
    return result.state is not None and len(result.state.goals) < len(state.goals)
