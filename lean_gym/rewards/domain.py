"""A verified proof, weighted by the subject of its theorem, and 0 without a proof.

Only a proof earns anything, so no failure can be exploited. As with `difficulty.py`, the weight shows in
algorithms that do not divide by the standard deviation of a group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lean_gym.rewards.base import Transition, require_weight


@dataclass(frozen=True)
class DomainReward:
    """Terms `proof` and `domain`, the difference that the weight makes.

    Attributes:
        weights: Domain of a theorem to the weight of its proofs, a positive number; e.g. `{"induction": 2.0}`.
        other: Weight of the domains that are not listed.
        scale: What a verified proof of weight 1 earns.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    other: float = 1.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the weights.

        Raises:
            ValueError: `weights` is no mapping, or a weight is not above 0: a proof has to earn more than none.
        """
        if not isinstance(self.weights, Mapping):
            raise ValueError(f"weights: got {self.weights!r}, expected domains with their weights")
        for name, weight in {**self.weights, "other": self.other}.items():
            require_weight(f"weights: {name}" if name in self.weights else name, weight, above_zero=True)

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        earned = self.scale if transition.proved else 0.0
        weight = self.weights.get(transition.theorem.domain, self.other)
        return {"proof": earned, "domain": earned * (weight - 1.0)}
