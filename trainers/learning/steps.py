"""Steps of episodes as the rules of credit see them: rewards with all charges, and values of states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainers.algorithms import Algorithm
from trainers.algorithms.step_credit import (
    Credits,
    Trace,
    charge_end,
    charge_steps,
    returns_to_go,
)
from trainers.algorithms.value_credit import td_advantages, vine_advantages
from trainers.config.credit import CreditConfig
from trainers.learning.values import ValueSource, check_potentials
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup
from trainers.rollouts.vine import State, state_of


def charged_traces(
    group: TrajectoryGroup, algorithm: Algorithm, settings: CreditConfig, max_steps: int
) -> list[Trace]:
    """Return the steps of each episode, with costs, bonuses and the algorithm's charges in their rewards."""
    traces = [
        charge_end(
            charge_steps(_trace(trajectory), settings.step_cost),
            algorithm.overlong_charge(_length(trajectory), max_steps),
        )
        for trajectory in group.trajectories
    ]
    likely = algorithm.unlikeliness_charges(
        [trace.total for trace in traces],
        [trajectory.proved for trajectory in group.trajectories],
        [sum(sum(step.choice.logprobs) for step in one.steps) for one in group.trajectories],
    )
    return [charge_end(trace, charge) for trace, charge in zip(traces, likely, strict=True)]


def td_credits(
    groups: Sequence[TrajectoryGroup],
    traces: Sequence[Sequence[Trace]],
    settings: CreditConfig,
    value: ValueSource,
) -> list[Credits]:
    """Return generalised advantages; the potential is asked for once for all distinct states."""
    states = {step.open_goals: None for group in groups for one in group.trajectories for step in one.steps}
    heights = dict(zip(states, check_potentials(value(list(states)), len(states)), strict=True))
    return [
        td_advantages(
            group_traces,
            [[heights[step.open_goals] for step in one.steps] for one in group.trajectories],
            settings.gamma,
            settings.td_lambda,
            settings.value_weight,
        )
        for group, group_traces in zip(groups, traces, strict=True)
    ]


def known_values(
    vines: Sequence[TrajectoryGroup], traces: Sequence[Sequence[Trace]], gamma: float
) -> dict[State, float]:
    """Return the mean return from each state that vine rollouts began in.

    Args:
        vines: A group for each state.
        traces: Their steps, with charges.
        gamma: Discount per step.
    """
    values: dict[State, float] = {}
    for vine, episodes in zip(vines, traces, strict=True):
        state = state_of(vine.trajectories[0].steps[0])
        if state is None:
            raise ValueError("expected vine rollouts whose steps keep their points, got one without")
        values[state] = sum(returns_to_go(trace.rewards, gamma)[0] for trace in episodes) / len(episodes)
    return values


def vine_credits(
    groups: Sequence[TrajectoryGroup],
    traces: Sequence[Sequence[Trace]],
    settings: CreditConfig,
    values: Mapping[State, float],
) -> list[Credits]:
    """Return value differences for the steps between states of known value, else the credit of the episode."""

    def value_before(step: Step[Completion]) -> float | None:
        state = state_of(step)
        return None if state is None else values.get(state)

    return [
        vine_advantages(
            group_traces,
            [[value_before(step) for step in one.steps] for one in group.trajectories],
            settings.gamma,
        )
        for group, group_traces in zip(groups, traces, strict=True)
    ]


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
