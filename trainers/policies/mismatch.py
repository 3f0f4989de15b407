"""Mismatch of probabilities between sampler and learner: measurement and correction.

An engine such as vLLM computes the same model with other kernels and other rounding, so a token that it drew with
probability q has probability p under the learner's copy of the same weights. So does sampling in 16 bits, token by
token with a cache, against scoring whole rows in 16 bits; and where rollouts run ahead of the learner, older weights
sampled. The update needs expectations under p; weighting tokens by p / q, bounded so that no single token dominates a
batch, removes most of the bias.
"""

from __future__ import annotations

import math
from typing import Final

import torch
from torch import Tensor

from trainers.config.names import SamplerCorrection

_MOST_LOG_WEIGHT: Final = 20.0
"""Largest logarithm of a weight."""


def importance_weights(
    learner_logprobs: Tensor,
    sampler_logprobs: Tensor,
    mask: Tensor,
    mode: SamplerCorrection = "token_truncate",
    low: float = 0.0,
    high: float | None = 2.0,
) -> Tensor:
    """Return importance weights from p / q, for `LossBatch.sampler_weights`.

        token_truncate       p / q of each token, pulled into [low, high]
        token_mask           p / q of each token, 0 outside of [low, high]
        sequence_truncate    the product of p / q over a row, pulled into [low, high]
        sequence_mask        the same, 0 outside of [low, high]

    Args:
        learner_logprobs: (B, T) log p under the learner's model before the update.
        sampler_logprobs: (B, T) log q under the sampler, as sampled.
        mask: (B, T) 1 on sampled tokens, 0 on padding.
        mode: See above; `none` gives 1.
        low: Lower bound of the weights, from 0 to 1.
        high: Upper bound of the weights, at least 1; `None` is no bound.

    Returns:
        Weights without gradient: (B, T) for tokens, 1 on padding; (B, 1) for sequences.

    Raises:
        ValueError: A bound is on the wrong side of 1, which would change the weight of a token with p = q.

    Source: truncation of tokens: Yao et al. 2025, "Your Efficient RL Framework Secretly Brings You Off-Policy RL
        Training", after Espeholt et al. 2018, arXiv:1802.01561, section 4.1; the modes are those of TRL's
        `vllm_importance_sampling_mode`.
    """
    if high is not None and not high >= 1.0:
        raise ValueError(f"high: got {high!r}, expected at least 1")
    if not 0.0 <= low <= 1.0:
        raise ValueError(f"low: got {low!r}, expected a number from 0 to 1")
    with torch.no_grad():
        difference = (learner_logprobs - sampler_logprobs).where(mask.bool(), 0.0)
        if mode == "none":
            return torch.ones_like(difference)
        if mode.startswith("sequence"):
            difference = difference.sum(dim=1, keepdim=True)
        # Bounded before the exponential, so that nothing overflows.
        ratio = difference.clamp(max=_MOST_LOG_WEIGHT).exp()
        if mode.endswith("truncate"):
            return ratio.clamp(min=low, max=high)
        outside = (ratio < low) | (ratio > (math.inf if high is None else high))
        return ratio.masked_fill(outside, 0.0)


def mismatch_metrics(
    learner_logprobs: Tensor, sampler_logprobs: Tensor, mask: Tensor, cap: float = 2.0
) -> dict[str, float]:
    """Return measures of the difference between engine and learner on sampled tokens.

    Args:
        learner_logprobs: (B, T) log p.
        sampler_logprobs: (B, T) log q.
        mask: (B, T), at least one token.
        cap: Upper bound of the weights of tokens.

    Returns:
        `mean_difference` and `largest_difference` of |log p - log q| in nats, `kl` (the
        k3 estimate of KL(q || p), which is never negative), `mean_weight` before the cap (1 in expectation), and
        `capped_share` of the tokens.
    """
    with torch.no_grad():
        difference = (learner_logprobs - sampler_logprobs)[mask.bool()].double()
        ratio = difference.exp()
        return {
            "mean_difference": float(difference.abs().mean()),
            "largest_difference": float(difference.abs().max()),
            "kl": float((ratio - 1.0 - difference).mean()),
            "mean_weight": float(ratio.mean()),
            "capped_share": float((ratio > cap).double().mean()),
        }
