"""A verified proof, less a small cost for every tactic that was tried.

All the steps of an episode together cost at most `most` of a proof, which is below 1, so that a long proof still
earns more than any failure. Refused tactics cost as well. Failures earn less than 0, and an episode that ends sooner
without a proof, by a rejected script or a crash, costs less than one that spends its budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_fraction, require_weight


@dataclass(frozen=True)
class StepCostReward:
    """Terms `proof` and `step_cost`.

    Attributes:
        weight: Cost of one tactic, as a fraction of a proof.
        most: Upper limit of the cost of one episode, as a fraction of a proof, below 1.
        scale: What a verified proof earns.
    """

    weight: float = 0.01
    most: float = 0.5
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: A number is negative, or `most` is not below 1.
        """
        require_weight("weight", self.weight)
        require_fraction("most", self.most)

    @property
    def at_stake(self) -> float:
        """Most that is taken off a proof."""
        return self.most

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        left = max(0.0, self.most - self.weight * (transition.step - 1))
        cost = self.scale * min(self.weight, left)
        return {"proof": self.scale if transition.proved else 0.0, "step_cost": -cost}
