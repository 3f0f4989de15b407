from __future__ import annotations

import pytest

from lean_gym import Outcome
from trainers.algorithms import create_algorithm
from trainers.credit import assign_credit
from trainers.policies.base import Completion
from trainers.rollout import Step, Trajectory, TrajectoryGroup


def step(prompt: int, token: int, refused: bool = False, reward: float = 0.0) -> Step[Completion]:
    return Step("goals", Completion((prompt,), (token,), (-1.0,), "tactic"), reward, refused)


def episode(*steps: Step[Completion]) -> Trajectory[Completion]:
    return Trajectory("t", list(steps), Outcome.STEP_LIMIT)


# One success, one failure: advantages of a group of two are +-0.5 / (sqrt(0.5) + 1e-4) = +-0.707007.
GROUP = TrajectoryGroup(
    "t",
    (
        episode(step(1, 10), step(2, 11, refused=True), step(2, 12, reward=1.0)),
        episode(step(1, 13, refused=True), step(1, 10), step(3, 14, refused=True)),
    ),
)
ALGORITHM = create_algorithm("grpo", group_size=2)
A = 0.5 / (0.5**0.5 + 1e-4)


def test_accepted_tactics_share_the_advantage_and_refused_ones_do_not() -> None:
    credit = assign_credit([GROUP], ALGORITHM, error_penalty=0.0)
    assert [(sample.token_ids[0], sample.advantage) for sample in credit.samples] == [
        (10, pytest.approx(A)),
        (12, pytest.approx(A)),
        (10, pytest.approx(-A)),
    ]
    assert credit.dropped_rows == 3


def test_a_refusal_is_judged_against_the_other_choices_at_the_same_prompt() -> None:
    credit = assign_credit([GROUP], ALGORITHM, error_penalty=0.3)
    # prompt 1: one of three refused, prompt 2: one of two, prompt 3: the only one, which says nothing
    expected = {
        (1, 10): [A + 0.1, -A + 0.1],
        (1, 13): [-0.2],
        (2, 11): [-0.15],
        (2, 12): [A + 0.15],
    }
    found: dict[tuple[int, int], list[float]] = {}
    for sample in credit.samples:
        found.setdefault((sample.prompt_ids[0], sample.token_ids[0]), []).append(sample.advantage)
    assert {key: pytest.approx(values) for key, values in expected.items()} == found
    assert credit.dropped_rows == 1


def test_the_error_term_adds_up_to_nothing() -> None:
    with_term = assign_credit([GROUP], ALGORITHM, error_penalty=0.3)
    without = assign_credit([GROUP], ALGORITHM, error_penalty=0.0)
    assert sum(s.advantage for s in with_term.samples) == pytest.approx(
        sum(s.advantage for s in without.samples)
    )


def test_flat_groups_are_counted_and_dropped() -> None:
    flat = TrajectoryGroup("u", (episode(step(1, 10)), episode(step(1, 11))))
    credit = assign_credit([GROUP, flat], ALGORITHM, error_penalty=0.0)
    assert credit.zero_std_fraction == 0.5
    assert credit.dropped_rows == 5
    assert assign_credit([flat], ALGORITHM, error_penalty=0.3).samples == ()
