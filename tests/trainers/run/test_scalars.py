from __future__ import annotations

import pytest

from lean_gym import Outcome
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup
from trainers.run.scalars import episode_scalars


def group(proofs: int, failures: int) -> TrajectoryGroup:
    step = Step("goals", Completion((1,), (2,), (-1.0,), "tactic"), 0.0, False)
    outcomes = [Outcome.PROVED] * proofs + [Outcome.STEP_LIMIT] * failures
    return TrajectoryGroup("t", tuple(Trajectory("t", [step], outcome, ("x",)) for outcome in outcomes))


def test_pass_at_8_stands_beside_pass_at_1() -> None:
    # One of 16: 1 - C(15, 8) / C(16, 8) = 1/2. None of 8: 0. The group of four is too small for either rate.
    scalars = episode_scalars([group(1, 15), group(0, 8), group(4, 0)])
    assert scalars["proof/pass_at_1"] == pytest.approx((1 / 16 + 0) / 2)
    assert scalars["proof/pass_at_8"] == pytest.approx((1 / 2 + 0) / 2)
    assert scalars["proof/solve_rate"] == pytest.approx(5 / 28)


@pytest.mark.parametrize(("size", "k"), [(7, 4), (4, 4), (3, 2), (2, 2)])
def test_smaller_groups_have_the_rate_of_fewer_episodes(size: int, k: int) -> None:
    scalars = episode_scalars([group(1, size - 1)])
    assert {name for name in scalars if "pass_at" in name} == {"proof/pass_at_1", f"proof/pass_at_{k}"}
    assert scalars[f"proof/pass_at_{k}"] == pytest.approx(k / size)
