"""Registered rewards in words: purpose, options and documentation, read from the rules themselves."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

from lean_gym.rewards.registry import reward_factory


@dataclass(frozen=True, slots=True)
class RewardOption:
    """An option of a reward.

    Attributes:
        name: Its name.
        type: Its annotation, as the source has it.
        default: Its default as Python source, `None` where it has to be given.
    """

    name: str
    type: str
    default: str | None


@dataclass(frozen=True, slots=True)
class RewardOverview:
    """A registered reward.

    Attributes:
        name: Its name.
        purpose: The first line of its documentation.
        options: What `reward_options` may hold.
        text: The documentation: of its module, then of its class.
    """

    name: str
    purpose: str
    options: tuple[RewardOption, ...]
    text: str


def reward_overview(name: str) -> RewardOverview:
    """Describe a registered reward.

    Raises:
        ValueError: No reward has this name.
    """
    factory = reward_factory(name)
    kind = _made_by(factory)
    # A field whose default is made anew for each reward, such as an empty mapping.
    made = {each.name: each.default_factory for each in fields(kind)} if is_dataclass(kind) else {}
    options = []
    for parameter in inspect.signature(factory).parameters.values():
        default, annotation = parameter.default, parameter.annotation
        fresh = made.get(parameter.name, MISSING)
        shown = None if default is parameter.empty else repr(default if fresh is MISSING else fresh())
        typed = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        options.append(RewardOption(parameter.name, typed, shown))
    text = _documentation(factory, kind)
    return RewardOverview(name, text.partition("\n")[0], tuple(options), text)


def _made_by(factory: Callable[..., Any]) -> Any:
    """Return the class that a factory makes instances of: itself, or the result that it declares."""
    if isinstance(factory, type):
        return factory
    return inspect.signature(factory, eval_str=True).return_annotation


def _documentation(factory: Callable[..., Any], kind: Any) -> str:
    if not is_dataclass(kind):
        return inspect.getdoc(factory) or ""
    rule: Any = kind
    texts = inspect.getdoc(sys.modules[rule.__module__]), inspect.getdoc(rule)
    return "\n\n".join(text for text in texts if text)
