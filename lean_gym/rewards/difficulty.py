"""A verified proof, worth more the harder its theorem: `1 + weight * difficulty`, and 0 without a proof.

Only a proof earns anything, so no failure can be exploited. Within one theorem all proofs earn the same; a group of
attempts at a hard theorem weighs more than one at an easy theorem. An algorithm that divides by the group's standard
deviation removes that weight again: use it with `dr_grpo`, `rloo`, or `advantage_norm` set to `none`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_weight


@dataclass(frozen=True)
class DifficultyReward:
    """Terms `proof` and `difficulty`.

    Attributes:
        weight: What difficulty 1 adds to a proof, as a fraction of a proof.
        unknown: The difficulty, from 0 to 1, of a theorem whose set gives none.
        scale: What a verified proof of difficulty 0 earns.
    """

    weight: float = 0.5
    unknown: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: `weight` is negative or `unknown` is outside [0, 1].
        """
        require_weight("weight", self.weight)
        require_weight("unknown", self.unknown, most=1.0)

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        earned = self.scale if transition.proved else 0.0
        known = transition.theorem.difficulty
        difficulty = self.unknown if known is None else min(1.0, max(0.0, known))
        return {"proof": earned, "difficulty": earned * self.weight * difficulty}
