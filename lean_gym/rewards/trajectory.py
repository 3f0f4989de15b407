"""A verified proof, and a user's score of the whole episode, given once at its end.

The function receives the last `Transition`. Its `history` holds the earlier steps with their tactics, errors and goals,
`tactics` the accepted script, and `outcome` the end. The score is cut to the range from -1 to 1 and paid as `weight`
times that, for proofs and failures alike. `weight` is below 1/2, so a proof with the worst score earns more than a
failure with the best one. The score changes which of two failures and which of two proofs is better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_weight


@dataclass(frozen=True)
class TrajectoryReward:
    """Terms `proof` and `trajectory`.

    Attributes:
        function: Takes the last transition of an episode; returns a score, of which -1 to 1 is used.
        weight: What the score 1 pays, as a fraction of a proof, below 0.5.
        scale: What a verified proof earns.
    """

    function: Callable[[Transition], float]
    weight: float = 0.25
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            ValueError: `function` is none, or `weight` is negative or not below 0.5.
        """
        if not callable(self.function):
            raise ValueError(f"function: got {self.function!r}, expected a function of a Transition")
        require_weight("weight", self.weight, most=0.5)
        if self.weight == 0.5:
            raise ValueError(f"weight: got {self.weight!r}, expected less than 0.5")

    @property
    def at_stake(self) -> float:
        """Most that a failure earns, and as much that is taken off a proof."""
        return 2.0 * self.weight

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        score = 0.0
        if transition.ended:
            score = self.function(transition)
            # A score that is not a number stays one, and is reported.
            score = min(1.0, max(-1.0, score)) if score == score else score
        return {
            "proof": self.scale if transition.proved else 0.0,
            "trajectory": self.scale * self.weight * score,
        }
