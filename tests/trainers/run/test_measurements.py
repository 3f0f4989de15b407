from __future__ import annotations

import json

import pytest

from lean_gym import Outcome
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory
from trainers.run import measurements
from trainers.run.measurements import measurement_rows


def episode(theorem: str, outcome: Outcome, accepted: int, goals: str = "⊢ q") -> Trajectory[Completion]:
    choice = Completion((1,), (2,), (-1.0,), "intro")
    steps = [Step(goals, choice, 0.0, False)] * accepted + [Step(goals, choice, 0.0, True, message="no")]
    return Trajectory(theorem, steps, outcome, ("intro",) * accepted)


def test_a_row_has_numbers_the_shortest_proof_and_the_best_failure() -> None:
    played = [
        *(episode("a", Outcome.PROVED, length) for length in (3, 2, 4)),
        *(episode("a", Outcome.STEP_LIMIT, length) for length in (0, 5)),
        episode("b", Outcome.TIME_LIMIT, 1),
    ]
    first, second = measurement_rows(7, played)
    assert (first["iteration"], first["theorem"], first["episodes"], first["proved"]) == (7, "a", 5, 3)
    assert [(len(each["tactics"]), each["outcome"]) for each in first["kept"]] == [
        (2, "proved"),
        (5, "step_limit"),
    ]
    assert first["kept"][0]["steps"][-1] == {
        "shown": "⊢ q",
        "tactic": "intro",
        "refused": True,
        "message": "no",
    }
    assert "message" not in first["kept"][0]["steps"][0]
    assert (second["theorem"], second["proved"], len(second["kept"])) == ("b", 0, 1)


def test_the_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "EPISODES_OF", 2)
    played = [episode(f"t{number}", Outcome.STEP_LIMIT, 1, "x" * 100_000) for number in range(5)]
    rows = list(measurement_rows(0, played))
    assert [len(row["kept"]) for row in rows] == [1, 1, 0, 0, 0]
    assert len(json.dumps(rows)) < 2 * 2 * measurements.LONGEST_GOALS + 2000
