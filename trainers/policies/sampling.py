"""Batched sampling with a key-value cache: equal prompts are processed once, finished rows leave the batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """Settings of token sampling.

    Attributes:
        temperature: Positive divisor of the logits.
        max_new_tokens: Tokens after which a row is truncated.
        end_tokens: Tokens that end a row; they are part of it.
        batch_tokens: Largest number of padded tokens, prompt and new ones together, in one decoded batch.
    """

    temperature: float
    max_new_tokens: int
    end_tokens: Tokens
    batch_tokens: int = 32768


@torch.inference_mode()
def sample_tokens(
    model: PreTrainedModel, prompts: Sequence[Tokens], settings: SamplingSettings, generator: torch.Generator
) -> list[tuple[Tokens, tuple[float, ...]]]:
    """Draw one completion per prompt.

    Args:
        model: A causal language model in evaluation mode.
        prompts: Token ids, none empty; equal prompts share one pass over the prompt.
        settings: Settings of the sampling.
        generator: Random generator, on the CPU.

    Returns:
        For each prompt the sampled token ids and their log-probabilities.
    """
    order = sorted(range(len(prompts)), key=lambda index: (len(prompts[index]), prompts[index]))
    results: list[tuple[Tokens, tuple[float, ...]]] = [((), ())] * len(prompts)
    start = 0
    while start < len(order):
        end = _batch_end(prompts, order, start, settings)
        members = order[start:end]
        for index, result in zip(
            members, _decode(model, [prompts[i] for i in members], settings, generator), strict=True
        ):
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


def _decode(
    model: PreTrainedModel, prompts: list[Tokens], settings: SamplingSettings, generator: torch.Generator
) -> list[tuple[Tokens, tuple[float, ...]]]:
    logits, cache, mask = _read_prompts(model, prompts)
    device = logits.device
    tokens: list[list[int]] = [[] for _ in prompts]
    logprobs: list[list[float]] = [[] for _ in prompts]
    active = list(range(len(prompts)))
    for step in range(settings.max_new_tokens):
        distribution = torch.log_softmax(logits.float() / settings.temperature, dim=-1).cpu()
        drawn = torch.multinomial(distribution.exp(), 1, generator=generator)  # (active, 1)
        chosen = distribution.gather(1, drawn).squeeze(1).tolist()
        for row, token, logprob in zip(active, drawn.squeeze(1).tolist(), chosen, strict=True):
            tokens[row].append(token)
            logprobs[row].append(logprob)
        going_on = [at for at, row in enumerate(active) if tokens[row][-1] not in settings.end_tokens]
        if not going_on or step == settings.max_new_tokens - 1:
            break
        if len(going_on) < len(active):
            keep = torch.tensor(going_on)
            active = [active[at] for at in going_on]
            drawn, mask = drawn[keep], mask[keep.to(device)]
            cache.batch_select_indices(keep.to(device))
        position = mask.sum(dim=1, keepdim=True)
        mask = torch.cat([mask, mask.new_ones(len(active), 1)], dim=1)
        logits = model(
            input_ids=drawn.to(device),
            attention_mask=mask,
            position_ids=position,
            past_key_values=cache,
            use_cache=True,
        ).logits[:, -1]
    return [(tuple(ids), tuple(values)) for ids, values in zip(tokens, logprobs, strict=True)]


def _read_prompts(model: PreTrainedModel, prompts: list[Tokens]) -> tuple[Tensor, DynamicCache, Tensor]:
    """Run the distinct prompts through the model and copy the results to the rows.

    Returns:
        Next-token logits (rows, vocabulary), the cache, and the attention mask (rows, columns).
    """
    distinct = list(dict.fromkeys(prompts))
    longest = max(len(prompt) for prompt in distinct)
    input_ids = torch.zeros(len(distinct), longest, dtype=torch.long)
    mask = torch.zeros(len(distinct), longest, dtype=torch.long)
    for row, prompt in enumerate(distinct):
        input_ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    cache = DynamicCache(config=model.config)
    mask = mask.to(model.device)
    output = model(
        input_ids=input_ids.to(model.device),
        attention_mask=mask,
        position_ids=(mask.cumsum(dim=1) - 1).clamp(min=0),
        past_key_values=cache,
        use_cache=True,
        logits_to_keep=1,
    )
    logits = output.logits[:, -1]
    if len(distinct) < len(prompts):
        place = {prompt: row for row, prompt in enumerate(distinct)}
        rows = torch.tensor([place[prompt] for prompt in prompts], device=model.device)
        cache.batch_select_indices(rows)
        logits, mask = logits[rows], mask[rows]
    return logits, cache, mask
