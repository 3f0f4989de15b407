"""A verified proof plus potential-based shaping from the goals left.

The shaping term of a step from s to s' is `gamma * Phi(s') - Phi(s)` with

    Phi(s) = -weight * (1 - 1 / n)    for n open goals, all of them counted,
    Phi(s) = 0                        once the episode has ended, for any reason.

Splitting a goal costs, closing a side goal returns the cost. The shaping cannot be exploited by:

1. Loops. The discounted sum over a loop of k steps is `gamma^k Phi(s) - Phi(s)`, which is 0
   for gamma = 1.
2. Ending in a good state. The sum over any episode that ends is `-Phi(s0)`, the same whatever was done, because
   truncation, rejection and a crash end the episode with potential 0 just as a proof does. A theorem starts
   with one goal, where Phi is 0: a failed episode earns 0 in all, a proved one exactly the proof.
3. Stopping early. Phi is never positive, so an episode that the caller abandons has earned at most
   `-Phi(s0)`.
4. Making goals disappear without proving them. The price comes back with the last step, and the proof term
   needs a verified proof.

All of this holds for returns discounted with the same gamma. The default is 1, the discount of episode
returns; with a smaller one, undiscounted sums would reward delay with open goals.

Source: Ng, Harada, Russell, "Policy invariance under reward transformations", ICML 1999, theorem 1; for
potential 0 at every episode end, truncation included: Grzes, "Reward shaping in episodic reinforcement
learning", AAMAS 2017.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_weight
from lean_gym.types import Goal


@dataclass(frozen=True)
class ShapedReward:
    """1.0 for a verified proof plus `gamma * Phi(s') - Phi(s)`, times `scale`.

    Attributes:
        weight: Size of the potential, as a fraction of a proof; 0 gives the binary reward.
        gamma: Discount of the returns that the shaping is to leave unchanged, in (0, 1].
        scale: What a verified proof earns.
    """

    weight: float = 0.2
    gamma: float = 1.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: `weight` is negative or `gamma` is outside (0, 1].
        """
        require_weight("weight", self.weight)
        require_weight("gamma", self.gamma, most=1.0, above_zero=True)

    def potential(self, goals: tuple[Goal, ...]) -> float:
        """Phi of a state whose episode goes on, in units of one proof.

        Args:
            goals: All open goals.

        Returns:
            A number in (-weight, 0]; 0 for one goal or none.
        """
        return self.weight * (1.0 / max(1, len(goals)) - 1.0)

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms `proof` and `goals`."""
        after = 0.0 if transition.ended else self.potential(transition.after)
        shaping = self.gamma * after - self.potential(transition.before)
        return {"proof": self.scale if transition.proved else 0.0, "goals": self.scale * shaping}
