r"""REINFORCE++: no critic, no groups needed, advantages standardised over the batch (arXiv:2501.03262).

With the statistics of all N episodes of an iteration,

    with baseline:  C_i = R_i - mean over the group of i
                    A_i = (C_i - mean(C)) / (std(C) + eps_std),     KL divergence (k2) as a term of the loss
    plain:          A_it = (R_i - mean(R)) / (std(R) + eps_std) - beta sum_{u >= t} log(pi_old(y_u) / pi_ref(y_u))

    L = 1 / (sum_i |y_i|) sum_i sum_t -min(r_t A_it, clip(r_t, 1 - eps, 1 + eps) A_it)  [ + beta k2 ]

    setting         here    paper
    group_size         8    any; 1 for plain
    use_baseline    true    both
    epsilon          0.2    -
    beta            0.01    -
    kl_estimator      k2    k2 with baseline, k1 plain

Differences from GRPO:

1. One standard deviation for the whole batch: the advantages of a group with little spread stay small.
2. Every token of the optimiser step has the same weight.
3. The KL estimator is k2, whose gradient is that of the divergence.
4. The plain form has no group baseline and subtracts the KL divergence of the rest of the tactic from the reward.
   The paper standardises after that; here beta is in units of standardised advantages, because rollouts do not have
   the log-probabilities of the start policy.
5. The batch statistics are those of episodes; the paper's are those of tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import model_validator
from torch import Tensor

from trainers.algorithms.advantages import AdvantageRule
from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import estimate_kl, kl_losses, require_reference
from trainers.algorithms.ratios import exponential, surrogate, token_mean, weighted
from trainers.algorithms.settings import (
    ClipSettings,
    FamilySettings,
    KLEstimator,
    KLLossSettings,
    RatioSettings,
)
from trainers.config.base import NonNegative


class ReinforcePPSettings(FamilySettings, RatioSettings, ClipSettings, KLLossSettings):
    """Settings of REINFORCE++."""

    use_baseline: bool = True
    """Whether the mean of the group is taken off first and the KL divergence is a term of the loss."""
    beta: NonNegative = 0.01
    """Weight of the KL divergence to the start policy; 0 switches it off."""
    kl_estimator: KLEstimator = "k2"
    """Per token, as in GRPO."""

    @model_validator(mode="after")
    def _check_divergence(self) -> Self:
        if self.use_unbiased_kl and not self.use_baseline:
            raise ValueError(
                "use_unbiased_kl weighs a KL term of the loss, and use_baseline=False has it in the reward; "
                "set one of them differently"
            )
        return self


class ReinforcePP(Algorithm):
    """REINFORCE++ with and without group baseline; see the module text for the equation."""

    name: ClassVar[str] = "reinforce_pp"
    paper: ClassVar[str] = "2501.03262"
    use_when: ClassVar[str] = "small groups, or groups of very uneven spread"
    settings_type = ReinforcePPSettings
    settings: ReinforcePPSettings

    def advantage_rule(self) -> AdvantageRule:
        """Return the rule with the spread of the whole batch."""
        return AdvantageRule(self.settings, whole_batch=True)

    def compute_group_advantages(self, groups: Sequence[Sequence[float] | Tensor]) -> list[Tensor]:
        """Return the advantages of all episodes of an iteration, standardised together.

        Args:
            groups: Returns of the episodes of each theorem.

        Returns:
            One vector per group.

        Raises:
            ValueError: A return is not finite.
        """
        return self.rule.assign(groups, subtract_group_mean=self.settings.use_baseline)

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the clipped surrogate, averaged over all tokens of the optimiser step."""
        log_ratios = self.log_ratios(batch)
        in_loss = self.settings.use_baseline or self.settings.beta == 0.0
        advantages = batch.token_advantages if in_loss else self._less_divergence(batch)
        losses = weighted(batch, surrogate(exponential(log_ratios), advantages, self.settings))
        if in_loss:
            losses = losses + kl_losses(batch, log_ratios, self.settings)
        return token_mean(batch, losses)

    def _less_divergence(self, batch: LossBatch) -> Tensor:
        """Return advantages minus beta times the divergence of the rest of the row, (B, T)."""
        estimate = estimate_kl(batch.old_logprobs, require_reference(batch), self.settings.kl_estimator)
        rest = (estimate * batch.mask).flip(1).cumsum(1).flip(1)
        return batch.token_advantages - self.settings.beta * rest.detach()
