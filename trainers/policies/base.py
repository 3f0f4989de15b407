"""What a policy is: goals in, sampled tactics with their token ids and log-probabilities out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Completion:
    """One sampled tactic, exactly as it was sampled; nothing is ever tokenised again.

    Attributes:
        prompt_ids: Tokens of the prompt, as the model saw them.
        token_ids: Sampled tokens, the end token included unless the tactic was cut off.
        logprobs: Log-probability of each sampled token under the sampling distribution.
        text: The tactic.
    """

    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    text: str


class Policy(Protocol):
    """Anything that proposes tactics."""

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Draw one tactic for each of the given goals, in order."""


class SeededPolicy(Policy, Protocol):
    """A policy whose draws can be fixed for a while."""

    def seeded(self, seed: int) -> AbstractContextManager[None]:
        """Sample from this seed within the block."""
