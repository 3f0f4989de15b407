"""The objective itself: 1 for a verified proof, 0 for anything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition


@dataclass(frozen=True)
class BinaryReward:
    """`scale` for a verified proof, 0 otherwise.

    Attributes:
        scale: What a verified proof earns.
    """

    scale: float = 1.0

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the single term `proof`."""
        return {"proof": self.scale if transition.proved else 0.0}
