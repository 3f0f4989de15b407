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

`refuse_fork`, `nearest_name`, `unknown_name`, `mathlib_hint`, `call_with_options` and `imported_name` word the
messages of misuse.
Misuse of the API raises plain `ValueError` or `TypeError` whose text says what, got, expected, what to do.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

_MOST_SHOWN: Final = 200
_OF_MATHLIB: Final = re.compile(r"[ℕℤℚℝℂ]|\b(?:Real|Complex|Finset)\b")


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


class NoMemoryLeft(BackendUnavailable):
    """A process of the backend was not started, as the memory that is left does not hold it."""


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


def nearest_name(got: str, known: Iterable[str]) -> str | None:
    """Return the known name that `got` is a slip of, if there is one.

    A slip is one wrong, missing, additional or exchanged letter in every three, and in two. Upper and lower case are
    the same, and so are `-` and `_`. The beginning of a name, at least three letters, is a slip of it as well.

    Args:
        got: The name that was given.
        known: Every valid name; of those that are equally near, one with all the letters of `got` in their order wins,
            as letters are left out more often than mistaken, and then the first.
    """
    if not got or len(got) > _MOST_SHOWN:
        return None
    wanted, names = _folded(got), list(known)
    apart = {name: _slips(wanted, _folded(name)) for name in names if abs(len(name) - len(got)) < len(got)}
    best = min(apart, key=lambda name: (apart[name], not _leaves_out(wanted, _folded(name))), default=None)
    if best is not None and apart[best] <= max(len(wanted) > 1, len(wanted) // 3):
        return best
    begun = [name for name in names if len(wanted) >= 3 and _folded(name).startswith(wanted)]
    return min(begun, key=len, default=None)


def _folded(name: str) -> str:
    return name.strip("-").replace("-", "_").casefold()


def _leaves_out(got: str, name: str) -> bool:
    """Return whether `got` is the name without some of its letters."""
    letters = iter(name)
    return all(letter in letters for letter in got)


def _slips(got: str, name: str) -> int:
    """Return the optimal string alignment distance: Levenshtein's with exchanged neighbours as one slip."""
    before: list[int] = []
    above = list(range(len(name) + 1))
    for row, letter in enumerate(got, start=1):
        here = [row]
        for column, other in enumerate(name, start=1):
            least = min(above[column] + 1, here[-1] + 1, above[column - 1] + (letter != other))
            if row > 1 and column > 1 and (letter, other) == (name[column - 2], got[row - 2]):
                least = min(least, before[column - 2] + 1)
            here.append(least)
        before, above = above, here
    return above[-1]


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
    nearest = nearest_name(got, names)
    hint = f"; did you mean {nearest!r}?" if nearest else ""
    return f"unknown {kind} {excerpt(got)}{hint} (known: {', '.join(names) or 'none'})"


def mathlib_hint(text: str) -> str:
    """Return what a statement with names of Mathlib needs; `""` where it has none.

    Args:
        text: The statement, or the names in it that nothing declares.
    """
    names = list(dict.fromkeys(_OF_MATHLIB.findall(text)))
    if not names:
        return ""
    verb = "needs" if len(names) == 1 else "need"
    return f"{', '.join(names)} {verb} Mathlib: backend='pantograph', imports=['Mathlib']"


def call_with_options(
    kind: str, factory: Callable[..., Any], options: Mapping[str, Any], beside: Iterable[str] = ()
) -> Any:
    """Call `factory(**options)` after checking the option names against its signature.

    Args:
        kind: What is being made, for the message, e.g. `"reward 'shaped'"`.
        factory: A class or function taking keyword arguments.
        options: Keyword arguments from a user or a configuration file.
        beside: Further names that the user may have meant, as arguments that stand beside the options.

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
            raise ValueError(unknown_name(f"option of {kind}:", name, {*parameters, *beside}))
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
