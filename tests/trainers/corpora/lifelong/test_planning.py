"""`python -m trainers.lifelong --dry-run`."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainers.corpora.lifelong.stage_log import StageLog
from trainers.lifelong import main


def test_the_plan_of_a_new_course(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project").mkdir()
    words = ["--repos", "project", "./nowhere", "logic", "logik", "--samples", "2", "--workers", "1"]
    words += ["--grpo", '{"max_iterations": 3, "rollout": {"theorems_per_iteration": 10, "group_size": 4}}']
    assert main([*words, "--dry-run"]) == 1
    out = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "repository project: to be traced" in lines
    assert "order by difficulty, once all are traced" in lines
    (logic,) = (line for line in lines if line.startswith("repository logic:"))
    held_out = int(logic.partition(" train on, ")[2].partition(" ")[0])
    assert held_out > 0
    assert f"grpo 3 rounds for each repository, at most {3 * 10 * 4 * 12} tactics in all" in lines
    most = 5 * held_out * 2 * 12
    assert f"measure 5 times {held_out} theorems x 2 episodes, at most {most} tactics in all" in lines
    lacking = lines[lines.index("missing on this machine") + 1 :]
    assert len(lacking) == 2
    assert "./nowhere" in lacking[0]
    assert "did you mean 'logic'?" in lacking[1]
    assert [path.name for path in tmp_path.iterdir()] == ["project"]  # nothing was begun


def test_the_plan_says_what_the_retriever_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project").mkdir()
    words = ["--repos", "project", "--workers", "1", "--retriever", "encoder", "--dry-run"]
    assert main(words) == 0
    assert main([*words, "--retrieval", '{"encoder": "./nowhere"}']) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["missing on this machine", "  encoder: there is no folder ./nowhere"]


def test_the_plan_of_an_interrupted_course(
    tmp_path: Path, theorem_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"backend: fake\nrepos: ['{theorem_file}', logic]\newc_weight: 1.0\n"
    (tmp_path / "config.yaml").write_text(words, encoding="utf-8")
    log = StageLog(tmp_path / "stages.json")
    for number, source in enumerate((str(theorem_file), "logic")):
        folder = tmp_path / f"{number + 1}-x"
        log.finish(f"trace {source}", {"folder": folder, "traced": folder / "traced", "id": number})
    log.finish("order", {"order": [1, 0]})
    log.finish("2-x: set", {"replayed": []})
    assert main(["--resume", str(tmp_path), "--dry-run"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "order logic, game" in lines
    assert f"stages done trace {theorem_file}, trace logic, order; to do start" in lines
    assert "2-x: done set; to do sft, grpo, prove, consolidate" in lines
    assert "1-x: done none; to do set, sft, grpo, prove, consolidate" in lines
