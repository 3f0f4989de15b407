from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lean_gym import LeanProofVectorEnv
from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig
from trainers.curriculum.sampler import TheoremSampler
from trainers.policies.base import Completion
from trainers.rollouts.groups import gather_groups
from trainers.rollouts.player import EpisodePlayer


class Trier:
    """Policy that proves `True ∧ True` in one episode of each group, and nothing else."""

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        return [Completion((1,), (2,), (-0.5,), self._tactic(goals, at)) for at in range(len(goals))]

    def _tactic(self, goals: Sequence[str], at: int) -> str:
        if goals[at] == "⊢ True ∧ True":
            chosen = goals.count(goals[at]) > 1 and goals.index(goals[at]) == at
            return "split" if chosen else "left"
        return "trivial" if goals[at] in ("⊢ True\n\n⊢ True", "⊢ True") else "left"


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_groups_have_the_size_that_the_algorithm_asks_for(player: EpisodePlayer) -> None:
    sampler = TheoremSampler(["t0", "t1"])
    sampler.solve_rates["t1"] = 0.5
    algorithm = create_algorithm("grpo", group_size=3, use_dynamic_groups=True, min_group_size=2)
    gathered = gather_groups(
        player, Trier(), sampler, algorithm, RolloutConfig(theorems_per_iteration=2), rng()
    )
    # Both sides of a fair coin occur in four throws with probability 7/8, in three with 3/4 < 0.8.
    assert {group.theorem: len(group.trajectories) for group in gathered.groups} == {"t0": 3, "t1": 4}
    assert gathered.replaced == ()


def test_flat_groups_are_replaced_by_other_theorems_until_none_is_left(player: EpisodePlayer) -> None:
    names = [f"t{number}" for number in range(6)]
    algorithm = create_algorithm("dapo", group_size=2, dynamic_sampling_rounds=9)
    gathered = gather_groups(
        player, Trier(), TheoremSampler(names), algorithm, RolloutConfig(theorems_per_iteration=2), rng()
    )
    # Only t0 can be solved, so all others are tried.
    assert len(gathered.groups) == 2
    assert sorted(group.theorem for group in gathered.all) == names
    assert "t0" in {group.theorem for group in gathered.groups}


def test_rounds_of_replacement_are_bounded(player: EpisodePlayer) -> None:
    names = [f"t{number}" for number in range(1, 20)]
    algorithm = create_algorithm("dapo", group_size=2, dynamic_sampling_rounds=1)
    gathered = gather_groups(
        player, Trier(), TheoremSampler(names), algorithm, RolloutConfig(theorems_per_iteration=3), rng()
    )
    assert len(gathered.replaced) == 3
    assert len({group.theorem for group in gathered.all}) == 6


def test_canaries_are_played_beside_the_groups_and_count_for_nothing(player: EpisodePlayer) -> None:
    settings = RolloutConfig(theorems_per_iteration=2, group_size=3)
    algorithm = create_algorithm("grpo", group_size=3)
    for canaries in ([], ["t9"]):
        sampler = TheoremSampler(["t0", "t1"])
        gathered = gather_groups(player, Trier(), sampler, algorithm, settings, rng(), canaries)
        assert {group.theorem for group in gathered.all} == {"t0", "t1"}
        assert [len(group.trajectories) for group in gathered.all] == [3, 3]
        assert [(group.theorem, len(group.trajectories)) for group in gathered.canaries] == [
            (name, 2) for name in canaries
        ]


def test_a_tree_rollout_goes_on_where_outcomes_parted(env: LeanProofVectorEnv) -> None:
    player = EpisodePlayer(env, keep_points=True)
    settings = RolloutConfig(theorems_per_iteration=1, group_size=6, rollout="tree", branch_size=3)
    algorithm = create_algorithm("grpo", group_size=6)
    gathered = gather_groups(player, Trier(), TheoremSampler(["t1"]), algorithm, settings, rng())
    # No tactic is accepted on t1 = True ∧ (False ∨ True), so the start is the only state.
    assert (len(gathered.groups[0].trajectories), gathered.branches) == (3, ())
    gathered = gather_groups(player, Walker(), TheoremSampler(["t1"]), algorithm, settings, rng())
    (branch,) = gathered.branches
    assert len(branch.trajectories) == 3
    assert branch.trajectories[0].steps[0].goals == "⊢ False ∨ True"
    assert branch.trajectories[0].tactics[:2] == ("split", "trivial")
    # Two of the ten tactics were used up before the branch.
    assert all(len(t.steps) == 8 for t in branch.trajectories)
    assert gathered.learnt_from == (*gathered.groups, branch)


class Walker:
    """Policy that reaches `False ∨ True` and no further; each goal is a separate prompt."""

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        tactics = {"⊢ True ∧ False ∨ True": "split", "⊢ True\n\n⊢ False ∨ True": "trivial"}
        return [Completion(tuple(goal.encode()), (2,), (-0.5,), tactics.get(goal, "bad")) for goal in goals]
