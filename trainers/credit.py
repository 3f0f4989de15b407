"""From groups of episodes to training rows: one row per tactic, weighted by its advantage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trainers.algorithms import Algorithm
from trainers.rollout import TrajectoryGroup


@dataclass(frozen=True, slots=True)
class Sample:
    """One training row: token ids and log-probabilities as sampled, and the row's advantage."""

    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    advantage: float


@dataclass(frozen=True, slots=True)
class Credit:
    """Rows worth training on.

    Attributes:
        samples: Rows with an advantage other than 0.
        dropped_rows: Rows with advantage 0, which would change nothing but the time it takes.
        zero_std_fraction: Share of the groups whose episodes all earned the same.
    """

    samples: tuple[Sample, ...]
    dropped_rows: int
    zero_std_fraction: float


def assign_credit(groups: Sequence[TrajectoryGroup], algorithm: Algorithm, error_penalty: float) -> Credit:
    """Give every step of an episode the episode's advantage, less the penalty where Lean refused the tactic.

    A refused tactic leaves the goals as they are, so the penalty falls on exactly the choice that caused it.

    Args:
        groups: Episodes of one theorem each.
        algorithm: Turns the returns of a group into advantages.
        error_penalty: Taken off the advantage of steps whose tactic was refused; at least 0.
    """
    samples: list[Sample] = []
    dropped = flat = 0
    for group in groups:
        returns = group.returns
        flat += max(returns) - min(returns) < 1e-9
        advantages = algorithm.compute_advantages(returns).tolist()
        for trajectory, advantage in zip(group.trajectories, advantages, strict=True):
            for step in trajectory.steps:
                weight = advantage - (error_penalty if step.refused else 0.0)
                if weight == 0.0:
                    dropped += 1
                    continue
                row = step.choice
                samples.append(Sample(row.prompt_ids, row.token_ids, row.logprobs, weight))
    return Credit(tuple(samples), dropped, flat / len(groups) if groups else 0.0)
