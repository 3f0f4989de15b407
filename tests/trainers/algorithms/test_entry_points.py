"""The training program is started with each algorithm, and `python -m trainers` lists the programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trainers import grpo
from trainers.config import cli
from trainers.config.cli import Command
from trainers.config.files import write_file
from trainers.config.names import ALGORITHMS
from trainers.config.run import RunConfig
from trainers.policies.premises import Retriever
from trainers.run import session


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[Command]:
    """Record the command that training is started with."""
    started: list[Command] = []

    def train(command: Command, retriever: Retriever | None = None) -> int:
        started.append(command)
        return 7

    monkeypatch.setattr(session, "train", train)
    return started


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_flag_names_the_algorithm(commands: list[Command], name: str) -> None:
    assert grpo.main(["--algorithm", name, "--seed", "3"]) == 7
    assert [each.config for each in commands] == [RunConfig(seed=3, algo={"algorithm": name})]  # type: ignore[arg-type]


def test_a_run_that_goes_on_keeps_its_algorithm(commands: list[Command], tmp_path: Path) -> None:
    write_file(RunConfig(algo={"algorithm": "dapo"}), tmp_path / "config.yaml")  # type: ignore[arg-type]
    assert grpo.main(["--resume", str(tmp_path)]) == 7
    assert [each.config.algo.algorithm for each in commands] == ["dapo"]


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
    assert all(name in lines[-1] for name in ALGORITHMS)
