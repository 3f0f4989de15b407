"""User-defined rewards by import path, for command lines and configuration files."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any

from lean_gym.errors import call_with_options, imported_name, unknown_name
from lean_gym.rewards.base import Reward


def imported(path: str, options: Mapping[str, Any]) -> Any:
    """Import a reward.

    Args:
        path: `package.module:name` of a `Reward`, of a class that makes one, or of a function of a `Transition`.
        options: Keyword arguments of the class, or of the function besides the transition.

    Returns:
        What `create_reward` takes.

    Raises:
        ValueError: Nothing can be imported from there, or an option is unknown or missing.
    """
    found, kind = imported_name("reward", path), f"reward {path!r}"
    if isinstance(found, type):
        return call_with_options(kind, found, options)
    if not options or isinstance(found, Reward) or not callable(found):
        if options:
            raise ValueError(
                f"{kind}: expected no options, got {sorted(options)}; it is no class and no function"
            )
        return found
    known = list(inspect.signature(found).parameters)[1:]
    for option in options:
        if option not in known:
            raise ValueError(unknown_name(f"option of {kind}:", option, known))
    return functools.partial(found, **options)
