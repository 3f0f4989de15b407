from __future__ import annotations

import pytest

from benchmarks.contest.stock import recorded_rows, sampled_spans
from lean_gym.types import Outcome
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup


def step(prompt: tuple[int, ...], tactic: tuple[int, ...], reward: float) -> Step[Completion]:
    return Step("goals", Completion(prompt, tactic, (-0.5,) * len(tactic), "tactic"), reward, False)


def test_a_recorded_episode_is_one_row_with_the_tactics_as_they_were_sampled() -> None:
    long = Trajectory("t", [step((1, 2), (7, 8), 0.0), step((3,), (9,), 1.0)], Outcome.PROVED)
    short = Trajectory("t", [step((1, 2), (6,), 0.0)])
    rows = recorded_rows([TrajectoryGroup("t", (long, short))], between=[10])
    assert rows == {
        "prompt_ids": [[1, 2], [1, 2]],
        "completion_ids": [[7, 8, 10, 3, 9], [6]],
        "logprobs": None,
        "env_mask": [[1, 1, 0, 0, 1], [1]],
        "episode_reward": [1.0, 0.0],
    }


@pytest.mark.parametrize(
    ("mask", "spans"),
    [([], []), ([1], [(0, 1)]), ([1, 1, 0, 0, 1], [(0, 2), (4, 1)]), ([1, 0, 1, 1, 0], [(0, 1), (2, 2)])],
)
def test_tactics_are_the_runs_of_ones(mask: list[int], spans: list[tuple[int, int]]) -> None:
    assert list(sampled_spans(mask)) == spans
