"""A verified proof, and a small bonus for each state that the episode has not been in before.

A state is the list of its goals as they are printed. The first new state pays `weight * (1 - decay)`, each further
one `decay` times what the one before paid, so an episode earns less than `weight` in all, and a proof always earns
more than a failure. The bonus pays for failures and for detours: new hypotheses that are of no use are new states. It
changes which policy is best by less than `weight`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_fraction
from lean_gym.types import Goal


@dataclass(frozen=True)
class NoveltyReward:
    """Terms `proof` and `novelty`.

    Attributes:
        weight: Upper limit of the bonus of one episode, as a fraction of a proof, below 1.
        decay: What each further new state pays, as a share of the one before; from 0, below 1.
        scale: What a verified proof earns.
    """

    weight: float = 0.1
    decay: float = 0.8
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: A number is negative or not below 1.
        """
        require_fraction("weight", self.weight)
        require_fraction("decay", self.decay)

    @property
    def at_stake(self) -> float:
        """Most that a failure earns."""
        return self.weight

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        seen = {_printed(step.before) for step in transition.history} | {_printed(transition.before)}
        bonus = 0.0
        if _printed(transition.after) not in seen:
            bonus = self.scale * self.weight * (1.0 - self.decay) * self.decay ** (len(seen) - 1)
        return {"proof": self.scale if transition.proved else 0.0, "novelty": bonus}


def _printed(goals: tuple[Goal, ...]) -> tuple[str, ...]:
    return tuple(goal.text for goal in goals)
