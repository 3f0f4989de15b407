"""Messages, goals and measurements that a run stores, which a report takes instead of a replay."""

from __future__ import annotations

import re
from typing import Any

import pytest

from trainers.reporting.gather import gather
from trainers.reporting.page import render
from trainers.reporting.run_folder import read_run

HARD = "p : Prop\n⊢ p"


@pytest.fixture(autouse=True)
def _no_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainers.reporting.gather.Replayer", lambda _: pytest.fail("something was replayed"))


@pytest.fixture
def stored(write_run: Any, samples: Any) -> Any:
    """A run that stores everything: a failed attempt with its message, goals of its proof, two measurements."""

    def refusing(message: str) -> dict[str, Any]:
        episode = samples.episode(
            "hard", "step_limit", [(HARD, "exact h", True), (HARD, "rfl", True)], iteration=0
        )
        for step in episode["steps"]:
            step["message"] = message
        return dict(episode)

    def measured(iteration: int, theorem: str, proved: int, kept: list[Any]) -> dict[str, Any]:
        numbers = {"iteration": iteration, "theorem": theorem, "episodes": 8, "proved": proved}
        return numbers | {"kept": [{**each, "iteration": iteration} for each in kept]}

    def write(message: str = "Unknown identifier `h`", **parts: Any) -> Any:
        keep = samples.episode("keep", "proved", [("p : Prop\nh : p\n⊢ p", "exact h", False)])
        rows = [
            measured(0, "keep", 0, []),
            measured(0, "hard", 0, [refusing(message)]),
            measured(2, "keep", 4, [keep]),
            measured(2, "hard", 0, [refusing(message)]),
        ]
        return write_run(**{"trajectories": None, "measurements": rows} | parts)

    return write


def test_measurements_give_rates_attempts_and_failures(stored: Any) -> None:
    report = gather(read_run(stored(), "run"))
    lines = {each.name: (each.before, each.after, each.measured, each.attempts) for each in report.lines}
    assert lines == {
        "keep": (0.0, 0.5, "iterations 0 and 2", 16),
        "hard": (0.0, 0.0, "iterations 0 and 2", 16),
    }
    assert [episode.iteration for episode in report.failed["hard"]] == [0, 2]
    assert [(group.message, group.count) for group in report.errors] == [("Unknown identifier `…`", 4)]
    assert report.explained == 4
    assert [step.shown for step in report.proofs["keep"][0].steps] == ["p : Prop\nh : p\n⊢ p"]
    assert any("failures are those of measurements" in note for note in report.record.notes)
    assert "Training stored no episodes." in render([report])


def test_messages_of_training_are_taken(stored: Any, samples: Any) -> None:
    lost = samples.lost
    for step, message in zip(lost["steps"], ("Unknown identifier `g`", "unexpected token"), strict=True):
        step["message"] = message
    proof = {"name": "pick", "statement": "", "tactics": ["exact h.1"], "goals": ["⊢ p"], "part": "training"}
    report = gather(read_run(stored(trajectories=[lost], proofs=[proof]), "run"))
    assert {group.message for group in report.errors} == {"Unknown identifier `…`", "unexpected token"}
    assert report.proofs["pick"][0].steps[0].shown == "⊢ p"


def test_a_run_on_real_lean_has_its_messages(stored: Any) -> None:
    folder = stored()
    (folder / "run.json").write_text('{"backend": "pantograph"}')
    assert gather(read_run(folder, "run")).explained == 4


def test_a_hostile_message_stays_text(stored: Any, samples: Any) -> None:
    page = render([gather(read_run(stored(samples.hostile), "run"))])
    assert samples.hostile not in page
    body = page[page.index("Refused tactics by error") :]
    assert "window.hacked" in body
    assert not re.search(r"<(script|img)[^>]*>[^<]*window\.hacked|<img", body)
