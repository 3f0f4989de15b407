r"""GMPO: geometric-mean policy optimisation (arXiv:2507.20673).

    u_t = sgn(A_i) min(sgn(A_i) log r_t, sgn(A_i) clip(log r_t, -eps_low, eps_high))
    L = mean_i -exp(1/|y_i| sum_t u_t) A_i

with GRPO's advantages: the geometric mean of clipped ratios in place of the arithmetic mean.

    setting         here    paper
    group_size         8        -
    epsilon          0.4      0.4
    epsilon_high     0.4      0.4
    beta               0        0

Differences from GRPO:

1. The geometric mean of a row's ratios, which an outlier changes far less than the arithmetic mean.
2. Ratios are clipped token by token, before the mean, and in log space: to [exp(-eps_low), exp(eps_high)]. The
   more robust mean allows a far wider interval than GRPO's.
3. No KL term by default; where there is one, it is averaged over the tokens of a row.
4. One advantage per row only: the sign in the formula belongs to the row.
"""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from torch import Tensor

from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import exponential, row_mean, token_log_ratios, weighted
from trainers.algorithms.settings import FamilySettings, KLLossSettings
from trainers.config.base import Positive


class GMPOSettings(FamilySettings, KLLossSettings):
    """Settings of GMPO."""

    epsilon: Positive = 0.4
    """Log-ratios of tokens are clipped from below at -epsilon where the advantage is negative."""
    epsilon_high: Positive = 0.4
    """Log-ratios of tokens are clipped from above at epsilon_high where the advantage is positive."""


class GMPO(Algorithm):
    """Geometric-mean policy optimisation; see the module text for the equation."""

    name: ClassVar[str] = "gmpo"
    paper: ClassVar[str] = "2507.20673"
    use_when: ClassVar[str] = "single tokens with extreme ratios unsettle training"
    settings_type = GMPOSettings
    settings: GMPOSettings

    @property
    def clip_bounds(self) -> tuple[float, float]:
        """Return exp(-epsilon) and exp(epsilon_high)."""
        return math.exp(-self.settings.epsilon), math.exp(self.settings.epsilon_high)

    def log_ratios(self, batch: LossBatch) -> Tensor:
        """Return the log-ratios of tokens, (B, T)."""
        return token_log_ratios(batch)

    def restricted(self, batch: LossBatch) -> LossBatch:
        """Return the batch as it is: its advantages are those of rows, and `loss` leaves the other tokens out."""
        return batch

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the geometric mean of clipped ratios times the advantage, averaged over rows.

        Raises:
            ValueError: The batch has advantages per token.
        """
        if batch.advantages.dim() != 1:
            raise ValueError(
                f"gmpo expects one advantage per row, of shape {tuple(batch.logprobs.shape[:1])}; "
                f"got {tuple(batch.advantages.shape)} (gspo_token takes advantages per token)"
            )
        advantages = batch.token_advantages
        token = self.log_ratios(batch)
        clipped = token.clamp(-self.settings.epsilon, self.settings.epsilon_high)
        chosen = torch.where(advantages > 0, torch.minimum(token, clipped), torch.maximum(token, clipped))
        mask = batch.mask if batch.trained is None else batch.mask * batch.trained
        lengths = mask.sum(dim=1, keepdim=True).clamp(min=1)
        row = exponential((chosen * mask).sum(dim=1, keepdim=True) / lengths)
        losses = weighted(batch, -row * advantages)
        return row_mean(batch, losses + kl_losses(batch, token, self.settings))
