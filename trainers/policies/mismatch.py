"""Mismatch of probabilities between sampling engine and learner: measurement and correction.

An engine such as vLLM computes the same model with other kernels and other rounding, so a token that it drew with
probability q has probability p under the learner's copy of the same weights. The update needs expectations under p;
weighting each token by p / q, truncated so that no single token dominates a batch, removes most of the bias.
"""

from __future__ import annotations

import torch
from torch import Tensor


def truncated_weights(
    learner_logprobs: Tensor, sampler_logprobs: Tensor, mask: Tensor, cap: float = 2.0
) -> Tensor:
    """Return importance weights min(p / q, cap) per token, for `LossBatch.sampler_weights`.

    Args:
        learner_logprobs: (B, T) log p under the learner's model before the update.
        sampler_logprobs: (B, T) log q under the engine, as sampled.
        mask: (B, T) 1 on sampled tokens, 0 on padding.
        cap: Upper bound of the weights, at least 1.

    Returns:
        (B, T) weights without gradient, 1 on padding.

    Raises:
        ValueError: `cap` is below 1, which would reduce the weight of tokens with p = q.

    Source: Yao et al. 2025, "Your Efficient RL Framework Secretly Brings You Off-Policy RL Training" (truncated
        importance sampling); the truncation is that of Espeholt et al. 2018, arXiv:1802.01561, section 4.1.
    """
    if not cap >= 1.0:
        raise ValueError(f"cap: got {cap!r}, expected at least 1")
    with torch.no_grad():
        # Truncated before the exponential, so that nothing overflows.
        difference = (learner_logprobs - sampler_logprobs).clamp(max=torch.tensor(cap).log().item())
        return torch.where(mask.bool(), difference.exp(), torch.ones_like(difference))


def mismatch_metrics(
    learner_logprobs: Tensor, sampler_logprobs: Tensor, mask: Tensor, cap: float = 2.0
) -> dict[str, float]:
    """Return measures of the difference between engine and learner on sampled tokens.

    Args:
        learner_logprobs: (B, T) log p.
        sampler_logprobs: (B, T) log q.
        mask: (B, T), at least one token.
        cap: As for `truncated_weights`.

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
