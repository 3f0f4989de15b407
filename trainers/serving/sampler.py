"""Sampling for requests: each has its own temperature, length, stop texts and seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import torch

from trainers.policies.layout import PromptLayout
from trainers.policies.prompts import before_stop
from trainers.policies.sampling import sample_tokens
from trainers.policies.transformers import TransformersPolicy

GREEDY: Final = 1e-4
"""Temperature that stands for 0, which divides nothing."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request.

    Attributes:
        text: The goals, or the raw prompt.
        raw: The text is the prompt itself, not goals to be put in the policy's prompt.
        count: Answers.
        temperature: 0 or more; `None` takes that of the policy's settings.
        max_tokens: Tokens per answer; `None` takes those of the settings.
        stop: Texts that end an answer and are no part of it.
        seed: Makes the answers repeatable.
    """

    text: str
    raw: bool = False
    count: int = 1
    temperature: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """One answer.

    Attributes:
        text: The answer, up to the first stop text.
        tokens: Its tokens as text.
        logprobs: The log-probability of each token under the tempered distribution.
        finished: It ended by itself, not by the limit of tokens.
        prompt_tokens: Length of the prompt.
    """

    text: str
    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    finished: bool
    prompt_tokens: int


class Sampler:
    """Answers batches of requests with a policy.

    Args:
        policy: The policy.
    """

    def __init__(self, policy: TransformersPolicy) -> None:
        self._policy = policy

    def answer(self, batch: Sequence[Ask]) -> list[list[Sampled]]:
        """Return `count` answers to each request; requests of equal settings are sampled together.

        Raises:
            PolicyError: The model's logits are not numbers.
        """
        answers: list[list[Sampled]] = [[] for _ in batch]
        groups: dict[object, list[int]] = {}
        for at, ask in enumerate(batch):
            alone = at if ask.seed is not None else None
            groups.setdefault((ask.temperature, ask.max_tokens, ask.stop, alone), []).append(at)
        for members in groups.values():
            rows = self._sampled([batch[at] for at in members])
            for at in members:
                answers[at] = [rows.pop(0) for _ in range(batch[at].count)]
        return answers

    def _sampled(self, asks: Sequence[Ask]) -> list[Sampled]:
        """Sample for requests of equal settings; return their answers one behind another."""
        policy, first = self._policy, asks[0]
        stop = [*policy.settings.stop, *first.stop]
        layout = PromptLayout(policy.tokenizer, policy.settings.model_copy(update={"stop": stop}))
        temperature = policy.settings.temperature if first.temperature is None else first.temperature
        settings = replace(
            policy.sampling,
            temperature=max(temperature, GREEDY),
            max_new_tokens=first.max_tokens or policy.settings.max_tactic_tokens,
            stop=tuple(stop),
        )
        prompts = [self._prompt(ask) for ask in asks for _ in range(ask.count)]
        generator = torch.Generator()
        if first.seed is None:
            generator.seed()
        else:
            generator.manual_seed(first.seed)
        rows = sample_tokens(policy.model, prompts, settings, generator, layout.ended)
        return [
            self._shown(ids, logprobs, len(prompt), stop, layout)
            for prompt, (ids, logprobs) in zip(prompts, rows, strict=True)
        ]

    def _prompt(self, ask: Ask) -> tuple[int, ...]:
        if not ask.raw:
            return self._policy.encode_prompt(ask.text)
        ids = self._policy.tokenizer.encode(ask.text)
        return tuple(ids[-self._policy.settings.max_prompt_tokens :])

    def _shown(
        self,
        ids: tuple[int, ...],
        logprobs: tuple[float, ...],
        prompt_tokens: int,
        stop: Sequence[str],
        layout: PromptLayout,
    ) -> Sampled:
        kept = ids[:-1] if ids[-1] in layout.end_tokens else ids
        decode = self._policy.tokenizer.decode
        text = str(decode(list(kept), skip_special_tokens=True, clean_up_tokenization_spaces=False))
        return Sampled(
            text=before_stop(text, stop),
            tokens=tuple(str(decode([token])) for token in kept),
            logprobs=logprobs[: len(kept)],
            finished=layout.ended(ids),
            prompt_tokens=prompt_tokens,
        )
