"""The axioms behind a constant: as `#print axioms` lists them, or found by walking through what it rests on.

A listing is printed by a command of ours in a file that the script could not change. The walk is for REPLs that
read no files: `env.inspect` shows type and value of a constant as an S-expression, and whatever is named in there is
looked at in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import Json

_NO_AXIOMS: Final = re.compile(r"'(?P<name>.+)' does not depend on any axioms\s*")
_AXIOMS: Final = re.compile(r"'(?P<name>.+)' depends on axioms:\s*\[(?P<axioms>[^\[\]]*)\]\s*", re.DOTALL)
_POSITION: Final = re.compile(r"[^\n]*?:\d+:\d+: (?:info(?:rmation)?: ?)?")


@dataclass(frozen=True, slots=True)
class AxiomListing:
    """What `#print axioms` printed: the constant's full name and its axioms, sorted."""

    name: str
    axioms: tuple[str, ...]


def read_axioms(texts: Sequence[str], name: str) -> AxiomListing | None:
    """What `#print axioms` printed.

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


# Looked for at every place of the text: a literal that pretends to hold a name can add one, which is then not found
# or looked at for nothing, but it cannot hide one.
_CONSTANT: Final = re.compile(r"(?=\(:c ((?:«[^»]*»|[^\s()«»])+))")
_QUOTIENTS: Final = frozenset(["Quot", "Quot.mk", "Quot.lift", "Quot.ind"])
"""Part of Lean's logic: they have no body and are no axioms."""


class Unseen(Exception):
    """A constant that a proof rests on cannot be looked at."""


def constants_of(expression: str) -> set[str]:
    """The constants that an S-expression of Pantograph names.

    Names with escapes stand in quotation marks in some versions.
    """
    return {name.strip('"') for name in _CONSTANT.findall(expression)}


@dataclass(frozen=True, slots=True)
class _Known:
    """A constant that was looked at: what it rests on directly, and whether nothing stands behind it."""

    rests_on: tuple[str, ...]
    bare: bool


@dataclass
class AxiomWalk:
    """Finds axioms by `env.inspect`, with `printExprAST`.

    What comes from an imported module is looked at once and remembered. A constant without a body counts as an axiom
    unless Lean's logic knows it otherwise; that includes `opaque` ones, which the protocol does not tell from axioms.
    """

    _imported: dict[str, _Known] = field(default_factory=dict)

    def axioms_of(self, name: str, inspect: Callable[[str], Json]) -> tuple[str, ...]:
        """The axioms that a constant rests on, sorted.

        Args:
            name: The constant.
            inspect: Asks `env.inspect` for a constant, with its value.

        Raises:
            Unseen: A constant on the way is not known to the REPL.
        """
        seen = {name}
        waiting = [name]
        axioms = []
        while waiting:
            current = waiting.pop()
            known = self._look(current, inspect)
            if known.bare and current not in _QUOTIENTS:
                axioms.append(current)
            for other in known.rests_on:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return tuple(sorted(axioms))

    def _look(self, name: str, inspect: Callable[[str], Json]) -> _Known:
        if name in self._imported:
            return self._imported[name]
        answer = inspect(name)
        if "error" in answer:
            raise Unseen(f"the constant {name} cannot be looked at: {answer.get('desc')}")
        known = _read(answer)
        if answer.get("module") is not None:
            self._imported[name] = known
        return known


def _read(answer: Json) -> _Known:
    """What an answer of `env.inspect` says about a constant.

    Raises:
        ProtocolError: It has an unknown shape.
    """
    texts, named, bare = [], set(), False
    try:
        texts.append(answer["type"]["sexp"])
        if answer.get("value") is not None:
            texts.append(answer["value"]["sexp"])
        elif (info := answer.get("inductInfo")) is not None:
            named.update(info["ctors"])
        elif (info := answer.get("constructorInfo")) is not None:
            named.add(info["induct"])
        elif (info := answer.get("recursorInfo")) is not None:
            named.update(info["all"])
            # 0.2.14 does not show them; Lean makes them of what the recursor's type names
            texts += [rule["rhs"]["sexp"] for rule in info.get("rules", ())]
        else:
            bare = True
        for text in texts:
            named |= constants_of(text)
    except (KeyError, TypeError):
        unknown_shape(
            "env.inspect", answer, "an object with `type.sexp`, and `value.sexp` or what kind it is"
        )
    return _Known(tuple(sorted(named)), bare)
