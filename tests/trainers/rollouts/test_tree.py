from __future__ import annotations

from dataclasses import replace

from lean_gym import LeanProofVectorEnv, Outcome
from lean_gym.envs.vector import Point
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup
from trainers.rollouts.tree import branch_point


def make_points(env: LeanProofVectorEnv, count: int) -> list[Point]:
    env.reset()
    return [env.save([0])[0] for _ in range(count)]


def walk(proved: bool, *steps: tuple[int, bool, Point]) -> Trajectory[Completion]:
    """An episode of (state, refused, point)."""
    made = [
        Step(
            "goals",
            Completion((state,), (9,), (-1.0,), "tactic"),
            float(proved and at == len(steps) - 1),
            no,
            point,
        )
        for at, (state, no, point) in enumerate(steps)
    ]
    return Trajectory("t", made, Outcome.PROVED if proved else Outcome.STEP_LIMIT)


def test_mixed_groups_branch_where_outcomes_part_most_evenly(env: LeanProofVectorEnv) -> None:
    start, a, b, c = make_points(env, 4)
    group = TrajectoryGroup(
        "t",
        (
            walk(True, (0, False, start), (1, False, a), (2, False, b)),
            walk(False, (0, False, start), (1, False, a), (2, True, b)),
            walk(True, (0, False, start), (1, False, a), (3, False, c)),
        ),
    )
    # State 1: two of three proved, 2/9; state 2: one of two, 1/4; state 3: one of one; the start does not count.
    assert branch_point(group) is b


def test_failed_groups_branch_at_the_deepest_sound_state(env: LeanProofVectorEnv) -> None:
    start, a, b, c = make_points(env, 4)
    group = TrajectoryGroup(
        "t",
        (
            walk(False, (0, True, start), (0, False, start), (1, True, a), (1, True, a)),
            walk(False, (0, False, start), (2, False, b), (3, True, c)),
        ),
    )
    assert branch_point(group) is c


def test_what_failures_earned_on_the_way_makes_them_no_proofs(env: LeanProofVectorEnv) -> None:
    """A shaped reward differs between failures, but their outcomes are equal."""
    start, a, b, _ = make_points(env, 4)
    short = walk(False, (0, False, start), (1, True, a))
    long = walk(False, (0, False, start), (1, False, a), (2, True, b))
    long.steps[1] = replace(long.steps[1], reward=0.25)
    assert branch_point(TrajectoryGroup("t", (short, long))) is b


def test_there_is_not_always_a_branch(env: LeanProofVectorEnv) -> None:
    start, a, _, _ = make_points(env, 4)
    proved = walk(True, (0, False, start), (1, False, a))
    stuck = walk(False, (0, True, start), (0, True, start))
    assert branch_point(TrajectoryGroup("t", (proved, proved))) is None
    assert branch_point(TrajectoryGroup("t", (stuck, stuck))) is None
    at_once = walk(True, (0, False, start))
    # Only failures visited the only state other than the start.
    lost = walk(False, (0, False, start), (1, True, a))
    assert branch_point(TrajectoryGroup("t", (at_once, lost))) is None
