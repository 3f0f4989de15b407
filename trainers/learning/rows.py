"""Training rows from groups of episodes: one row per tactic, weighted by its credit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainers.algorithms import Algorithm
from trainers.algorithms.rollout_rules import has_spread
from trainers.algorithms.step_credit import (
    Trace,
    anchor_share,
    charge_steps,
    credit_coverage,
    spare_sound_prefix,
    step_credit,
)
from trainers.config.run import CreditConfig
from trainers.policies.base import Completion
from trainers.rollouts.player import Trajectory, TrajectoryGroup


@dataclass(frozen=True, slots=True)
class Sample:
    """One training row.

    Attributes:
        prompt_ids: Tokens of the prompt, as the model saw them.
        token_ids: Tokens of the tactic, as sampled.
        logprobs: Their log-probabilities, as sampled.
        advantage: Weight of the row in the loss.
        episode: Number of its episode, counted over all groups of the iteration.
    """

    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    advantage: float
    episode: int = 0


@dataclass(frozen=True, slots=True)
class Credit:
    """Training rows, with statistics about the credit.

    Attributes:
        samples: Rows with an advantage other than 0, and all rows of the episodes in `preferences`: their
            probability counts independent of their returns.
        dropped_rows: Number of the other rows with advantage 0, which do not change the gradient.
        zero_std_fraction: Share of the groups with equal returns.
        coverage: Share of the steps in a state that episodes of different return visited.
        anchored: Share of the steps in a state that the group visited at least twice.
        preferences: Pairs of episodes that the algorithm compares, by number, the preferred one first.
    """

    samples: tuple[Sample, ...]
    dropped_rows: int
    zero_std_fraction: float
    coverage: float
    anchored: float
    preferences: tuple[tuple[int, int], ...] = ()


def assign_credit(
    groups: Sequence[TrajectoryGroup], algorithm: Algorithm, settings: CreditConfig, max_steps: int
) -> Credit:
    """Assign credit to every step of every episode.

    1. The returns, minus step costs and the algorithm's charge for length, become advantages of episodes, and these
       become the credit of steps.
    2. A refused tactic left the goals unchanged, so it did not contribute to the return: it gets none of the episode's
       credit, unless `refused_credit` is set.
    3. It gets `-error_penalty` instead; with `error_baseline`, relative to the mean penalty of the group's tactics at
       that prompt. In experiments with the tiny model this gave better results than a constant penalty.

    Args:
        groups: Episodes of one theorem each.
        algorithm: Turns the returns of all groups into advantages.
        settings: Credit settings.
        max_steps: Largest number of tactics of an episode, the limit for the algorithm's charge for length.
    """
    traces = [[charge_steps(_trace(t), settings.step_cost) for t in group.trajectories] for group in groups]
    returns = [
        [
            trace.total - algorithm.overlong_charge(_length(trajectory), max_steps)
            for trajectory, trace in zip(group.trajectories, group_traces, strict=True)
        ]
        for group, group_traces in zip(groups, traces, strict=True)
    ]
    advantages = algorithm.compute_group_advantages(returns) if groups else []
    samples: list[Sample] = []
    preferences: list[tuple[int, int]] = []
    dropped = episode = 0
    for group, group_traces, earned, values in zip(groups, traces, returns, advantages, strict=True):
        pairs = algorithm.preference_pairs(earned)
        preferences += [(episode + preferred, episode + other) for preferred, other in pairs]
        compared = {episode + member for pair in pairs for member in pair}
        shares = step_credit(
            settings.credit, group_traces, values.tolist(), settings.gamma, settings.step_credit_weight
        )
        baselines = _refusal_rates(group) if settings.error_baseline else {}
        for trajectory, trace, credit in zip(group.trajectories, group_traces, shares, strict=True):
            if settings.first_error_credit:
                credit = spare_sound_prefix(trace, credit)
            rows = _rows(trajectory, credit, settings, baselines, episode, keep_all=episode in compared)
            samples += rows
            dropped += len(trajectory.steps) - len(rows)
            episode += 1
    steps = [sum(len(trace.states) for trace in group) for group in traces]
    return Credit(
        samples=tuple(samples),
        dropped_rows=dropped,
        zero_std_fraction=_mean([float(not has_spread(values)) for values in returns]),
        coverage=_mean([credit_coverage(group) for group in traces], steps),
        anchored=_mean([anchor_share(group) for group in traces], steps),
        preferences=tuple(preferences),
    )


def _length(trajectory: Trajectory[Completion]) -> int:
    """Return the number of tactics since the start of the theorem, those before a branch included."""
    start = trajectory.steps[0].point if trajectory.steps else None
    return len(trajectory.steps) + (0 if start is None else start.episode.steps)


def _trace(trajectory: Trajectory[Completion]) -> Trace:
    """Return the steps of an episode with prompts as states, so that equal prompts are one state."""
    steps = trajectory.steps
    return Trace(
        states=tuple(step.choice.prompt_ids for step in steps),
        rewards=tuple(step.reward for step in steps),
        refused=tuple(step.refused for step in steps),
    )


def _refusal_rates(group: TrajectoryGroup) -> dict[tuple[int, ...], float]:
    """Return prompt -> share of refused tactics among those chosen there."""
    outcomes: dict[tuple[int, ...], list[bool]] = {}
    for trajectory in group.trajectories:
        for step in trajectory.steps:
            outcomes.setdefault(step.choice.prompt_ids, []).append(step.refused)
    return {prompt: sum(refused) / len(refused) for prompt, refused in outcomes.items()}


def _rows(
    trajectory: Trajectory[Completion],
    credit: Sequence[float],
    settings: CreditConfig,
    baselines: Mapping[tuple[int, ...], float],
    episode: int,
    keep_all: bool,
) -> list[Sample]:
    rows = []
    for step, value in zip(trajectory.steps, credit, strict=True):
        chosen = step.choice
        weight = settings.error_penalty * (baselines.get(chosen.prompt_ids, 0.0) - step.refused)
        if settings.refused_credit or not step.refused:
            weight += value
        if weight != 0.0 or keep_all:
            rows.append(Sample(chosen.prompt_ids, chosen.token_ids, chosen.logprobs, weight, episode))
    return rows


def _mean(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    weights = [1.0] * len(values) if weights is None else weights
    total = sum(weights)
    return sum(v * w for v, w in zip(values, weights, strict=True)) / total if total else 0.0
