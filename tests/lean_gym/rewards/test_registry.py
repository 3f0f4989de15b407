import re
from pathlib import Path

import pytest

from lean_gym.rewards import (
    BinaryReward,
    FunctionReward,
    ShapedReward,
    create_reward,
    register_reward,
    reward_names,
)
from lean_gym.rewards.registry import _FACTORIES


def test_names_and_options():
    assert {"binary", "shaped"} <= set(reward_names())
    assert create_reward("binary") == BinaryReward()
    assert create_reward("shaped", weight=0.5, gamma=0.9) == ShapedReward(weight=0.5, gamma=0.9)


def test_unknown_names_and_options_suggest():
    with pytest.raises(ValueError, match=r"unknown reward 'shapd'; did you mean 'shaped'\?"):
        create_reward("shapd")
    with pytest.raises(
        ValueError, match=r"unknown option of reward 'shaped': 'gama'; did you mean 'gamma'\?"
    ):
        create_reward("shaped", gama=1.0)


def test_a_function_and_a_reward_are_taken_as_they_are():
    def mine(transition):
        return 1.0

    assert create_reward(mine) == FunctionReward(mine)
    reward = ShapedReward()
    assert create_reward(reward) is reward


def test_what_is_no_reward_is_refused():
    with pytest.raises(ValueError, match="got the class BinaryReward, expected an instance"):
        create_reward(BinaryReward)
    with pytest.raises(ValueError, match="reward: got 7"):
        create_reward(7)
    with pytest.raises(ValueError, match="only a reward given by name takes options"):
        create_reward(lambda transition: 0.0, weight=1.0)


def test_register(monkeypatch):
    monkeypatch.setattr("lean_gym.rewards.registry._FACTORIES", dict(_FACTORIES))
    register_reward("length", lambda cost=0.1: lambda transition: -cost)
    reward = create_reward("length", cost=0.5)
    assert isinstance(reward, FunctionReward)
    assert reward.function(None) == -0.5
    with pytest.raises(ValueError, match="reward 'length' is registered already"):
        register_reward("length", BinaryReward)


def test_the_documentation_has_every_reward_in_both_tables():
    text = (Path(__file__).parents[3] / "docs" / "lean_gym" / "rewards.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE)
    assert sorted(named) == sorted([*reward_names(), *reward_names()])
