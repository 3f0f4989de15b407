"""A verified proof, and for a failed episode a smaller reward for the share of the theorem that it closed.

Paid once, with the last step of an episode that ends without a proof: `weight * progress`, where the progress is the
share of the theorem that the closed goals stand for, computed by `lean_gym.envs.progress`. A proof earns exactly the
proof. A script that verification rejected earns nothing: its goals may have been closed by an unsound step.

**This is no potential: it changes which failure is better.** There is no policy invariance. A policy may learn to
close half of a theorem for sure rather than to risk an attempt at the whole. `weight` is below 1, so a proof always
earns more than any failure, and the best policy for a theorem that can be proved every time is still the one that
proves it. What it is for: in a group of episodes that all fail, the returns differ, so a group baseline gives a
signal.

Bound: a failed episode earns less than `weight`. Steps that only close side goals of cuts, goals that automation
closes at once, or goals that return to an ancestor's target earn 0, in any number. A policy can still gain without
getting nearer to a proof: by taking the provable one of two goals where the other is false (`left`, a wrong witness,
a lemma whose premise fails); and by stating a goal in other words, a different text with the same meaning, together
with an assertion that it proves by hand and automation does not close at once. Both cost steps, and both stay below
`weight`. Where tactics are forbidden, automation does without them, and easier assertions have a share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lean_gym.rewards.base import Transition, require_fraction
from lean_gym.types import Outcome


@dataclass(frozen=True)
class PartialReward:
    """Terms `proof` and `partial`. It changes which of two failures is better: there is no policy invariance.

    Attributes:
        weight: Upper limit of what a failed episode earns, as a fraction of a proof, below 1.
        scale: What a verified proof earns.
    """

    weight: float = 0.5
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            ValueError: `weight` is negative or not below 1.
        """
        require_fraction("weight", self.weight)

    @property
    def needs_progress(self) -> bool:
        """Return whether the prover has to probe new goals."""
        return self.weight > 0.0

    @property
    def at_stake(self) -> float:
        """Most that a failure earns."""
        return self.weight

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        if transition.proved:
            return {"proof": self.scale, "partial": 0.0}
        paid = transition.ended and transition.outcome is not Outcome.REJECTED
        return {"proof": 0.0, "partial": self.scale * self.weight * transition.progress if paid else 0.0}
