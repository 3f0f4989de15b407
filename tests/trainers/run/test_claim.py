"""Folders of runs that begin or go on at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import trainers
from trainers.config.run import RunConfig
from trainers.errors import ConfigError
from trainers.grpo import main
from trainers.run.claim import LOCK_NAME, claimed_folder

ROOT = Path(trainers.__file__).parents[1]


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_two_runs_without_a_folder_take_different_ones() -> None:
    config = RunConfig()
    with claimed_folder(config) as first, claimed_folder(config) as second:
        assert first != second
        assert first.parent == second.parent == Path("runs")
        (first / "config.yaml").touch()
    assert sorted(path.name for path in Path("runs").iterdir()) == [first.name]
    assert [path.name for path in first.iterdir()] == ["config.yaml"]


def test_the_same_folder_is_refused_to_the_second_run(tmp_path: Path) -> None:
    config = RunConfig(run_dir=str(tmp_path / "mine"))
    with (
        claimed_folder(config),
        pytest.raises(ConfigError, match=r"run_dir: .*mine is in use by another process"),
        claimed_folder(config),
    ):
        raise AssertionError("claimed twice")
    assert not (tmp_path / "mine").exists()


def test_a_run_that_goes_on_is_refused_to_a_second_process(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").touch()
    for _ in range(2):
        with (
            claimed_folder(RunConfig(), tmp_path) as folder,
            pytest.raises(ConfigError, match=r"--resume .* is in use by another process"),
            claimed_folder(RunConfig(), tmp_path),
        ):
            raise AssertionError("claimed twice")
    assert folder == tmp_path
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


def test_a_folder_that_holds_a_run_or_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").touch()
    for path, message in (
        (tmp_path, "holds a run already"),
        (tmp_path / "config.yaml", "expected a folder, got the file"),
        (tmp_path / "config.yaml" / "below", "cannot write to"),
    ):
        with (
            pytest.raises(ConfigError, match=f"run_dir: .*{message}"),
            claimed_folder(RunConfig(run_dir=str(path))),
        ):
            raise AssertionError("claimed")
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


def test_folders_that_were_made_for_a_run_that_did_not_begin_are_removed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    for path in (tmp_path / "kept" / "a" / "b", tmp_path / "kept"):
        with pytest.raises(KeyError), claimed_folder(RunConfig(run_dir=str(path))) as folder:
            assert folder == path
            raise KeyError
    assert list((tmp_path / "kept").iterdir()) == []


HOLDER = """
import sys, time
from pathlib import Path
from trainers.config.run import RunConfig
from trainers.run.claim import claimed_folder
with claimed_folder(RunConfig(), Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(1000)
"""


def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(ConfigError, match="in use"), claimed_folder(RunConfig(), tmp_path):
        raise AssertionError("claimed twice")
    holder.kill()
    holder.communicate()
    assert (tmp_path / LOCK_NAME).exists()
    with claimed_folder(RunConfig(), tmp_path):
        pass


SETTINGS = {
    "backend": "fake",
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 1,
    "save_trajectories": True,
    "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {"warm_start_epochs": 1},
    "rollout": {"theorems_per_iteration": 2, "group_size": 2, "max_steps": 3, "max_tactic_tokens": 4},
    "evaluation": {"eval_samples": 8},
}


def test_two_programs_at_once_keep_their_episodes_apart(tmp_path: Path, theorem_file: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    words = ["--config", str(settings), "--no-automation"]
    other = subprocess.Popen(
        [sys.executable, "-m", "trainers.grpo", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    while other.poll() is None and not list(tmp_path.glob("runs/*")):
        time.sleep(0.01)
    assert main(words) == 0
    output = other.communicate()[0]
    assert other.returncode == 0, output
    folders = sorted((tmp_path / "runs").iterdir())
    assert len(folders) == 2
    for folder in folders:
        assert len((folder / "trajectories.jsonl").read_text().splitlines()) == 4
        assert not (folder / LOCK_NAME).exists()


def test_a_second_program_in_the_folder_gets_one_line(
    tmp_path: Path, theorem_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    words = ["--config", str(settings), "--no-automation", "--run-dir", "mine"]
    assert main(words) == 0
    with claimed_folder(RunConfig(), Path("mine")):
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["--resume", "mine"])
        assert ended.value.code == 2
        assert "--resume mine is in use by another process" in capsys.readouterr().err
