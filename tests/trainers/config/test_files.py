from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trainers.config.files import merge, read_file, write_file
from trainers.config.run import RunConfig
from trainers.errors import ConfigError


def test_written_settings_read_back_as_they_were(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "seed": 3,
        "run_dir": "x",
        "rollout": {"group_size": 4},
        "algo": {"algo_config": {"beta": 0.5}},
    }
    config = RunConfig(**values)
    write_file(config, tmp_path / "config.yaml")
    again = RunConfig(**read_file(tmp_path / "config.yaml"))
    assert again == config.model_copy(update={"run_dir": None})


@pytest.mark.parametrize("text", ["1e5", "1.0", "true", "null", "2024-01-01", "é: x", "1:30"])
def test_texts_that_look_like_something_else_stay_texts(tmp_path: Path, text: str) -> None:
    write_file(RunConfig(model=text), tmp_path / "config.yaml")
    assert RunConfig(**read_file(tmp_path / "config.yaml")).model == text


def test_merge_goes_section_by_section_and_replaces_algorithm_settings() -> None:
    base = {"seed": 1, "rollout": {"group_size": 4, "max_steps": 5}, "algo": {"algo_config": {"beta": 1}}}
    over = {"rollout": {"max_steps": 6}, "algo": {"algo_config": {"epsilon": 0.1}}}
    assert merge(base, over) == {
        "seed": 1,
        "rollout": {"group_size": 4, "max_steps": 6},
        "algo": {"algo_config": {"epsilon": 0.1}},
    }


def test_merge_keeps_what_is_no_section_for_validation_to_refuse() -> None:
    assert merge({"rollout": 3}, {"rollout": {"max_steps": 6}}) == {"rollout": 3}


def test_numbers_as_yaml_writes_them(tmp_path: Path) -> None:
    learner, options = "learning_rate: 1e-4, max_grad_norm: 1", "{cost: -2E+3, kind: 1e-4x}"
    (tmp_path / "a.yaml").write_text(f"learner: {{{learner}}}\nrollout: {{reward_options: {options}}}\n")
    config = RunConfig(**read_file(tmp_path / "a.yaml"))
    assert config.learner.learning_rate == 1e-4
    assert config.learner.max_grad_norm == 1.0
    assert config.rollout.reward_options == {"cost": -2000.0, "kind": "1e-4x"}


def test_json_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"seed": 5}')
    assert RunConfig(**read_file(tmp_path / "a.json")).seed == 5


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


@pytest.mark.parametrize("name", ["a\0b.yaml", "a" * 5000])
def test_a_name_that_no_file_can_have_is_one_line(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot read the settings file"):
        read_file(Path(name))


@pytest.mark.parametrize(("name", "text"), [("deep.json", "[" * 20_000), ("deep.yaml", "a: " + "[" * 3000)])
def test_deep_nesting_is_one_line(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot parse the settings file"):
        read_file(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("a.yaml", "seed: 1\nmodel: m\nseed: 2\n", "seed"),
        ("a.yaml", "rollout:\n  max_steps: 1\n  max_steps: 1\n", "max_steps"),
        ("a.json", '{"rollout": {"max_steps": 1, "max_steps": 2}}', "max_steps"),
    ],
)
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, name: str, text: str, key: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=f"cannot parse the settings file .*: the key '{key}' stands twice"):
        read_file(tmp_path / name)


def test_yaml_may_merge_mappings(tmp_path: Path) -> None:
    text = "rollout: &a {max_steps: 1, group_size: 4}\ntiny: {<<: *a, max_steps: 2}\n"
    (tmp_path / "a.yaml").write_text(text)
    assert read_file(tmp_path / "a.yaml")["tiny"] == {"max_steps": 2, "group_size": 4}
