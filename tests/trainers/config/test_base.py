from __future__ import annotations

import copy
import pickle
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from trainers.config.base import Count, Fraction, Positive, Settings, Share, allowed_values
from trainers.config.env import EnvConfig
from trainers.config.rollout import RolloutConfig
from trainers.config.run import RunConfig, TinyConfig
from trainers.config.tasks import EvaluateConfig, ExpertIterationConfig, SftConfig
from trainers.errors import ConfigError


def test_equal_settings_are_equal() -> None:
    assert RunConfig() == RunConfig(seed=0, rollout=RolloutConfig(), tiny=TinyConfig(layers=2))
    assert RunConfig() != RunConfig(seed=1)
    assert RunConfig(rollout={"max_steps": 5}) == RunConfig(rollout=RolloutConfig(max_steps=5))  # type: ignore[arg-type]


def test_settings_are_frozen() -> None:
    settings = TinyConfig()
    with pytest.raises(ValidationError, match="frozen"):
        settings.layers = 2
    assert settings == TinyConfig()


def test_numbers_may_be_whole_and_nothing_else_is_turned_into_another_type() -> None:
    temperature = RolloutConfig(temperature=2).temperature
    assert (temperature, type(temperature)) == (2.0, float)
    values: list[dict[str, Any]] = [{"temperature": "2"}, {"max_steps": 2.0}, {"temperature": True}]
    for wrong in [*values, {"reward": b"x"}, {"reward": None}]:
        with pytest.raises(ConfigError):
            RolloutConfig(**wrong)


def test_a_tuple_serves_as_a_list_and_as_nothing_else() -> None:
    assert RolloutConfig(stop=("a", "b")).stop == ["a", "b"]  # type: ignore[arg-type]
    assert EnvConfig(permitted_axioms=()).permitted_axioms == []  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^seed: expected a whole number"):
        RunConfig(seed=(1,))  # type: ignore[arg-type]


def test_a_copy_is_checked_like_any_other() -> None:
    settings = RunConfig(seed=3)
    assert settings.model_copy() == settings
    assert settings.model_copy(update={"seed": 4, "run_dir": "x"}) == RunConfig(seed=4, run_dir="x")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"seed": -1}, "seed: expected a whole number from 0 to 4294967295, got -1"),
        ({"seeed": 1}, "unknown setting seeed; did you mean 'seed'?"),
        (
            {"engine": "vllm", "learner": {"lora": "r=4", "load_in_4bit": True}, "model": "m"},
            "engine: expected",
        ),
    ]
    for update, message in wrong:
        with pytest.raises(ConfigError) as caught:
            settings.model_copy(update=update)
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "settings", [RunConfig(seed=3), SftConfig(epochs=2), ExpertIterationConfig(), EvaluateConfig(policy="p")]
)
def test_settings_survive_pickling_and_their_own_values(settings: Settings) -> None:
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert copy.deepcopy(settings) == settings
    assert type(settings)(**settings.model_dump()) == settings


def test_defaults_are_not_shared() -> None:
    RunConfig().rollout.reward_options["cost"] = 1
    RolloutConfig().reward_options["cost"] = 1
    assert RunConfig().rollout.reward_options == RolloutConfig().reward_options == {}


def test_the_values_of_a_field_in_words() -> None:
    class Words(Settings):
        a: bool
        b: Count | None
        c: Fraction
        d: Share
        e: Positive
        f: Literal["x", "y"]
        g: str | None
        h: dict[str, Any]

    assert list(allowed_values(Words).values()) == [
        "true or false",
        "a whole number at least 1, or null",
        "a number between 0 and 1",
        "a number from 0 to 1",
        "a number above 0",
        "one of x, y",
        "a text, or null",
        "a mapping",
    ]
    with pytest.raises(ConfigError, match=r"^a: expected true or false, got nothing$"):
        Words()  # type: ignore[call-arg]
