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
    """Weigh every step of every episode.

    1. An accepted tactic gets the advantage of its episode.
    2. A refused tactic left the goals as they were, so it had no part in what the episode earned; it gets none
       of that advantage.
    3. Equal prompts are one state, whichever episode of the group met them. Among all choices made there, a
       refused one costs `error_penalty`, less what the choices there cost on average: an accepted tactic gains
       where others failed, and a state where all were refused, or none, says nothing.

    Args:
        groups: Episodes of one theorem each.
        algorithm: Turns the returns of a group into advantages.
        error_penalty: Cost of a refused tactic, in units of an advantage; at least 0.
    """
    samples: list[Sample] = []
    dropped = flat = 0
    for group in groups:
        returns = group.returns
        flat += max(returns) - min(returns) < 1e-9
        advantages = algorithm.compute_advantages(returns).tolist()
        refusals = _refusal_rates(group)
        for trajectory, advantage in zip(group.trajectories, advantages, strict=True):
            for step in trajectory.steps:
                row = step.choice
                weight = error_penalty * (refusals[row.prompt_ids] - step.refused)
                weight += 0.0 if step.refused else advantage
                if weight == 0.0:
                    dropped += 1
                else:
                    samples.append(Sample(row.prompt_ids, row.token_ids, row.logprobs, weight))
    return Credit(tuple(samples), dropped, flat / len(groups) if groups else 0.0)


def _refusal_rates(group: TrajectoryGroup) -> dict[tuple[int, ...], float]:
    """For each prompt the share of refused tactics among those chosen there."""
    outcomes: dict[tuple[int, ...], list[bool]] = {}
    for trajectory in group.trajectories:
        for step in trajectory.steps:
            outcomes.setdefault(step.choice.prompt_ids, []).append(step.refused)
    return {prompt: sum(refused) / len(refused) for prompt, refused in outcomes.items()}
