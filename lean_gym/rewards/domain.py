"""A verified proof, weighted by the subject of its theorem, and 0 without a proof.

The subject is the theorem's `domain`. Where its set gives none, it is read from the symbols of the statement: one of
`induction`, `lists`, `functions`, `order`, `arithmetic`, `logic`; see `lean_gym.rewards.subjects`.

Only a proof earns anything, so no failure can be exploited. As with `difficulty.py`, the weight shows in
algorithms that do not divide by the standard deviation of a group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lean_gym.rewards.base import Transition, require_weight
from lean_gym.rewards.subjects import subject_of


@dataclass(frozen=True)
class DomainReward:
    """Terms `proof` and `domain`, the difference that the weight makes.

    Attributes:
        weights: Subject of a theorem to the weight of its proofs, a positive number; e.g. `{"induction": 2.0}`.
        other: Weight of the subjects that are not listed.
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
        if not transition.proved:
            return {"proof": 0.0, "domain": 0.0}
        earned, theorem = self.scale, transition.theorem
        weight = self.weights.get(theorem.domain or subject_of(theorem), self.other)
        return {"proof": earned, "domain": earned * (weight - 1.0)}
