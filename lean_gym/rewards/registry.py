"""Rewards by registered name, and user-defined ones by import path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lean_gym.errors import call_with_options, unknown_name
from lean_gym.rewards.base import FunctionReward, Reward, Transition
from lean_gym.rewards.binary import BinaryReward
from lean_gym.rewards.composite import CompositeReward
from lean_gym.rewards.difficulty import DifficultyReward
from lean_gym.rewards.domain import DomainReward
from lean_gym.rewards.efficiency import EfficiencyReward
from lean_gym.rewards.imported import imported
from lean_gym.rewards.llm_judge import JudgeReward
from lean_gym.rewards.shaped import ShapedReward

RewardFunction = Callable[[Transition], float | Mapping[str, float]]
RewardSource = str | Reward | RewardFunction


def _composite(parts: object, scale: float = 1.0) -> Reward:
    if not isinstance(parts, Mapping) or not all(isinstance(options, Mapping) for options in parts.values()):
        raise ValueError(f"parts: got {parts!r}, expected rewards with the options of each, {{}} for none")
    return CompositeReward([create_reward(name, **options) for name, options in parts.items()], scale)


_FACTORIES: Final[dict[str, Callable[..., RewardSource]]] = {
    "binary": BinaryReward,
    "shaped": ShapedReward,
    "difficulty": DifficultyReward,
    "domain": DomainReward,
    "efficiency": EfficiencyReward,
    "judge": JudgeReward,
    "composite": _composite,
}


def register_reward(name: str, factory: Callable[..., RewardSource]) -> None:
    """Make a reward available as `reward="name"`.

    Args:
        name: A name that is not taken.
        factory: Called with the user's `reward_options`; returns a `Reward` or a plain reward function.

    Raises:
        ValueError: The name is taken.
    """
    if name in _FACTORIES:
        raise ValueError(f"reward {name!r} is registered already; choose another name")
    _FACTORIES[name] = factory


def reward_names() -> tuple[str, ...]:
    """The registered names, sorted."""
    return tuple(sorted(_FACTORIES))


def create_reward(source: RewardSource, **options: Any) -> Reward:
    """Make a reward from a name, a reward or a function.

    Args:
        source: A registered name; the import path of your own as `package.module:name`; a `Reward`; or a function
            from `Transition` to a number or to named numbers.
        **options: Options of a named reward, e.g. `weight=0.5`: keyword arguments of a class, or those of a function
            besides the transition.

    Returns:
        The reward.

    Raises:
        ValueError: An unknown name or option, a path that cannot be imported, or options for something that is no
            name.
        TypeError: `source` is none of the three.
    """
    if isinstance(source, str):
        if ":" in source:
            return create_reward(imported(source, options))
        if source not in _FACTORIES:
            raise ValueError(unknown_name("reward", source, _FACTORIES))
        return create_reward(call_with_options(f"reward {source!r}", _FACTORIES[source], options))
    if options:
        raise ValueError(
            f"reward options {sorted(options)}: only a reward given by name takes options, got {source!r}"
        )
    if isinstance(source, type):
        raise TypeError(f"reward: got the class {source.__name__}, expected an instance of it")
    if isinstance(source, Reward):
        return source
    if callable(source):
        return FunctionReward(source)
    raise TypeError(
        f"reward: got {source!r}, expected a registered name, a Reward or a function of a Transition"
    )
