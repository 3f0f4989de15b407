"""Theorems at a place of minilean's library, as Lean is to read them: behind what stands before them, and nothing else.

A process imports the compiled files before the one of the theorem. The beginning of that file is the theorem's context.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from lean_gym.errors import DataError
from lean_gym.lean.compiled_library import (
    HEAD,
    MODULE,
    NAMES_ARE_FROM,
    NUMERALS_ARE_FROM,
    STAND_INS,
    STRINGS_ARE_FROM,
    UNEXPANDERS,
    library_sources,
)
from lean_gym.types import Theorem

_COMMENT: Final = re.compile(r"/-.*?-/", re.DOTALL)
_DOC: Final = re.compile(r"/--(?:(?!-/).)*-/\s*\Z", re.DOTALL)
# The library's source has each command in the first column, and sections without names.
_COMMAND: Final = re.compile(
    r"^(?:namespace (?P<space>\S+)|(?P<section>section)\b|(?P<end>end)\b"
    r"|(?:@\[[^\]]*\] *|protected |private |nonrec )*theorem (?P<theorem>\S+))",
    re.MULTILINE,
)


def placed(theorem: Theorem, folder: Path) -> Theorem:
    """Return a theorem without a position that stands at the same place; others as they are.

    Args:
        theorem: The theorem.
        folder: That of `compiled_library`.

    Raises:
        DataError: There is no such place, or Lean cannot go without what stands behind it.
    """
    if not theorem.position:
        return theorem
    file, _, name = theorem.position.partition(":")
    sources = library_sources()
    names = [path.name for path in sources]
    first = names.index(NUMERALS_ARE_FROM)
    if file not in names[first:]:
        raise DataError(
            f"theorem {theorem.name!r} has the position {theorem.position!r}: expected FILE:NAME with a file of "
            f"minilean's library from {names[first]} on, since Lean needs what stands before; use the "
            "backend 'minilean'"
        )
    at = names.index(file)
    before, scopes = _beginning(sources[at].read_text("utf-8"), name)
    if before is None:
        raise DataError(
            f"theorem {theorem.name!r} has the position {theorem.position!r}: {file} has no theorem {name!r}"
        )
    # Behind the beginning, which may declare strings, and outside of its scopes.
    missing = STAND_INS if at < names.index(NAMES_ARE_FROM) else ()
    if at >= names.index(STRINGS_ARE_FROM):
        missing = tuple(line for line in missing if not line.startswith("axiom String "))
    shown = (folder / UNEXPANDERS).read_text("utf-8")
    # The last line of the head opens a section.
    ends = [f"end {scope}" for scope in reversed(["", *scopes])]
    context = "\n".join([shown, *HEAD, before, *ends, *missing, theorem.context])
    return replace(theorem, imports=(f"{MODULE}.{sources[at - 1].stem}",), context=context, position="")


def _beginning(text: str, name: str) -> tuple[str | None, list[str]]:
    """Return the text before a theorem, and the names of the scopes that are open there; `None` if it is not there."""
    scopes: list[str] = []
    plain = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    for command in _COMMAND.finditer(plain):
        if command["end"]:
            scopes.pop()
        elif command["theorem"]:
            if ".".join([*filter(None, scopes), command["theorem"]]) == name:
                return _DOC.sub("", text[: command.start()]), scopes
        else:
            scopes.append(command["space"] or "")
    return None, scopes
