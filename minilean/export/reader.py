"""Reader of lean4export's format, version 3: the rows of a file as terms and constants.

A file comes from another program and may be forged. Each row may refer to earlier rows only, so that there are no
loops; nothing is computed from a row beyond its own size; anything unexpected ends the reading with one line. Terms
are not type-checked here (`replay.py`), and a file that is read says nothing about what is proved.

Source: `format_ndjson.md` and `Export.lean` of leanprover/lean4export (3.1.0).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    STRICT,
    Expr,
    mk_app,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_let,
    mk_lit,
    mk_pi,
    mk_proj,
    mk_sort,
)
from minilean.kernel.level import ZERO, Level, mk_imax, mk_max, mk_param, mk_succ

MAX_BYTES: Final = 1 << 28
"""Greatest size of a file."""
MAX_LINE: Final = 1 << 24
"""Greatest size of a row."""
MAX_DIGITS: Final = 80_000
"""Greatest number of digits of a numeral, a little above the kernel's own bound."""
MAX_BVAR: Final = 1 << 30

_INFOS: Final = {"default": DEFAULT, "implicit": IMPLICIT, "strictImplicit": STRICT, "instImplicit": INST}
_DIGITS: Final = re.compile("[0-9]+")
_TAGS: Final = ("in", "il", "ie")
_Part = TypeVar("_Part")


class ReadError(ValueError):
    """A file that is no export, with the number of the line."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A computation rule of a recursor, as the file has it."""

    constructor: str
    num_fields: int
    rhs: Expr


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of a file.

    Attributes:
        kind: `axiom`, `def`, `opaque`, `thm`, `quot`, `type`, `ctor` or `rec`.
        value: The value of a definition or the proof of a theorem.
        facts: All else that the row says and that decides what the constant is: counts, names, flags.
        hint: For definitions, the height for unfolding; -1 for abbreviations. It decides no judgement.
    """

    kind: str
    name: str
    level_params: tuple[str, ...]
    type: Expr
    value: Expr | None = None
    facts: tuple[Any, ...] = ()
    rules: tuple[Rule, ...] = ()
    hint: int = 0

    def fact(self, name: str) -> Any:
        """Return one of the facts."""
        return dict(self.facts)[name]


Group = tuple[Constant, ...]
"""Constants that one row declares: one, or the types, constructors and recursors of an inductive declaration."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The declarations of a file, in their order.

    Attributes:
        constants: The constants by name.
    """

    groups: tuple[Group, ...]
    constants: dict[str, Constant] = field(repr=False)


def read_export(text: str) -> Exported:
    """Return the declarations of a file.

    Raises:
        ReadError: It is no export of version 3.
    """
    if len(text) > MAX_BYTES:
        raise ReadError(f"{len(text)} characters, expected at most {MAX_BYTES}")
    reader = _Reader()
    lines = _lines(text)
    _check_meta(next(lines, (1, "")))
    for number, line in lines:
        try:
            reader.row(_parsed(line))
        except ReadError as error:
            raise ReadError(f"line {number}: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise ReadError(
                f"line {number}: no row of the format ({type(error).__name__}: {error})"
            ) from None
    return Exported(tuple(reader.groups), reader.constants)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at, number = 0, 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        number += 1
        if end - at > MAX_LINE:
            raise ReadError(f"line {number}: {end - at} characters, expected at most {MAX_LINE}")
        yield number, text[at:end]
        at = end + 1


def _parsed(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"no JSON object ({error})") from None
    if type(row) is not dict:
        raise ReadError(f"got {line[:60]!r}, expected a JSON object")
    return row


def _check_meta(first: tuple[int, str]) -> None:
    try:
        meta = _parsed(first[1])["meta"]
        # 3.0.0 named its version with the exporter's
        version = meta["format"]["version"] if "format" in meta else meta["exporter"]["version"]
    except (ReadError, KeyError, TypeError):
        raise ReadError(f"line 1: got {first[1][:60]!r}, expected the object `meta`") from None
    if type(version) is not str or not version.startswith("3.1"):
        raise ReadError(f"line 1: got version {version!r}, expected 3.1")


class _Reader:
    def __init__(self) -> None:
        self.groups: list[Group] = []
        self.constants: dict[str, Constant] = {}
        self._names: dict[int, str] = {0: ""}
        self._levels: dict[int, Level] = {0: ZERO}
        self._terms: dict[int, Expr] = {}
        self._term_rows: dict[str, Callable[[Any], Expr]] = {
            "bvar": lambda v: mk_bvar(_count(v, MAX_BVAR)),
            "sort": lambda v: mk_sort(self._level(v)),
            "const": lambda v: mk_const(self._name(v["name"]), tuple(map(self._level, _list(v["us"])))),
            "app": lambda v: mk_app(self._term(v["fn"]), self._term(v["arg"])),
            "lam": lambda v: mk_lam(*self._binder(v)),
            "forallE": lambda v: mk_pi(*self._binder(v)),
            "letE": lambda v: mk_let(
                self._name(v["name"]), self._term(v["type"]), self._term(v["value"]), self._term(v["body"])
            ),
            "proj": lambda v: mk_proj(self._name(v["typeName"]), _count(v["idx"]), self._term(v["struct"])),
            "natVal": lambda v: mk_lit(_numeral(v)),
            "strVal": lambda v: mk_lit(_text(v)),
            "mdata": lambda v: self._term(v["expr"]),
        }
        self._declarations: dict[str, Callable[[Any], Iterable[Constant]]] = {
            "axiom": lambda v: [self._constant("axiom", v)],
            "def": self._definition,
            "opaque": lambda v: [self._constant("opaque", v, self._term(v["value"]))],
            "thm": lambda v: [self._constant("thm", v, self._term(v["value"]))],
            "quot": lambda v: [self._constant("quot", v, facts=(("kind", _text(v["kind"])),))],
            "inductive": self._inductive,
        }

    def row(self, row: dict[str, Any]) -> None:
        """Read one row."""
        tag = next((tag for tag in _TAGS if tag in row), None)
        rest = row.keys() - {tag}
        if len(rest) != 1:
            raise ReadError(f"got the keys {sorted(row)}, expected one kind of row")
        (kind,) = rest
        if tag is None:
            self._declare(kind, row[kind])
        else:
            self._part(tag, kind, _count(row[tag]), row[kind])

    def _part(self, tag: str, kind: str, index: int, content: Any) -> None:
        tables: dict[str, dict[int, Any]] = {"in": self._names, "il": self._levels, "ie": self._terms}
        table = tables[tag]
        if index in table:
            raise ReadError(f"number {index} of `{tag}` is given twice")
        if tag == "in":
            table[index] = self._new_name(kind, content)
        elif tag == "il":
            table[index] = self._new_level(kind, content)
        elif kind in self._term_rows:
            table[index] = self._term_rows[kind](content)
        else:
            raise ReadError(f"unknown kind of term {kind!r}")

    def _new_name(self, kind: str, content: Any) -> str:
        if kind not in ("str", "num"):
            raise ReadError(f"unknown kind of name {kind!r}")
        prefix = self._name(content["pre"])
        part = _part_of_name(_text(content["str"])) if kind == "str" else str(_count(content["i"]))
        return f"{prefix}.{part}" if prefix else part

    def _new_level(self, kind: str, content: Any) -> Level:
        if kind == "succ":
            return mk_succ(self._level(content))
        if kind == "param":
            return mk_param(self._name(content))
        if kind not in ("max", "imax"):
            raise ReadError(f"unknown kind of level {kind!r}")
        left, right = map(self._level, _list(content))
        return (mk_max if kind == "max" else mk_imax)(left, right)

    def _name(self, index: Any) -> str:
        return _known(self._names, index, "name")

    def _level(self, index: Any) -> Level:
        return _known(self._levels, index, "level")

    def _term(self, index: Any) -> Expr:
        return _known(self._terms, index, "term")

    def _binder(self, v: Any) -> tuple[str, Expr, Expr, int]:
        return self._name(v["name"]), self._term(v["type"]), self._term(v["body"]), _INFOS[v["binderInfo"]]

    # --- declarations ---------------------------------------------------------------------------------------

    def _declare(self, kind: str, content: Any) -> None:
        if kind not in self._declarations:
            raise ReadError(f"unknown kind of declaration {kind!r}")
        group = tuple(self._declarations[kind](content))
        for constant in group:
            if constant.name in self.constants:
                raise ReadError(f"'{constant.name}' is declared twice")
            self.constants[constant.name] = constant
        self.groups.append(group)

    def _constant(
        self,
        kind: str,
        v: Any,
        value: Expr | None = None,
        facts: tuple[Any, ...] = (),
        rules: tuple[Rule, ...] = (),
        hint: int = 0,
    ) -> Constant:
        name = self._name(v["name"])
        if not name:
            raise ReadError("a declaration without a name")
        if v.get("isUnsafe", False) is not False:
            raise ReadError(f"'{name}' is unsafe")
        params = tuple(map(self._name, _list(v["levelParams"])))
        return Constant(kind, name, params, self._term(v["type"]), value, facts, rules, hint)

    def _definition(self, v: Any) -> list[Constant]:
        if v["safety"] != "safe":
            raise ReadError(f"'{self._name(v['name'])}' is {v['safety']!r}, expected a safe definition")
        hints = v["hints"]
        hint = -1 if hints == "abbrev" else 0 if hints == "opaque" else _count(hints["regular"])
        return [self._constant("def", v, self._term(v["value"]), hint=hint)]

    def _inductive(self, v: Any) -> list[Constant]:
        types = [self._constant("type", t, facts=self._type_facts(t)) for t in _list(v["types"])]
        if not types:
            raise ReadError("an inductive declaration without a type")
        ctors = [self._constant("ctor", c, facts=self._ctor_facts(c)) for c in _list(v["ctors"])]
        recs = [self._recursor(r) for r in _list(v["recs"])]
        return [*types, *ctors, *recs]

    def _type_facts(self, v: Any) -> tuple[Any, ...]:
        counts = tuple((key, _count(v[key])) for key in ("numParams", "numIndices", "numNested"))
        return (
            *counts,
            ("all", self._names_of(v["all"])),
            ("ctors", self._names_of(v["ctors"])),
            _flag(v, "isRec"),
        )

    def _ctor_facts(self, v: Any) -> tuple[Any, ...]:
        counts = tuple((key, _count(v[key])) for key in ("cidx", "numParams", "numFields"))
        return (*counts, ("induct", self._name(v["induct"])))

    def _recursor(self, v: Any) -> Constant:
        counts = tuple(
            (key, _count(v[key])) for key in ("numParams", "numIndices", "numMotives", "numMinors")
        )
        rules = tuple(
            Rule(self._name(rule["ctor"]), _count(rule["nfields"]), self._term(rule["rhs"]))
            for rule in _list(v["rules"])
        )
        facts = (*counts, ("all", self._names_of(v["all"])), _flag(v, "k"))
        return self._constant("rec", v, facts=facts, rules=rules)

    def _names_of(self, indices: Any) -> tuple[str, ...]:
        return tuple(map(self._name, _list(indices)))


def _known(table: dict[int, _Part], index: Any, what: str) -> _Part:
    if type(index) is not int or index not in table:
        raise ReadError(f"unknown {what} {index!r}; a row may refer to earlier rows only")
    return table[index]


def _count(value: Any, limit: int = 1 << 62) -> int:
    if type(value) is not int or not 0 <= value <= limit:
        raise ReadError(f"got {str(value)[:60]}, expected a number from 0 to {limit}")
    return value


def _flag(v: Any, key: str) -> tuple[str, bool]:
    value = v[key]
    if type(value) is not bool:
        raise ReadError(f"{key}: got {value!r}, expected true or false")
    return key, value


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ReadError(f"got {str(value)[:60]}, expected a list")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ReadError(f"got {str(value)[:60]}, expected a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:  # JSON can name half a surrogate pair, which no message could show
        raise ReadError(f"got {value[:60]!r}, expected a text: {error.reason}") from None
    return value


def _numeral(value: Any) -> int:
    digits = _text(value)
    if len(digits) > MAX_DIGITS or not _DIGITS.fullmatch(digits):
        raise ReadError(f"got {digits[:60]!r}, expected a numeral of at most {MAX_DIGITS} digits")
    # In pieces, since Python refuses to read more than some thousand digits at once.
    total = 0
    for at in range(0, len(digits), 4000):
        piece = digits[at : at + 4000]
        total = total * 10 ** len(piece) + int(piece)
    return total


def _part_of_name(part: str) -> str:
    """Return a component of a name as it stands in a dotted name: quoted where the dots would say something else."""
    if part and not part.isdecimal() and "." not in part:
        return part
    return part if part.startswith("«") else f"«{part}»"
