r"""GRPO: group relative policy optimisation (arXiv:2402.03300).

For G episodes of one theorem with returns R_1..R_G, every token of episode i gets the advantage

    A_i = (R_i - mean(R)) / (std(R) + eps_std)

and, with r_t = pi(y_t) / pi_old(y_t) and d_t = log pi_ref(y_t) - log pi(y_t),

    L = mean_i 1/|y_i| sum_t [ -min(r_t A_i, clip(r_t, 1 - eps, 1 + eps) A_i) + beta (exp(d_t) - d_t - 1) ]

The last bracket is the k3 estimator of KL(pi || pi_ref): never negative, unbiased when pi sampled y_t.

    setting    here    paper
    group_size    8       64
    epsilon     0.2        -
    beta          0     0.04

Differences from the paper and choices it leaves open:

1. A row y_i is one tactic, not one whole answer: the policy sees the current goals only, so each step of an
   episode is a separate sample with the advantage of its episode.
2. std is the sample standard deviation (divisor G - 1) and eps_std is 1e-4.
3. No KL term by default: the start policy has seen few proofs, so the policy has to move far from it. The trainer's
   imitation of proofs keeps what was found, and there is no pass through a second model.
4. A group whose returns are all equal has advantage 0 everywhere; the trainer drops such rows
   where beta and the entropy bonus are 0, and keeps them for the KL term otherwise.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import clipped_losses, row_mean
from trainers.algorithms.settings import ClipSettings, FamilySettings, KLLossSettings, RatioSettings


class GRPOSettings(FamilySettings, RatioSettings, ClipSettings, KLLossSettings):
    """Settings of GRPO; the defaults are those of the main job."""


class GRPO(Algorithm):
    """Group relative policy optimisation; see the module text for the equation."""

    name: ClassVar[str] = "grpo"
    paper: ClassVar[str] = "2402.03300"
    use_when: ClassVar[str] = "the first choice and the baseline"
    settings_type = GRPOSettings
    settings: GRPOSettings

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the clipped surrogate plus KL, averaged over the tokens of a row, then over rows."""
        log_ratios = self.log_ratios(batch)
        losses = clipped_losses(batch, log_ratios, self.settings)
        return row_mean(batch, losses + kl_losses(batch, log_ratios, self.settings))
