from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from trainers.config.files import from_mapping, merge, read_file, write_file
from trainers.config.run import RunConfig
from trainers.errors import ConfigError


def test_written_settings_read_back_as_they_were(tmp_path: Path) -> None:
    values = {"seed": 3, "run_dir": "x", "rollout": {"group_size": 4}, "algo": {"algo_config": {"beta": 0.5}}}
    config = from_mapping(RunConfig, values)
    write_file(config, tmp_path / "config.yaml")
    again = from_mapping(RunConfig, read_file(tmp_path / "config.yaml"))
    assert again == dataclasses.replace(config, run_dir=None)


def test_merge_goes_section_by_section_and_replaces_algorithm_settings() -> None:
    base = {"seed": 1, "rollout": {"group_size": 4, "max_steps": 5}, "algo": {"algo_config": {"beta": 1}}}
    over = {"rollout": {"max_steps": 6}, "algo": {"algo_config": {"epsilon": 0.1}}}
    assert merge(base, over) == {
        "seed": 1,
        "rollout": {"group_size": 4, "max_steps": 6},
        "algo": {"algo_config": {"epsilon": 0.1}},
    }


def test_numbers_as_yaml_writes_them(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("learner:\n  learning_rate: 1e-4\n  max_grad_norm: 1\n")
    config = from_mapping(RunConfig, read_file(tmp_path / "a.yaml"))
    assert config.learner.learning_rate == 1e-4
    assert config.learner.max_grad_norm == 1.0


def test_json_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"seed": 5}')
    assert from_mapping(RunConfig, read_file(tmp_path / "a.json")).seed == 5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read the settings file .*a.yaml: No such file or directory"),
        ("a: [", "cannot parse"),
        ("- 1", "expected a mapping of settings, got list"),
        ("# nothing\n", "expected a mapping of settings, got an empty file"),
    ],
)
def test_unusable_files_are_refused(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "a.yaml").write_text(content)
    with pytest.raises(ConfigError, match=message) as caught:
        read_file(tmp_path / "a.yaml")
    assert "\n" not in str(caught.value)
