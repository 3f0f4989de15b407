"""Advantages from the returns of episodes: group statistics and options that modify them.

`AdvantageRule.assign` goes through these steps; a step whose option is off changes nothing:

1. The group: a return is compared with those of its group (`advantage_norm`). With `pass_at_k` above 1 the mean best
   return of the sets of k episodes that contain the episode takes its place, see `best_of_sets`.
2. The population: the standard deviation is that of the latest `population_size` groups, the baseline stays the
   mean of the group. A population mean would reward the choice of easy theorems.
3. Consensus: with weight `consensus_weight`, a return is compared with those of all available groups instead. Then
   groups with equal returns get advantages other than 0, too.
4. Sparse rewards: while more than `sparse_reward_threshold` of the available episodes earned nothing, those that
   earned something get `sparse_reward_bonus` in addition.
5. `positive_advantage_scale` and `negative_advantage_scale`.

Available are the groups of the call and, if there is one, the population. Everything is computed in 64 bits, and
returns closer than `SAME_RETURN` are equal: equal returns give exactly zero advantage.
"""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from trainers.algorithms.rollout_rules import SAME_RETURN
from trainers.algorithms.settings import GroupSettings

Baseline = Literal["mean", "leave_one_out"]


class Population:
    """Returns of the latest groups, the newest last; older groups have smaller weights."""

    def __init__(self, size: int, decay: float) -> None:
        """Start with no groups.

        Args:
            size: Groups to keep; 0 keeps none.
            decay: Weight of a group relative to the group after it, in (0, 1].
        """
        self.decay = decay
        self.groups: deque[Tensor] = deque(maxlen=size)

    def observe(self, groups: Sequence[Tensor]) -> None:
        """Append groups, in order."""
        self.groups.extend(groups)

    def std(self) -> Tensor:
        """Return the unbiased weighted standard deviation of all kept returns; 0 for fewer than two."""
        weights = torch.cat(
            [torch.full_like(g, self.decay**age) for age, g in enumerate(reversed(self.groups))]
        )
        returns = torch.cat(list(reversed(self.groups)))
        total = weights.sum()
        mean = (weights * returns).sum() / total
        spread = (weights * (returns - mean).square()).sum()
        freedom = total - weights.square().sum() / total
        return (spread / freedom).sqrt() if len(returns) > 1 else spread

    def state_dict(self) -> dict[str, Any]:
        """Return the kept returns as plain lists, for a checkpoint."""
        return {"groups": [group.tolist() for group in self.groups]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the state from `state_dict`."""
        self.groups.clear()
        self.groups.extend(torch.tensor(group, dtype=torch.float64) for group in state["groups"])


def read_returns(groups: Sequence[Sequence[float] | Tensor]) -> list[Tensor]:
    """Convert groups of returns to vectors of 64-bit floats.

    Raises:
        ValueError: A return is not finite.
    """
    vectors = [torch.as_tensor(group, dtype=torch.float64) for group in groups]
    for number, vector in enumerate(vectors):
        if not vector.isfinite().all():
            at = int((~vector.isfinite()).nonzero()[0])
            raise ValueError(
                f"expected finite returns, got {float(vector[at])} for episode {at} of group {number}; "
                "leave out episodes that were not judged"
            )
    return vectors


def normalise(returns: Tensor, pool: Tensor, settings: GroupSettings, std: Tensor | None = None) -> Tensor:
    """Normalise returns by a pool of returns that contains them.

    Args:
        returns: (N,).
        pool: (M,) returns that supply mean, spread, quantiles or ranks.
        settings: `advantage_norm`, `winsorize_quantile` and `std_epsilon`.
        std: Replaces the standard deviation of the pool.

    Returns:
        (N,); 0 for a pool of one or of equal returns.
    """
    norm = settings.advantage_norm
    if norm == "rank" and len(pool) > 1:
        ahead = returns.unsqueeze(1) - pool
        below, above = (ahead >= SAME_RETURN).sum(dim=1), (ahead <= -SAME_RETURN).sum(dim=1)
        return (below - above).to(returns) / (len(pool) - 1)
    if norm == "winsorized" and len(pool) > 1:
        quantile = settings.winsorize_quantile
        low, high = torch.quantile(pool, 1.0 - quantile), torch.quantile(pool, quantile)
        returns, pool = returns.clamp(low, high), pool.clamp(low, high)
    if len(pool) < 2 or pool.max() - pool.min() < SAME_RETURN:
        return torch.zeros_like(returns)
    centred = returns - pool.mean()
    if norm == "none":
        return centred
    return centred / ((pool.std() if std is None else std) + settings.std_epsilon)


def best_of_sets(returns: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the mean best return of the sets of `k` episodes that contain each episode, and its deviation.

    The mean over all episodes is the mean best return M of all sets, the unbiased estimate of max@k (pass@k for returns
    of 0 and 1). An episode minus M is its advantage: with a factor N / (N - k) its policy gradient, averaged over the
    episodes, is in expectation 1 / k of the gradient of max@k, because M without the sets that contain the episode is a
    baseline that does not depend on it.

    Args:
        returns: (N,) returns of a group.
        k: Size of a set, below N.

    Returns:
        (N,), and the standard deviation of the best return over all sets.

    Source: for returns of 0 and 1 the analytical advantages of arXiv:2508.10751; arXiv:2503.19595.
    """
    order = returns.argsort()
    values, count = returns[order].tolist(), len(returns)
    # Ascending: of all sets, comb(at, k - 1) have their best at place `at`.
    chances = [math.comb(at, k - 1) / math.comb(count, k) for at in range(count)]
    mean = sum(map(operator.mul, values, chances))
    variance = sum(chance * (value - mean) ** 2 for value, chance in zip(values, chances, strict=True))
    found, above = [0.0] * count, 0.0
    sets = math.comb(count - 1, k - 1)
    for at in reversed(range(count)):
        found[at] = (values[at] * math.comb(at, k - 1) + above) / sets
        if k > 1 and at:
            above += values[at] * math.comb(at - 1, k - 2)  # best of the sets with this one and a lower one
    best = torch.empty_like(returns)
    best[order] = torch.tensor(found, dtype=returns.dtype)
    return best, torch.tensor(math.sqrt(variance), dtype=returns.dtype)


class AdvantageRule:
    """Assignment of advantages by the steps of the module text. Its only state is the population."""

    def __init__(
        self, settings: GroupSettings, baseline: Baseline = "mean", whole_batch: bool = False
    ) -> None:
        """Keep the settings.

        Args:
            settings: The algorithm's settings.
            baseline: `mean` of the group, or `leave_one_out`: the mean of the others, which multiplies the
                difference by G / (G - 1), or by G / (G - k) with `pass_at_k`.
            whole_batch: Whether spread, quantiles and ranks are computed over all groups of a call together.
        """
        self.settings = settings
        self.baseline = baseline
        self.whole_batch = whole_batch
        self.population = Population(settings.population_size, settings.advantage_ema_decay)

    def assign(
        self, returns: Sequence[Sequence[float] | Tensor], subtract_group_mean: bool = True
    ) -> list[Tensor]:
        """Return the advantages of every episode.

        Args:
            returns: Returns of the episodes of each group.
            subtract_group_mean: Only with `whole_batch`: whether each group's mean is subtracted first.

        Returns:
            One vector per group, in 32 bits.

        Raises:
            ValueError: A return is not finite.
        """
        settings, earned = self.settings, read_returns(returns)
        groups = [self._best_of_sets(group)[0] for group in earned]
        self.population.observe(groups)
        std = self.population.std() if settings.population_size else None
        if self.whole_batch:
            advantages = self._over_batch(groups, subtract_group_mean, std)
        else:
            advantages = [self._within_group(group, std) for group in earned]
        if settings.use_consensus and groups:
            weight, pool = settings.consensus_weight, torch.cat(self._at_hand(groups))
            advantages = [
                (1.0 - weight) * own + weight * normalise(group, pool, settings, std)
                for own, group in zip(advantages, groups, strict=True)
            ]
        if self.rewards_are_sparse(earned):
            advantages = [
                own + settings.sparse_reward_bonus * (group >= SAME_RETURN)
                for own, group in zip(advantages, earned, strict=True)
            ]
        return [self._scaled(own) for own in advantages]

    def rewards_are_sparse(self, groups: Sequence[Tensor]) -> bool:
        """Return whether the share of available episodes that earned nothing exceeds the threshold."""
        if not groups:
            return False
        returns = torch.cat(self._at_hand(groups))
        return float((returns < SAME_RETURN).double().mean()) > self.settings.sparse_reward_threshold

    def _at_hand(self, groups: Sequence[Tensor]) -> list[Tensor]:
        # The population already contains the groups of the call, unless it is too small for all of them.
        kept = list(self.population.groups)
        return kept if len(kept) > len(groups) else list(groups)

    def _set_size(self, count: int) -> int:
        """Return `pass_at_k`, in a smaller group at most its size less one."""
        return min(self.settings.pass_at_k, max(1, count - 1))

    def _best_of_sets(self, returns: Tensor) -> tuple[Tensor, Tensor | None]:
        k = self._set_size(len(returns))
        return (returns, None) if k == 1 else best_of_sets(returns, k)

    def _within_group(self, returns: Tensor, std: Tensor | None) -> Tensor:
        values, own_std = self._best_of_sets(returns)
        advantages = normalise(values, values, self.settings, std if own_std is None else own_std)
        count = len(returns)
        leave_out = self.baseline == "leave_one_out" and count > 1
        return advantages * (count / (count - self._set_size(count)) if leave_out else 1.0)

    def _over_batch(self, groups: Sequence[Tensor], subtract: bool, std: Tensor | None) -> list[Tensor]:
        if not groups:
            return []
        compared = [group - group.mean() if subtract else group for group in groups]
        flat = torch.cat(compared)
        return list(torch.split(normalise(flat, flat, self.settings, std), [len(group) for group in groups]))

    def _scaled(self, advantages: Tensor) -> Tensor:
        positive, negative = self.settings.positive_advantage_scale, self.settings.negative_advantage_scale
        scaled = torch.where(advantages > 0, positive * advantages, negative * advantages)
        return scaled.where(advantages.abs() >= SAME_RETURN, 0.0).float()
