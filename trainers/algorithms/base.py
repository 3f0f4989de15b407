"""Base class of the family: advantages and a loss on plain tensors, and requests to a trainer.

Notation: `B` training rows (one row is one tactic), `T` completion tokens after padding on the right.

A trainer runs an iteration like this; with default settings every option is off and its calls do nothing:

    size = algorithm.group_size_for(solve_rate)                      # episodes of a theorem
    while stale := algorithm.groups_to_replace(earned, rounds):      # replace these groups by new ones
        ...
    returns = [r - algorithm.overlong_charge(n, limit) ...]          # n: tactics tried, limit: their maximum
    returns = [r - c for c in algorithm.unlikeliness_charges(returns, proved, logprobs)]
    advantages = algorithm.compute_group_advantages(returns)         # all groups of the iteration in one call
    pairs = algorithm.preference_pairs(returns of a group)           # episodes that the loss compares
    weights = algorithm.pair_weights(log_ratios, pairs)              # if algorithm.needs_pairs: once per pass
    for window in algorithm.sync_windows(minibatches):               # one optimiser step per window
        loss = algorithm.compute_loss(LossBatch(...))                # total_rows, total_tokens: of the window
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from trainers.algorithms import rollout_rules
from trainers.algorithms.advantages import AdvantageRule
from trainers.algorithms.batch import LossBatch, as_loss_batch
from trainers.algorithms.kl import kl_metrics
from trainers.algorithms.preferences import PreferencePair
from trainers.algorithms.ratios import (
    entropy_bonus,
    importance_log_ratios,
    only_trained,
    ratio_metrics,
    without_fallen,
)
from trainers.algorithms.settings import ClipSettings, FamilySettings, RatioSettings, build


class Algorithm(ABC):
    """An algorithm: advantages from returns, and a loss from a batch.

    A subclass defines its name, its settings, its paper and its loss; this class does the rest. The only state between
    calls is the population of returns, if `population_size` is positive.
    """

    name: ClassVar[str]
    """Key for `create_algorithm`."""
    paper: ClassVar[str]
    """arXiv id."""
    use_when: ClassVar[str]
    """Use case, in one line."""
    settings_type: ClassVar[type[FamilySettings]]
    """The class of its settings."""
    settings: FamilySettings
    """The current settings; a subclass narrows the type."""

    def __init__(self, **settings: Any) -> None:
        """Check and keep the settings.

        Args:
            **settings: Fields of `settings_type`.

        Raises:
            ValueError: A key is unknown or a value is out of range.
        """
        self.settings = build(self.settings_type, settings, self.name)
        self.rule = self.advantage_rule()

    def advantage_rule(self) -> AdvantageRule:
        """Return the rule for advantages; by default relative to the mean of the group."""
        return AdvantageRule(self.settings)

    @property
    def needs_reference(self) -> bool:
        """Return whether `compute_loss` reads `ref_logprobs`."""
        return self.settings.beta > 0.0

    @property
    def clip_bounds(self) -> tuple[float, float]:
        """Return the interval of ratios outside of which the gradient is removed; for the metrics.

        1 - epsilon and 1 + epsilon_high where the settings have these.
        """
        settings = self.settings
        return (settings.low, settings.high) if isinstance(settings, ClipSettings) else (0.0, math.inf)

    @property
    def bounds_falling(self) -> bool:
        """Return whether the loss itself bounds how far rows of negative advantage fall, by a clip at 0.5 or above."""
        return self.clip_bounds[0] >= 0.5

    def log_ratios(self, batch: LossBatch) -> Tensor:
        """Return the log-ratios of policy and sampler at the level that the loss uses: (B, T) or (B, 1).

        The level is `is_level` if the settings have it, else that of tokens.
        """
        level = self.settings.is_level if isinstance(self.settings, RatioSettings) else "token"
        return importance_log_ratios(batch, level)

    @property
    def needs_entropy(self) -> bool:
        """Return whether `compute_loss` reads `entropy`."""
        return self.settings.entropy_coef > 0.0

    @property
    def needs_all_rows(self) -> bool:
        """Return whether rows with advantage 0 change the gradient: with a KL divergence or an entropy bonus."""
        return self.settings.beta > 0.0 or self.needs_entropy

    def restricted(self, batch: LossBatch) -> LossBatch:
        """Return the batch for a loss of the `trained` tokens only: by default the others have advantage 0."""
        return only_trained(batch)

    @abstractmethod
    def loss(self, batch: LossBatch) -> Tensor:
        """Compute the equation of the page: the scalar to minimise, without the entropy bonus."""

    def compute_loss(self, batch: LossBatch | Mapping[str, Any]) -> Tensor:
        """Return the scalar to minimise.

        Args:
            batch: A `LossBatch`, or a mapping with its fields.

        Raises:
            ValueError: A field is missing, unknown or of the wrong shape.
        """
        batch = as_loss_batch(batch).settled()
        guarded = without_fallen(batch, self.settings.off_policy_mask_threshold)
        return self.loss(self.restricted(guarded)) - entropy_bonus(batch, self.settings.entropy_coef)

    def compute_metrics(self, batch: LossBatch | Mapping[str, Any]) -> dict[str, Tensor]:
        """Return per-token means without gradient, as tensors, so that a GPU is not waited for.

        Returns:
            `ratio`; `clip_fraction`, the share of tokens whose gradient clipping removes; `update_kl`, the divergence
            of the sampler from the policy; with `off_policy_mask_threshold`, `masked_fraction`, the share of tokens
            that it leaves out; with `ref_logprobs` also `kl`.
        """
        batch = as_loss_batch(batch).settled()
        with torch.no_grad():
            log_ratios = self.log_ratios(batch)
            found = ratio_metrics(batch, log_ratios, *self.clip_bounds) | kl_metrics(batch, self.settings)
            if (threshold := self.settings.off_policy_mask_threshold) is not None:
                kept = without_fallen(batch, threshold).token_advantages
                found["masked_fraction"] = batch.mean(kept != batch.token_advantages)
            return found

    def compute_group_advantages(self, groups: Sequence[Sequence[float] | Tensor]) -> list[Tensor]:
        """Return the advantages of all episodes of an iteration.

        One call per iteration: some algorithms and options compare groups with each other.

        Args:
            groups: Returns of the episodes of each theorem; groups may differ in size.

        Returns:
            One vector per group.

        Raises:
            ValueError: A return is not finite.
        """
        return self.rule.assign(groups)

    def compute_advantages(self, rewards: Sequence[float] | Tensor) -> Tensor:
        """Return one advantage per reward, in the same shape.

        Args:
            rewards: (N,) returns of episodes, consecutive ones forming groups of `group_size` (a last group
                may be smaller), or (groups, episodes).

        Returns:
            Advantages of the same shape; 0 for a group of one and, unless groups are compared with each other,
            for groups with equal returns.

        Raises:
            ValueError: A reward is not finite, or there are more than 2 dimensions.
        """
        returns = torch.as_tensor(rewards, dtype=torch.float64)
        if returns.dim() not in (1, 2):
            raise ValueError(f"expected rewards of 1 or 2 dimensions, got {returns.dim()}")
        if returns.numel() == 0:
            return returns.float()
        groups = list(returns) if returns.dim() == 2 else torch.split(returns, self.settings.group_size)
        return torch.cat(self.compute_group_advantages(list(groups))).reshape(returns.shape)

    def group_size_for(self, solve_rate: float | None) -> int:
        """Return the number of episodes for a theorem with this recent solve rate; see `use_dynamic_groups`."""
        return rollout_rules.group_size_for(solve_rate, self.settings)

    def groups_to_replace(self, groups: Sequence[Sequence[float]], rounds_done: int) -> list[int]:
        """Return the indices of groups with equal returns to replace; see `dynamic_sampling_rounds`."""
        return rollout_rules.groups_to_replace(groups, rounds_done, self.settings.dynamic_sampling_rounds)

    def preference_pairs(
        self, returns: Sequence[float], preferences_given: Sequence[PreferencePair] | None = None
    ) -> list[PreferencePair]:
        """Return the pairs of a group that the loss compares, as positions, preferred one first; none by default.

        Args:
            returns: Returns of the members of the group.
            preferences_given: Pairs to use instead of those from the ranks of returns.
        """
        return []

    @property
    def needs_pairs(self) -> bool:
        """Return whether the loss compares pairs: each part of a step must then have `pairs` or `pair_weights`."""
        return False

    def pair_weights(self, log_ratios: Tensor, pairs: Sequence[PreferencePair] | Tensor) -> Tensor:
        """Return weights for `LossBatch.pair_weights`, one per sequence; 0 if the loss compares no pairs.

        Args:
            log_ratios: (N,) log pi - log pi_ref of each sequence, the sum over all its rows and tokens.
            pairs: Pairs of the whole optimiser step, as positions among the N, the preferred one first.
        """
        return torch.zeros_like(log_ratios)

    def overlong_charge(self, length: float, limit: float) -> float:
        """Return the amount to subtract from the return of an episode of this length; see `overlong_buffer`."""
        return rollout_rules.overlong_charge(length, limit, self.settings)

    def unlikeliness_charges(
        self, returns: Sequence[float], proved: Sequence[bool], logprobs: Sequence[float]
    ) -> list[float]:
        """Return the amounts to subtract from the returns of a group's likely proofs; see `unlikeliness`."""
        return rollout_rules.unlikeliness_charges(returns, proved, logprobs, self.settings)

    def sync_windows(self, minibatches: int) -> list[range]:
        """Return the ranges of mini-batches that make up one optimiser step; see `sync_frequency`."""
        return rollout_rules.sync_windows(minibatches, self.settings.sync_frequency)

    def state_dict(self) -> dict[str, Any]:
        """Return the state that a checkpoint must hold."""
        return {"population": self.rule.population.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state from `state_dict`."""
        self.rule.population.load_state_dict(state["population"])
