"""Rewards in words: every registered one, built in or the user's."""

from __future__ import annotations

from dataclasses import fields

import pytest

from lean_gym.rewards import DomainReward, JudgeReward, TrajectoryReward, register_reward, reward_names
from lean_gym.rewards.overview import RewardOption, reward_overview
from lean_gym.rewards.registry import _FACTORIES


@pytest.mark.parametrize("name", reward_names())
def test_every_reward_is_described(name: str) -> None:
    found = reward_overview(name)
    assert found.name == name
    assert found.purpose.endswith(".") or ":" in found.purpose
    assert 20 < len(found.purpose) <= 120
    assert found.text.startswith(found.purpose)
    assert "Attributes:" in found.text


def test_options_are_those_of_the_constructor() -> None:
    assert reward_overview("domain").options == (
        RewardOption("weights", "Mapping[str, float]", "{}"),
        RewardOption("other", "float", "1.0"),
        RewardOption("scale", "float", "1.0"),
    )
    given = {option.name: option.default for option in reward_overview("judge").options}
    assert list(given) == [each.name for each in fields(JudgeReward) if each.init]
    assert (given["url"], given["weight"]) == (None, "0.1")
    assert DomainReward().weights == {}


def test_a_function_that_makes_a_rule_has_the_documentation_of_the_rule() -> None:
    found = reward_overview("trajectory")
    assert TrajectoryReward.__doc__ is not None
    assert TrajectoryReward.__doc__.partition("\n")[0] in found.text
    assert found.options[0] == RewardOption("function", "str | Callable[[Transition], float]", None)


def test_a_reward_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lean_gym.rewards.registry._FACTORIES", dict(_FACTORIES))

    def length(cost: float = 0.1):  # type: ignore[no-untyped-def]
        """Every tactic costs the same."""
        return lambda transition: -cost

    register_reward("length", length)
    register_reward("nameless", lambda: lambda transition: 0.0)
    found = reward_overview("length")
    assert (found.purpose, found.options[0].default) == ("Every tactic costs the same.", "0.1")
    assert reward_overview("nameless").purpose == ""


def test_an_unknown_name() -> None:
    with pytest.raises(ValueError, match="unknown reward 'noveltie'; did you mean 'novelty'"):
        reward_overview("noveltie")
