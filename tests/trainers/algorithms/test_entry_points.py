"""`python -m trainers.NAME` is `python -m trainers.grpo` with another default."""

from __future__ import annotations

import importlib
import importlib.util
import os
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import trainers
from trainers.config import cli
from trainers.config.cli import Command
from trainers.config.files import write_file
from trainers.config.names import ALGORITHM_NAMES
from trainers.config.run import RunConfig
from trainers.run import session

NAMES = [name for name in ALGORITHM_NAMES if name != "grpo"]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Command]]:
    """Record the command that training is started with."""
    started: list[Command] = []

    def train(command: Command) -> int:
        started.append(command)
        return 7

    monkeypatch.setattr(session, "train", train)
    yield started
    for name in NAMES:
        sys.modules.pop(f"trainers.{name}", None)
        vars(trainers).pop(name, None)


@pytest.mark.parametrize("name", NAMES)
def test_the_algorithm_is_the_default(commands: list[Command], name: str) -> None:
    main = importlib.import_module(f"trainers.{name}").main
    assert main(["--seed", "3"]) == 7
    assert main(["--algorithm", "gspo_token"]) == 7
    assert importlib.import_module("trainers.grpo").main([]) == 7
    assert [each.config.algo.algorithm for each in commands] == [name, "gspo_token", "grpo"]
    assert commands[0].config == RunConfig(seed=3, algo={"algorithm": name})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_as_a_module(commands: list[Command], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [name, "--seed", "5"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_module(f"trainers.{name}", run_name="__main__")
    assert caught.value.code == 7
    assert [(each.config.algo.algorithm, each.config.seed) for each in commands] == [(name, 5)]


def test_a_run_of_another_algorithm_is_not_gone_on_with(
    commands: list[Command], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_file(RunConfig(), tmp_path / "config.yaml")
    with pytest.raises(SystemExit) as caught:
        importlib.import_module("trainers.dapo").main(["--resume", str(tmp_path)])
    assert caught.value.code == 2
    assert capsys.readouterr().err == (
        f"error: --resume {tmp_path}: expected a run of dapo, got one of grpo; "
        f"go on with python -m trainers.grpo --resume {tmp_path}\n"
    )
    assert commands == []
    assert importlib.import_module("trainers.grpo").main(["--resume", str(tmp_path)]) == 7


def test_messages_and_help_name_the_program(
    commands: list[Command], capsys: pytest.CaptureFixture[str]
) -> None:
    for words, code in ((["--sead", "3"], 2), (["--help"], 0)):
        with pytest.raises(SystemExit) as caught:
            importlib.import_module("trainers.sapo").main(words)
        assert caught.value.code == code
    output = capsys.readouterr()
    assert output.err == "error: python -m trainers.sapo: unknown flag --sead; did you mean --seed?\n"
    assert output.out.startswith("usage: python -m trainers.sapo")


def test_other_names_are_not_found() -> None:
    assert importlib.util.find_spec("trainers.dappo") is None
    assert importlib.util.find_spec("trainers.config.dapo") is None
    assert importlib.util.find_spec("dapo") is None
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("trainers.dappo")


def test_a_copy_in_another_place_runs_its_own_file(tmp_path: Path) -> None:
    """As a wheel that is unpacked into site-packages."""
    source = Path(trainers.__file__).parent
    with zipfile.ZipFile(tmp_path / "wheel.zip", "w") as wheel:
        for path in source.rglob("*.py"):
            wheel.write(path, Path("trainers") / path.relative_to(source))
    with zipfile.ZipFile(tmp_path / "wheel.zip") as wheel:
        wheel.extractall(tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-c", "import trainers.dapo as module; print(module.__file__, module.ALGORITHM)"],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [str(tmp_path / "site" / "trainers" / "grpo.py"), "dapo"], done.stderr
    run = subprocess.run(
        [sys.executable, "-m", "trainers.gspo_token", "--sed", "3"],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (
        2,
        "error: python -m trainers.gspo_token: unknown flag --sed; did you mean --seed?\n",
    )


def test_the_first_line_comes_before_torch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "torch")
    cli.announce_loading()
    assert capsys.readouterr().out == "loading torch and the other libraries ...\n"
    monkeypatch.setenv("RANK", "1")
    cli.announce_loading()
    assert capsys.readouterr().out == ""


def test_the_list_of_programs() -> None:
    done = subprocess.run([sys.executable, "-m", "trainers"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 112
    for program in (
        "grpo",
        "sft",
        "evaluate",
        "expert_iteration",
        "progress",
        "database",
        "lifelong",
        "algorithms",
        "retrieval",
    ):
        assert sum(f"  trainers.{program} " in line for line in lines) == 1
    assert all(name in lines[-1] for name in NAMES)
