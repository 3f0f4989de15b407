"""Several rewards at once: one proof, and on top what each part adds to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lean_gym.rewards.base import Reward, Transition, at_stake, prepare_terms, reward_terms


@dataclass(frozen=True)
class CompositeReward:
    """The term `proof` once, and all other terms of the parts; terms of the same name are added up.

    From a configuration file or a command line, `parts` maps names to the options of each, see `create_reward`:
    `{"shaped": {"weight": 0.1}, "efficiency": {}}`. As a text: `shaped:0.1+efficiency`, see `mixture.py`.

    What all parts together pay for a failure and take off a proof is less than a proof, as far as they declare it; a
    user's function declares nothing.

    Attributes:
        parts: Rewards, each in units of its own `scale`.
        scale: What a verified proof earns, apart from what the parts add.
    """

    parts: Sequence[Reward]
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the parts.

        Raises:
            ValueError: There is none, the scale of one is 0, or a failure might earn as much as a proof.
        """
        if not self.parts:
            raise ValueError("parts: got none, expected at least one reward")
        for part in self.parts:
            if part.scale == 0.0:
                raise ValueError(f"parts: got {part!r}, expected a scale other than 0")
        if self.at_stake >= 1.0:
            raise ValueError(
                f"parts: got rules that may pay a failure, or take off a proof, {self.at_stake:g} of a proof together, "
                "expected less than 1"
            )

    @property
    def at_stake(self) -> float:
        """Sum over the parts."""
        return sum(at_stake(part) for part in self.parts)

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step."""
        terms = {"proof": self.scale if transition.proved else 0.0}
        for part in self.parts:
            for name, value in reward_terms(part, transition).items():
                if name != "proof":
                    terms[name] = terms.get(name, 0.0) + value * self.scale / part.scale
        return terms

    def prepare(self, transitions: Sequence[Transition]) -> None:
        """Let the parts look ahead."""
        for part in self.parts:
            prepare_terms(part, transitions)
