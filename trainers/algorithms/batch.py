"""Input tensors of a loss.

Notation: `B` training rows (one row is one tactic), `T` completion tokens after padding on the right.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lean_gym.errors import unknown_name

LEAST_LOGPROB = -1e4
"""Finite log-probability, in nats, that replaces -inf for a token that the policy excludes."""


@dataclass(frozen=True, slots=True)
class LossBatch:
    """Tensors of one loss evaluation.

    Values on padding are never used, so they may be NaN or -inf. Losses are computed in 32 bits at least. A
    log-probability below `LEAST_LOGPROB` is replaced by it and gets no gradient. Only `logprobs` and
    `entropy` carry gradient.

    Attributes:
        logprobs: (B, T) log-probabilities of the sampled tokens under the policy being trained; carries
            gradient.
        old_logprobs: (B, T) the same under the policy that sampled them.
        advantages: (B,) one advantage per row, or (B, T) one per token.
        mask: (B, T) 1 on sampled tokens, 0 on padding.
        ref_logprobs: (B, T) the same under the start policy; `None` when the algorithm does not use it.
        total_rows: Rows of the rollout that the optimiser step stands for, when this batch is only a part of them;
            `None` means B. The losses of the parts then add up to the loss of the whole. Rows left out because their
            advantage is 0 count, so it need not be a whole number.
        total_tokens: Sampled tokens of the same rows, likewise.
        sampler_weights: (B, T) or (B, 1) factors on the policy loss where tokens were sampled with other
            probabilities than `old_logprobs`, e.g. by another engine: truncated pi_old / pi_sampler.
        entropy: (B, T) entropy of the policy at each token, in nats; carries gradient. Read with `entropy_coef`.
        trained: (B, T) 1 on the tokens that the policy loss trains; `None` means all.
        pairs: (P, 2) rows of this batch, the preferred one first; read by `dgpo`.
        pair_weights: (B,) instead of `pairs`, the result of `DGPO.pair_weights` for each row; read by `dgpo`.
    """

    logprobs: Tensor
    old_logprobs: Tensor
    advantages: Tensor
    mask: Tensor
    ref_logprobs: Tensor | None = None
    total_rows: float | None = None
    total_tokens: float | None = None
    sampler_weights: Tensor | None = None
    entropy: Tensor | None = None
    trained: Tensor | None = None
    pairs: Tensor | None = None
    pair_weights: Tensor | None = None

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value, wanted = getattr(self, field.name), field.default is dataclasses.MISSING
            if field.name in ("total_rows", "total_tokens") or (value is None and not wanted):
                continue
            if not isinstance(value, Tensor):
                raise ValueError(f"expected {field.name} to be a tensor, got {type(value).__name__}")
        shape = tuple(self.logprobs.shape)
        if len(shape) != 2:
            raise ValueError(f"expected logprobs of shape (rows, tokens), got {shape}")
        allowed = {
            "old_logprobs": (shape,),
            "mask": (shape,),
            "ref_logprobs": (shape,),
            "entropy": (shape,),
            "trained": (shape,),
            "advantages": (shape[:1], shape),
            "sampler_weights": (shape, (*shape[:1], 1)),
            "pair_weights": (shape[:1],),
        }
        for name, shapes in allowed.items():
            value = getattr(self, name)
            if value is not None and tuple(value.shape) not in shapes:
                expected = " or ".join(map(str, shapes))
                raise ValueError(f"expected {name} of shape {expected}, got {tuple(value.shape)}")
        if self.pairs is not None and (self.pairs.dim() != 2 or self.pairs.shape[1] != 2):
            raise ValueError(f"expected pairs of shape (P, 2), got {tuple(self.pairs.shape)}")

    def settled(self) -> LossBatch:
        """Return the same batch with zeros on padding, finite log-probabilities and at least 32 bits."""
        real = self.mask != 0
        kind = torch.promote_types(self.logprobs.dtype, torch.float32)

        def on_tokens(values: Tensor) -> Tensor:
            here = real if values.shape == real.shape else real.any(dim=1, keepdim=values.dim() == 2)
            return values.to(kind).where(here, 0.0)

        def given(values: Tensor) -> Tensor:
            return on_tokens(values.detach())

        ref, weights, pulls = self.ref_logprobs, self.sampler_weights, self.pair_weights
        return dataclasses.replace(
            self,
            logprobs=on_tokens(self.logprobs).clamp(min=LEAST_LOGPROB),
            old_logprobs=given(self.old_logprobs).clamp(min=LEAST_LOGPROB),
            advantages=given(self.advantages),
            mask=self.mask.to(kind),
            ref_logprobs=None if ref is None else given(ref).clamp(min=LEAST_LOGPROB),
            sampler_weights=None if weights is None else given(weights),
            entropy=None if self.entropy is None else on_tokens(self.entropy),
            trained=None if self.trained is None else given(self.trained),
            pair_weights=None if pulls is None else given(pulls),
        )

    @property
    def token_advantages(self) -> Tensor:
        """Return advantages that broadcast against (B, T)."""
        return self.advantages if self.advantages.dim() == 2 else self.advantages.unsqueeze(1)

    def mean(self, values: Tensor) -> Tensor:
        """Return the mean of values, (B, T) or (B, 1), over the sampled tokens of this batch; 0 without tokens."""
        return (values * self.mask).sum() / self.mask.sum().clamp(min=1)

    @property
    def is_part(self) -> bool:
        """Return whether the optimiser step has more rows than this batch."""
        return self.total_rows is not None and self.total_rows != len(self.logprobs)

    @property
    def step_rows(self) -> float:
        """Return the number of rows that the optimiser step stands for, at least 1."""
        return max(1.0, len(self.logprobs) if self.total_rows is None else self.total_rows)

    @property
    def step_tokens(self) -> float | Tensor:
        """Return the number of sampled tokens that the optimiser step stands for, at least 1.

        Raises:
            ValueError: The batch is a part of the step and lacks `total_tokens`.
        """
        if self.total_tokens is not None:
            return max(self.total_tokens, 1.0)
        if self.is_part:
            raise ValueError(
                f"a loss averaged over tokens needs total_tokens in a batch of {len(self.logprobs)} of "
                f"{self.total_rows} rows; got none (set it to the number of sampled tokens of all rows)"
            )
        return self.mask.sum().clamp(min=1)


def as_loss_batch(batch: LossBatch | Mapping[str, Any]) -> LossBatch:
    """Accept a `LossBatch` or a mapping with its fields.

    Raises:
        ValueError: A key is unknown or missing.
    """
    if isinstance(batch, LossBatch):
        return batch
    fields = {field.name: field for field in dataclasses.fields(LossBatch)}
    for key in batch:
        if key not in fields:
            raise ValueError(unknown_name("batch key", key, fields))
    missing = [n for n, f in fields.items() if f.default is dataclasses.MISSING and n not in batch]
    if missing:
        raise ValueError(f"the batch lacks {', '.join(missing)}; it needs {', '.join(fields)}")
    return LossBatch(**batch)
