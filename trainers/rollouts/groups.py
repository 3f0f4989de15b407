"""Groups of an iteration: choice of theorems, group sizes, replacement of groups with equal returns, branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trainers.algorithms import Algorithm
from trainers.config.rollout import RolloutConfig
from trainers.curriculum.sampler import TheoremSampler
from trainers.policies.base import Policy
from trainers.rollouts.player import EpisodePlayer, TrajectoryGroup
from trainers.rollouts.tree import branch_point


@dataclass(frozen=True, slots=True)
class Gathered:
    """Groups of episodes played in an iteration.

    Attributes:
        groups: Groups to learn from that began at the start of their theorem.
        branches: Groups to learn from that began in the middle of an earlier episode.
        replaced: Groups replaced by others; they still count for the solve rates of their theorems.
        vines: Groups that estimate the value of the state they began in; nothing is learnt from them otherwise.
        canaries: Groups on false theorems; nothing is learnt from them, and they count for nothing.
    """

    groups: tuple[TrajectoryGroup, ...]
    branches: tuple[TrajectoryGroup, ...]
    replaced: tuple[TrajectoryGroup, ...]
    vines: tuple[TrajectoryGroup, ...] = ()
    canaries: tuple[TrajectoryGroup, ...] = ()

    @property
    def learnt_from(self) -> tuple[TrajectoryGroup, ...]:
        """Return groups and branches."""
        return self.groups + self.branches

    @property
    def all(self) -> tuple[TrajectoryGroup, ...]:
        """Return all groups played on true theorems."""
        return self.groups + self.branches + self.replaced + self.vines


def gather_groups(
    player: EpisodePlayer,
    policy: Policy,
    sampler: TheoremSampler,
    algorithm: Algorithm,
    settings: RolloutConfig,
    rng: np.random.Generator,
    canaries: Sequence[str] = (),
) -> Gathered:
    """Play groups of different theorems by the rules of the algorithm.

    Group sizes depend on the theorems' solve rates if the algorithm says so. In a tree rollout part of each group
    begins at a branch point of the rest. With dynamic sampling, groups with equal returns are replaced by groups of
    theorems not tried in this iteration, until the algorithm replaces none or no theorem is left. The caller reports
    the solve rates to the sampler.

    Args:
        player: Plays the episodes.
        policy: Proposes tactics.
        sampler: Draws theorems.
        algorithm: Decides group sizes and the groups to replace.
        settings: Number of theorems, and whether part of the episodes branch.
        rng: Random generator of the draws.
        canaries: False theorems to try twice each, beside the others: in a batch of their own they would take as many
            steps of the policy as all the others together.
    """
    kept_back = settings.branch_size if settings.rollout == "tree" else 0

    def play(names: list[str], beside: Sequence[str] = ()) -> list[TrajectoryGroup]:
        sizes = [algorithm.group_size_for(sampler.solve_rates.get(name)) for name in names]
        sizes = [*(max(2, size - kept_back) for size in sizes), *(2 for _ in beside)]
        return player.sample_groups([*names, *beside], sizes, policy)

    names = sampler.draw(settings.theorems_per_iteration, rng)
    groups = play(names, canaries)
    groups, tried_canaries = groups[: len(names)], groups[len(names) :]
    tried = {group.theorem for group in groups}
    replaced: list[TrajectoryGroup] = []
    rounds = 0
    while stale := algorithm.groups_to_replace([group.returns for group in groups], rounds):
        drawn = sampler.draw(len(stale) + len(tried), rng)
        names = [name for name in drawn if name not in tried][: len(stale)]
        if not names:
            break
        tried |= set(names)
        for index, fresh in zip(stale, play(names), strict=False):
            replaced.append(groups[index])
            groups[index] = fresh
        rounds += 1
    branches = _branches(player, policy, groups, settings.branch_size) if kept_back else []
    return Gathered(tuple(groups), tuple(branches), tuple(replaced), canaries=tuple(tried_canaries))


def _branches(
    player: EpisodePlayer, policy: Policy, groups: Sequence[TrajectoryGroup], size: int
) -> list[TrajectoryGroup]:
    found = [(group.theorem, point) for group in groups if (point := branch_point(group)) is not None]
    names = [name for name, _ in found]
    return player.sample_groups(names, [size] * len(found), policy, [point for _, point in found])
