r"""GSPO: group sequence policy optimisation, and its token variant (arXiv:2507.18071).

    s_i = (pi(y_i) / pi_old(y_i))^(1/|y_i|) = exp(1/|y_i| sum_t log r_t)
    L = mean_i -min(s_i A_i, clip(s_i, 1 - eps_low, 1 + eps_high) A_i)                         gspo

    s_it = sg[s_i] pi(y_t) / sg[pi(y_t)]
    L = mean_i 1/|y_i| sum_t -min(s_it A_it, clip(s_it, 1 - eps_low, 1 + eps_high) A_it)       gspo_token

with GRPO's advantages; sg[.] is the stop-gradient. With one advantage per row both have the same value and gradient;
the token variant is for advantages that vary within a row.

    setting          here     paper
    group_size          8         -
    epsilon          0.01      3e-4
    epsilon_high    0.013      4e-4
    beta                0         0

Differences from GRPO:

1. The ratio is that of the whole row, normalised by its length, and clipping applies to the whole row, because the
   reward is given to sequences, not to tokens.
2. The interval is far narrower, because the mean of |y| log-ratios has a spread of 1/sqrt(|y|). It is wider here than
   in the paper by about sqrt(1000): a row is a tactic of some ten tokens, not an answer of some ten thousand.
3. No KL term.
4. While policy and sampler are the same (one optimiser step per rollout) the ratio is 1 and nothing differs.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import clipped_losses, importance_log_ratios, row_mean
from trainers.algorithms.settings import ClipSettings, FamilySettings, ISLevel, KLLossSettings
from trainers.config.base import Fraction, Positive


class GSPOSettings(FamilySettings, ClipSettings, KLLossSettings):
    """Settings of GSPO and its token variant."""

    epsilon: Fraction = 0.01
    """The ratio is clipped from below at 1 - epsilon."""
    epsilon_high: Positive | None = 0.013
    """The ratio is clipped from above at 1 + epsilon_high; `None` takes `epsilon`."""


class _SequenceRatio(Algorithm):
    """Ratio and loss of both variants."""

    level: ClassVar[ISLevel]
    paper: ClassVar[str] = "2507.18071"
    settings_type = GSPOSettings
    settings: GSPOSettings

    def log_ratios(self, batch: LossBatch) -> Tensor:
        """Return the log-ratios of whole rows, normalised by length, at the variant's level."""
        return importance_log_ratios(batch, self.level)

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the clipped surrogate, averaged over rows."""
        log_ratios = self.log_ratios(batch)
        losses = clipped_losses(batch, log_ratios, self.settings)
        return row_mean(batch, losses + kl_losses(batch, log_ratios, self.settings))


class GSPO(_SequenceRatio):
    """Group sequence policy optimisation; see the module text for the equation."""

    name: ClassVar[str] = "gspo"
    use_when: ClassVar[str] = "several optimiser steps per rollout, or a mixture-of-experts model"
    level: ClassVar[ISLevel] = "sequence"


class GSPOToken(_SequenceRatio):
    """GSPO's ratio with advantages per token; see the module text for the equation."""

    name: ClassVar[str] = "gspo_token"
    use_when: ClassVar[str] = "as gspo, where advantages vary within a row"
    level: ClassVar[ISLevel] = "sequence_token"
