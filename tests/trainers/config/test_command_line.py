from __future__ import annotations

from pathlib import Path

import pytest

from trainers.config.command_line import Command, parse
from trainers.config.files import write_file
from trainers.config.run import RunConfig
from trainers.errors import ConfigError


def parsed(*words: str) -> Command:
    return parse(words, "train", "Train.")


def test_defaults() -> None:
    assert parsed() == Command(RunConfig())


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
    assert (config.env, config.run_dir, config.seed, config.max_iterations) == ("E", "D", 2, 3)
    assert (config.theorems, config.model, config.backend, config.workers) == ("T", "M", "minilean", 4)


def test_algorithm_settings_as_json() -> None:
    assert parsed("--algo-config", '{"beta": 0.5}').config.algo.algo_config == {"beta": 0.5}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-iteration", "3"], "unknown flag --max-iteration; did you mean --max-iterations?"),
        (["--qqqq"], "unknown flag --qqqq; see --help"),
        (["--seed", "x"], "argument --seed: invalid int value: 'x'"),
        (["--held-out", "train"], "argument --held-out: invalid choice: 'train'"),
        (["--algo-config", "[1]"], "expected a JSON object, got '[1]'"),
        (["--algo-config", "{"], "expected a JSON object, got '{'"),
    ],
)
def test_wrong_flags_end_with_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parsed(*words)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_help_names_every_section_and_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parsed("--help")
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
