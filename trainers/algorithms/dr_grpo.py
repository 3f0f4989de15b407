r"""Dr. GRPO: GRPO without its two biases (arXiv:2503.20783).

    A_i = R_i - mean(R)
    L = 1 / (B L_max) sum_i sum_t -min(r_t A_i, clip(r_t, 1 - eps, 1 + eps) A_i)

for B rows y_i and a constant L_max, the longest row that sampling allows.

    setting                  here    paper
    group_size                  8        8
    epsilon                   0.2        -
    beta                        0        0
    advantage_norm           none     none
    max_completion_tokens      48     3000      (48 is the default of --max-tactic-tokens, which it follows)

Differences from GRPO:

1. No division by the standard deviation, which in GRPO favours theorems that are nearly always or nearly never
   proved.
2. The sum over tokens is divided by a constant instead of the length of each row, which in GRPO penalises long
   wrong answers too little.
3. No KL term.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import clipped_losses, constant_mean
from trainers.algorithms.settings import (
    AdvantageNorm,
    ClipSettings,
    FamilySettings,
    KLLossSettings,
    RatioSettings,
)
from trainers.config.base import Count


class DrGRPOSettings(FamilySettings, RatioSettings, ClipSettings, KLLossSettings):
    """Settings of Dr. GRPO."""

    advantage_norm: AdvantageNorm = "none"
    """`none`, the paper's: subtract the mean only. The others as in GRPO."""
    max_completion_tokens: Count = 48
    """L_max: tokens of the longest tactic that sampling allows; the trainers give what `--max-tactic-tokens` says."""


class DrGRPO(Algorithm):
    """GRPO without its two biases; see the module text for the equation."""

    name: ClassVar[str] = "dr_grpo"
    paper: ClassVar[str] = "2503.20783"
    use_when: ClassVar[str] = "theorems differ much in difficulty, or failed tactics grow longer"
    settings_type = DrGRPOSettings
    settings: DrGRPOSettings

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the clipped surrogate, summed over tokens and divided by rows times L_max."""
        log_ratios = self.log_ratios(batch)
        losses = clipped_losses(batch, log_ratios, self.settings) + kl_losses(
            batch, log_ratios, self.settings
        )
        return constant_mean(batch, losses, self.settings.max_completion_tokens)
