"""Protocol of policies: goals in, sampled tactics with their token ids and log-probabilities out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Completion:
    """One tactic exactly as it was sampled; its text is never tokenised again.

    Attributes:
        prompt_ids: Tokens of the prompt, as the model saw them.
        token_ids: Sampled tokens, including the end token unless the tactic was truncated.
        logprobs: Log-probability of each sampled token under the sampling distribution.
        text: The tactic.
        truncated: Whether it was cut at the token limit before the policy ended it.
        redraws: Tactics that the player draws in place of one that its episode has tried where the same was shown; 0 if
            the episode had tried none there. Log-probabilities are those of the draw.
    """

    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    text: str
    truncated: bool = False
    redraws: int = 0


class Policy(Protocol):
    """A source of tactics.

    Completions for equal goals in one call need not be independent: `trainers.policies.beam.BeamPolicy` gives the best
    different ones.
    """

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Draw one tactic for each of the given goals, in order."""


class SeededPolicy(Policy, Protocol):
    """A policy whose draws can be fixed by a seed."""

    def seeded(self, seed: int) -> AbstractContextManager[None]:
        """Sample from this seed within the block."""
