"""Replay of proofs from their text, and of reference proofs into (goals, tactic) pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lean_gym.datasets import proof_steps
from lean_gym.types import Theorem
from trainers.rollouts.player import EpisodePlayer, Trajectory


@dataclass(frozen=True, slots=True)
class Scripted:
    """A tactic from a script."""

    text: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Result of replaying reference proofs.

    Attributes:
        pairs: (goals, tactic), or (statement, whole proof), in the order of the proofs, without what Lean refused.
        failed: Names of the theorems whose proof was not accepted.
    """

    pairs: tuple[tuple[str, str], ...]
    failed: tuple[str, ...]


def choose_proofs(theorems: Sequence[Theorem], share: float, seed: int) -> list[Theorem]:
    """Draw the theorems whose reference proof is shown: `share` of all, among those that have one."""
    with_proof = [theorem for theorem in theorems if theorem.proof.strip()]
    count = min(round(share * len(theorems)), len(with_proof))
    chosen = np.random.default_rng([seed, 1]).permutation(len(with_proof))[:count]
    return [with_proof[index] for index in sorted(chosen.tolist())]


def replay(player: EpisodePlayer, theorems: Sequence[Theorem]) -> Replay:
    """Replay the reference proofs on the environment.

    An episode that ends at the step budget still gives its first pairs.
    """
    pairs: list[tuple[str, str]] = []
    failed: list[str] = []
    for episode in play_scripts(player, [(t.name, proof_steps(t.proof)) for t in theorems]):
        pairs += [(step.goals, step.choice.text) for step in episode.steps if not step.refused]
        if any(step.refused for step in episode.steps):
            failed.append(episode.theorem)
    return Replay(tuple(pairs), tuple(failed))


def play_scripts(
    player: EpisodePlayer, scripts: Sequence[tuple[str, Sequence[str]]]
) -> list[Trajectory[Scripted]]:
    """Play one episode for each (theorem, tactics); where actions are whole proofs, all tactics are one action."""
    if player.env.whole_proofs:
        scripts = [(name, ("\n".join(script),)) for name, script in scripts]
    played = [0] * len(scripts)

    def choose(numbers: Sequence[int], _: Sequence[str]) -> list[Scripted]:
        # `done` is refused while goals are left, so a script that stops too early ends at the step budget.
        tactics = [next(iter(scripts[number][1][played[number] :]), "done") for number in numbers]
        for number in numbers:
            played[number] += 1
        return [Scripted(tactic) for tactic in tactics]

    return player.play([name for name, _ in scripts], choose)
