"""Axioms of a constant as `#print axioms` lists them, and the constants that a term names.

The listing is printed by a command of ours in a file that the script could not change. Terms come as Pantograph's
S-expressions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_NO_AXIOMS: Final = re.compile(r"'(?P<name>.+)' does not depend on any axioms\s*")
_AXIOMS: Final = re.compile(r"'(?P<name>.+)' depends on axioms:\s*\[(?P<axioms>[^\[\]]*)\]\s*", re.DOTALL)
_POSITION: Final = re.compile(r"[^\n]*?:\d+:\d+: (?:info(?:rmation)?: ?)?")


@dataclass(frozen=True, slots=True)
class AxiomListing:
    """Output of `#print axioms`: the constant's full name and its axioms, sorted."""

    name: str
    axioms: tuple[str, ...]


def read_axioms(texts: Sequence[str], name: str) -> AxiomListing | None:
    """Read the output of `#print axioms`.

    Args:
        texts: The messages of that command, all of them.
        name: The constant, as written there.

    Returns:
        The listing; `None` when this is none for that constant.
    """
    if len(texts) != 1:
        return None
    place = _POSITION.match(texts[0])
    text = texts[0] if place is None else texts[0][place.end() :]
    found = _NO_AXIOMS.fullmatch(text) or _AXIOMS.fullmatch(text)
    if found is None or not f".{found['name']}".replace("«", "").replace("»", "").endswith(
        f".{_plain(name)}"
    ):
        return None
    listed = found.groupdict().get("axioms") or ""
    return AxiomListing(
        found["name"], tuple(sorted(axiom.strip() for axiom in listed.split(",") if axiom.strip()))
    )


def _plain(name: str) -> str:
    return name.removeprefix("_root_.").replace("«", "").replace("»", "")


# Matched at every position of the text: a string literal can add a name by imitating one, but it cannot hide one.
_CONSTANT: Final = re.compile(r"(?=\(:c ((?:«[^»]*»|[^\s()«»])+))")


def constants_of(expression: str) -> set[str]:
    """Return the constants that an S-expression of Pantograph names.

    Names with escapes stand in quotation marks in some versions.
    """
    return {name.strip('"') for name in _CONSTANT.findall(expression)}
