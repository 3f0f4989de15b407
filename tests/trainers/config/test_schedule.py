from __future__ import annotations

import re
from typing import Any

import pytest

from trainers.config.rollout import RolloutConfig
from trainers.errors import ConfigError


def test_text_and_mapping_are_the_same() -> None:
    text = RolloutConfig(reward_schedule="0:novelty:0.3+efficiency:0.2, 30:binary")
    mapping: Any = {0: "novelty:0.3+efficiency:0.2", 30: "binary"}
    for settings in (text, RolloutConfig(reward_schedule=mapping)):
        names = [settings.reward_at(number)[0] for number in (0, 29, 30, 1000)]
        assert names == ["novelty:0.3+efficiency:0.2"] * 2 + ["binary"] * 2


def test_before_the_first_entry_the_reward_holds() -> None:
    settings = RolloutConfig(reward="shaped", reward_options={"weight": 0.1}, reward_schedule="5:binary")
    assert settings.reward_at(4) == ("shaped", {"weight": 0.1})
    assert settings.reward_at(5) == ("binary", {})
    assert RolloutConfig().reward_at(7) == ("binary", {})


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ("novelty", "got the entry 'novelty'"),
        ("0:novelty,", "got the entry ''"),
        ("0:", "got the entry '0:'"),
        ("-1:novelty", "got the entry '-1:novelty'"),
        ("1.5:novelty", "got the entry '1.5:novelty'"),
        ("3:novelty,3:binary", "expected ascending iterations, got 3 after 3"),
        ({0: 3}, "got the reward 3"),
        ({0: "novelty,binary"}, "got the reward 'novelty,binary'"),
        (7, "got 7"),
    ],
)
def test_what_is_malformed_is_refused_in_one_line(schedule: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        RolloutConfig(reward_schedule=schedule)
    assert str(caught.value).startswith("reward_schedule: ")
    assert "\n" not in str(caught.value)


def test_options_without_a_reward_to_apply_to_are_refused() -> None:
    with pytest.raises(ConfigError, match="reward_schedule: expected no iteration 0 beside reward_options"):
        RolloutConfig(reward="shaped", reward_options={"weight": 0.1}, reward_schedule="0:binary")
