r"""LUSPO: length-unbiased sequence policy optimisation (arXiv:2602.05261).

    s_i = (pi(y_i) / pi_old(y_i))^(1/|y_i|) = exp(1/|y_i| sum_t log r_t)
    L = mean_i -|y_i| min(s_i A_i, clip(s_i, 1 - eps_low, 1 + eps_high) A_i)

with GRPO's advantages.

    setting          here     paper
    group_size          8         -
    epsilon          0.01      2e-3
    epsilon_high    0.013    2.5e-3
    beta                0         -

Differences from GRPO:

1. Ratio and clip are GSPO's, those of the whole row.
2. A row is weighed by its length. Without that a token of a long row has less gradient than one of a short row, so
   long successes are reinforced less per token and long failures punished less.
3. The interval is that of our GSPO, wider than in the paper: a row is a tactic, not a whole answer.
4. The KL term, if there is one, is a sum over the tokens of a row as well, as in TRL.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from trainers.algorithms.batch import LossBatch
from trainers.algorithms.gspo import GSPO
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import clipped_losses, constant_mean


class LUSPO(GSPO):
    """GSPO with rows weighed by their length; see the module text for the equation."""

    name: ClassVar[str] = "luspo"
    paper: ClassVar[str] = "2602.05261"
    use_when: ClassVar[str] = "as gspo, where tactics differ much in length"

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the clipped surrogate, summed over the tokens of a row, then averaged over rows."""
        log_ratios = self.log_ratios(batch)
        losses = clipped_losses(batch, log_ratios, self.settings)
        return constant_mean(batch, losses + kl_losses(batch, log_ratios, self.settings), 1)
