"""Protocol of policies: goals in, sampled tactics with their token ids and log-probabilities out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


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
        version: Updates that the weights had seen, where rollouts run ahead of the learner; 0 otherwise.
    """

    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    text: str
    truncated: bool = False
    redraws: int = 0
    version: int = 0


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


K = TypeVar("K")
A = TypeVar("A")
Key = tuple[int, ...]
"""Name of a draw: numbers of 0 or more."""


class Stream(Protocol[K, A]):
    """Source of tactics: each is asked for by itself, and answered when it is ready.

    Attributes:
        together: Whether an answer depends on what is asked for between two calls of `answers`.
    """

    together: bool

    def ask(self, key: K, shown: str) -> None:
        """Ask for a tactic for a text; no two open questions have the same key."""

    def answers(self) -> list[tuple[K, A]]:
        """Go on, and return the answers that are ready; they are not returned again."""

    def __len__(self) -> int:
        """Return the number of questions without an answer."""


class AtOnce(Generic[K, A]):
    """Stream of a function that answers all questions at once."""

    together = True

    def __init__(self, answer: Callable[[Sequence[K], Sequence[str]], Sequence[A]]) -> None:
        """Keep the function: (keys, texts) -> one answer each."""
        self._answer = answer
        self._asked: dict[K, str] = {}

    def ask(self, key: K, shown: str) -> None:
        """Ask for a tactic for a text."""
        self._asked[key] = shown

    def answers(self) -> list[tuple[K, A]]:
        """Return the answers to all questions."""
        asked, self._asked = self._asked, {}
        return list(zip(asked, self._answer(list(asked), list(asked.values())), strict=True))

    def __len__(self) -> int:
        """Return the number of questions without an answer."""
        return len(self._asked)


def at_once(policy: Policy) -> Stream[Key, Completion]:
    """Return a stream that has the policy sample all that is asked for in one call."""
    return AtOnce(lambda _, goals: policy.sample(goals))


def stream_of(policy: Policy) -> Stream[Key, Completion]:
    """Return a stream of the policy's tactics: that of its method `open_stream`, if it has one."""
    opened: Callable[[], Stream[Key, Completion]] | None = getattr(policy, "open_stream", None)
    return at_once(policy) if opened is None else opened()
