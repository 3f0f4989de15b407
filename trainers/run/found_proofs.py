"""Proofs that a run finds, apart for the theorems that it trains on and for those held out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trainers.curriculum.theorems import TheoremSplit
from trainers.rollouts.player import Trajectory
from trainers.run.checkpoint import RunState

ProofRow = dict[str, Any]
"""Row of `proofs.jsonl`."""


class FoundProofs:
    """The first proof of each theorem whose reference proof was not shown."""

    def __init__(self, state: RunState, split: TheoremSplit) -> None:
        """Keep the parts.

        Args:
            state: Progress of the run; its `proofs` are extended in place.
            split: The theorems of the run.
        """
        self._state = state
        self._by_name = {theorem.name: theorem for theorem in split.all}
        self._held_out = {theorem.name for theorem in split.held_out} if split.separate else set()

    @property
    def training(self) -> list[ProofRow]:
        """Return the proofs of training theorems, in the order in which they were found."""
        return [row for name, row in self._state.proofs.items() if name not in self._held_out]

    @property
    def held_out(self) -> list[ProofRow]:
        """Return the proofs of held-out theorems, which only measurements find; none without a held-out part."""
        return [row for name, row in self._state.proofs.items() if name in self._held_out]

    def record(self, episodes: Iterable[Trajectory[Any]]) -> list[ProofRow]:
        """Keep the proofs of theorems that have none yet, and return their rows."""
        found = []
        for episode in episodes:
            name = episode.theorem
            if not episode.proved or name in self._state.proofs or name in self._state.shown:
                continue
            theorem = self._by_name[name]
            row = {
                "name": name,
                "statement": theorem.statement,
                "tactics": list(episode.tactics),
                "axioms": None if episode.axioms is None else list(episode.axioms),
                "split": theorem.split,
                "part": "held out" if name in self._held_out else "training",
                "iteration": self._state.iteration,
                "goals": _goals(episode),
            }
            self._state.proofs[name] = row
            found.append(row)
        return found


def _goals(episode: Trajectory[Any]) -> list[str] | None:
    """Return the goals before each tactic of a proof; `None` for one that began in the middle of another episode."""
    shown = ["\n\n".join(step.open_goals) for step in episode.steps if not step.refused]
    return shown if len(shown) == len(episode.tactics) else None
