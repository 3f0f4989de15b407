"""Requests to a policy, and its answers: each request has its own temperature, nucleus, length, stop texts and seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError

Prepared = TypeVar("Prepared")
GREEDY: Final = 1e-4
"""Temperature that stands for 0, which divides nothing."""


class Refused(Exception):
    """A request that this policy cannot answer.

    Attributes:
        code: OpenAI's code of the error.
    """

    def __init__(self, text: str, code: str = "invalid_value") -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class Ask:
    """One request.

    Attributes:
        text: The goals, a prompt that the policy's view made, or a raw prompt. Goals beyond the prompt budget lose
            their beginning, as in training; a raw prompt is refused.
        raw: The text is the client's own prompt, or its own dialogue, not goals to be put in the policy's prompt.
        count: Answers.
        temperature: 0 or more; `None` takes that of the policy's settings.
        top_p: Share of the probability that is drawn from, in (0, 1]; `None` takes that of the settings.
        max_tokens: Tokens per answer; `None` takes those of the settings.
        stop: Texts that end an answer and are no part of it.
        seed: Makes the answers repeatable.
        prefix: Beginning of every answer.
        beam: The answers are the likeliest ones that a beam search of width `count` finds, the best first, and the last
            one again where they are fewer. Temperature, nucleus and seed are not used.
    """

    text: str
    raw: bool = False
    count: int = 1
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    prefix: str = ""
    beam: bool = False


@dataclass(frozen=True, slots=True)
class Sampled:
    """One answer.

    Attributes:
        text: The answer, up to the first stop text.
        tokens: Its tokens as text, without those of the prefix.
        logprobs: The log-probability of each token under the distribution that is drawn from, that of the end token
            left out.
        finished: It ended by itself, not by the limit of tokens.
        prompt_tokens: Length of the prompt.
        tactic: The tactic in the answer: the answer itself, but for a chat that wrapped it.
        sampled_logprobs: The log-probabilities of all tokens, that of the end included; `None` where the policy tells
            none.
    """

    text: str
    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    finished: bool
    prompt_tokens: int
    tactic: str
    sampled_logprobs: tuple[float, ...] | None

    @property
    def total(self) -> float | None:
        """Return the log-probability of the whole answer; `None` where the policy tells none."""
        return None if self.sampled_logprobs is None else sum(self.sampled_logprobs)


def answer_in_groups(
    batch: Sequence[Ask],
    prepare: Callable[[Ask], Prepared],
    sample: Callable[[Sequence[tuple[Ask, Prepared]]], list[Sampled]],
    kind: Callable[[Ask], object] = lambda _: None,
) -> list[list[Sampled] | Exception]:
    """Answer requests, those of equal settings together; a request with a seed is answered alone.

    Args:
        batch: The requests.
        prepare: Makes of a request what is sampled from; raises `Refused` for one that has no answer.
        sample: Returns the answers of a group, `count` for each request, one behind another; a `PolicyError` that it
            raises is the answer to the requests of this group alone.
        kind: Requests for which this differs are not answered together.
    """
    answers: list[list[Sampled] | Exception] = [[] for _ in batch]
    groups: dict[object, list[tuple[int, Prepared]]] = {}
    for at, ask in enumerate(batch):
        try:
            prepared = prepare(ask)
        except Refused as refusal:
            answers[at] = refusal
            continue
        alone = at if ask.seed is not None else None
        key = (ask.beam, ask.temperature, ask.top_p, ask.max_tokens, ask.stop, kind(ask), alone)
        groups.setdefault(key, []).append((at, prepared))
    for members in groups.values():
        try:
            rows = sample([(batch[at], prepared) for at, prepared in members])
        except PolicyError as error:
            for at, _ in members:
                answers[at] = error
            continue
        for at, _ in members:
            answers[at] = [rows.pop(0) for _ in range(batch[at].count)]
    return answers


class Source(Protocol):
    """A policy as a server uses it.

    Attributes:
        settings: What a request takes that names no other.
        is_chat: Whether it takes messages.
        tells_logprobs: Whether its answers have log-probabilities.
    """

    settings: SamplingConfig
    is_chat: bool
    tells_logprobs: bool

    def answer(self, batch: Sequence[Ask]) -> Sequence[list[Sampled] | Exception]:
        """Return `count` answers to each request, or the reason why it has none."""

    def encode(self, texts: Sequence[str]) -> Sequence[list[float] | Exception]:
        """Return a vector of length 1 for each text, or the reason why it has none."""
