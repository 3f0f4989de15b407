"""Protocol of policies: goals in, sampled tactics with their token ids and log-probabilities out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


Key = tuple[int, ...]
"""Name of a draw: numbers of 0 or more."""


class Stream(Protocol):
    """Tactics being drawn: each is asked for by itself, and answered when it is ready.

    Attributes:
        together: Whether what is drawn depends on what is asked for between two calls of `answers`.
    """

    together: bool

    def ask(self, key: Key, goals: str) -> None:
        """Ask for a tactic for goals; no two questions of a stream have the same key."""

    def answers(self) -> list[tuple[Key, Completion]]:
        """Go on with the draws, and return those that are ready; they are not returned again."""

    def __len__(self) -> int:
        """Return the number of questions without an answer."""


class Batches:
    """Stream of a policy that draws all at once."""

    together = True

    def __init__(self, policy: Policy) -> None:
        """Keep the policy."""
        self._policy = policy
        self._asked: dict[Key, str] = {}

    def ask(self, key: Key, goals: str) -> None:
        """Ask for a tactic for goals."""
        self._asked[key] = goals

    def answers(self) -> list[tuple[Key, Completion]]:
        """Return a tactic for each question."""
        asked, self._asked = self._asked, {}
        return list(zip(asked, self._policy.sample(list(asked.values())), strict=True)) if asked else []

    def __len__(self) -> int:
        """Return the number of questions without an answer."""
        return len(self._asked)


def stream_of(policy: Policy) -> Stream:
    """Return a stream of the policy's tactics: that of its method `open_stream`, if it has one."""
    opened: Callable[[], Stream] | None = getattr(policy, "open_stream", None)
    return Batches(policy) if opened is None else opened()
