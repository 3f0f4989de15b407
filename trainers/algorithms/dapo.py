r"""DAPO: decoupled clip and dynamic sampling policy optimisation (arXiv:2503.14476).

    A_i = (R_i - mean(R)) / (std(R) + eps_std)
    L = 1 / (sum_i |y_i|) sum_i sum_t -min(r_t A_i, clip(r_t, 1 - eps_low, 1 + eps_high) A_i)

    setting                     here                 paper
    group_size                     8                    16
    epsilon                      0.2                   0.2
    epsilon_high                0.28                  0.28
    beta                           0                     0
    dynamic_sampling_rounds        3    until a batch is full
    overlong_buffer              0.2    4096 of 20480 tokens
    overlong_penalty             0.5    1, of a range of 2

Differences from GRPO:

1. Decoupled clip: the upper bound is wider, so that unlikely tactics can gain probability.
2. Dynamic sampling: groups with equal returns are replaced by new ones (`groups_to_replace`), a bounded number of
   times, because at first most groups may have equal returns.
3. Token-level loss: every token of the optimiser step weighs the same, not every row.
4. Overlong shaping: an episode close to its limit gets a penalty (`overlong_charge`). The limit here is the number
   of tactics that an episode may try, and the penalty is half the reward of a proof, as in the paper.
5. No KL term.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.ratios import clipped_losses, token_mean
from trainers.algorithms.settings import ClipSettings, FamilySettings, KLLossSettings, RatioSettings
from trainers.config.base import CountOrZero, Positive, Share


class DAPOSettings(FamilySettings, RatioSettings, ClipSettings, KLLossSettings):
    """Settings of DAPO."""

    epsilon_high: Positive | None = 0.28
    """The ratio is clipped from above at 1 + epsilon_high; `None` takes `epsilon`."""
    dynamic_sampling_rounds: CountOrZero = 3
    """Times that groups whose episodes all earned the same are replaced by fresh ones; 0 keeps them."""
    overlong_buffer: Share = 0.2
    """Share of the length limit, at its end, over which episodes are charged for length; 0 charges none."""


class DAPO(Algorithm):
    """Decoupled clip and dynamic sampling; see the module text for the equation."""

    name: ClassVar[str] = "dapo"
    paper: ClassVar[str] = "2503.14476"
    use_when: ClassVar[str] = "many groups are all proved or all failed, or entropy falls too early"
    settings_type = DAPOSettings
    settings: DAPOSettings

    def loss(self, batch: LossBatch) -> Tensor:
        """Clipped surrogate, averaged over all tokens of the optimiser step."""
        log_ratios = self.log_ratios(batch)
        losses = clipped_losses(batch, log_ratios, self.settings) + kl_losses(
            batch, log_ratios, self.settings
        )
        return token_mean(batch, losses)
