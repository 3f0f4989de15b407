"""Scalars of the episodes of an iteration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trainers.evaluation.held_out import pass_at_k
from trainers.rollouts.player import TrajectoryGroup


def count_steps(group: TrajectoryGroup) -> int:
    """Return the number of tactics tried in a group."""
    return sum(len(trajectory.steps) for trajectory in group.trajectories)


def mean_staleness(groups: Sequence[TrajectoryGroup], updates: int) -> float:
    """Return how many updates the weights that sampled the tactics of groups are behind, on average."""
    steps = [step for group in groups for trajectory in group.trajectories for step in trajectory.steps]
    return float(np.mean([updates - step.choice.version for step in steps]))


def distributions(groups: Sequence[TrajectoryGroup]) -> dict[str, list[float]]:
    """Return the values of the histograms of an iteration: lengths of its proofs, solve rates of its groups."""
    episodes = [trajectory for group in groups for trajectory in group.trajectories]
    return {
        "proof/lengths": [float(len(episode.tactics)) for episode in episodes if episode.proved],
        "group/solve_rates": [group.solve_rate for group in groups],
    }


def episode_scalars(groups: Sequence[TrajectoryGroup]) -> dict[str, float]:
    """Return the TensorBoard scalars of an iteration's episodes."""
    episodes = [trajectory for group in groups for trajectory in group.trajectories]
    steps = sum(map(count_steps, groups))
    proofs = [len(episode.tactics) for episode in episodes if episode.proved]
    terms = sorted({name for episode in episodes for name in episode.reward_terms})
    scalars = {
        f"reward/{term}": float(np.mean([episode.reward_terms.get(term, 0.0) for episode in episodes]))
        for term in terms
    }
    scalars |= {
        "reward/mean": float(np.mean([episode.total_reward for episode in episodes])),
        "proof/solve_rate": len(proofs) / len(episodes),
        "proof/refused_share": sum(step.refused for e in episodes for step in e.steps) / steps,
    }
    most = max(len(group.trajectories) for group in groups)
    largest = next(k for k in (8, 4, 2) if k <= most)
    large = [group for group in groups if len(group.trajectories) >= largest]
    for k in (1, largest):
        rates = [
            pass_at_k(len(group.trajectories), sum(t.proved for t in group.trajectories), k)
            for group in large
        ]
        scalars[f"proof/pass_at_{k}"] = float(np.mean(rates))
    if proofs:
        scalars["proof/length"] = float(np.mean(proofs))
    return scalars
