"""Probability ratios between policy and sampler, their clipping, and the reduction of token losses to a scalar.

Every level but `token` compares a whole row, which is one tactic, and averages over its |y| tokens:

    token             r_t = pi(y_t) / pi_old(y_t)
    sequence          s = (prod_t r_t)^(1/|y|), one per row                 GSPO, arXiv:2507.18071
    sequence_token    sg[s] r_t / sg[r_t]: s in value, r_t in gradient      GSPO-token, same paper
    geometric_mean    sqrt(r_t s), between the two

sg[.] is the stop-gradient. A ratio above e^20 is replaced by e^20 and gets no gradient, so that nothing overflows.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from trainers.algorithms.batch import LossBatch
from trainers.algorithms.settings import ClipSettings, ISLevel

MOST_LOG_RATIO = 20.0
"""Upper bound of the logarithm of a ratio."""


def exponential(log_ratios: Tensor) -> Tensor:
    """Return ratios from their logarithms, which are cut off at `MOST_LOG_RATIO`, where they get no gradient."""
    return torch.exp(log_ratios.clamp(max=MOST_LOG_RATIO))


def token_log_ratios(batch: LossBatch) -> Tensor:
    """Return the logarithms of r_t, (B, T)."""
    return batch.logprobs - batch.old_logprobs


def sequence_log_ratios(batch: LossBatch) -> Tensor:
    """Return the logarithms of s, the mean of log r_t over the tokens of a row, (B, 1)."""
    lengths = batch.mask.sum(dim=1, keepdim=True).clamp(min=1)
    return (token_log_ratios(batch) * batch.mask).sum(dim=1, keepdim=True) / lengths


def without_fallen(batch: LossBatch, threshold: float | None) -> LossBatch:
    """Return the batch with advantage 0 for rows of negative advantage that have fallen by more than the threshold.

    Source: DeepSeek-V3.2, arXiv:2512.02556, off-policy sequence masking: out where A < 0 and
    mean_t log(pi_old / pi) > threshold.
    """
    if threshold is None:
        return batch
    fallen = sequence_log_ratios(batch).detach() < -threshold
    advantages = batch.token_advantages.masked_fill(fallen & (batch.token_advantages < 0), 0.0)
    return replace(batch, advantages=advantages if batch.advantages.dim() == 2 else advantages.squeeze(1))


def least_entropy(entropies: Tensor, share: float) -> Tensor:
    """Return the entropy that the given share of tokens reaches, those at which the policy is most uncertain.

    Source: Wang et al. 2025, arXiv:2506.01939, section 5.

    Args:
        entropies: (N,) entropies at the tokens of an optimiser step, in nats.
        share: Above 0 and at most 1.
    """
    return torch.quantile(entropies, 1.0 - share)


def only_trained(batch: LossBatch) -> LossBatch:
    """Return the batch with advantage 0 for the tokens outside of `trained`."""
    if batch.trained is None:
        return batch
    return replace(batch, advantages=batch.token_advantages * batch.trained)


def importance_log_ratios(batch: LossBatch, level: ISLevel) -> Tensor:
    """Return the log-ratios at a level of the module text: (B, T), or (B, 1) for `sequence`."""
    token = token_log_ratios(batch)
    match level:
        case "token":
            return token
        case "sequence":
            return sequence_log_ratios(batch)
        case "sequence_token":
            return sequence_log_ratios(batch).detach() + token - token.detach()
        case "geometric_mean":
            return 0.5 * (token + sequence_log_ratios(batch))


def surrogate(ratios: Tensor, advantages: Tensor, settings: ClipSettings) -> Tensor:
    """Return -min(r A, clip(r, low, high) A), with r first bounded by `delta` if that is set.

    Args:
        ratios: (B, T) or (B, 1).
        advantages: (B, T) or (B, 1).
        settings: The interval.
    """
    clipped = ratios.clamp(settings.low, settings.high)
    if settings.delta is not None:
        ratios = ratios.clamp(max=settings.delta)
    return -torch.minimum(ratios * advantages, clipped * advantages)


def clipped_losses(batch: LossBatch, log_ratios: Tensor, settings: ClipSettings) -> Tensor:
    """Return the surrogate with the batch's advantages and sampler weights.

    Args:
        batch: Advantages and sampler weights.
        log_ratios: (B, T) or (B, 1).
        settings: The interval.

    Returns:
        (B, T) or (B, 1).
    """
    return weighted(batch, surrogate(exponential(log_ratios), batch.token_advantages, settings))


def weighted(batch: LossBatch, losses: Tensor) -> Tensor:
    """Correct losses for a sampler whose probabilities differ from those of `old_logprobs`."""
    return losses if batch.sampler_weights is None else losses * batch.sampler_weights


def row_mean(batch: LossBatch, losses: Tensor) -> Tensor:
    """Return mean_i 1/|y_i| sum_t: every row has the same weight."""
    lengths = batch.mask.sum(dim=1).clamp(min=1)
    return ((losses * batch.mask).sum(dim=1) / lengths).sum() / batch.step_rows


def token_mean(batch: LossBatch, losses: Tensor) -> Tensor:
    """Return the sum over all tokens divided by their number: every token has the same weight."""
    return (losses * batch.mask).sum() / batch.step_tokens


def constant_mean(batch: LossBatch, losses: Tensor, tokens_per_row: int) -> Tensor:
    """Return the sum over all tokens divided by rows and a constant: weights do not depend on length."""
    return (losses * batch.mask).sum() / (batch.step_rows * tokens_per_row)


def entropy_bonus(batch: LossBatch, coefficient: float) -> Tensor | float:
    """Return `coefficient` times the mean entropy per token; to be subtracted from a loss.

    Raises:
        ValueError: The coefficient is above 0 and the batch has no `entropy`.
    """
    if coefficient == 0.0:
        return 0.0
    if batch.entropy is None:
        raise ValueError(
            "entropy_coef > 0 needs entropy in the batch; got none (set entropy_coef=0 to do without)"
        )
    return coefficient * token_mean(batch, batch.entropy)


def ratio_metrics(batch: LossBatch, log_ratios: Tensor, low: float, high: float) -> dict[str, Tensor]:
    """Return the mean ratio, and the share of tokens whose gradient is removed outside [low, high].

    Args:
        batch: Advantages and mask.
        log_ratios: (B, T) or (B, 1).
        low: Lower end of the interval.
        high: Upper end of the interval.
    """
    ratios = exponential(log_ratios)
    advantages = batch.token_advantages
    clipped = ((ratios > high) & (advantages > 0)) | ((ratios < low) & (advantages < 0))
    return {"clip_fraction": batch.mean(clipped), "ratio": batch.mean(ratios)}
