from __future__ import annotations

import torch

from lean_gym import Outcome
from trainers.imitation.progress_fit import targets
from trainers.imitation.progress_states import states_of, waves_of
from trainers.rollouts.env import SIDE_BY_SIDE
from trainers.rollouts.player import Step, Trajectory
from trainers.rollouts.replay import Scripted
from trainers.rollouts.step_rows import LabelledState


def step(goal: str, refused: bool = False) -> Step[Scripted]:
    return Step(goal, Scripted("t"), 0.0, refused, open_goals=(goal,))


def episode(outcome: Outcome, *steps: Step[Scripted]) -> Trajectory[Scripted]:
    return Trajectory("t", list(steps), outcome)


def left(outcome: Outcome, *steps: Step[Scripted]) -> list[tuple[str, int | None]]:
    return [(state.text, state.left) for state in states_of(episode(outcome, *steps))]


def test_refused_tactics_are_not_counted() -> None:
    steps = (step("a"), step("b", refused=True), step("b", refused=True), step("b"), step("c"))
    assert left(Outcome.PROVED, *steps) == [("a", 3), ("b", 2), ("c", 1)]


def test_a_state_met_again_counts_from_its_last_visit() -> None:
    assert left(Outcome.PROVED, step("a"), step("b"), step("a"), step("c")) == [("b", 3), ("a", 2), ("c", 1)]


def test_failures_reach_nothing_and_crashes_say_nothing() -> None:
    steps = (step("a"), step("b", refused=True))
    for outcome in (Outcome.STEP_LIMIT, Outcome.REJECTED):
        assert left(outcome, *steps) == [("a", None), ("b", None)]
    assert left(Outcome.CRASHED, *steps) == []


def test_outcomes_of_equal_goals_are_counted_together() -> None:
    states = [LabelledState("t", ("a", "b"), n) for n in (1, 1, 3, 9, None)]
    texts, counts = targets([*states, LabelledState("u", ("c",), 2)], longest=3)
    assert texts == ["a\n\nb", "c"]
    assert torch.equal(counts, torch.tensor([[2.0, 0.0, 2.0, 1.0], [0.0, 1.0, 0.0, 0.0]]))


def test_every_episode_is_in_one_wave() -> None:
    waves = waves_of(["a", "b", "c"], 30)
    assert [len(wave) for wave in waves] == [SIDE_BY_SIDE, 90 - SIDE_BY_SIDE]
    assert [name for wave in waves for name in wave] == ["a"] * 30 + ["b"] * 30 + ["c"] * 30
