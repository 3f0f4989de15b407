r"""SAPO: soft adaptive policy optimisation (arXiv:2511.20347).

    f(r; tau) = 4 / tau sigmoid(tau (r - 1))
    L = mean_i 1/|y_i| sum_t -f(r_t; tau_i) A_i,    tau_i = tau_positive if A_i > 0 else tau_negative

with GRPO's advantages.

    setting                      here    paper
    group_size                      8        -
    tau_positive                  1.0      1.0
    tau_negative                 1.05     1.05
    off_policy_mask_threshold     0.1     none
    beta                            0        0

Differences from GRPO:

1. A smooth gate in place of the clip: the gradient of a token is 4 sigmoid'(tau (r - 1)) A times that of r. The factor
   is largest at r = 1 and decreases smoothly on both sides.
2. The gate is narrower for negative advantages, whose gradient raises many unlikely tokens at once.
3. No KL term.
4. The gradient of a token on log pi is 4 sigmoid'(tau (r - 1)) r |A|. At tau = 1 that is

       r     0.1   0.5   1.0   1.5   2.0   3.0   5.0
       grad  0.08  0.47  1.00  1.41  1.57  1.26  0.35

   so the gate limits rising ratios, those of tokens with a positive advantage, but not falling ones. A token with a
   negative advantage loses probability at each step. GRPO gives it no gradient below r = 0.8; here the factor before
   r |A| stays above 0.76 at every r < 1, so such tokens have no lower bound, and large steps can push them down
   without end. `off_policy_mask_threshold` is the bound here: a row that has fallen by more is left out.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import exponential, row_mean, weighted
from trainers.algorithms.settings import FamilySettings, KLLossSettings, RatioSettings
from trainers.config.base import Positive


class SAPOSettings(FamilySettings, RatioSettings, KLLossSettings):
    """Settings of SAPO."""

    tau_positive: Positive = 1.0
    """Steepness of the gate where the advantage is positive; larger fades sooner."""
    tau_negative: Positive = 1.05
    """Steepness of the gate elsewhere."""
    off_policy_mask_threshold: Positive | None = 0.1
    """As of any algorithm; on by default, since nothing else bounds here how far a row of negative advantage falls."""


class SAPO(Algorithm):
    """Soft adaptive policy optimisation; see the module text for the equation."""

    name: ClassVar[str] = "sapo"
    paper: ClassVar[str] = "2511.20347"
    use_when: ClassVar[str] = "the hard edge of the clip makes training jump"
    settings_type = SAPOSettings
    settings: SAPOSettings

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the gated ratio times the advantage, averaged over the tokens of a row, then over rows."""
        log_ratios = self.log_ratios(batch)
        advantages = batch.token_advantages
        positive, negative = self.settings.tau_positive, self.settings.tau_negative
        tau = torch.where(advantages > 0, positive, negative).to(advantages)
        gate = torch.sigmoid(tau * (exponential(log_ratios) - 1.0)) * 4.0 / tau
        losses = weighted(batch, -gate * advantages)
        return row_mean(batch, losses + kl_losses(batch, log_ratios, self.settings))
