"""Rewards by registered name, and user-defined ones by import path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lean_gym.errors import call_with_options, imported_name, unknown_name
from lean_gym.rewards.base import FunctionReward, Reward, Transition
from lean_gym.rewards.binary import BinaryReward
from lean_gym.rewards.composite import CompositeReward
from lean_gym.rewards.difficulty import DifficultyReward
from lean_gym.rewards.domain import DomainReward
from lean_gym.rewards.efficiency import EfficiencyReward
from lean_gym.rewards.first_error import FirstErrorReward
from lean_gym.rewards.imported import imported
from lean_gym.rewards.llm_judge import JudgeReward
from lean_gym.rewards.mixture import parse_mixture
from lean_gym.rewards.normalize import NormalizeReward
from lean_gym.rewards.novelty import NoveltyReward
from lean_gym.rewards.progress import Potential, ProgressModelReward
from lean_gym.rewards.shaped import ShapedReward
from lean_gym.rewards.step_cost import StepCostReward
from lean_gym.rewards.trajectory import TrajectoryReward

RewardFunction = Callable[[Transition], float | Mapping[str, float]]
RewardSource = str | Reward | RewardFunction


def _composite(parts: object, scale: float = 1.0) -> CompositeReward:
    if not isinstance(parts, Mapping) or not all(isinstance(options, Mapping) for options in parts.values()):
        raise ValueError(f"parts: got {parts!r}, expected rewards with the options of each, {{}} for none")
    return CompositeReward([create_reward(name, **options) for name, options in parts.items()], scale)


def _normalize(
    reward: RewardSource, low: float = 0.0, high: float = 1.0, options: Mapping[str, Any] | None = None
) -> NormalizeReward:
    return NormalizeReward(create_reward(reward, **(options or {})), low, high)


def _trajectory(
    function: str | Callable[[Transition], float],
    weight: float = 0.25,
    scale: float = 1.0,
) -> TrajectoryReward:
    found = imported(function, {}) if isinstance(function, str) else function
    return TrajectoryReward(found, weight, scale)


def _progress(
    potential: str | Potential,
    weight: float = 0.2,
    scale: float = 1.0,
    options: Mapping[str, Any] | None = None,
) -> ProgressModelReward:
    found = potential
    if isinstance(found, str):
        found = imported_name("potential", found)
        if isinstance(found, type):
            found = call_with_options(f"potential {potential!r}", found, options or {})
    return ProgressModelReward(found, weight, scale)


_FACTORIES: Final[dict[str, Callable[..., RewardSource]]] = {
    "binary": BinaryReward,
    "shaped": ShapedReward,
    "difficulty": DifficultyReward,
    "domain": DomainReward,
    "efficiency": EfficiencyReward,
    "judge": JudgeReward,
    "novelty": NoveltyReward,
    "step_cost": StepCostReward,
    "first_error": FirstErrorReward,
    "trajectory": _trajectory,
    "progress": _progress,
    "normalize": _normalize,
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


def reward_factory(name: str) -> Callable[..., RewardSource]:
    """The class or function of a registered name, which takes the options of the reward.

    Raises:
        ValueError: No reward has this name.
    """
    if name not in _FACTORIES:
        raise ValueError(unknown_name("reward", name, _FACTORIES))
    return _FACTORIES[name]


def create_reward(source: RewardSource, **options: Any) -> Reward:
    """Make a reward from a name, a mixture, a reward or a function.

    Args:
        source: A registered name; the import path of your own as `package.module:name`; several of them with their
            weights, as `novelty:0.3+efficiency:0.2`; a `Reward`; or a function from `Transition` to a number or to
            named numbers.
        **options: Options of a named reward, e.g. `weight=0.5`: keyword arguments of a class, or those of a function
            besides the transition.

    Returns:
        The reward.

    Raises:
        ValueError: An unknown name or option, a path that cannot be imported, a mixture that cannot be read, or options
            for something that is no name.
        ValueError: `source` is none of the three.
    """
    if isinstance(source, str):
        return _from_text(source, options)
    if options:
        raise ValueError(
            f"reward options {sorted(options)}: only a reward given by name takes options, got {source!r}"
        )
    if isinstance(source, type):
        raise ValueError(f"reward: got the class {source.__name__}, expected an instance of it")
    if isinstance(source, Reward):
        return source
    if callable(source):
        return FunctionReward(source)
    raise ValueError(
        f"reward: got {source!r}, expected a registered name, a Reward or a function of a Transition"
    )


def _from_text(text: str, options: Mapping[str, Any]) -> Reward:
    parts = parse_mixture(text, _FACTORIES)
    if len(parts) == 1 and parts[0].weight is None:
        return _named(parts[0].source, options)
    if options:
        raise ValueError(
            f"reward {text!r}: got options {sorted(options)} for a text with weights, expected one name; "
            "several rewards with options are the reward 'composite'"
        )
    rules = [_named(source, {} if weight is None else {"weight": weight}) for source, weight in parts]
    return rules[0] if len(rules) == 1 else CompositeReward(rules)


def _named(source: str, options: Mapping[str, Any]) -> Reward:
    if ":" in source:
        return create_reward(imported(source, options))
    return create_reward(call_with_options(f"reward {source!r}", reward_factory(source), options))
