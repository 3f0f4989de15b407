"""The one-line message for a name that is not known, with the nearest known name."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any


def unknown_name(kind: str, got: str, known: Iterable[str]) -> str:
    """Say that `got` is no `kind`, suggest the nearest known name, and list them all.

    Args:
        kind: What the name should have been, e.g. `"reward"`.
        got: The name that was given.
        known: Every valid name.

    Returns:
        One line, e.g. `unknown reward 'shapd'; did you mean 'shaped'? (known: binary, shaped)`.
    """
    names = sorted(known)
    nearest = difflib.get_close_matches(got, names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"unknown {kind} {got!r}{hint} (known: {', '.join(names) or 'none'})"


def call_with_options(kind: str, factory: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Call `factory(**options)` after checking the option names against its signature.

    Args:
        kind: What is being made, for the message, e.g. `"reward 'shaped'"`.
        factory: A class or function taking keyword arguments.
        options: Keyword arguments from a user or a configuration file.

    Returns:
        What the factory returned.

    Raises:
        ValueError: An option that the factory does not take, or one that it needs is missing.
    """
    signature = inspect.signature(factory)
    parameters = signature.parameters
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in options:
        if not takes_any and name not in parameters:
            raise ValueError(unknown_name(f"option of {kind}:", name, parameters))
    try:
        signature.bind(**options)
    except TypeError as error:
        raise ValueError(f"{kind}: {error}") from None
    return factory(**options)
