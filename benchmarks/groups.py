"""Scripts of the episodes of `benchmarks.env`: single proofs, or the tactics of a group of episodes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from lean_gym.backends.registry import create_backend
from lean_gym.datasets import proof_steps
from lean_gym.types import Theorem

DIFFERENT = 4
"""Number of different refused tactics that a group tries at each state."""


@dataclass(frozen=True)
class Group:
    """Group of episodes of one theorem that start together, each with its own tactics."""

    theorem: Theorem
    scripts: tuple[tuple[str, ...], ...]


def alone(theorems: Sequence[Theorem]) -> list[Group]:
    """Return one episode for each theorem, with its reference proof."""
    return [Group(theorem, (tuple(proof_steps(theorem.proof)),)) for theorem in theorems]


def in_groups(theorems: Sequence[Theorem], backend: str, size: int) -> list[Group]:
    """Return `size` episodes for each theorem, which also try one of four refused tactics before each step."""
    prover = create_backend(backend)
    pool = sorted({tactic for theorem in theorems for tactic in proof_steps(theorem.proof)})
    rng = random.Random(0)
    groups = []
    for theorem in theorems:
        scripts: list[list[str]] = [[] for _ in range(size)]
        state = prover.start(theorem)
        for tactic in proof_steps(theorem.proof):
            refused = [one for one in rng.sample(pool, len(pool)) if prover.apply(state, one).state is None][
                :DIFFERENT
            ]
            for member, script in enumerate(scripts):
                script += [refused[member % DIFFERENT], tactic]
            state = prover.apply(state, tactic).state or state
        groups.append(Group(theorem, tuple(map(tuple, scripts))))
    prover.close()
    return groups
