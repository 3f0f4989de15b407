"""Rows of `measurements.jsonl`: what the policy did on each held-out theorem in each measurement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trainers.rollouts.player import Trajectory

EPISODES_OF: Final = 400
"""Theorems of a measurement of which episodes are kept, the first ones; of the others, numbers only."""
LONGEST_GOALS: Final = 4000
"""Longest text of goals in a kept episode, in characters."""


def measurement_rows(iteration: int, episodes: Sequence[Trajectory[Any]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each theorem: its episodes and proofs in numbers, the shortest proof, the best failure.

    Args:
        iteration: Iterations done at the measurement.
        episodes: All episodes, theorem by theorem.
    """
    attempts: dict[str, list[Trajectory[Any]]] = {}
    for episode in episodes:
        attempts.setdefault(episode.theorem, []).append(episode)
    for number, (theorem, own) in enumerate(attempts.items()):
        proofs = [episode for episode in own if episode.proved]
        failed = [episode for episode in own if not episode.proved]
        kept = [min(proofs, key=_accepted)] if proofs else []
        kept += [max(failed, key=_accepted)] if failed else []
        yield {
            "iteration": iteration,
            "theorem": theorem,
            "episodes": len(own),
            "proved": len(proofs),
            "kept": [_row(iteration, each) for each in kept] if number < EPISODES_OF else [],
        }


def step_row(shown: str, tactic: str, refused: bool, message: str) -> dict[str, Any]:
    """Return the part of a stored step that a report reads; a step that was accepted has no message."""
    row = {"shown": shown, "tactic": tactic, "refused": refused}
    return row | {"message": message} if refused else row


def _row(iteration: int, episode: Trajectory[Any]) -> dict[str, Any]:
    return {
        "iteration": iteration,
        "theorem": episode.theorem,
        "outcome": str(episode.outcome),
        "tactics": list(episode.tactics),
        "steps": [
            step_row(step.goals[:LONGEST_GOALS], step.choice.text, step.refused, step.message)
            for step in episode.steps
        ],
    }


def _accepted(episode: Trajectory[Any]) -> int:
    return len(episode.tactics)
