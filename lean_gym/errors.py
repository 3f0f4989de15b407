"""The exceptions of lean_gym.

    LeanGymError
    ├── DataError (also ValueError)      a theorem, row or file is not usable: names file, line and field
    ├── RewardError (also ValueError)    a reward failed, or gave something that is no finite number
    └── BackendError                     the prover itself failed; a failing tactic is never an exception
        ├── BackendUnavailable           the backend is not installed or did not start
        │   └── BackendOutdated          the backend is older than the versions that are supported
        ├── BackendCrashed               the process died or closed its pipe
        │   ├── BackendKilled            somebody else killed or stopped the process, by no fault of the request
        │   ├── BackendOutOfMemory       (also MemoryError) the process needed more memory than it may have
        │   └── StateLost                the process of a state died before, by no fault of the request
        ├── BackendTimeout               the deadline passed and the backend had to be stopped
        └── ProtocolError                an answer that cannot be understood

`refuse_fork`, `unknown_name`, `call_with_options` and `imported_name` word the messages of misuse.
Misuse of the API raises plain `ValueError` or `TypeError` whose text says what, got, expected, what to do.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

_MOST_SHOWN: Final = 200


class LeanGymError(Exception):
    """Base of every exception that lean_gym defines."""


class DataError(LeanGymError, ValueError):
    """A theorem, a row or a file that cannot be used, e.g. a statement that does not elaborate."""


class RewardError(LeanGymError, ValueError):
    """A reward failed on a step, or gave something that is no finite number."""


class BackendError(LeanGymError):
    """The prover failed, as opposed to the tactic.

    Attributes:
        backend_usable: Whether the backend replaces by itself what it lost. It can be asked again then, while states
            that it returned before may be lost.
    """

    backend_usable: bool = False


class BackendUnavailable(BackendError):
    """The backend is not installed or did not start; the text says what to install or run."""


class BackendOutdated(BackendUnavailable):
    """The backend is older than the versions that are supported; the text says which is expected."""


class BackendCrashed(BackendError):
    """The prover's process died or closed its pipe."""


class BackendKilled(BackendCrashed):
    """Somebody else killed or stopped the process; the request that it worked on is not to blame."""


class BackendOutOfMemory(BackendCrashed, MemoryError):
    """The process needed more memory than it may have, and was ended."""


class StateLost(BackendCrashed):
    """The process of a state has ended before the request, which is not to blame for it."""


class BackendTimeout(BackendError):
    """The deadline passed and the prover had to be stopped."""


class ProtocolError(BackendError):
    """The prover's answer has a shape that this version does not know."""


def refuse_fork(owner: int) -> None:
    """Refuse to use a prover's pipes in a forked copy of the process that opened them.

    Two processes on one pipe would take each other's answers.

    Args:
        owner: Id of that process.

    Raises:
        RuntimeError: This process is a fork of it.
    """
    if os.getpid() != owner:
        raise RuntimeError(
            f"this environment belongs to process {owner}, of which this one is a fork; make a new environment here"
        )


def excerpt(value: object) -> str:
    """Return a value as a message shows it: its `repr`, of which the middle is left out where it is long."""
    try:
        text = repr(value)
    except Exception as error:  # a user's class may raise anything, and so do integers of over 4,300 digits
        text = f"<{type(value).__name__} that has no text: {error}>"
    cut = len(text) - _MOST_SHOWN
    return text if cut <= 0 else f"{text[: _MOST_SHOWN // 2]} ... {text[-_MOST_SHOWN // 2 :]}"


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
    nearest = difflib.get_close_matches(got, names, n=1) if len(got) <= _MOST_SHOWN else []
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"unknown {kind} {excerpt(got)}{hint} (known: {', '.join(names) or 'none'})"


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


def imported_name(kind: str, path: str) -> Any:
    """Import what a user names by `package.module:name`.

    Args:
        kind: What it is, for the message, e.g. `"reward"`.
        path: The import path.

    Returns:
        The object of that name in the module.

    Raises:
        ValueError: The module cannot be imported, or has no such name.
    """
    module_name, _, name = path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # the import of a user's module may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{kind} {path!r}: cannot import {module_name!r}: {reason}") from error
    if name not in vars(module):
        public = [known for known in vars(module) if not known.startswith("_")]
        raise ValueError(unknown_name(f"name in {module_name}:", name, public))
    return vars(module)[name]
