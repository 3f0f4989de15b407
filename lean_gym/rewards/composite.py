"""Several rewards at once: one proof, and on top what each part adds to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lean_gym.rewards.base import Reward, Transition, prepare_terms, reward_terms


@dataclass(frozen=True)
class CompositeReward:
    """The term `proof` once, and all other terms of the parts; terms of the same name are added up.

    From a configuration file or a command line, `parts` maps names to the options of each, see `create_reward`:
    `{"shaped": {"weight": 0.1}, "efficiency": {}}`.

    Attributes:
        parts: Rewards, each in units of its own `scale`.
        scale: What a verified proof earns, apart from what the parts add.
    """

    parts: Sequence[Reward]
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the parts.

        Raises:
            ValueError: There is none, or the scale of one is 0.
        """
        if not self.parts:
            raise ValueError("parts: got none, expected at least one reward")
        for part in self.parts:
            if part.scale == 0.0:
                raise ValueError(f"parts: got {part!r}, expected a scale other than 0")

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
