"""Names that refer to nothing although a file may expect them.

Names of core that the library does not declare (`core_names.txt`) are refused as unsupported, neither auto-bound nor
called unknown. Names whose declaration was refused are not auto-bound either, and messages say where that was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from minilean.elab.names import Scope, resolve_exact
from minilean.elab.no_confusion import WORDS, has_no_confusion
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import LeanEnv


def _read() -> frozenset[str]:
    """Return the full names of the data file: lines of a namespace, `-` for none, and the names in it."""
    found = set()
    for line in Path(__file__).with_name("core_names.txt").read_text(encoding="utf-8").splitlines():
        space, _, names = line.partition(": ")
        found |= {name if space == "-" else f"{space}.{name}" for name in names.split()}
    return frozenset(found)


_CORE = _read()
_MISSING = re.compile(r"(?:Unknown (?:identifier|constant)|unknown namespace|does not contain) `([^`\n]+)`")


def unknown(env: LeanEnv, scope: Scope, name: str, otherwise: str | None = None) -> MetaError:
    """Return the error for a name that refers to nothing.

    Args:
        env: The declarations.
        scope: The place of the name: it may stand in the current namespaces and in the open ones.
        name: The name as it is written.
        otherwise: Lean's message for names that core has not either, if it is not that of an unknown identifier.
    """
    full = _core_name(env, scope, name)
    if full is not None:
        return UnsupportedError(f"{full} is not in minilean's library")
    base, _, word = name.rpartition(".")
    type_name = resolve_exact(env, scope, base) if word in WORDS and base else None
    if type_name is not None and has_no_confusion(env, type_name):
        # a command that mentions it makes it
        return UnsupportedError(f"`{type_name}.{word}` in a tactic step by itself")
    return MetaError(otherwise or f"Unknown identifier `{name}`")


def _core_name(env: LeanEnv, scope: Scope, name: str) -> str | None:
    """Return the full name of core that a dotted name, or its beginning, stands for and that nothing declares."""
    for full, whole in _readings(scope, name, _MOST_PARTS):
        if (
            full in _CORE
            and env.find(full) is None
            and full not in env.refused
            and full not in env.namespaces
        ):
            # what follows a namespace of core is a name of core as well
            return name.removeprefix("_root_.") if "." not in full and not whole else full
    return None


def _most_parts(names: Iterable[str]) -> int:
    return max(name.count(".") for name in names) + 1


_MOST_PARTS = _most_parts(_CORE)


def _readings(scope: Scope, name: str, most: int) -> Iterator[tuple[str, bool]]:
    """Yield the full names that a dotted name and its beginnings may stand for, and whether nothing follows them.

    Beginnings of more than `most` parts are left out: all of a long name's would be a text of the square of its length.
    """
    parts = name.removeprefix("_root_.").split(".")
    around = scope.namespace.split(".") if scope.namespace else []
    spaces = [".".join(around[:count]) for count in range(len(around), 0, -1)]
    for cut in range(min(len(parts), most), 0, -1):
        head, whole = ".".join(parts[:cut]), cut == len(parts)
        yield from ((f"{space}.{head}", whole) for space in spaces)
        yield head, whole
        yield from ((f"{space}.{head}", whole) for space in scope.opened)


def refused_name(env: LeanEnv, scope: Scope, name: str) -> str | None:
    """Return the full name of the refused declaration that a dotted name, or its beginning, stands for."""
    if not env.refused:
        return None
    readings = (full for full, _ in _readings(scope, name, _most_parts(env.refused)))
    return next((full for full in readings if full in env.refused and env.find(full) is None), None)


def with_places(env: LeanEnv, scope: Scope, message: str) -> str:
    """Return an error message with a note about each unknown name in it whose declaration was refused."""
    if not env.refused:
        return message
    names = (refused_name(env, scope, found) for found in _MISSING.findall(message))
    notes = [
        f"\n\nNote: `{full}` is missing, its declaration was refused: {env.refused[full]}"
        for full in dict.fromkeys(name for name in names if name is not None)
    ]
    return message + "".join(notes)
