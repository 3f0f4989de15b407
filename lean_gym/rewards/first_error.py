"""A verified proof, less a cost for the first tactic of the episode that the prover refuses.

Only the first refusal costs, so an episode is not punished again while it looks for a way out, and the cost cannot
add up to more than `weight`, which is below 1: a proof with refused tactics earns more than a failure without.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_fraction


@dataclass(frozen=True)
class FirstErrorReward:
    """Terms `proof` and `first_error`.

    Attributes:
        weight: Cost of the first refused tactic, as a fraction of a proof, below 1.
        scale: What a verified proof earns.
    """

    weight: float = 0.1
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            ValueError: `weight` is negative or not below 1.
        """
        require_fraction("weight", self.weight)

    @property
    def at_stake(self) -> float:
        """Most that is taken off a proof."""
        return self.weight

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        # Every tactic that was tried is accepted or refused, so this is the first refusal of the episode.
        first = transition.refused and transition.step - len(transition.tactics) == 1
        cost = self.scale * self.weight if first else 0.0
        return {"proof": self.scale if transition.proved else 0.0, "first_error": -cost}
