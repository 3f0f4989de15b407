"""A verified proof plus potential-based shaping by a model of how near a proof is.

With phi(s) in [0, 1] the model's potential of the open goals, for instance the mean of 1 / (1 + tactics left), and s0
the start of the episode, the shaping term of a step from s to s' is `Phi(s') - Phi(s)` with

    Phi(s) = weight * (phi(s) - phi(s0))    while the episode goes on,
    Phi(s) = 0                              once it has ended, for any reason.

The sum over any episode that ends is `-Phi(s0) = 0`: a failed one earns 0 in all and a proved one exactly the proof,
whatever the model says. So a policy gains nothing by loops, by states that the model overrates, or by ending in one. An
episode that its caller abandons has earned less than `weight`.

Source: Ng, Harada, Russell, "Policy invariance under reward transformations", ICML 1999, theorem 1; potential 0 at
every end as in `lean_gym.rewards.shaped`. A model of the tactics left as reward: LeanProgress, arXiv:2502.17925.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_weight

Goals = tuple[str, ...]
Potential = Callable[[Sequence[Goals]], Sequence[float]]


@dataclass(frozen=True)
class ProgressModelReward:
    """1.0 for a verified proof plus `Phi(s') - Phi(s)` with a model's potential, times `scale`.

    Attributes:
        potential: Takes the open goals of several states, as Lean prints them; returns a number from 0 to 1 for each,
            larger where less is left, and equal ones for equal states.
        weight: Size of the potential, as a fraction of a proof; 0 gives the binary reward.
        scale: What a verified proof earns.
    """

    potential: Potential
    weight: float = 0.2
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            ValueError: `weight` is negative, or the potential cannot be called.
        """
        require_weight("weight", self.weight)
        if not callable(self.potential):
            raise ValueError(f"potential: got {self.potential!r}, expected a function of states")

    def prepare(self, transitions: Sequence[Transition]) -> None:
        """Ask for the potentials of all states at once; a potential that keeps them answers at once afterwards."""
        states = [state for one in transitions for state in _states(one)]
        if states:
            self.potential(list(dict.fromkeys(states)))

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms `proof` and `progress`.

        Raises:
            ValueError: The potential of a state is no number from 0 to 1.
        """
        start, before, after = self.potential(_states(transition))
        for value in (start, before, after):
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"potential: got {value!r}, expected a number from 0 to 1")
        gained = (start if transition.ended else after) - before
        return {
            "proof": self.scale if transition.proved else 0.0,
            "progress": self.scale * self.weight * gained,
        }


def _states(transition: Transition) -> list[Goals]:
    """Return the goals at the start of the episode, before the step and after it."""
    start = transition.history[0].before if transition.history else transition.before
    return [tuple(goal.text for goal in goals) for goals in (start, transition.before, transition.after)]
