from __future__ import annotations

from pathlib import Path

import pytest

from trainers.config.cli import Command, read_command
from trainers.config.files import write_file
from trainers.config.run import RunConfig
from trainers.errors import ConfigError


def parsed(*words: str) -> Command:
    return read_command(words, "train", "Train.", lambda config: 40)


def test_a_wrong_backend_is_known_before_torch_is_loaded() -> None:
    with pytest.raises(
        ConfigError, match=r"^--backend: unknown backend 'minilaen'; did you mean 'minilean'\?"
    ):
        parsed("--backend", "minilaen")


def test_defaults() -> None:
    assert parsed() == Command(RunConfig(), program="train")


def test_flags_win_over_the_file_and_the_file_over_defaults(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("seed: 7\nmax_iterations: 3\nrollout: {group_size: 4, max_steps: 5}\n")
    config = parsed("--config", str(path), "--seed", "8", "--max-steps", "6").config
    assert (config.seed, config.max_iterations) == (8, 3)
    assert (config.rollout.group_size, config.rollout.max_steps) == (4, 6)
    assert config.rollout.temperature == RunConfig().rollout.temperature


def test_flags_that_scripts_rely_on() -> None:
    words = "--env E --run-dir D --seed 2 --max-iterations 3 --theorems T --model M --backend minilean --workers 4"
    config = parsed(*words.split()).config
    assert (config.env.id, config.run_dir, config.seed, config.max_iterations) == ("E", "D", 2, 3)
    assert (config.theorems, config.model, config.backend, config.workers) == ("T", "M", "minilean", 4)


def test_algorithm_settings_as_json() -> None:
    assert parsed("--algo-config", '{"beta": 0.5}').config.algo.algo_config == {"beta": 0.5}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-iteration", "3"], "unknown flag --max-iteration; did you mean --max-iterations?"),
        (["--qqqq"], "unknown flag --qqqq; see --help"),
        (["--k", "1"], "unknown flag --k; python -m trainers.evaluate has it"),
    ],
)
def test_unknown_flags_end_with_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parsed(*words)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seed", "x"], "--seed: expected a whole number from 0 to 4294967295, got 'x'"),
        (["--seed", "1.5"], "--seed: expected a whole number from 0 to 4294967295, got '1.5'"),
        (["--temperature", "0"], "--temperature: expected a number above 0, got 0.0"),
        (["--temperature", "nan"], "--temperature: expected a finite number above 0, got nan"),
        (["--top-p", "0"], "--top-p: expected a number above 0 and at most 1, got 0.0"),
        (["--top-p", "1.1"], "--top-p: expected a number above 0 and at most 1, got 1.1"),
        (["--held-out", "train"], "--held-out: expected one of test, validation, got 'train'"),
        (["--algo-config", "[1]"], "--algo-config: expected a mapping, got [1]"),
        (["--algo-config", "{"], "--algo-config: expected a mapping, got '{'"),
        (["--algorithm", "dappo"], "--algorithm: unknown algorithm 'dappo'; did you mean 'dapo'?"),
        (
            ["--rollout", "tree", "--branch-size", "7"],
            "--branch-size: expected at most group_size - 2 (6), got 7",
        ),
        (
            ["--rollout", "tree", "--group-size", "4"],
            "rollout.branch_size: expected at most group_size - 2 (2), got 4",
        ),
    ],
)
def test_wrong_values_name_their_flag(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(*words)
    assert str(caught.value) == message


def test_wrong_values_in_a_file_name_the_file_and_the_section(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("rollout: {group_size: 1}\n")
    with pytest.raises(ConfigError) as caught:
        parsed("--config", str(path), "--seed", "3")
    assert str(caught.value) == f"{path}: rollout.group_size: expected a whole number at least 2, got 1"
    assert parsed("--config", str(path), "--group-size", "2").config.rollout.group_size == 2


def test_help_names_every_section_and_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parsed("--help-all")
    assert caught.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "--group-size N Episodes per theorem, at least 2. [8]" in text
    assert "Measuring on theorems that are never trained on." in text


def test_resume_takes_the_stored_settings(tmp_path: Path) -> None:
    write_file(RunConfig(seed=9), tmp_path / "config.yaml")
    command = parsed("--resume", str(tmp_path), "--max-iterations", "5")
    assert command.resume == tmp_path
    assert command.config == RunConfig(seed=9, max_iterations=5, run_dir=str(tmp_path))


def test_resume_refuses_other_settings(tmp_path: Path) -> None:
    write_file(RunConfig(), tmp_path / "config.yaml")
    with pytest.raises(ConfigError, match=r"drop --seed \(may change: --max-iterations"):
        parsed("--resume", str(tmp_path), "--seed", "1")
    with pytest.raises(ConfigError, match="drop --config"):
        parsed("--resume", str(tmp_path), "--config", "x.yaml")
    with pytest.raises(ConfigError, match="no run to go on with"):
        parsed("--resume", str(tmp_path / "missing"))
