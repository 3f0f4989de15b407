"""`python -m trainers.NAME` is `python -m trainers.grpo` with another default."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import pytest

from trainers import grpo
from trainers.config.command_line import parse

NAMES = ["dr_grpo", "dapo", "gspo", "dgpo", "cispo", "rloo", "reinforce_pp", "gmpo", "sapo"]


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What `trainers.grpo.main` is called with."""
    calls: list[list[str]] = []

    def main(arguments: Sequence[str]) -> int:
        calls.append(list(arguments))
        return 7

    monkeypatch.setattr(grpo, "main", main)
    return calls


@pytest.mark.parametrize("name", NAMES)
def test_the_algorithm_is_the_default(received: list[list[str]], name: str) -> None:
    main = importlib.import_module(f"trainers.{name}").main
    assert main(["--seed", "3"]) == 7
    algo = parse(received[0], "test", "").config.algo
    assert (algo.algorithm, received[0][-2:]) == (name, ["--seed", "3"])
    main(["--algorithm", "gspo_token"])
    assert parse(received[1], "test", "").config.algo.algorithm == "gspo_token"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("words", [["--resume", "runs/1"], ["--resume=runs/1", "--max-iterations", "9"]])
def test_a_resumed_run_keeps_its_own(received: list[list[str]], name: str, words: list[str]) -> None:
    importlib.import_module(f"trainers.{name}").main(words)
    assert received == [words]


@pytest.mark.parametrize("name", NAMES)
def test_words_come_from_the_command_line(
    received: list[list[str]], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [name, "--seed", "5"])
    importlib.import_module(f"trainers.{name}").main()
    assert received == [["--algorithm", name, "--seed", "5"]]
