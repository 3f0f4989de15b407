"""Folders that are runs, are none, are incomplete, or are still written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from trainers.errors import ConfigError
from trainers.reporting.gather import gather
from trainers.reporting.rows import EpisodeRow, Lines, ProofRow, SummaryRow, read_object
from trainers.reporting.run_folder import FINISHED, RUNNING, STOPPED, flattened, read_run


def test_a_finished_run(write_run: Any) -> None:
    record = read_run(write_run(config={"rollout": {"group_size": 4}}), "mine")
    assert (record.name, record.state, record.notes) == ("mine", FINISHED, [])
    assert record.settings["rollout.group_size"] == 4
    assert record.facts.backend == "minilean"
    assert record.summary is not None and record.summary.eval["after"]["pass@1"] == 0.5
    assert [proof.name for proof in record.proofs] == ["keep"]


def test_a_run_that_is_going_on(write_run: Any) -> None:
    folder = write_run(finished=False)
    with FileLock(folder / "run.lock"):
        record = read_run(folder, "run")
        assert record.state == RUNNING
        assert record.notes == ["the run is still going on: this is its record up to now"]
    (folder / "run.lock").touch()  # left by a process that was killed
    record = read_run(folder, "run")
    assert record.state == STOPPED
    assert record.notes == [f"no summary.json: the run did not end; to resume: --resume {folder}"]


def test_a_broken_summary_is_a_note(write_run: Any) -> None:
    record = read_run(write_run(summary="{"), "run")
    assert record.summary is None
    [note] = record.notes
    assert note.startswith(f"{record.path / 'summary.json'}: Invalid JSON")
    [note] = read_run(write_run("other", summary={"eval": {"before": {"pass@1": 7}}}), "run").notes
    assert "eval.before.pass@1" in note and "got 7" in note


def test_supervised_fine_tuning_has_a_summary_of_its_own(write_run: Any) -> None:
    folder = write_run(
        trajectories=None, summary='{"seed": 0, "loss": 1.5, "seconds": 12.5, "pairs": 3}', scalars={}
    )
    (folder / "config.yaml").write_text("theorems: logic")
    record = gather(read_run(folder, "run")).record
    assert record.notes == []
    assert record.summary is not None and record.summary.total_seconds == 12.5


def test_broken_lines_are_counted_and_left_out(write_run: Any) -> None:
    folder = write_run()
    with (folder / "proofs.jsonl").open("a") as file:
        file.write('{"name": 3}\nnonsense\n' + '{"name": "half')
    record = read_run(folder, "run")
    assert [proof.name for proof in record.proofs] == ["keep"]
    [note] = record.notes
    assert note.startswith("proofs.jsonl: 2 lines are broken and left out; line 2: name: ")


def test_half_a_surrogate_is_a_broken_line(tmp_path: Path) -> None:
    path = tmp_path / "proofs.jsonl"
    path.write_text('{"name": "\\ud800", "statement": "", "tactics": []}\n')
    lines = Lines(path, ProofRow)
    assert list(lines) == []
    assert lines.problem is not None


def test_an_episode_needs_its_steps(tmp_path: Path) -> None:
    path = tmp_path / "trajectories.jsonl"
    path.write_text('{"iteration": 1, "theorem": "t", "outcome": "proved", "tactics": []}\n')
    lines = Lines(path, EpisodeRow)
    assert list(lines) == []
    assert lines.problem is not None and "line 1: steps: Field required" in lines.problem


@pytest.mark.parametrize("text", ['{"eval": NaN}', '{"new_proofs": 0, "tactics": NaN}', "[]"])
def test_an_object_of_another_form_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text(text)
    with pytest.raises(ConfigError, match=r"summary\.json: "):
        read_object(tmp_path / "summary.json", SummaryRow)


def test_what_is_no_run_is_refused(tmp_path: Path, write_evaluation: Any) -> None:
    with pytest.raises(ConfigError, match=r"none: no such folder; expected the folder of a run"):
        read_run(tmp_path / "none", "run")
    with pytest.raises(ConfigError, match=r"no run there \(no config\.yaml in that folder\)"):
        read_run(tmp_path, "run")
    with pytest.raises(ConfigError, match="an evaluation, expected the folder of a run"):
        read_run(write_evaluation("measured", "run", {}), "run")


def test_settings_are_flattened() -> None:
    assert flattened({"a": 1, "b": {"c": {"d": None}, "e": {}}}) == {"a": 1, "b.c.d": None, "b.e": {}}
