"""Batched sampling with a key-value cache: equal prompts are processed once, rows come and leave while others go on.

Tokens are drawn where the logits are, by inverse transform sampling. The probabilities are turned into whole numbers,
so that their running sums are exact: whatever the order of summation, a token of probability 0 is never drawn, and the
same probabilities and random numbers give the same token on every device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import DynamicLayer

from trainers.errors import PolicyError
from trainers.policies.encoder_decoder import EncodedRows, has_encoder

Tokens = tuple[int, ...]
Sampled = tuple[Tokens, tuple[float, ...]]
"""(token ids, log-probability of each)."""
K = TypeVar("K", bound=Hashable)
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


class TokenStream(Generic[K]):
    """Rows that are sampled together: each may come at any time, and leaves when it ends.

    What is drawn for a row depends on its prompt and its random numbers, not on the rows beside it, up to the rounding
    of sums.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        settings: SamplingSettings,
        ended: Callable[[Sequence[int]], bool] | None = None,
        opening: Tokens = (),
        remembers: bool = False,
    ) -> None:
        """Begin without rows.

        Args:
            model: A causal or an encoder-decoder model in evaluation mode.
            settings: Settings of the sampling.
            ended: Whether the tokens of a row so far end it; `None` asks whether the last one is an end token.
            opening: Tokens that the prompts are likely to begin with, such as the instruction of a chat: a causal
                model reads them once.
            remembers: Whether prompts that come again are not read again: a causal model keeps what it computed for the
                latest ones, `batch_tokens` of them at most.
        """
        self._model = model
        self._settings = settings
        self._ended = _ends_with(settings.end_tokens) if ended is None else ended
        self._opening = None if has_encoder(model) else _Opening(model, opening)
        self._memory = _Memory(settings.batch_tokens) if remembers else None
        self._waiting: list[_Row[K]] = []
        self._active: list[_Row[K]] = []
        self._rows: _CausalRows | EncodedRows | None = None
        self._logits = torch.empty(0)

    def __len__(self) -> int:
        """Return the number of rows that have not ended."""
        return len(self._waiting) + len(self._active)

    def add(self, key: K, prompt: Tokens, uniforms: Sequence[float]) -> None:
        """Add a row.

        Args:
            key: Names the row in `step`.
            prompt: Token ids, not empty; rows that come together share one pass over equal prompts.
            uniforms: `max_new_tokens` random numbers in [0, 1).
        """
        self._waiting.append(_Row(key, prompt, uniforms))

    @torch.inference_mode()
    def step(self) -> list[tuple[K, Tokens, tuple[float, ...]]]:
        """Draw a token of each row.

        Returns:
            The rows that ended: key, token ids, and their log-probabilities.

        Raises:
            PolicyError: The model's logits are not numbers.
        """
        self._admit()
        active, settings = self._active, self._settings
        if not active:
            return []
        uniforms = torch.tensor(
            [row.uniforms[len(row.tokens)] for row in active], dtype=torch.float64, device=self._logits.device
        )
        drawn, chosen = draw_tokens(self._logits, settings.temperature, uniforms, settings.top_p)
        for row, token, logprob in zip(
            active, drawn.squeeze(1).tolist(), chosen.squeeze(1).tolist(), strict=True
        ):
            if math.isnan(logprob):
                raise PolicyError("sampling: the model's logits are not numbers; did training diverge?")
            row.tokens.append(token)
            row.logprobs.append(logprob)
        over = [len(row.tokens) == settings.max_new_tokens or self._ended(row.tokens) for row in active]
        going_on = [at for at, ended in enumerate(over) if not ended]
        self._active = [active[at] for at in going_on]
        if not going_on or self._rows is None:
            self._rows = None
        else:
            if len(going_on) < len(active):
                keep = torch.tensor(going_on, device=self._logits.device)
                drawn = drawn[keep]
                self._rows.keep(keep)
            self._logits = self._rows.step(drawn)
        return [
            (row.key, tuple(row.tokens), tuple(row.logprobs))
            for row, ended in zip(active, over, strict=True)
            if ended
        ]

    def _admit(self) -> None:
        """Begin rows that wait, as many as fit into a batch."""
        if not self._waiting or not (self._rows is None or self._rows.can_join):
            return
        self._waiting.sort(key=lambda row: (len(row.prompt), row.prompt))
        count, widest = 0, max((len(row.prompt) for row in self._active), default=0)
        for row in self._waiting:
            widest = max(widest, len(row.prompt))
            whole = (len(self._active) + count + 1) * (widest + self._settings.max_new_tokens)
            if whole > self._settings.batch_tokens and (self._active or count):
                break
            count += 1
        new, self._waiting = self._waiting[:count], self._waiting[count:]
        if not new:
            return
        prompts = [row.prompt for row in new]
        rows = (
            EncodedRows(self._model, prompts) if self._opening is None else self._read(prompts, self._opening)
        )
        self._active += new
        if isinstance(self._rows, _CausalRows) and isinstance(rows, _CausalRows):
            self._rows.join(rows)
            self._logits = torch.cat([self._logits, rows.logits])
        else:
            self._rows, self._logits = rows, rows.logits

    def _read(self, prompts: Sequence[Tokens], opening: _Opening) -> _CausalRows:
        """Return rows of these prompts, of which those in memory are not read."""
        distinct = list(dict.fromkeys(prompts))
        known = {} if self._memory is None else self._memory.find(distinct)
        unknown = [prompt for prompt in distinct if prompt not in known]
        parts = [_CausalRows.read(self._model, unknown, opening)] if unknown else []
        if unknown and self._memory is not None and parts[0].can_join:
            self._memory.keep(unknown, parts[0])
        if known:
            parts.append(_CausalRows.remembered(self._model, list(known.values())))
        rows = parts[0]
        for part in parts[1:]:
            rows.logits = torch.cat([rows.logits, part.logits])
            rows.join(part)
        order = [*unknown, *known]
        if order != list(prompts):
            place = {prompt: row for row, prompt in enumerate(order)}
            chosen = torch.tensor([place[prompt] for prompt in prompts], device=self._model.device)
            rows.logits = rows.logits[chosen]
            rows.keep(chosen)
        return rows


def sample_tokens(
    model: PreTrainedModel,
    prompts: Sequence[Tokens],
    settings: SamplingSettings,
    generator: torch.Generator,
    ended: Callable[[Sequence[int]], bool] | None = None,
    opening: Tokens = (),
) -> list[Sampled]:
    """Draw one completion per prompt.

    Each prompt has random numbers of its own, which depend on the generator and its place among the prompts only.

    Args:
        model: A causal or an encoder-decoder model in evaluation mode.
        prompts: Token ids, none empty; equal prompts share one pass over the prompt.
        settings: Settings of the sampling.
        generator: Random generator, on the CPU.
        ended: As for `TokenStream`.
        opening: As for `TokenStream`.

    Returns:
        For each prompt the sampled token ids and their log-probabilities.

    Raises:
        PolicyError: The model's logits are not numbers.
    """
    uniforms = torch.rand(
        len(prompts), settings.max_new_tokens, dtype=torch.float64, generator=generator
    )  # (N, T)
    stream = TokenStream[int](model, settings, ended, opening)
    for index, (prompt, own) in enumerate(zip(prompts, uniforms.tolist(), strict=True)):
        stream.add(index, prompt, own)
    found: dict[int, Sampled] = {}
    while len(stream):
        found |= {index: (ids, logprobs) for index, ids, logprobs in stream.step()}
    return [found[index] for index in range(len(prompts))]


def _ends_with(end_tokens: Tokens) -> Callable[[Sequence[int]], bool]:
    return lambda tokens: tokens[-1] in end_tokens


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


@dataclass(slots=True)
class _Row(Generic[K]):
    """A row that waits or is being sampled."""

    key: K
    prompt: Tokens
    uniforms: Sequence[float]
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)


class _Opening:
    """Tokens that prompts begin with, and the keys and values of a causal model for them."""

    def __init__(self, model: PreTrainedModel, tokens: Tokens) -> None:
        self.tokens = tokens
        self._model = model
        self._layers: list[tuple[Tensor, Tensor]] | None = None

    def cache(self, rows: int) -> DynamicCache:
        """Return a cache for rows behind the opening."""
        cache = DynamicCache(config=self._model.config)
        if self._layers is None:
            ids = torch.tensor([self.tokens], device=self._model.device)
            self._model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
            layers = _layers_to_join(cache)
            if layers is None:
                cache.batch_repeat_interleave(rows)
                return cache
            self._layers = [(layer.keys, layer.values) for layer in layers]
            cache = DynamicCache(config=self._model.config)
        for number, (keys, values) in enumerate(self._layers):
            cache.update(keys.expand(rows, -1, -1, -1), values.expand(rows, -1, -1, -1), number)
        return cache

    def shared(self, prompts: Sequence[Tokens]) -> int:
        """Return the tokens that prompts need not be read for: all of the opening, or none."""
        size = len(self.tokens)
        every = all(len(prompt) > size and prompt[:size] == self.tokens for prompt in prompts)
        return size if every and (len(prompts) > 1 or self._layers is not None) else 0


@dataclass(frozen=True, slots=True)
class _Remembered:
    """Results of a causal model for a prompt: logits of the next token, keys and values of each layer."""

    logits: Tensor
    layers: list[tuple[Tensor, Tensor]]

    @property
    def size(self) -> int:
        return self.layers[0][0].shape[1]


class _Memory:
    """Prompts that were read, the latest ones last."""

    def __init__(self, most_tokens: int) -> None:
        self._most = most_tokens
        self._tokens = 0
        self._kept: dict[Tokens, _Remembered] = {}

    def find(self, prompts: Sequence[Tokens]) -> dict[Tokens, _Remembered]:
        """Return what is kept of these prompts."""
        found = {prompt: self._kept.pop(prompt) for prompt in prompts if prompt in self._kept}
        self._kept |= found  # now the latest
        return found

    def keep(self, prompts: Sequence[Tokens], rows: _CausalRows) -> None:
        """Keep prompts, the rows of which were just read, and forget the oldest."""
        for row, prompt in enumerate(prompts):
            self._kept[prompt] = rows.remember(row)
            self._tokens += len(prompt)
        while self._tokens > self._most:
            oldest = next(iter(self._kept))
            self._tokens -= len(oldest)
            del self._kept[oldest]


def _layers_to_join(cache: DynamicCache) -> list[Any] | None:
    """Return the layers of a cache, if rows can be added: if each keeps the keys and values of all tokens."""
    # A layer that uses the keys and values of another one has none.
    layers = [layer for layer in cache.layers if type(layer) is DynamicLayer and layer.is_initialized]
    return layers if len(layers) == len(cache.layers) else None


def _wider(tensor: Tensor, columns: int, axis: int) -> Tensor:
    """Return a tensor with zeros in front, or without its first columns."""
    size = tensor.shape[axis]
    if columns <= size:
        return tensor.narrow(axis, size - columns, columns)
    shape = list(tensor.shape)
    shape[axis] = columns - size
    return torch.cat([tensor.new_zeros(shape), tensor], dim=axis)


class _CausalRows:
    """Rows of a causal model that are being sampled, with their cache.

    Attributes:
        logits: (rows, vocabulary) logits of the first token of each row.
    """

    def __init__(self, model: PreTrainedModel, cache: DynamicCache, mask: Tensor, logits: Tensor) -> None:
        self._model = model
        self._cache = cache
        self._mask = mask
        self.logits = logits

    @classmethod
    def read(cls, model: PreTrainedModel, prompts: Sequence[Tokens], opening: _Opening) -> _CausalRows:
        """Run different prompts through the model, their common opening once."""
        shared = opening.shared(prompts)
        cache = opening.cache(len(prompts)) if shared else DynamicCache(config=model.config)
        rest = [prompt[shared:] for prompt in prompts]
        longest = max(map(len, rest))
        input_ids = torch.zeros(len(prompts), longest, dtype=torch.long)
        mask = torch.zeros(len(prompts), longest, dtype=torch.long)
        for row, prompt in enumerate(rest):
            input_ids[row, longest - len(prompt) :] = torch.tensor(prompt)
            mask[row, longest - len(prompt) :] = 1
        mask = torch.cat([mask.new_ones(len(prompts), shared), mask], dim=1).to(model.device)
        output = model(
            input_ids=input_ids.to(model.device),
            attention_mask=mask,
            position_ids=(mask.cumsum(dim=1) - 1).clamp(min=0)[:, shared:],
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return cls(model, cache, mask, output.logits[:, -1])

    @classmethod
    def remembered(cls, model: PreTrainedModel, prompts: Sequence[_Remembered]) -> _CausalRows:
        """Return rows of prompts that were read before."""
        longest = max(prompt.size for prompt in prompts)
        cache = DynamicCache(config=model.config)
        for number in range(len(prompts[0].layers)):
            keys, values = (
                torch.stack([_wider(prompt.layers[number][part], longest, axis=1) for prompt in prompts])
                for part in (0, 1)
            )
            cache.update(keys, values, number)
        mask = torch.zeros(len(prompts), longest, dtype=torch.long)
        for row, prompt in enumerate(prompts):
            mask[row, longest - prompt.size :] = 1
        logits = torch.stack([prompt.logits for prompt in prompts])
        return cls(model, cache, mask.to(model.device), logits)

    def remember(self, row: int) -> _Remembered:
        """Return what was computed for the prompt of a row, before its first token is drawn."""
        # Padding is not always in front: an opening that is read once comes before it.
        own = self._mask[row].bool()
        layers = [
            (layer.keys[row, :, own], layer.values[row, :, own])
            for layer in _layers_to_join(self._cache) or []
        ]
        return _Remembered(self.logits[row].clone(), layers)

    @property
    def can_join(self) -> bool:
        """Return whether further rows can join."""
        return _layers_to_join(self._cache) is not None

    def keep(self, rows: Tensor) -> None:
        """Keep the rows with these indices, in this order."""
        self._mask = self._mask[rows]
        self._cache.batch_select_indices(rows)

    def join(self, other: _CausalRows) -> None:
        """Add the rows of another object behind the own ones; columns that are padding in all rows are left out."""
        columns = max(
            each._mask.shape[1] - int(each._mask.any(dim=0).int().argmax()) for each in (self, other)
        )
        self._mask = torch.cat([_wider(each._mask, columns, axis=1) for each in (self, other)])
        pair = (_layers_to_join(self._cache) or [], _layers_to_join(other._cache) or [])
        for own, new in zip(*pair, strict=True):
            own.keys = torch.cat([_wider(layer.keys, columns, axis=2) for layer in (own, new)])
            own.values = torch.cat([_wider(layer.values, columns, axis=2) for layer in (own, new)])

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
