r"""VESPO: variational sequence-level soft policy optimisation (arXiv:2602.10693).

    W_i = prod_t r_t,    phi(W) = W^k exp(lambda (1 - W))
    L = 1 / (sum_i |y_i|) sum_i sum_t -sg[phi(W_i)] A_i log pi(y_t)

with GRPO's advantages; k and lambda go by the sign of A_i, and sg[.] is the stop-gradient.

    setting            here    paper
    group_size            8        -
    k_positive            2        2
    lambda_positive       3        3
    k_negative            3        3
    lambda_negative       2        2
    beta                  0        -

Differences from GRPO:

1. A smooth weight of the whole row in place of the clip: phi is 1 at W = 1 and falls to 0 where W rises as well as
   where it falls, so rows of negative advantage that have fallen far lose their gradient, and need no other bound.
2. W is the product of the ratios of a row, not their mean: long rows leave the neighbourhood of 1 sooner.
3. Every token of the optimiser step weighs the same.
4. Weights for another sampler are a part of W instead of a factor of the loss.
"""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from torch import Tensor

from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import MOST_LOG_RATIO, token_log_ratios, token_mean
from trainers.algorithms.settings import FamilySettings, KLLossSettings
from trainers.config.base import NonNegative, Positive

_LEAST_LOG_RATIO = math.log(1e-8)


class VESPOSettings(FamilySettings, KLLossSettings):
    """Settings of VESPO."""

    k_positive: NonNegative = 2.0
    """Exponent of W where the advantage is not negative; larger fades sooner below 1."""
    lambda_positive: Positive = 3.0
    """Rate at which the weight falls above 1 where the advantage is not negative."""
    k_negative: NonNegative = 3.0
    """Exponent of W where the advantage is negative."""
    lambda_negative: Positive = 2.0
    """Rate at which the weight falls above 1 where the advantage is negative."""


class VESPO(Algorithm):
    """Soft weights of whole rows; see the module text for the equation."""

    name: ClassVar[str] = "vespo"
    paper: ClassVar[str] = "2602.10693"
    use_when: ClassVar[str] = "data are stale, or several optimiser steps per rollout without a clip"
    settings_type = VESPOSettings
    settings: VESPOSettings

    @property
    def bounds_falling(self) -> bool:
        """Return that the weight of a row that has fallen far is 0."""
        return self.settings.k_negative > 0.0

    def loss(self, batch: LossBatch) -> Tensor:
        """Log-likelihood weighted by advantage and row, averaged over all tokens."""
        losses = -self._row_weights(batch) * batch.token_advantages * batch.logprobs
        return token_mean(batch, losses + kl_losses(batch, token_log_ratios(batch), self.settings))

    def _row_weights(self, batch: LossBatch) -> Tensor:
        """Return phi(W) without gradient, (B, 1), or (B, T) with advantages per token."""
        settings, advantages = self.settings, batch.token_advantages
        each = token_log_ratios(batch).detach().clamp(-MOST_LOG_RATIO, MOST_LOG_RATIO)
        log_ratios = (each * batch.mask).sum(dim=1, keepdim=True)
        if (weights := batch.sampler_weights) is not None:
            logs = weights.log().clamp(_LEAST_LOG_RATIO, MOST_LOG_RATIO)
            log_ratios = log_ratios + (logs * batch.mask if logs.shape[1] > 1 else logs).sum(
                dim=1, keepdim=True
            )
        log_ratios = log_ratios.clamp(_LEAST_LOG_RATIO, MOST_LOG_RATIO)
        kept = advantages >= 0
        k = torch.where(kept, settings.k_positive, settings.k_negative)
        rate = torch.where(kept, settings.lambda_positive, settings.lambda_negative)
        return torch.exp(k * log_ratios + rate * (1.0 - log_ratios.exp()))
