"""Credits that see a potential in the rewards, such as those of `shaped` and `progress`: r + Phi(s') - Phi(s)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from tests.trainers.learning.test_true_gradient import (
    BASE,
    MOST_STEPS,
    episodes,
    policy_of,
    trajectory,
    vines_of,
)
from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.learning.rows import weigh_steps
from trainers.policies.base import Completion
from trainers.rollouts.player import Trajectory, TrajectoryGroup

POTENTIAL = {"root": 0.2, "split": 0.3, "easy": 0.7, "dead": 0.45}
CREDITS = ("episode", "gigpo", "state", "graph", "td", "vine")


def shaped(one: Trajectory[Completion]) -> Trajectory[Completion]:
    """Add the potential to the rewards; it is 0 once the episode has ended."""
    heights = [*(POTENTIAL[step.goals] for step in one.steps), 0.0]
    steps = [
        replace(step, reward=step.reward + heights[at + 1] - heights[at]) for at, step in enumerate(one.steps)
    ]
    return replace(one, steps=steps)


def hiding(one: Trajectory[Completion]) -> Trajectory[Completion]:
    """Show the same prompt in `split` and `easy`, whose first goals may look alike."""
    steps = [
        replace(step, choice=replace(step.choice, prompt_ids=(9,)))
        if step.goals in ("split", "easy")
        else step
        for step in one.steps
    ]
    return replace(one, steps=steps)


def weights(credit: str, with_potential: bool, hidden: bool) -> list[float]:
    policy = policy_of(BASE)
    played = [trajectory(one, policy) for one in episodes(policy, 0)]
    vines = vines_of(policy, 0) if credit == "vine" else []
    if with_potential:
        played = [shaped(one) for one in played]
        # What is still to be earned from a state is less by its potential.
        vines = [
            replace(
                group,
                trajectories=tuple(
                    replace(one, steps=[replace(s, reward=s.reward - POTENTIAL[s.goals]) for s in one.steps])
                    for one in group.trajectories
                ),
            )
            for group in vines
        ]
    if hidden:
        played = [hiding(one) for one in played]
    groups = [TrajectoryGroup("t", pair) for pair in combinations(played, 2)]
    settings: dict[str, Any] = {"credit": credit}
    found = weigh_steps(
        groups, create_algorithm("grpo", group_size=2), CreditConfig(**settings), MOST_STEPS, vines=vines
    )
    return [value for group in found.weights for own in group for value in own]


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("credit", CREDITS)
def test_which_credit_sees_a_potential(credit: str, hidden: bool) -> None:
    plain, other = weights(credit, False, hidden), weights(credit, True, hidden)
    sees = credit == "td" or (hidden and credit in ("gigpo", "state", "graph"))
    if sees:
        assert max(abs(one - two) for one, two in zip(plain, other, strict=True)) > 0.05
    else:
        assert other == pytest.approx(plain, abs=1e-9)
