"""Constants of an environment of Lean's, as rows of lean4export's format.

What is written is what one command added: axioms, definitions, theorems. A proof adds no other kind.

Source: `format_ndjson.md` of leanprover/lean4export (3.1.0); Lean 4 `src/Lean/Declaration.lean`, `src/Lean/Expr.lean`,
`src/Lean/Level.lean`, `src/Lean/Data/PersistentHashMap.lean`, `src/Lean/Data/SMap.lean` (4.35).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.lean.kernel import shown_name
from lean_gym.lean.objects import Address, box
from lean_gym.lean.values import Runtime, Value

VERSION: Final = "3.1.0"
Row = dict[str, Any]
Name = tuple[str | int, ...]
"""Components of a name."""
_CONSTANTS, _MAP = 0, 1
_ENTRIES, _SUBTREE = 0, 1
_NO_ENTRY: Final = box(2)
AXIOM, DEFINITION, THEOREM, OPAQUE = range(4)
"""Numbers of constructors of `ConstantInfo`."""
HEAD, VALUE = 0, 1
"""Fields of what a `ConstantInfo` holds: the `ConstantVal` that all have, and the value of those that have one."""
LEVEL_PARAMS, TYPE = 1, 2
"""Fields of a `ConstantVal`."""
_BINDERS: Final = ("default", "implicit", "strictImplicit", "instImplicit")
_BVAR, _FVAR, _MVAR, _SORT, _CONST, _APP, _LAM, _PI, _LET, _LIT, _MDATA, _PROJ = range(12)
_ZERO, _SUCC, _MAX, _IMAX, _PARAM = range(5)
_ABBREV: Final = 1
# The scalars of an expression begin with its 8 bytes of cached data, the binder's kind comes after them.
_AFTER_DATA: Final = 8


class NotWritten(ValueError):
    """A constant of a kind that proofs do not add, or a term that is not finished."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Constants of an environment.

    Attributes:
        infos: `ConstantInfo` by `Name`.
        kept: What keeps these objects.
    """

    infos: dict[Address, Address]
    kept: tuple[Value, ...]


def added_constants(lean: Runtime, before: Value, after: Value) -> Constants:
    """Return the constants that an environment has and an earlier one has not.

    Args:
        lean: The library.
        before: The earlier environment, of Lean's elaborator.
        after: The later one.
    """
    kernels = [lean.call("lean_elab_environment_to_kernel_env", env) for env in (before, after)]
    roots = [lean.field(lean.field(kernel.at, _CONSTANTS), _MAP) for kernel in kernels]
    known = {lean.name(name) for name, _ in _entries(lean, roots[0], roots[1])}
    added = _entries(lean, roots[1], roots[0])
    return Constants({name: info for name, info in added if lean.name(name) not in known}, tuple(kernels))


def terms_of(lean: Runtime, info: Address) -> list[Address]:
    """Return the type of a constant, and its value if it has one."""
    body = lean.field(info, 0)
    terms = [lean.field(lean.field(body, HEAD), TYPE)]
    return [*terms, lean.field(body, VALUE)] if lean.tag(info) in (DEFINITION, THEOREM, OPAQUE) else terms


def constants_in(lean: Runtime, terms: Iterable[Address]) -> dict[Name, Value]:
    """Return the names of the constants that terms mention."""
    used = (lean.elements(lean.call("l_Lean_Expr_getUsedConstants", lean.value(term))) for term in terms)
    return {lean.name(name.at): name for names in used for name in names}


def _entries(lean: Runtime, node: Address, other: Address) -> Iterator[tuple[Address, Address]]:
    """Yield the entries of a persistent map that are not part of another one in the same place."""
    if node == other:
        return
    if lean.tag(node) != _ENTRIES:
        yield from zip(lean.addresses(lean.field(node, 0)), lean.addresses(lean.field(node, 1)), strict=True)
        return
    parts = list(lean.addresses(lean.field(node, 0)))
    others = (
        list(lean.addresses(lean.field(other, 0)))
        if other and lean.tag(other) == _ENTRIES
        else [0] * len(parts)
    )
    for part, twin in zip(parts, others, strict=True):
        if part in (twin, _NO_ENTRY):
            continue
        if lean.tag(part) == _SUBTREE:
            below = lean.field(twin, 0) if twin and not twin & 1 and lean.tag(twin) == _SUBTREE else 0
            yield from _entries(lean, lean.field(part, 0), below)
        else:
            yield lean.field(part, 0), lean.field(part, 1)


class Exporter:
    """Writes constants.

    Args:
        lean: The library.
    """

    def __init__(self, lean: Runtime) -> None:
        self._lean = lean
        self._rows: list[Row] = [
            {
                "meta": {
                    "exporter": {"name": "lean-gym", "version": VERSION},
                    "lean": {"githash": "", "version": lean.version},
                    "format": {"version": VERSION},
                }
            }
        ]
        self._names: dict[Name, int] = {(): 0}
        self._levels: dict[Address, int] = {}
        self._level_count = 0
        self._terms: dict[Address, int] = {}
        self._term_count = 0

    def text(self, constants: Constants) -> str:
        """Return constants as text, each behind those among them that it mentions.

        Args:
            constants: From `added_constants`.

        Raises:
            NotWritten: A constant is of another kind, or a term has metavariables.
        """
        lean = self._lean
        left = {lean.name(name): info for name, info in constants.infos.items()}
        order: list[Name] = []
        for name in left:
            self._follow(name, left, order)
        for name in order:
            self._constant(name, left[name])
        return "".join(
            f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n" for row in self._rows
        )

    def _follow(self, name: Name, constants: dict[Any, Address], order: list[Name]) -> None:
        todo = [(name, False)]
        seen = set(order)
        while todo:
            current, ready = todo.pop()
            if current in seen or current not in constants:
                continue
            if ready:
                seen.add(current)
                order.append(current)
                continue
            todo.append((current, True))
            mentioned = constants_in(self._lean, terms_of(self._lean, constants[current]))
            todo += [(other, False) for other in mentioned if other != current]

    def _constant(self, name: Name, info: Address) -> None:
        lean = self._lean
        kind, value = lean.tag(info), lean.field(info, 0)
        head = lean.field(value, HEAD)
        row: Row = {
            "name": self._name(lean.field(head, 0)),
            "levelParams": [self._name(param) for param in lean.items(lean.field(head, LEVEL_PARAMS))],
            "type": self._term(lean.field(head, TYPE)),
        }
        if kind == AXIOM:
            self._rows.append({"axiom": {**row, "isUnsafe": lean.flag(value, 0)}})
            return
        if kind not in (DEFINITION, THEOREM, OPAQUE):
            raise NotWritten(f"the proof declares '{shown_name(name)}', which is no definition or theorem")
        row |= {"value": self._term(lean.field(value, VALUE)), "all": [row["name"]]}
        if kind == THEOREM:
            self._rows.append({"thm": row})
        elif kind == OPAQUE:
            self._rows.append({"opaque": {**row, "isUnsafe": lean.flag(value, 0)}})
        else:
            safety = ("unsafe", "safe", "partial")[lean.byte(value, 0)]
            self._rows.append({"def": {**row, "hints": self._hints(lean.field(value, 2)), "safety": safety}})

    def _hints(self, hints: Address) -> str | Row:
        lean = self._lean
        if hints & 1:
            return "abbrev" if lean.tag(hints) == _ABBREV else "opaque"
        return {"regular": int.from_bytes(bytes(lean.byte(hints, at) for at in range(4)), "little")}

    def _name(self, name: Address) -> int:
        return self._parts(self._lean.name(name))

    def _parts(self, parts: Name) -> int:
        known = self._names.get(parts)
        if known is not None:
            return known
        before, last = self._parts(parts[:-1]), parts[-1]
        index = self._names[parts] = len(self._names)
        if isinstance(last, str):
            self._rows.append({"in": index, "str": {"pre": before, "str": last}})
        else:
            self._rows.append({"in": index, "num": {"pre": before, "i": last}})
        return index

    def _level(self, level: Address) -> int:
        lean = self._lean
        kind = lean.tag(level)
        if kind == _ZERO:
            return 0
        known = self._levels.get(level)
        if known is not None:
            return known
        row: Row
        if kind == _SUCC:
            row = {"succ": self._level(lean.field(level, 0))}
        elif kind in (_MAX, _IMAX):
            word = "max" if kind == _MAX else "imax"
            row = {word: [self._level(lean.field(level, 0)), self._level(lean.field(level, 1))]}
        elif kind == _PARAM:
            row = {"param": self._name(lean.field(level, 0))}
        else:
            raise NotWritten("the proof has universe metavariables")
        self._level_count += 1
        self._levels[level] = self._level_count
        self._rows.append({"il": self._level_count, **row})
        return self._level_count

    def _term(self, term: Address) -> int:
        """Write a term behind its parts; terms are deep, so this does not recurse."""
        lean, done = self._lean, self._terms
        todo = [term]
        while todo:
            current = todo[-1]
            if current in done:
                todo.pop()
                continue
            kind = lean.tag(current)
            below = [lean.field(current, at) for at in _SUBTERMS.get(kind, ())]
            missing = [part for part in below if part not in done]
            if missing:
                todo += missing
                continue
            todo.pop()
            if kind == _MDATA:
                done[current] = done[below[0]]
                continue
            row = self._term_row(current, kind, [done[part] for part in below])
            done[current] = self._term_count
            self._rows.append({"ie": self._term_count, **row})
            self._term_count += 1
        return done[term]

    def _term_row(self, term: Address, kind: int, below: list[int]) -> Row:
        lean = self._lean
        if kind == _APP:
            return {"app": {"fn": below[0], "arg": below[1]}}
        if kind == _CONST:
            levels = [self._level(level) for level in lean.items(lean.field(term, 1))]
            return {"const": {"name": self._name(lean.field(term, 0)), "us": levels}}
        if kind == _BVAR:
            return {"bvar": lean.number(lean.field(term, 0))}
        if kind in (_LAM, _PI):
            binder = _BINDERS[lean.byte(term, _AFTER_DATA)]
            parts = {"name": self._name(lean.field(term, 0)), "type": below[0], "body": below[1]}
            return {"lam" if kind == _LAM else "forallE": {**parts, "binderInfo": binder}}
        if kind == _SORT:
            return {"sort": self._level(lean.field(term, 0))}
        if kind == _LIT:
            literal = lean.field(term, 0)
            content = lean.field(literal, 0)
            return (
                {"natVal": self._digits(content)}
                if lean.tag(literal) == 0
                else {"strVal": lean.text(content)}
            )
        if kind == _LET:
            terms = dict(zip(("type", "value", "body"), below, strict=True))
            return {"letE": {"name": self._name(lean.field(term, 0)), **terms, "nondep": False}}
        if kind == _PROJ:
            at = lean.number(lean.field(term, 1))
            return {"proj": {"typeName": self._name(lean.field(term, 0)), "idx": at, "struct": below[0]}}
        raise NotWritten("the proof has metavariables")

    def _digits(self, number: Address) -> str:
        if number & 1:
            return str(number >> 1)
        lean = self._lean
        return lean.string_in(lean.call("l_Nat_reprFast", lean.value(number)))


# Numbers of the fields of a term that are terms.
_SUBTERMS: Final = {
    _APP: (0, 1), _LAM: (1, 2), _PI: (1, 2), _LET: (1, 2, 3), _MDATA: (1,), _PROJ: (2,),
}  # fmt: skip
