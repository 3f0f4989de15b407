r"""RLOO: REINFORCE leave-one-out (arXiv:2402.14740).

    A_i = R_i - mean_{j != i} R_j = G / (G - 1) (R_i - mean(R))
    w_i = pi(y_i) / pi_old(y_i) = exp(sum_t log r_t)
    L = mean_i -min(w_i B_i, clip(w_i, 1 - eps, 1 + eps) B_i),    B_i = A_i - beta sum_t log(pi_old(y_t) / pi_ref(y_t))

    setting       here    paper
    group_size       8    2 to 4
    epsilon        0.2    none
    beta          0.01    -

Differences from GRPO:

1. The baseline is the mean of the others, which keeps the gradient unbiased; there is no standard deviation.
2. The action is the whole row: one ratio, not normalised by length, one clip, and no average over tokens.
3. The KL divergence lowers the advantage, as part of the reward, and is not a term of the loss. It has no baseline,
   which changes the variance of the gradient but not its mean.
4. The paper samples again for every step and needs no ratio; with ratio 1 the gradient here is the paper's.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from trainers.algorithms.advantages import AdvantageRule
from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import estimate_kl, require_reference
from trainers.algorithms.ratios import exponential, row_mean, surrogate, token_log_ratios, weighted
from trainers.algorithms.settings import AdvantageNorm, ClipSettings, FamilySettings, KLEstimator
from trainers.config.base import NonNegative


class RLOOSettings(FamilySettings, ClipSettings):
    """Settings of RLOO."""

    advantage_norm: AdvantageNorm = "none"
    """`none`, the paper's: subtract the mean of the others only. The other values as in GRPO."""
    beta: NonNegative = 0.01
    """Weight of the KL divergence to the start policy within the reward; 0 switches it off."""
    kl_estimator: KLEstimator = "k1"
    """Per token, as in GRPO; `k1`, the plain log-ratio, is what a reward takes."""


class RLOO(Algorithm):
    """REINFORCE with the leave-one-out baseline; see the module text for the equation."""

    name: ClassVar[str] = "rloo"
    paper: ClassVar[str] = "2402.14740"
    use_when: ClassVar[str] = "an unbiased gradient is wanted, one optimiser step per rollout"
    settings_type = RLOOSettings
    settings: RLOOSettings

    def advantage_rule(self) -> AdvantageRule:
        """Return the rule relative to the mean of the others."""
        return AdvantageRule(self.settings, baseline="leave_one_out")

    def log_ratios(self, batch: LossBatch) -> Tensor:
        """Return the log-ratios of whole rows, (B, 1)."""
        return (token_log_ratios(batch) * batch.mask).sum(dim=1, keepdim=True)

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the clipped surrogate of whole rows, averaged over rows."""
        advantages = batch.token_advantages
        if self.settings.beta > 0.0:
            estimate = estimate_kl(batch.old_logprobs, require_reference(batch), self.settings.kl_estimator)
            spent = (estimate * batch.mask).sum(dim=1, keepdim=True)
            advantages = advantages - self.settings.beta * spent.detach()
        losses = surrogate(exponential(self.log_ratios(batch)), advantages, self.settings)
        return row_mean(batch, weighted(batch, losses))
