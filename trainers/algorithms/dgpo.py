r"""DGPO: Direct GRPO, which adds a DPO term on preference pairs within a group.

    L = L_GRPO + dpo_coef mean over pairs of -log sigmoid(dpo_beta (h(y+) - h(y-)))
    h(y) = log pi(y) - log pi_ref(y)

GRPO is arXiv:2402.03300, DPO arXiv:2305.18290. At least four other methods are called DGPO, too; they differ from this.

    setting            here    papers
    group_size            8    64 (GRPO)
    beta               0.01    0.04 (GRPO)
    dpo_beta            0.1    0.1 (DPO)
    dpo_coef            0.1    -
    pairs_per_group       4    -

Differences from GRPO:

1. Pairs come from the ranks of returns in a group, the best with the worst and so on inwards (`preference_pairs`), or
   are given. Returns that are equal make no pair.
2. A batch has `pairs` of its rows. If the two sequences of a pair are in different batches, or are trajectories of
   many rows, the trainer calls `pair_weights` once before an optimiser step and gives each row the weight of its
   trajectory; the gradient is the same.
3. Without either, and if the batch is the whole step, its rows are one group ranked by advantage.
4. The start policy is needed even with beta = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor

from trainers.algorithms import preferences
from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.algorithms.kl import kl_losses
from trainers.algorithms.preferences import PreferencePair
from trainers.algorithms.ratios import clipped_losses, row_mean
from trainers.algorithms.settings import ClipSettings, FamilySettings, KLLossSettings, RatioSettings
from trainers.config.base import Count, NonNegative, Positive


class DGPOSettings(FamilySettings, RatioSettings, ClipSettings, KLLossSettings):
    """Settings of DGPO."""

    beta: NonNegative = 0.01
    """Weight of the KL divergence to the start policy; 0 switches the term off."""
    use_dpo_loss: bool = True
    """Whether the DPO term is added; without it this is GRPO."""
    dpo_beta: Positive = 0.1
    """Steepness of the preference: how far from the start policy a pair is pushed apart."""
    dpo_coef: NonNegative = 0.1
    """Weight of the DPO term."""
    pairs_per_group: Count = 4
    """Most pairs that the ranks of a group make."""


class DGPO(Algorithm):
    """Direct GRPO; see the module text for the equation."""

    name: ClassVar[str] = "dgpo"
    paper: ClassVar[str] = "2402.03300 + 2305.18290"
    use_when: ClassVar[str] = "rankings are more reliable than reward sizes"
    settings_type = DGPOSettings
    settings: DGPOSettings

    @property
    def needs_reference(self) -> bool:
        """Return whether the KL term or the DPO term is on."""
        return self.settings.beta > 0.0 or self.needs_pairs

    @property
    def needs_pairs(self) -> bool:
        """Return whether the DPO term is on."""
        return self.settings.use_dpo_loss and self.settings.dpo_coef > 0.0

    def preference_pairs(
        self, returns: Sequence[float], preferences_given: Sequence[PreferencePair] | None = None
    ) -> list[PreferencePair]:
        """Return pairs of a group as positions, the preferred one first; none while the DPO term is off.

        Args:
            returns: Returns of the members of the group.
            preferences_given: Pairs to use instead of those from the ranks of returns.

        Raises:
            ValueError: A given pair does not consist of two different members.
        """
        if not self.needs_pairs:
            return []
        if preferences_given is not None:
            return preferences.check_pairs(preferences_given, len(returns))
        return preferences.rank_pairs(returns, self.settings.pairs_per_group)

    def pair_weights(self, log_ratios: Tensor, pairs: Sequence[PreferencePair] | Tensor) -> Tensor:
        """Return the weight of each sequence in the gradient of the DPO term, as the base class describes."""
        return preferences.pair_weights(log_ratios, pairs, self.settings.dpo_beta)

    def loss(self, batch: LossBatch) -> Tensor:
        """Compute GRPO's loss plus the DPO term.

        Raises:
            ValueError: The batch is a part of an optimiser step and has neither pairs nor weights.
        """
        log_ratios = self.log_ratios(batch)
        losses = clipped_losses(batch, log_ratios, self.settings)
        total = row_mean(batch, losses + kl_losses(batch, log_ratios, self.settings))
        return total + self.settings.dpo_coef * self._dpo_loss(batch) if self.needs_pairs else total

    def _dpo_loss(self, batch: LossBatch) -> Tensor:
        row_logprobs = (batch.logprobs * batch.mask).sum(dim=1)
        if batch.pair_weights is not None:
            return preferences.pair_loss_from_weights(row_logprobs, batch.pair_weights)
        if batch.ref_logprobs is None:
            raise ValueError(
                "the DPO term needs ref_logprobs in the batch; got none (set use_dpo_loss=False to do without)"
            )
        pairs = self._ranked_rows(batch) if batch.pairs is None else batch.pairs
        relative = row_logprobs - (batch.ref_logprobs * batch.mask).sum(dim=1)
        return preferences.pair_loss(relative, pairs, self.settings.dpo_beta)

    def _ranked_rows(self, batch: LossBatch) -> Tensor:
        if batch.total_rows is not None:
            raise ValueError(
                "a batch of an optimiser step needs pairs or pair_weights for the DPO term; got neither "
                "(see DGPO.preference_pairs and DGPO.pair_weights, or set use_dpo_loss=False)"
            )
        lengths = batch.mask.sum(dim=1).clamp(min=1)
        advantages = (batch.token_advantages * batch.mask).sum(dim=1) / lengths
        pairs = preferences.rank_pairs(advantages.tolist(), self.settings.pairs_per_group)
        return torch.tensor(pairs, dtype=torch.long, device=batch.logprobs.device).reshape(-1, 2)
