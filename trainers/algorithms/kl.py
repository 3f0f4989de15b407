"""Per-token estimates of KL divergences: of the policy from the start policy, of the sampler from the policy.

With d = log pi_ref(y_t) - log pi(y_t) and y_t sampled from pi, the estimates of KL(pi || pi_ref) are

    k1       -d               unbiased, of either sign; as an unweighted loss its mean gradient is 0
    k2, mse  d^2 / 2          biased, but its gradient is that of the divergence
    k3       exp(d) - d - 1   unbiased, never negative; also called schulman
    abs      |d|              no estimate of the divergence; a robust penalty of the same sign as k2

Source: J. Schulman, "Approximating KL divergence" (2020), for k1 to k3. Multiplying by the probability ratio
(DeepSeek-V3.2, arXiv:2512.02556) makes the gradient of k1 and k3 unbiased even if an older policy sampled.
"""

from __future__ import annotations

import torch
from torch import Tensor

from trainers.algorithms.batch import LossBatch
from trainers.algorithms.ratios import MOST_LOG_RATIO, exponential
from trainers.algorithms.settings import KLEstimator, KLLossSettings, KLSettings


def estimate_kl(logprobs: Tensor, ref_logprobs: Tensor, estimator: KLEstimator) -> Tensor:
    """Return per-token estimates of the divergence.

    Args:
        logprobs: (B, T) under the policy that sampled the tokens, or stands for it; may carry gradient.
        ref_logprobs: (B, T) under the other one.
        estimator: See the module text.

    Returns:
        (B, T) nats.
    """
    difference = ref_logprobs - logprobs
    match estimator:
        case "schulman" | "k3":
            bounded = difference.clamp(max=MOST_LOG_RATIO)
            return torch.exp(bounded) - bounded - 1.0
        case "mse" | "k2":
            return 0.5 * difference.square()
        case "abs":
            return difference.abs()
        case "k1":
            return -difference


def require_reference(batch: LossBatch) -> Tensor:
    """Return the batch's `ref_logprobs`.

    Raises:
        ValueError: It has none.
    """
    if batch.ref_logprobs is None:
        raise ValueError("beta > 0 needs ref_logprobs in the batch; got none (set beta=0 to do without)")
    return batch.ref_logprobs


def kl_losses(batch: LossBatch, log_ratios: Tensor, settings: KLLossSettings) -> Tensor:
    """Return the KL term of a loss per token: `beta` times the estimate, weighted if `use_unbiased_kl`.

    Args:
        batch: Needs `ref_logprobs` if `beta` is above 0.
        log_ratios: (B, T) or (B, 1) log-ratio of policy and sampler; its exponential is the weight.
        settings: The algorithm's settings.

    Raises:
        ValueError: `beta` is above 0 and the batch has no `ref_logprobs`.
    """
    if settings.beta == 0.0:
        return torch.zeros_like(batch.logprobs)
    estimate = estimate_kl(batch.logprobs, require_reference(batch), settings.kl_estimator)
    return settings.beta * (estimate * exponential(log_ratios) if settings.use_unbiased_kl else estimate)


def kl_metrics(batch: LossBatch, settings: KLSettings) -> dict[str, Tensor]:
    """Return means per token, in nats.

    Returns:
        `update_kl`, the k3 estimate of KL(pi_old || pi), as pi_old sampled the tokens; with `ref_logprobs` also `kl`,
        the settings' estimate of KL(pi || pi_ref).
    """
    found = {"update_kl": batch.mean(estimate_kl(batch.old_logprobs, batch.logprobs, "k3"))}
    if batch.ref_logprobs is not None:
        found["kl"] = batch.mean(estimate_kl(batch.logprobs, batch.ref_logprobs, settings.kl_estimator))
    return found
