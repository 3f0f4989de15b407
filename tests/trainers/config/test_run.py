from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from trainers.config.cli import sentences
from trainers.config.files import fields_of, from_mapping, read_file, section_of_field
from trainers.config.run import RunConfig, TinyConfig
from trainers.errors import ConfigError

CONFIGS = sorted((Path(__file__).parents[3] / "configs").glob("*.yaml"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seeed": 1}, "unknown setting seeed; did you mean 'seed'"),
        ({"rollout": {"grup_size": 1}}, r"unknown setting rollout.grup_size; did you mean 'group_size'"),
        ({"group_size": 4}, "it belongs under the section 'rollout'"),
        ({"rollout": 3}, "rollout: expected settings under this section, got 3"),
        ({"seed": "one"}, "seed: expected a whole number, got 'one'"),
        ({"seed": True}, "seed: expected a whole number, got True"),
        ({"seed": 1.5}, "seed: expected a whole number, got 1.5"),
        ({"seed": -1}, "seed: expected a number from 0"),
        ({"rollout": {"group_size": 1}}, "group_size: expected at least 2, got 1"),
        ({"rollout": {"prompt_template": "x"}}, "with {goals} in it"),
        ({"learner": {"learning_rate": "fast"}}, "learning_rate: expected a number, got 'fast'"),
        ({"evaluation": {"held_out": "train"}}, "held_out: expected 'test' or 'validation', got 'train'"),
        ({"evaluation": {"eval_samples": 4}}, "eval_samples: expected at least 8, got 4"),
        ({"algo": {"algo_config": {"group_size": 4}}}, "no group_size in it"),
        ({"tiny": {"hidden_size": 30}}, "hidden_size: expected an even multiple of attention_heads"),
    ],
)
def test_wrong_values_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        from_mapping(RunConfig, values)


def test_field_names_are_unique_over_sections() -> None:
    sections = [kind for _, kind in fields_of(RunConfig) if dataclasses.is_dataclass(kind)]
    count = sum(len(dataclasses.fields(section)) for section in sections)  # type: ignore[arg-type]
    assert len(section_of_field(RunConfig)) == count + len(dataclasses.fields(RunConfig)) - len(sections)


def test_every_field_has_its_sentence() -> None:
    parts = [kind for _, kind in fields_of(RunConfig) if dataclasses.is_dataclass(kind)]
    explained = {name: text for part in (RunConfig, *parts) for name, text in sentences(part).items()}
    assert all(explained[name].endswith(".") for name in section_of_field(RunConfig))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_shipped_files_load(path: Path) -> None:
    assert from_mapping(RunConfig, read_file(path)) != RunConfig()


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        TinyConfig().layers = 2  # type: ignore[misc]
