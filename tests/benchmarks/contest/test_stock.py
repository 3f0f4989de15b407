from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from benchmarks.contest.settings import LONG, WHOLE, Batch, Contest
from benchmarks.contest.start import batch_of
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


def test_a_batch_keeps_its_rewards_with_other_tactics(tmp_path: Path) -> None:
    one = Trajectory("t", [step((1, 2), (7, 8), 0.25), step((3,), (9,), 1.0)], Outcome.PROVED)
    (tmp_path / "batch.pickle").write_bytes(pickle.dumps([TrajectoryGroup("t", (one, one))]))

    def steps(batch: Batch) -> list[Step[Completion]]:
        [group] = batch_of(Contest(batch=batch), tmp_path)
        assert [episode.total_reward for episode in group.trajectories] == [1.25, 1.25]
        found: list[Step[Completion]] = group.trajectories[0].steps
        assert all(len(each.choice.token_ids) == len(each.choice.logprobs) for each in found)
        return found

    def lengths(batch: Batch) -> list[tuple[int, int]]:
        return [(len(each.choice.prompt_ids), len(each.choice.token_ids)) for each in steps(batch)]

    assert lengths("recorded") == [(2, 2), (1, 1)]
    assert lengths("distinct") == [(2, 2), (1, 1)]
    assert {token for each in steps("distinct") for token in each.choice.prompt_ids} <= {7, 8, 9}
    assert lengths("long") == [(2, LONG), (1, LONG)]
    assert lengths("proofs") == [(2, WHOLE)]


@pytest.mark.parametrize(
    ("mask", "spans"),
    [([], []), ([1], [(0, 1)]), ([1, 1, 0, 0, 1], [(0, 2), (4, 1)]), ([1, 0, 1, 1, 0], [(0, 1), (2, 2)])],
)
def test_tactics_are_the_runs_of_ones(mask: list[int], spans: list[tuple[int, int]]) -> None:
    assert list(sampled_spans(mask)) == spans
