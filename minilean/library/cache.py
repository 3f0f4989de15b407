"""The proved library on disk: terms as a flat table, so that a start costs milliseconds instead of seconds.

A cache file is named after the hash of everything it depends on (library text, minilean's source, the Python
version) and begins with the hash of its own content. A file that is absent, stale or damaged is not used.
Proofs of theorems are left out: their statements and axioms are what later proofs need.
"""

from __future__ import annotations

import gc
import hashlib
import marshal
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

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

FORMAT = 5
_KINDS: tuple[type[Declaration], ...] = (
    Axiom, Definition, TheoremDecl, Constructor, Inductive, Recursor, QuotDecl
)  # fmt: skip
_ROWS: tuple[type, ...] = (InstanceEntry, StructureInfo, ProjectionInfo, MatcherInfo, Recursion)


def cache_key(sources: Iterable[Path]) -> str:
    """The hash of everything that decides what the library is."""
    digest = hashlib.sha256(f"{FORMAT} {sys.version}".encode())
    package = Path(__file__).parents[1]
    for path in [*sources, *sorted(package.rglob("*.py"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@contextmanager
def uncollected() -> Iterator[None]:
    """Make a library: hardly anything is garbage, and the collector would look at all of it again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def cache_path(key: str) -> Path:
    """Where the cache file of this key lives: `$XDG_CACHE_HOME/lean-gym`, by default below `~/.cache`."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(root) / "lean-gym" / f"library-{key[:24]}.bin"


def read(key: str) -> LeanEnv | None:
    """The environment in the cache file of this key, or `None` when there is no sound one."""
    try:
        blob = cache_path(key).read_bytes()
    except OSError:
        return None
    digest, payload = blob[:32], blob[32:]
    if hashlib.sha256(key.encode() + payload).digest() != digest:
        return None
    try:
        with uncollected():
            return _decode(marshal.loads(payload))
    except (ValueError, EOFError, TypeError, KeyError, IndexError):
        return None


def write(key: str, env: LeanEnv) -> None:
    """Put `env` into the cache file of this key; a directory that cannot be written is no error."""
    payload = marshal.dumps(_encode(env))
    path = cache_path(key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(hashlib.sha256(key.encode() + payload).digest() + payload)
        os.replace(file.name, path)
    except OSError:
        return


class _Writer:
    """Numbers levels and terms in the order in which their parts come first."""

    def __init__(self) -> None:
        self.levels: list[Any] = []
        self.terms: list[Any] = []
        self._level_ids: dict[Level, int] = {}
        self._term_ids: dict[Expr, int] = {}

    def level(self, level: Level) -> int:
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
        else:
            row = ("0",)
        self.levels.append(row)
        self._level_ids[level] = len(self.levels) - 1
        return len(self.levels) - 1

    def term(self, e: Expr) -> int:
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
            row = (3, e.name, tuple(self.level(level) for level in e.levels))  # type: ignore[attr-defined]
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
            raise TypeError(f"a library term holds a {kind.__name__}")
        self.terms.append(row)
        self._term_ids[e] = len(self.terms) - 1
        return len(self.terms) - 1


def _encode(env: LeanEnv) -> dict[str, Any]:
    writer = _Writer()
    declarations = [_encode_declaration(env.kernel.get(name), writer) for name in env.kernel]
    tables = {name: _encode_table(getattr(env, name), writer) for name in TABLES}
    return {"tables": tables, "declarations": declarations, "levels": writer.levels, "terms": writer.terms}


def _encode_table(table: Any, writer: _Writer) -> tuple[int, bool, Any]:
    """Number of the type of its rows (-1 for plain values), whether there are several under a key, and the rows."""
    first: Any = next(filter(None, table.values()), None) if isinstance(table, dict) else None
    several = isinstance(first, tuple) and type(first[0]) in _ROWS
    kind = type(first[0] if several else first)
    if kind not in _ROWS:
        return -1, False, table
    if several:
        return _ROWS.index(kind), True, {k: [_row(row, writer) for row in rows] for k, rows in table.items()}
    return _ROWS.index(kind), False, {k: _row(row, writer) for k, row in table.items()}


def _row(info: Any, writer: _Writer) -> tuple[Any, ...]:
    values = (getattr(info, field.name) for field in fields(info))
    return tuple(writer.term(value) if isinstance(value, Expr) else value for value in values)


def _encode_declaration(decl: Declaration, writer: _Writer) -> tuple[Any, ...]:
    row: list[Any] = [_KINDS.index(type(decl))]
    for field in fields(decl):
        value = getattr(decl, field.name)
        if field.name == "value" and isinstance(decl, TheoremDecl):
            value = None
        elif isinstance(value, Expr):
            value = writer.term(value)
        elif field.name == "rules":
            value = [(rule.constructor, rule.num_fields, writer.term(rule.rhs)) for rule in value]
        row.append(value)
    return tuple(row)


def _decode(data: dict[str, Any]) -> LeanEnv:
    levels: list[Level] = []
    for row in data["levels"]:
        word = row[0]
        if word == "s":
            levels.append(mk_succ(levels[row[1]]))
        elif word == "p":
            levels.append(mk_param(row[1]))
        elif word == "0":
            levels.append(ZERO)
        else:
            levels.append((mk_max if word == "m" else mk_imax)(levels[row[1]], levels[row[2]]))
    terms = _decode_terms(data["terms"], levels)
    env = LeanEnv()
    for row in data["declarations"]:
        env.kernel.load_trusted(_decode_declaration(row, terms))
    for name, (kind, several, table) in data["tables"].items():
        setattr(env, name, _decode_table(kind, several, table, terms))
    return env


def _decode_table(kind: int, several: bool, table: Any, terms: list[Expr]) -> Any:
    if kind < 0:
        return table
    row_type = _ROWS[kind]
    if row_type is Recursion:
        return {k: Recursion(row[0], terms[row[1]], *row[2:]) for k, row in table.items()}
    if several:
        return {k: tuple(row_type(*row) for row in rows) for k, rows in table.items()}
    return {k: row_type(*row) for k, row in table.items()}


def _decode_terms(rows: list[Any], levels: list[Level]) -> list[Expr]:
    terms: list[Expr] = []
    add = terms.append
    for row in rows:
        kind = row[0]
        if kind == 0:
            add(mk_app(terms[row[1]], terms[row[2]]))
        elif kind == 1:
            add(mk_lam(row[1], terms[row[2]], terms[row[3]], row[4]))
        elif kind == 2:
            add(mk_pi(row[1], terms[row[2]], terms[row[3]], row[4]))
        elif kind == 3:
            add(mk_const(row[1], tuple(levels[i] for i in row[2])))
        elif kind == 4:
            add(mk_bvar(row[1]))
        elif kind == 5:
            add(mk_sort(levels[row[1]]))
        elif kind == 6:
            add(mk_lit(row[1]))
        elif kind == 7:
            add(mk_proj(row[1], row[2], terms[row[3]]))
        else:
            add(mk_let(row[1], terms[row[2]], terms[row[3]], terms[row[4]], row[5]))
    return terms


def _decode_declaration(row: tuple[Any, ...], terms: list[Expr]) -> Declaration:
    kind = _KINDS[row[0]]
    values = dict(zip((field.name for field in fields(kind)), row[1:], strict=True))
    values["type"] = terms[values["type"]]
    if kind is Definition:
        values["value"] = terms[values["value"]]
    elif kind is Recursor:
        values["rules"] = tuple(RecursorRule(c, n, terms[rhs]) for c, n, rhs in values["rules"])
    declaration: Declaration = kind(**values)
    return declaration
