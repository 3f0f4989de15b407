"""A verified proof, worth more the sooner it is found: `1 + weight * decay ** (n - 1)` after n tactics tried.

Refused tactics count, so the way to earn more is to prove in fewer tries. Without a proof there is nothing to earn,
and any proof earns more than none: giving up early never pays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_weight


@dataclass(frozen=True)
class EfficiencyReward:
    """Terms `proof` and `efficiency`.

    Attributes:
        weight: What a proof by a single tactic earns on top, as a fraction of a proof.
        decay: Share of that which each further try leaves, above 0, at most 1.
        scale: What a verified proof earns, however long it took.
    """

    weight: float = 0.5
    decay: float = 0.8
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: `weight` is negative or `decay` is outside (0, 1].
        """
        require_weight("weight", self.weight)
        require_weight("decay", self.decay, most=1.0, above_zero=True)

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        earned = self.scale if transition.proved else 0.0
        return {"proof": earned, "efficiency": earned * self.weight * self.decay ** (transition.step - 1)}
