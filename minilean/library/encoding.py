"""The proved library as bytes: JSON, and terms as a table of numbers that is read row by row when they are asked for.

JSON and numbers, because one file has to serve every Python: `marshal` and `pickle` promise no format across versions,
and a damaged `marshal` file can crash the interpreter. Equal libraries give equal bytes, so builds can be reproduced.
A session uses a small part of the library, so a declaration is read when its name is first looked up.

The bytes: length of the JSON (8 bytes), JSON, then five numbers of 4 bytes for each term, whose parts stand before it.
Numbers are little-endian.

Proofs of theorems are left out: later proofs need the statements and the axioms only.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from sys import intern
from typing import Any

from minilean.elab.default_arguments import AutoTactic
from minilean.kernel.checks import check_header
from minilean.kernel.declaration import (
    Axiom,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    QuotDecl,
    Recursor,
    RecursorRule,
    TheoremDecl,
)
from minilean.kernel.expr import (
    App,
    BVar,
    Const,
    Expr,
    Lam,
    Let,
    Lit,
    Pi,
    Proj,
    Sort,
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
from minilean.kernel.level import (
    ZERO,
    IMax,
    Level,
    Max,
    Param,
    Succ,
    mk_imax,
    mk_max,
    mk_param,
    mk_succ,
)
from minilean.meta.extension import (
    TABLES,
    InstanceEntry,
    LeanEnv,
    MatcherInfo,
    ProjectionInfo,
    Recursion,
    StructureInfo,
)
from minilean.meta.history import History
from minilean.syntax import ast
from minilean.syntax.parser import parse_term

_KINDS: tuple[type[Declaration], ...] = (
    Axiom, Definition, TheoremDecl, Constructor, Inductive, Recursor, QuotDecl
)  # fmt: skip
_ROWS: tuple[type, ...] = (InstanceEntry, StructureInfo, ProjectionInfo, MatcherInfo, Recursion, AutoTactic)
_PLAIN = -1
_LENGTH_BYTES = 8
_WIDTH = 5
_EXTRA = 4
"""Bits of the kind in a row's first number; above stand the information of a binder, or `nondep`."""
_PARTS = ((1, 3), (2, 4), (2, 4), (0, 0), (0, 0), (0, 0), (0, 0), (3, 4), (2, 5))
"""Where the numbers of parts stand in the row of a term, by its kind."""
_RULES = [field.name for field in fields(Recursor)].index("rules") - 3
_SCALARS = (str, int, bool, type(None))


class EncodingError(ValueError):
    """Bytes that are no encoded library, or a value that a library cannot hold."""


class Writer:
    """Numbers of levels and terms: parts come before wholes, and equal structures have one number.

    Two libraries that are encoded by one writer can be compared row by row.

    Attributes:
        levels: Rows of the levels, by number.
        terms: Rows of the terms, by number.
    """

    def __init__(self) -> None:
        self.levels: list[tuple[Any, ...]] = []
        self.terms: list[tuple[Any, ...]] = []
        # Objects are a fast path. Rows decide, since equal terms need not be one object.
        self._level_ids: dict[Level, int] = {}
        self._level_rows: dict[tuple[Any, ...], int] = {}
        self._term_ids: dict[Expr, int] = {}
        self._term_rows: dict[tuple[Any, ...], int] = {}

    def level(self, level: Level) -> int:
        """Return the number of a level."""
        known = self._level_ids.get(level)
        if known is not None:
            return known
        kind = type(level)
        if kind is Succ:
            row: tuple[Any, ...] = ("s", self.level(level.of))  # type: ignore[attr-defined]
        elif kind is Max or kind is IMax:
            word = "m" if kind is Max else "i"
            row = (word, self.level(level.left), self.level(level.right))  # type: ignore[attr-defined]
        elif kind is Param:
            row = ("p", level.name)  # type: ignore[attr-defined]
        elif level is ZERO:
            row = ("0",)
        else:
            raise EncodingError(f"a library level is a {kind.__name__}")
        number = self._level_ids[level] = _number(row, self._level_rows, self.levels)
        return number

    def term(self, e: Expr) -> int:
        """Return the number of a term."""
        known = self._term_ids.get(e)
        if known is not None:
            return known
        kind = type(e)
        row: tuple[Any, ...]
        if kind is App:
            row = (0, self.term(e.fn), self.term(e.arg))  # type: ignore[attr-defined]
        elif kind is Lam or kind is Pi:
            row = (1 if kind is Lam else 2, e.name, self.term(e.type), self.term(e.body), e.info)  # type: ignore[attr-defined]
        elif kind is Const:
            levels = [self.level(level) for level in e.levels]  # type: ignore[attr-defined]
            row = (3, e.name, len(levels), *levels)  # type: ignore[attr-defined]
        elif kind is BVar:
            row = (4, e.idx)  # type: ignore[attr-defined]
        elif kind is Sort:
            row = (5, self.level(e.level))  # type: ignore[attr-defined]
        elif kind is Lit:
            row = (6, e.value)  # type: ignore[attr-defined]
        elif kind is Proj:
            row = (7, e.struct, e.idx, self.term(e.expr))  # type: ignore[attr-defined]
        elif kind is Let:
            row = (8, e.name, self.term(e.type), self.term(e.value), self.term(e.body), e.nondep)  # type: ignore[attr-defined]
        else:
            raise EncodingError(f"a library term holds a {kind.__name__}")
        number = self._term_ids[e] = _number(row, self._term_rows, self.terms)
        return number


def _number(row: tuple[Any, ...], numbers: dict[tuple[Any, ...], int], rows: list[tuple[Any, ...]]) -> int:
    number = numbers.setdefault(row, len(rows))
    if number == len(rows):
        rows.append(row)
    return number


def encode(env: LeanEnv) -> bytes:
    """Return a library as bytes.

    Raises:
        EncodingError: The environment holds what no library holds, e.g. notations or metavariables.
    """
    writer = Writer()
    data = {
        "declarations": [declaration_row(env.kernel.get(name), writer) for name in env.kernel],
        "computing": sorted(env.kernel.computing),
        "tables": {name: table_rows(getattr(env, name), writer) for name in TABLES},
        "history": history_rows(env, writer),
        "levels": writer.levels,
    }
    values: dict[Any, int] = {}
    numbers = array("I")
    for row in writer.terms:
        own = _words(row, values)
        numbers.extend((*own, *[0] * (_WIDTH - len(own))))
    data["values"] = [value for _, value in values]
    return joined(data, numbers)


def joined(data: dict[str, Any], numbers: array[int]) -> bytes:
    """Return the bytes of a library's two parts."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return len(text).to_bytes(_LENGTH_BYTES, "little") + text + _little(numbers[:]).tobytes()


def separated(payload: bytes) -> tuple[dict[str, Any], array[int]]:
    """Return the two parts of a library's bytes.

    Raises:
        ValueError: They are no such bytes.
    """
    end = _LENGTH_BYTES + int.from_bytes(payload[:_LENGTH_BYTES], "little")
    data = json.loads(payload[_LENGTH_BYTES:end])
    numbers = array("I")
    numbers.frombytes(payload[end:])
    return data, _little(numbers)


def _words(row: tuple[Any, ...], values: dict[Any, int]) -> tuple[int, ...]:
    """Return the numbers that stand for the row of a term; what is not small gets a number in `values`."""

    def number(value: Any) -> int:
        # Types stand in the key: `True` and `1` are equal.
        return values.setdefault((type(value), value), len(values))

    kind, *parts = row
    if kind in (1, 2):
        name, type_, body, info = parts
        return (kind | info << _EXTRA, number(name), type_, body)
    if kind == 3:
        return (kind, number(parts[0]), number(tuple(parts[2:])))
    if kind == 6:
        return (kind, number(parts[0]))
    if kind == 7:
        return (kind, number(parts[0]), *parts[1:])
    if kind == 8:
        return (kind | int(parts[4]) << _EXTRA, number(parts[0]), *parts[1:4])
    return row


def _little(numbers: array[int]) -> array[int]:
    """Return the numbers with the bytes in the order of the file, or those of a file as numbers."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def declaration_row(decl: Declaration, writer: Writer) -> tuple[Any, ...]:
    """Return the number of the declaration's class and its fields, terms as numbers, without a theorem's proof."""
    row: list[Any] = [_KINDS.index(type(decl))]
    for field in fields(decl):
        value = getattr(decl, field.name)
        if field.name == "value" and isinstance(decl, TheoremDecl):
            value = None
        elif isinstance(value, Expr):
            value = writer.term(value)
        elif field.name == "rules":
            value = tuple((rule.constructor, rule.num_fields, writer.term(rule.rhs)) for rule in value)
        row.append(value)
    return tuple(row)


def table_rows(table: Any, writer: Writer) -> tuple[int, bool, list[Any]]:
    """Return a table of the environment as three plain values.

    Returns:
        The number of the class of its rows (-1: plain values), whether a key has several rows, and pairs of key and
        row, or the sorted members of a set.
    """
    if not isinstance(table, dict):
        return _PLAIN, False, sorted(table)
    kind, several = _form(table)
    return kind, several, [(key, _value(value, kind, several, writer)) for key, value in table.items()]


def _form(table: Any) -> tuple[int, bool]:
    """Return the number of the class of a table's rows (-1: plain values), and whether a key has several rows."""
    if not isinstance(table, dict):
        return _PLAIN, False
    first: Any = next(filter(None, table.values()), None)
    several = isinstance(first, tuple) and type(first[0]) in _ROWS
    kind = type(first[0] if several else first)
    return (_ROWS.index(kind), several) if kind in _ROWS else (_PLAIN, False)


def _value(value: Any, kind: int, several: bool, writer: Writer) -> Any:
    if kind == _PLAIN:
        return _plain(value)
    return [_row(row, writer) for row in value] if several else _row(value, writer)


def history_rows(env: LeanEnv, writer: Writer) -> dict[str, Any]:
    """Return the history of a library as plain values.

    Each table has the rows' keys in the order in which they were added. With a key stand the numbers of the commands
    that set its value, and the values before the last one, which is that of the table.
    """
    history = env.history
    tables = {}
    for name, rows in history.tables.items():
        kind, several = _form(getattr(env, name))
        tables[name] = [
            (
                _plain(key),
                [step for step, _ in changes],
                [_value(value, kind, several, writer) for _, value in changes[:-1]],
            )
            for key, changes in rows.items()
        ]
    return {"files": history.files, "sizes": history.sizes, "tables": tables}


def _row(info: Any, writer: Writer) -> tuple[Any, ...]:
    if isinstance(info, AutoTactic):
        return (info.text,)
    values = (getattr(info, field.name) for field in fields(info))
    return tuple(writer.term(value) if isinstance(value, Expr) else _plain(value) for value in values)


def _plain(value: Any) -> Any:
    """Return a value that JSON gives back as it is, tuples aside.

    Raises:
        EncodingError: JSON does not.
    """
    if type(value) is tuple:
        return tuple(map(_plain, value))
    if type(value) not in _SCALARS:
        raise EncodingError(f"a library table holds a {type(value).__name__}: {value!r}")
    return value


def decode(payload: bytes) -> LeanEnv:
    """Return the library that `encode` made bytes of. Nothing in it is checked, the kernel included.

    Raises:
        EncodingError: The bytes are no encoded library. A declaration that is none is told when its name is looked up.
    """
    try:
        return _decode(*separated(payload))
    except Exception as error:
        # Data of any shape gets here, and each function above can fail in a way of its own.
        raise EncodingError(f"{type(error).__name__}: {error}") from None


def _decode(data: dict[str, Any], numbers: array[int]) -> LeanEnv:
    levels: list[Level] = []
    for row in data["levels"]:
        word = row[0]
        if word == "s":
            levels.append(mk_succ(levels[row[1]]))
        elif word == "p":
            levels.append(mk_param(intern(row[1])))
        elif word == "0":
            levels.append(ZERO)
        else:
            levels.append((mk_max if word == "m" else mk_imax)(levels[row[1]], levels[row[2]]))
    terms = _Terms(numbers, data["values"], levels)
    env = LeanEnv()
    declarations = {intern(row[1]): partial(_decode_declaration, row, terms) for row in data["declarations"]}
    if len(declarations) < len(data["declarations"]):
        raise ValueError("a name is declared twice")
    env.kernel.load_library(declarations, map(intern, data["computing"]))
    for name in TABLES:
        kind, several, rows = data["tables"][name]
        empty = getattr(env, name)
        if type(empty) is dict:
            setattr(env, name, _decode_table(kind, several, rows, terms))
        else:
            setattr(env, name, type(empty)(map(intern, rows)))
    env.history = _decode_history(data["history"], env, data["tables"], terms)
    return env


def _decode_table(kind: int, several: bool, rows: list[Any], terms: _Terms) -> dict[Any, Any]:
    read = _reader(kind, several, terms)
    return {_shared(key): read(value) for key, value in rows}


def _reader(kind: int, several: bool, terms: _Terms) -> Callable[[Any], Any]:
    """Return the function that reads a value of a table."""
    if kind == _PLAIN:
        return _shared
    row_type = _ROWS[kind]
    if row_type is Recursion:
        return lambda row: Recursion(_shared(row[0]), terms[row[1]], *map(_shared, row[2:]))
    if row_type is AutoTactic:
        return lambda row: _auto_tactic(row[0])
    if several:
        return lambda many: tuple(row_type(*map(_shared, row)) for row in many)
    return lambda row: row_type(*map(_shared, row))


def _auto_tactic(text: str) -> AutoTactic:
    """Return the tactic of a default argument from its source text."""
    block = parse_term(text)
    assert isinstance(block, ast.By)
    return AutoTactic(block.tactics, text)


def _decode_history(data: dict[str, Any], env: LeanEnv, forms: dict[str, Any], terms: _Terms) -> History:
    history = History([(name, end) for name, end in data["files"]], data["sizes"])
    for name, rows in data["tables"].items():
        kind, several, _ = forms[name]
        read, table = _reader(kind, several, terms), getattr(env, name)
        entries = history.tables[name] = {}
        for key, steps, earlier in rows:
            key = _shared(key)
            last = table[key] if type(table) is dict else True
            entries[key] = tuple(zip(steps, [*map(read, earlier), last], strict=True))
    return history


def _shared(value: Any) -> Any:
    """Return a plain value with tuples for JSON's lists and one object for each text."""
    kind = type(value)
    if kind is str:
        return intern(value)
    return tuple(map(_shared, value)) if kind is list else value


class _Terms:
    """The terms of a file by number, each made when it is first asked for.

    Args:
        numbers: Rows of the terms.
        values: What the rows name by number.
        levels: Levels by number.
    """

    def __init__(self, numbers: array[int], values: list[Any], levels: list[Level]) -> None:
        count, rest = divmod(len(numbers), _WIDTH)
        if rest:
            raise ValueError(f"{rest} numbers are no row of a term")
        self._numbers = numbers
        self._values = values
        self._levels = levels
        self._made: list[Expr | None] = [None] * count

    def __getitem__(self, number: int) -> Expr:
        if self._made[number] is None:
            for each in self._missing(number):
                self._made[each] = self._make(*self._numbers[each * _WIDTH : (each + 1) * _WIDTH])
        found = self._made[number]
        assert found is not None
        return found

    def _missing(self, number: int) -> list[int]:
        """Return the numbers of the terms to be made for a term, parts before wholes."""
        numbers, made = self._numbers, self._made
        found, stack = {number}, [number]
        while stack:
            at = stack.pop() * _WIDTH
            kind = numbers[at] & (1 << _EXTRA) - 1
            for part in numbers[at + _PARTS[kind][0] : at + _PARTS[kind][1]]:
                if made[part] is None and part not in found:
                    found.add(part)
                    stack.append(part)
        return sorted(found)

    def _make(self, word: int, a: int, b: int, c: int, d: int) -> Expr:
        kind, extra = word & (1 << _EXTRA) - 1, word >> _EXTRA
        values, made = self._values, self._made
        if kind == 0:
            return mk_app(made[a], made[b])  # type: ignore[arg-type]
        if kind == 1:
            return mk_lam(intern(values[a]), made[b], made[c], extra)  # type: ignore[arg-type]
        if kind == 2:
            return mk_pi(intern(values[a]), made[b], made[c], extra)  # type: ignore[arg-type]
        if kind == 3:
            return mk_const(intern(values[a]), tuple([self._levels[level] for level in values[b]]))
        if kind == 4:
            return mk_bvar(a)
        if kind == 5:
            return mk_sort(self._levels[a])
        if kind == 6:
            return mk_lit(values[a])
        if kind == 7:
            return mk_proj(intern(values[a]), b, made[c])  # type: ignore[arg-type]
        return mk_let(intern(values[a]), made[b], made[c], made[d], bool(extra))  # type: ignore[arg-type]


def _decode_declaration(row: list[Any], terms: _Terms) -> Declaration:
    """Read a declaration; of its content only name and universe parameters are checked.

    Raises:
        EncodingError: It is none.
    """
    try:
        found = _declaration(row, terms)
        check_header(lambda _: None, [found.name], found.level_params)
        return found
    except Exception as error:
        raise EncodingError(f"{type(error).__name__}: {error}") from None


def _declaration(row: list[Any], terms: _Terms) -> Declaration:
    kind = _KINDS[row[0]]
    name, params, type_ = intern(row[1]), tuple(map(intern, row[2])), terms[row[3]]
    rest = [*map(_shared, row[4:])]
    if kind is Definition:
        rest[0] = terms[rest[0]]
    elif kind is Recursor:
        rest[_RULES] = tuple(RecursorRule(c, n, terms[rhs]) for c, n, rhs in rest[_RULES])
    # Each class of declarations has fields of its own behind these three.
    make: Callable[..., Declaration] = kind
    return make(name, params, type_, *rest)
