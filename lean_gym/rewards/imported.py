"""User-defined rewards by import path, for command lines and configuration files."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Mapping
from typing import Any

from lean_gym.errors import call_with_options, unknown_name
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
    module_name, _, name = path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # the import of a user's module may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"reward {path!r}: cannot import {module_name!r}: {reason}") from error
    if name not in vars(module):
        public = [known for known in vars(module) if not known.startswith("_")]
        raise ValueError(unknown_name(f"name in {module_name}:", name, public))
    found, kind = vars(module)[name], f"reward {path!r}"
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
