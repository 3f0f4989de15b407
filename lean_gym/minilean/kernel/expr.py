"""Terms: interned, immutable, de Bruijn indexed.

Nodes are built by the `mk_*` functions only and are interned, so equal terms are usually the same object and
identity is the fast path of every comparison. Interning is a matter of speed alone: the tables may be emptied
(`trim_tables`), after which `alpha_eq` still decides equality. Each node caches its hash (binder names do not
count), its loose bound-variable range and whether free variables or metavariables occur in it.

Source: Lean 4 `src/Lean/Expr.lean`, `src/kernel/expr.h` (4.34). `mdata` does not exist here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice
from sys import getrefcount
from typing import Any, Final

from lean_gym.minilean.kernel.level import ONE, UNHELD, ZERO, Level, format_level

DEFAULT: Final = 0
IMPLICIT: Final = 1
STRICT: Final = 2
INST: Final = 3


class Expr:
    """A term.

    Attributes:
        hash: Structural hash; alpha-equivalent terms have equal hashes.
        loose: All loose bound variables have an index below this number; 0 means closed.
        has_fvar: Whether a free variable occurs.
        has_mvar: Whether a metavariable (of terms or of levels) occurs.
        has_param: Whether a universe parameter occurs.
    """

    __slots__ = ("has_fvar", "has_mvar", "has_param", "hash", "loose")

    hash: int
    loose: int
    has_fvar: bool
    has_mvar: bool
    has_param: bool

    def __repr__(self) -> str:
        return format_raw(self)


class BVar(Expr):
    """A bound variable: `idx` binders out."""

    __slots__ = ("idx",)
    idx: int


class FVar(Expr):
    """A free variable; its name and type are in a local context, under `id`."""

    __slots__ = ("id",)
    id: int


class MVar(Expr):
    """A metavariable; the kernel rejects every term that holds one."""

    __slots__ = ("id",)
    id: int


class Sort(Expr):
    """`Sort level`: `Prop` at 0, `Type u` at `u + 1`."""

    __slots__ = ("level",)
    level: Level


class Const(Expr):
    """A declared constant with its universe arguments."""

    __slots__ = ("levels", "name")
    name: str
    levels: tuple[Level, ...]


class App(Expr):
    """`fn arg`."""

    __slots__ = ("arg", "fn")
    fn: Expr
    arg: Expr


class Binding(Expr):
    """What `Lam` and `Pi` share. `name` is for display only; `info` is DEFAULT, IMPLICIT, STRICT or INST."""

    __slots__ = ("body", "info", "name", "type")
    name: str
    type: Expr
    body: Expr
    info: int


class Lam(Binding):
    """`fun name : type => body`."""

    __slots__ = ()


class Pi(Binding):
    """`(name : type) -> body`."""

    __slots__ = ()


class Let(Expr):
    """`let name : type := value; body`. `nondep` marks a `have`; the kernel treats both alike."""

    __slots__ = ("body", "name", "nondep", "type", "value")
    name: str
    type: Expr
    value: Expr
    body: Expr
    nondep: bool


class Lit(Expr):
    """A literal: a natural number or a string."""

    __slots__ = ("value",)
    value: int | str


class Proj(Expr):
    """Field number `idx` (0-based, parameters excluded) of a value of the structure `struct`."""

    __slots__ = ("expr", "idx", "struct")
    struct: str
    idx: int
    expr: Expr


_bvars: dict[int, BVar] = {}
_fvars: dict[int, FVar] = {}
_mvars: dict[int, MVar] = {}
_sorts: dict[Level, Sort] = {}
_consts: dict[tuple[str, tuple[Level, ...]], Const] = {}
_apps: dict[tuple[Expr, Expr], App] = {}
_lams: dict[tuple[str, Expr, Expr, int], Lam] = {}
_pis: dict[tuple[str, Expr, Expr, int], Pi] = {}
_lets: dict[tuple[str, Expr, Expr, Expr, bool], Let] = {}
_lits: dict[tuple[type, int | str], Lit] = {}
_projs: dict[tuple[str, int, Expr], Proj] = {}
_fresh = count(1)

_TABLES: Final[tuple[dict[Any, Any], ...]] = (
    _fvars, _mvars, _sorts, _consts, _apps, _lams, _pis, _lets, _lits, _projs
)  # fmt: skip
_kept: Final = [0] * len(_TABLES)


def fresh_id() -> int:
    """A number no other free variable or metavariable of this process has."""
    return next(_fresh)


def table_size() -> int:
    """How many compound terms the interning tables hold."""
    return len(_apps) + len(_lams) + len(_pis) + len(_lets) + len(_projs)


def keep_tables() -> None:
    """Keep what the tables hold now for good: the terms of a library, which every proof uses."""
    _kept[:] = map(len, _TABLES)


def trim_tables() -> None:
    """Drop the terms made since `keep_tables`. Those still held stay valid; only sharing is lost.

    A variable or metavariable that anybody holds stays: it is told from others by identity, and must be the same
    object when it is next asked for by its number.
    """
    for table, kept in reversed(list(zip(_TABLES, _kept, strict=True))):
        leaves = table is _fvars or table is _mvars
        for key in list(islice(table, kept, None)):
            if not leaves or getrefcount(table[key]) == UNHELD:
                del table[key]


def mk_bvar(idx: int) -> BVar:
    """Bound variable `idx`."""
    node = _bvars.get(idx)
    if node is None:
        node = BVar()
        node.idx = idx
        node.hash = hash((1, idx))
        node.loose = idx + 1
        node.has_fvar = node.has_mvar = node.has_param = False
        _bvars[idx] = node
    return node


def mk_fvar(fvar_id: int) -> FVar:
    """The free variable with this id."""
    node = _fvars.get(fvar_id)
    if node is None:
        node = FVar()
        node.id = fvar_id
        node.hash = hash((2, fvar_id))
        node.loose = 0
        node.has_fvar = True
        node.has_mvar = node.has_param = False
        _fvars[fvar_id] = node
    return node


def mk_mvar(mvar_id: int) -> MVar:
    """The metavariable with this id."""
    node = _mvars.get(mvar_id)
    if node is None:
        node = MVar()
        node.id = mvar_id
        node.hash = hash((3, mvar_id))
        node.loose = 0
        node.has_fvar = node.has_param = False
        node.has_mvar = True
        _mvars[mvar_id] = node
    return node


def mk_sort(level: Level) -> Sort:
    """`Sort level`."""
    node = _sorts.get(level)
    if node is None:
        node = Sort()
        node.level = level
        node.hash = hash((4, level))
        node.loose = 0
        node.has_fvar = False
        node.has_mvar = level.has_mvar
        node.has_param = level.has_param
        _sorts[level] = node
    return node


def mk_const(name: str, levels: tuple[Level, ...] = ()) -> Const:
    """The constant `name.{levels}`."""
    key = (name, levels)
    node = _consts.get(key)
    if node is None:
        node = Const()
        node.name = name
        node.levels = levels
        node.hash = hash((5, name, levels))
        node.loose = 0
        node.has_fvar = False
        node.has_mvar = any(level.has_mvar for level in levels)
        node.has_param = any(level.has_param for level in levels)
        _consts[key] = node
    return node


def mk_app(fn: Expr, arg: Expr) -> App:
    """`fn arg`."""
    key = (fn, arg)
    node = _apps.get(key)
    if node is None:
        node = App()
        node.fn = fn
        node.arg = arg
        node.hash = hash((6, fn.hash, arg.hash))
        node.loose = fn.loose if fn.loose >= arg.loose else arg.loose
        node.has_fvar = fn.has_fvar or arg.has_fvar
        node.has_mvar = fn.has_mvar or arg.has_mvar
        node.has_param = fn.has_param or arg.has_param
        _apps[key] = node
    return node


def _fill_binding(node: Binding, kind: int, name: str, type_: Expr, body: Expr, info: int) -> None:
    node.name = name
    node.type = type_
    node.body = body
    node.info = info
    node.hash = hash((kind, type_.hash, body.hash))
    inner = body.loose - 1
    node.loose = type_.loose if type_.loose >= inner else inner
    node.has_fvar = type_.has_fvar or body.has_fvar
    node.has_mvar = type_.has_mvar or body.has_mvar
    node.has_param = type_.has_param or body.has_param


def mk_lam(name: str, type_: Expr, body: Expr, info: int = DEFAULT) -> Lam:
    """`fun name : type => body`; `body` has bound variable 0 for `name`."""
    key = (name, type_, body, info)
    node = _lams.get(key)
    if node is None:
        node = Lam()
        _fill_binding(node, 7, name, type_, body, info)
        _lams[key] = node
    return node


def mk_pi(name: str, type_: Expr, body: Expr, info: int = DEFAULT) -> Pi:
    """`(name : type) -> body`; `body` has bound variable 0 for `name`."""
    key = (name, type_, body, info)
    node = _pis.get(key)
    if node is None:
        node = Pi()
        _fill_binding(node, 8, name, type_, body, info)
        _pis[key] = node
    return node


def mk_arrow(domain: Expr, codomain: Expr, name: str = "a") -> Pi:
    """The non-dependent `domain -> codomain` (`codomain` without loose variables)."""
    return mk_pi(name, domain, codomain)


def mk_let(name: str, type_: Expr, value: Expr, body: Expr, nondep: bool = False) -> Let:
    """`let name : type := value; body`."""
    key = (name, type_, value, body, nondep)
    node = _lets.get(key)
    if node is None:
        node = Let()
        node.name, node.type, node.value, node.body, node.nondep = name, type_, value, body, nondep
        node.hash = hash((9, type_.hash, value.hash, body.hash))
        node.loose = max(type_.loose, value.loose, body.loose - 1)
        node.has_fvar = type_.has_fvar or value.has_fvar or body.has_fvar
        node.has_mvar = type_.has_mvar or value.has_mvar or body.has_mvar
        node.has_param = type_.has_param or value.has_param or body.has_param
        _lets[key] = node
    return node


def mk_lit(value: int | str) -> Lit:
    """A literal. `value` is a natural number or a string."""
    key = (type(value), value)  # True == 1, but no literal
    node = _lits.get(key)
    if node is None:
        node = Lit()
        node.value = value
        node.hash = hash((10, value))
        node.loose = 0
        node.has_fvar = node.has_mvar = node.has_param = False
        _lits[key] = node
    return node


def mk_proj(struct: str, idx: int, expr: Expr) -> Proj:
    """Field `idx` of `expr : struct ...`."""
    key = (struct, idx, expr)
    node = _projs.get(key)
    if node is None:
        node = Proj()
        node.struct, node.idx, node.expr = struct, idx, expr
        node.hash = hash((11, struct, idx, expr.hash))
        node.loose = expr.loose
        node.has_fvar = expr.has_fvar
        node.has_mvar = expr.has_mvar
        node.has_param = expr.has_param
        _projs[key] = node
    return node


PROP: Final = mk_sort(ZERO)
TYPE: Final = mk_sort(ONE)
keep_tables()


def mk_apps(fn: Expr, args: Iterable[Expr]) -> Expr:
    """`fn a1 ... an`."""
    for arg in args:
        fn = mk_app(fn, arg)
    return fn


def get_app_fn(e: Expr) -> Expr:
    """The head `f` of `f a1 ... an`."""
    while type(e) is App:
        e = e.fn
    return e


def get_app_args(e: Expr) -> list[Expr]:
    """The arguments `[a1, ..., an]` of `f a1 ... an`."""
    args = []
    while type(e) is App:
        args.append(e.arg)
        e = e.fn
    args.reverse()
    return args


def get_app(e: Expr) -> tuple[Expr, list[Expr]]:
    """Head and arguments of an application."""
    args = []
    while type(e) is App:
        args.append(e.arg)
        e = e.fn
    args.reverse()
    return e, args


def is_app_of(e: Expr, name: str, arity: int) -> bool:
    """Whether `e` is the constant `name` applied to exactly `arity` arguments."""
    for _ in range(arity):
        if type(e) is not App:
            return False
        e = e.fn
    return type(e) is Const and e.name == name


def subterms(e: Expr) -> Iterator[Expr]:
    """Every distinct subterm of `e` once, `e` first (loose variables as they stand)."""
    seen: set[Expr] = set()
    stack = [e]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        kind = type(node)
        if kind is App:
            stack.append(node.arg)  # type: ignore[attr-defined]
            stack.append(node.fn)  # type: ignore[attr-defined]
        elif kind is Lam or kind is Pi:
            stack.append(node.body)  # type: ignore[attr-defined]
            stack.append(node.type)  # type: ignore[attr-defined]
        elif kind is Let:
            stack.extend((node.body, node.value, node.type))  # type: ignore[attr-defined]
        elif kind is Proj:
            stack.append(node.expr)  # type: ignore[attr-defined]


def alpha_eq(a: Expr, b: Expr) -> bool:
    """Structural equality up to the names and kinds of binders. Iterative: safe on terms of any depth."""
    if a is b:
        return True
    if a.hash != b.hash:
        return False
    done: set[tuple[Expr, Expr]] = set()
    stack = [(a, b)]
    while stack:
        pair = stack.pop()
        x, y = pair
        if x is y:
            continue
        kind = type(x)
        if x.hash != y.hash or kind is not type(y):
            return False
        if pair in done:
            continue
        done.add(pair)
        if kind is App:
            stack.append((x.arg, y.arg))  # type: ignore[attr-defined]
            stack.append((x.fn, y.fn))  # type: ignore[attr-defined]
        elif kind is Lam or kind is Pi:
            stack.append((x.body, y.body))  # type: ignore[attr-defined]
            stack.append((x.type, y.type))  # type: ignore[attr-defined]
        elif kind is Let:
            stack.append((x.body, y.body))  # type: ignore[attr-defined]
            stack.append((x.value, y.value))  # type: ignore[attr-defined]
            stack.append((x.type, y.type))  # type: ignore[attr-defined]
        elif kind is Proj:
            if x.struct != y.struct or x.idx != y.idx:  # type: ignore[attr-defined]
                return False
            stack.append((x.expr, y.expr))  # type: ignore[attr-defined]
        elif kind is Const:
            if x.name != y.name or x.levels != y.levels:  # type: ignore[attr-defined]
                return False
        elif kind is Sort:
            if x.level is not y.level:  # type: ignore[attr-defined]
                return False
        elif kind is BVar:
            if x.idx != y.idx:  # type: ignore[attr-defined]
                return False
        elif kind is Lit:
            if type(x.value) is not type(y.value) or x.value != y.value:  # type: ignore[attr-defined]
                return False
        elif x.id != y.id:  # type: ignore[attr-defined]
            return False
    return True


def format_raw(e: Expr) -> str:
    """A plain rendering for debugging and kernel errors; `syntax/pretty.py` is for people."""
    kind = type(e)
    if kind is BVar:
        return f"#{e.idx}"  # type: ignore[attr-defined]
    if kind is FVar:
        return f"${e.id}"  # type: ignore[attr-defined]
    if kind is MVar:
        return f"?{e.id}"  # type: ignore[attr-defined]
    if kind is Sort:
        return "Prop" if e is PROP else f"Sort({format_level(e.level)})"  # type: ignore[attr-defined]
    if kind is Const:
        return str(e.name)  # type: ignore[attr-defined]
    if kind is Lit:
        value = e.value  # type: ignore[attr-defined]
        # Python refuses to write very long numbers in decimal
        return hex(value) if type(value) is int and value.bit_length() > 1000 else repr(value)
    if kind is App:
        fn, args = get_app(e)
        return "(" + " ".join([format_raw(fn), *map(format_raw, args)]) + ")"
    if kind is Lam or kind is Pi:
        word = "fun" if kind is Lam else "Pi"
        return f"({word} {e.name} : {format_raw(e.type)}, {format_raw(e.body)})"  # type: ignore[attr-defined]
    if kind is Let:
        return f"(let {e.name} : {format_raw(e.type)} := {format_raw(e.value)}; {format_raw(e.body)})"  # type: ignore[attr-defined]
    return f"{format_raw(e.expr)}.{e.idx}"  # type: ignore[attr-defined]
