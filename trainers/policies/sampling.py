"""Batched sampling with a key-value cache: equal prompts are processed once, finished rows leave the batch.

Tokens are drawn where the logits are, by inverse transform sampling. The probabilities are turned into whole numbers,
so that their running sums are exact: whatever the order of summation, a token of probability 0 is never drawn, and the
same probabilities and random numbers give the same token on every device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from trainers.errors import PolicyError
from trainers.policies.encoder_decoder import EncodedRows, has_encoder

Tokens = tuple[int, ...]
_ONE = 2.0**60
"""Whole number that stands for probability 1; the sum over any vocabulary stays below 2^63."""
_DRAWN_AT_ONCE = {"cpu": 2**18}
"""Largest number of probabilities in memory at once, by kind of device: on a CPU, what its cache holds."""
_DRAWN_AT_ONCE_ELSEWHERE = 2**26


BATCH_TOKENS: Final = 32768
"""Default of `SamplingSettings.batch_tokens`."""


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """Settings of token sampling.

    Attributes:
        temperature: Positive divisor of the logits.
        max_new_tokens: Tokens after which a row is truncated.
        end_tokens: Tokens that end a row; they are part of it.
        stop: Texts that end a row, for engines that decode what they sample.
        top_p: Share of the probability that is drawn from, in (0, 1]; see `draw_tokens`.
        batch_tokens: Largest number of padded tokens, prompt and new ones together, in one decoded batch.
    """

    temperature: float
    max_new_tokens: int
    end_tokens: Tokens
    stop: tuple[str, ...] = ()
    top_p: float = 1.0
    batch_tokens: int = BATCH_TOKENS


@torch.inference_mode()
def sample_tokens(
    model: PreTrainedModel,
    prompts: Sequence[Tokens],
    settings: SamplingSettings,
    generator: torch.Generator,
    ended: Callable[[Sequence[int]], bool] | None = None,
    opening: Tokens = (),
) -> list[tuple[Tokens, tuple[float, ...]]]:
    """Draw one completion per prompt.

    Each prompt has random numbers of its own, which depend on the generator and its place among the prompts only.

    Args:
        model: A causal or an encoder-decoder model in evaluation mode.
        prompts: Token ids, none empty; equal prompts share one pass over the prompt.
        settings: Settings of the sampling.
        generator: Random generator, on the CPU.
        ended: Whether the tokens of a row so far end it; `None` asks whether the last one is an end token.
        opening: Tokens that the prompts are likely to begin with, such as the instruction of a chat: where those of a
            batch do, a causal model reads them once for all of them.

    Returns:
        For each prompt the sampled token ids and their log-probabilities.

    Raises:
        PolicyError: The model's logits are not numbers.
    """
    if ended is None:
        ended = _ends_with(settings.end_tokens)
    uniforms = torch.rand(
        len(prompts), settings.max_new_tokens, dtype=torch.float64, generator=generator
    )  # (N, T)
    order = sorted(range(len(prompts)), key=lambda index: (len(prompts[index]), prompts[index]))
    results: list[tuple[Tokens, tuple[float, ...]]] = [((), ())] * len(prompts)
    start = 0
    while start < len(order):
        end = _batch_end(prompts, order, start, settings)
        members = order[start:end]
        rows = _decode(model, [prompts[i] for i in members], settings, uniforms[members], ended, opening)
        for index, result in zip(members, rows, strict=True):
            results[index] = result
        start = end
    return results


def _batch_end(
    prompts: Sequence[Tokens], order: Sequence[int], start: int, settings: SamplingSettings
) -> int:
    end = start + 1
    while end < len(order):
        width = len(prompts[order[end]]) + settings.max_new_tokens
        if (end + 1 - start) * width > settings.batch_tokens:
            break
        end += 1
    return end


def _ends_with(end_tokens: Tokens) -> Callable[[Sequence[int]], bool]:
    return lambda tokens: tokens[-1] in end_tokens


def _decode(
    model: PreTrainedModel,
    prompts: list[Tokens],
    settings: SamplingSettings,
    uniforms: Tensor,
    ended: Callable[[Sequence[int]], bool],
    opening: Tokens,
) -> list[tuple[Tokens, tuple[float, ...]]]:
    rows = EncodedRows(model, prompts) if has_encoder(model) else _CausalRows(model, prompts, opening)
    logits = rows.logits
    device = logits.device
    uniforms = uniforms.to(device)
    tokens: list[list[int]] = [[] for _ in prompts]
    logprobs: list[list[float]] = [[] for _ in prompts]
    active = list(range(len(prompts)))
    for step in range(settings.max_new_tokens):
        drawn, chosen = draw_tokens(logits, settings.temperature, uniforms[:, step], settings.top_p)
        for row, token, logprob in zip(
            active, drawn.squeeze(1).tolist(), chosen.squeeze(1).tolist(), strict=True
        ):
            if math.isnan(logprob):
                raise PolicyError("sampling: the model's logits are not numbers; did training diverge?")
            tokens[row].append(token)
            logprobs[row].append(logprob)
        going_on = [at for at, row in enumerate(active) if not ended(tokens[row])]
        if not going_on or step == settings.max_new_tokens - 1:
            break
        if len(going_on) < len(active):
            keep = torch.tensor(going_on, device=device)
            active = [active[at] for at in going_on]
            drawn, uniforms = drawn[keep], uniforms[keep]
            rows.keep(keep)
        logits = rows.step(drawn)
    return [(tuple(ids), tuple(values)) for ids, values in zip(tokens, logprobs, strict=True)]


def draw_tokens(
    logits: Tensor, temperature: float, uniforms: Tensor, top_p: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Draw one token per row by inverting its cumulative distribution.

    A token's probability is cut down to a multiple of 2^-60, which changes the distribution by less than 2^-60 times
    the size of the vocabulary in total variation; probabilities above 2^-37 are kept exactly.

    Args:
        logits: (rows, vocabulary); NaN gives any token with log-probability NaN.
        temperature: Positive divisor of the logits.
        uniforms: (rows,) random numbers in [0, 1) in 64 bits, on the same device.
        top_p: Below 1, tokens are drawn from the nucleus: the smallest set of the likeliest tokens that has this share
            of the tempered probability. Of equally likely tokens those with smaller ids come first. Source: Holtzman et
            al., The Curious Case of Neural Text Degeneration, 2020.

    Returns:
        Token ids and their log-probabilities in 32 bits; (rows, 1) each. They are computed as scoring does, and with
        `top_p` below 1 they are those of the nucleus, whose probabilities sum to 1 again.
    """
    most = _DRAWN_AT_ONCE.get(logits.device.type, _DRAWN_AT_ONCE_ELSEWHERE)
    size = max(1, most // logits.shape[1])
    parts = zip(logits.split(size), uniforms.split(size), strict=True)
    drawn, chosen = zip(*(_draw_part(part, temperature, u, top_p) for part, u in parts), strict=True)
    return torch.cat(drawn), torch.cat(chosen)


def _draw_part(logits: Tensor, temperature: float, uniforms: Tensor, top_p: float) -> tuple[Tensor, Tensor]:
    distribution = torch.log_softmax(logits.float() / temperature, dim=-1)
    if top_p < 1.0:
        distribution = torch.log_softmax(_nucleus(distribution, top_p), dim=-1)
    sums = distribution.exp().mul_(_ONE).long()
    torch.cumsum(sums, dim=1, out=sums)
    total = sums[:, -1]
    below = torch.minimum((uniforms * total).long(), total - 1).unsqueeze(
        1
    )  # the product may round up to the total
    # The first token whose sum is above; a token of probability 0 has the sum of the one before it. The bound is for
    # logits that are not numbers.
    drawn = torch.searchsorted(sums, below, right=True).clamp_(max=logits.shape[1] - 1)
    return drawn, distribution.gather(1, drawn)


def _nucleus(distribution: Tensor, top_p: float) -> Tensor:
    """Return log-probabilities, (rows, vocabulary), with minus infinity for the tokens outside of the nucleus."""
    ordered, tokens = distribution.sort(dim=1, descending=True, stable=True)
    weights = ordered.exp().mul_(_ONE).long()
    sums = weights.cumsum(dim=1)
    # A token is left out where those before it have the share already; the likeliest one never is.
    outside = (sums - weights).double() >= top_p * sums[:, -1:].double()
    return distribution.masked_fill(torch.zeros_like(outside).scatter_(1, tokens, outside), -torch.inf)


def _shared(prompts: Sequence[Tokens], opening: Tokens) -> int:
    """Return the tokens that a pass of their own spares several prompts: all of the opening, or none."""
    size = len(opening)
    every = all(len(prompt) > size and prompt[:size] == opening for prompt in prompts)
    return size if every and len(prompts) > 1 else 0


class _CausalRows:
    """Rows of a causal model that are being sampled, with their cache.

    Attributes:
        logits: (rows, vocabulary) logits of the first token of each row.
    """

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Tokens], opening: Tokens) -> None:
        """Run the distinct prompts through the model, their common opening once, and copy the results to the rows."""
        distinct = list(dict.fromkeys(prompts))
        self._cache = DynamicCache(config=model.config)
        shared = _shared(distinct, opening)
        if shared:
            ids = torch.tensor([opening], device=model.device)
            model(input_ids=ids, past_key_values=self._cache, use_cache=True, logits_to_keep=1)
            self._cache.batch_repeat_interleave(len(distinct))
        rest = [prompt[shared:] for prompt in distinct]
        longest = max(map(len, rest))
        input_ids = torch.zeros(len(distinct), longest, dtype=torch.long)
        mask = torch.zeros(len(distinct), longest, dtype=torch.long)
        for row, prompt in enumerate(rest):
            input_ids[row, longest - len(prompt) :] = torch.tensor(prompt)
            mask[row, longest - len(prompt) :] = 1
        self._model = model
        self._mask = torch.cat([mask.new_ones(len(distinct), shared), mask], dim=1).to(model.device)
        output = model(
            input_ids=input_ids.to(model.device),
            attention_mask=self._mask,
            position_ids=(self._mask.cumsum(dim=1) - 1).clamp(min=0)[:, shared:],
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        self.logits: Tensor = output.logits[:, -1]
        if len(distinct) < len(prompts):
            place = {prompt: row for row, prompt in enumerate(distinct)}
            rows = torch.tensor([place[prompt] for prompt in prompts], device=model.device)
            self.logits = self.logits[rows]
            self.keep(rows)

    def keep(self, rows: Tensor) -> None:
        """Keep the rows with these indices, in this order."""
        self._mask = self._mask[rows]
        self._cache.batch_select_indices(rows)

    def step(self, drawn: Tensor) -> Tensor:
        """Append a token to each row, (rows, 1), and return the logits of the next, (rows, vocabulary)."""
        position = self._mask.sum(dim=1, keepdim=True)
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(drawn), 1)], dim=1)
        logits: Tensor = self._model(
            input_ids=drawn,
            attention_mask=self._mask,
            position_ids=position,
            past_key_values=self._cache,
            use_cache=True,
        ).logits[:, -1]
        return logits
