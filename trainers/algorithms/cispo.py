r"""CISPO: clipped importance sampling policy optimisation (MiniMax-M1, arXiv:2506.13585).

    L = 1 / (sum_i |y_i|) sum_i sum_t -sg[clip(r_t, ratio_min, ratio_max)] A_i log pi(y_t)

with GRPO's advantages; sg[.] is the stop-gradient.

    setting                      here    paper
    group_size                      8    -
    ratio_min                       0    none
    ratio_max                       5    tuned; 5 in ScaleRL (arXiv:2510.13786)
    off_policy_mask_threshold     0.1    none
    beta                            0    0

Differences from GRPO:

1. Clipping bounds the weight of a token and never removes its gradient, so rare tokens are still learned from
   after their probability has changed.
2. Every token of the optimiser step weighs the same.
3. No KL term.
4. A row of negative advantage has no lower bound of its own; `off_policy_mask_threshold` leaves out one that has
   fallen far.
5. `ratio_max` bounds the ratio itself. Elsewhere the same bound is written 1 + epsilon_high (the paper) or
   epsilon_high (TRL, whose default of 0.2 makes every step five times smaller).
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field
from torch import Tensor

from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import exponential, token_mean, weighted
from trainers.algorithms.settings import FamilySettings, KLLossSettings, RatioSettings
from trainers.config.base import Positive


class CISPOSettings(FamilySettings, RatioSettings, KLLossSettings):
    """Settings of CISPO."""

    ratio_min: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Least weight of a token; 0 is no bound."""
    ratio_max: Annotated[float, Field(ge=1)] = 5.0
    """Largest weight of a token."""
    off_policy_mask_threshold: Positive | None = 0.1
    """As of any algorithm; on by default, since nothing else bounds here how far a row of negative advantage falls."""


class CISPO(Algorithm):
    """Clipped importance weights; see the module text for the equation."""

    name: ClassVar[str] = "cispo"
    paper: ClassVar[str] = "2506.13585"
    use_when: ClassVar[str] = "clipping silences the rare tokens that matter, or data are stale"
    settings_type = CISPOSettings
    settings: CISPOSettings

    def loss(self, batch: LossBatch) -> Tensor:
        """Log-likelihood weighted by advantage and bounded ratio, averaged over all tokens."""
        log_ratios = self.log_ratios(batch)
        weights = exponential(log_ratios).clamp(self.settings.ratio_min, self.settings.ratio_max).detach()
        losses = weighted(batch, -weights * batch.token_advantages * batch.logprobs)
        return token_mean(batch, losses + kl_losses(batch, log_ratios, self.settings))
