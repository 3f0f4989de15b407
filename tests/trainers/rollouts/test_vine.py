from __future__ import annotations

from collections.abc import Sequence

import pytest

from lean_gym import LeanProofVectorEnv
from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.learning.rows import assign_credit
from trainers.policies.base import Completion
from trainers.policies.views import GoalsView
from trainers.rollouts.player import EpisodePlayer, TrajectoryGroup
from trainers.rollouts.vine import play_vines, state_of


class Scripts:
    """A policy that deals out scripts, one tactic per call and goal, then repeats a last word."""

    def __init__(self, *tactics: str, then: str = "trivial") -> None:
        self.tactics = list(tactics)
        self.then = then
        self.seen: list[str] = []

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        self.seen += goals
        texts = [self.tactics.pop(0) if self.tactics else self.then for _ in goals]
        return [
            Completion((len(goal),), (len(text),), (-1.0,), text)
            for goal, text in zip(goals, texts, strict=True)
        ]


@pytest.fixture
def player(env: LeanProofVectorEnv) -> EpisodePlayer:
    return EpisodePlayer(env, keep_points=True)


@pytest.fixture
def groups(player: EpisodePlayer) -> list[TrajectoryGroup]:
    """t0, True and True: both proved; then one that is stuck from the start and one that is proved."""
    solved = player.sample_groups(["t0"], [2], Scripts("split", "split"))
    # Both are asked side by side: one splits, then `bad` stands against `trivial` to the end.
    tactics = ["bad", "split"] + ["bad", "trivial"] * 2 + ["bad"] * 7
    mixed = player.sample_groups(["t0"], [2], Scripts(*tactics, then="bad"))
    assert [group.solve_rate for group in (*solved, *mixed)] == [1.0, 0.5]
    return [*solved, *mixed]


def settings(**values: int) -> CreditConfig:
    return CreditConfig(credit="vine", error_penalty=0.0, **values)


def test_rollouts_begin_in_the_states_around_a_step(
    player: EpisodePlayer, groups: list[TrajectoryGroup]
) -> None:
    vines = play_vines(
        player, Scripts(), groups, settings(vine_rollouts=3, vine_tactics=10_000), max_steps=10
    )
    states = [state_of(vine.trajectories[0].steps[0]) for vine in vines]
    # Before and after each accepted tactic of split, trivial, trivial; both groups passed through the same.
    assert states == [("t0", (), 0), ("t0", ("split",), 1), ("t0", ("split", "trivial"), 2)]
    assert [len(vine.trajectories) for vine in vines] == [3, 3, 3]
    # From the start `trivial` proves nothing; behind the split it always does.
    assert [vine.solve_rate for vine in vines] == [0.0, 1.0, 1.0]


def test_the_budget_is_kept_and_mixed_groups_come_first(player: EpisodePlayer) -> None:
    solved = player.sample_groups(["t0"], [2], Scripts("split", "split"))
    # t1: True and (False or True); one episode of two finds the way.
    mixed = player.sample_groups(
        ["t1"], [2], Scripts("split", "split", "trivial", "trivial", "left", "right", then="trivial")
    )
    assert mixed[0].solve_rate == 0.5
    for budget in (1, 5, 19, 45, 200):
        chosen = settings(vine_rollouts=1, vine_tactics=budget)
        vines = play_vines(player, Scripts(), [*solved, *mixed], chosen, max_steps=10)
        used = sum(len(one.steps) for vine in vines for one in vine.trajectories)
        assert used <= budget
        names = [vine.theorem for vine in vines]
        assert names == sorted(names, reverse=True)  # t1 before t0
        # The first two states could cost 10 and 9 tactics, no state less than 6.
        assert len(vines) >= 2 if budget >= 19 else not vines


def test_value_differences_become_the_credit_of_rows(
    player: EpisodePlayer, groups: list[TrajectoryGroup]
) -> None:
    chosen = settings(vine_rollouts=2, vine_tactics=10_000)
    vines = play_vines(player, Scripts(), groups, chosen, max_steps=10)
    plain = create_algorithm("grpo", advantage_norm="none", beta=0.0)

    def returned(number: int) -> float:
        return sum(one.total_reward for one in vines[number].trajectories) / 2

    credit = assign_credit(groups[1:], plain, chosen, max_steps=10, vines=vines)
    split, *rest = groups[1].trajectories[1].steps
    expected = split.reward + returned(1) - returned(0)
    assert expected > 0.5  # the split turns a state where rollouts fail into one where they succeed
    assert credit.samples[0].advantage == pytest.approx(expected)
    # What follows is as good as what rollouts do anyway: nothing to credit, so the rows are dropped.
    assert [sample.advantage for sample in credit.samples[1:]] == pytest.approx(
        [0.0] * (len(credit.samples) - 1)
    )
    without = assign_credit(groups[1:], plain, chosen, max_steps=10)
    whole = groups[1].trajectories[1].total_reward - groups[1].trajectories[0].total_reward
    assert all(sample.advantage == pytest.approx(whole) for sample in without.samples)
    assert len(without.samples) == 1 + len(rest)


def test_a_branch_sees_the_tactics_before_it(env: LeanProofVectorEnv) -> None:
    player = EpisodePlayer(env, view=GoalsView(2), keep_points=True)
    (group,) = player.sample_groups(["t0"], [1], Scripts("split"))
    point = group.trajectories[0].steps[1].point
    again = Scripts()
    player.sample_groups(["t0"], [1], again, [point])
    assert again.seen[0].startswith("-- split\n")
