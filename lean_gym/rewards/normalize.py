"""Another reward, scaled and shifted so that the returns from `low` to `high` become those from 0 to 1.

Each term is divided by `high - low`. The shift `-low / (high - low)` is a term of an episode's last step: on every
step it would pay for long episodes or for short ones. The map is increasing, so no return changes its rank, the best
policy is the same, and a group baseline takes the shift away again. It is for algorithms that do not divide by the
deviation of a group, and for critics and replay buffers that expect a fixed range.

The bounds are the user's. Running statistics, as Gymnasium's `NormalizeReward` has them, would be state: the reward
of a step would depend on which episodes ended before it, so branches of one proof, workers of different speed and a
resumed run would disagree about equal steps. The episode that is never ended gets no shift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lean_gym.rewards.base import Reward, Transition, at_stake, prepare_terms, reward_terms


@dataclass(frozen=True)
class NormalizeReward:
    """The terms of another reward, divided, and `shift`.

    Attributes:
        reward: The other reward.
        low: The return that becomes 0.
        high: The return that becomes 1.
    """

    reward: Reward
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            ValueError: `low` is not below `high`, or one of them is no finite number.
        """
        try:
            width = float(self.high) - float(self.low)
        except (TypeError, ValueError):
            width = 0.0
        if not 0.0 < width < float("inf"):
            raise ValueError(f"low, high: got {self.low!r} and {self.high!r}, expected low below high")

    @property
    def scale(self) -> float:
        """Reward of a verified proof, apart from the shift."""
        return self.reward.scale / (self.high - self.low)

    @property
    def at_stake(self) -> float:
        """As for the other reward: failures and proofs are shifted alike."""
        return at_stake(self.reward)

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        width = self.high - self.low
        terms = {name: value / width for name, value in reward_terms(self.reward, transition).items()}
        terms["shift"] = terms.get("shift", 0.0) + (-self.low / width if transition.ended else 0.0)
        return terms

    def prepare(self, transitions: Sequence[Transition]) -> None:
        """Let the other reward look ahead."""
        prepare_terms(self.reward, transitions)
