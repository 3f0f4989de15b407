"""Terms: interned, immutable, de Bruijn indexed.

Nodes are built by the `mk_*` functions only and are interned in the tables here, which `interning.py` trims. Equal
terms are usually the same object, so identity is the fast path of every comparison. `Expr` lists what a node caches.

Source: Lean 4 `src/Lean/Expr.lean`, `src/kernel/expr.h` (4.34). `mdata` does not exist here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from minilean.kernel.level import ONE, ZERO, Level, format_level

DEFAULT: Final = 0
IMPLICIT: Final = 1
STRICT: Final = 2
INST: Final = 3


class Expr:
    """A term.

    Attributes:
        hash: Structural hash; names of binders do not count: alpha-equivalent terms have equal hashes.
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
    """A bound variable, by its de Bruijn index `idx`."""

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
    """Base of `Lam` and `Pi`. `name` is for display only; `info` is DEFAULT, IMPLICIT, STRICT or INST."""

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


BVARS: Final[dict[int, BVar]] = {}
FVARS: Final[dict[int, FVar]] = {}
MVARS: Final[dict[int, MVar]] = {}
SORTS: Final[dict[Level, Sort]] = {}
CONSTS: Final[dict[tuple[str, tuple[Level, ...]], Const]] = {}
APPS: Final[dict[tuple[Expr, Expr], App]] = {}
LAMS: Final[dict[tuple[str, Expr, Expr, int], Lam]] = {}
PIS: Final[dict[tuple[str, Expr, Expr, int], Pi]] = {}
LETS: Final[dict[tuple[str, Expr, Expr, Expr, bool], Let]] = {}
LITS: Final[dict[tuple[type, int | str], Lit]] = {}
PROJS: Final[dict[tuple[str, int, Expr], Proj]] = {}


def mk_bvar(idx: int) -> BVar:
    """Bound variable `idx`."""
    node = BVARS.get(idx)
    if node is None:
        node = BVar()
        node.idx = idx
        node.hash = hash((1, idx))
        node.loose = idx + 1
        node.has_fvar = node.has_mvar = node.has_param = False
        BVARS[idx] = node
    return node


def mk_fvar(fvar_id: int) -> FVar:
    """The free variable with this id."""
    node = FVARS.get(fvar_id)
    if node is None:
        node = FVar()
        node.id = fvar_id
        node.hash = hash((2, fvar_id))
        node.loose = 0
        node.has_fvar = True
        node.has_mvar = node.has_param = False
        FVARS[fvar_id] = node
    return node


def mk_mvar(mvar_id: int) -> MVar:
    """The metavariable with this id."""
    node = MVARS.get(mvar_id)
    if node is None:
        node = MVar()
        node.id = mvar_id
        node.hash = hash((3, mvar_id))
        node.loose = 0
        node.has_fvar = node.has_param = False
        node.has_mvar = True
        MVARS[mvar_id] = node
    return node


def mk_sort(level: Level) -> Sort:
    """`Sort level`."""
    node = SORTS.get(level)
    if node is None:
        node = Sort()
        node.level = level
        node.hash = hash((4, level))
        node.loose = 0
        node.has_fvar = False
        node.has_mvar = level.has_mvar
        node.has_param = level.has_param
        SORTS[level] = node
    return node


def mk_const(name: str, levels: tuple[Level, ...] = ()) -> Const:
    """The constant `name.{levels}`."""
    key = (name, levels)
    node = CONSTS.get(key)
    if node is None:
        node = Const()
        node.name, node.levels = name, levels
        node.hash = hash((5, name, levels))
        node.loose = 0
        node.has_fvar = False
        node.has_mvar = any(level.has_mvar for level in levels)
        node.has_param = any(level.has_param for level in levels)
        CONSTS[key] = node
    return node


def mk_app(fn: Expr, arg: Expr) -> App:
    """`fn arg`."""
    key = (fn, arg)
    node = APPS.get(key)
    if node is None:
        node = App()
        node.fn = fn
        node.arg = arg
        node.hash = hash((6, fn.hash, arg.hash))
        node.loose = fn.loose if fn.loose >= arg.loose else arg.loose
        node.has_fvar = fn.has_fvar or arg.has_fvar
        node.has_mvar = fn.has_mvar or arg.has_mvar
        node.has_param = fn.has_param or arg.has_param
        APPS[key] = node
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
    node = LAMS.get(key)
    if node is None:
        node = Lam()
        _fill_binding(node, 7, name, type_, body, info)
        LAMS[key] = node
    return node


def mk_pi(name: str, type_: Expr, body: Expr, info: int = DEFAULT) -> Pi:
    """`(name : type) -> body`; `body` has bound variable 0 for `name`."""
    key = (name, type_, body, info)
    node = PIS.get(key)
    if node is None:
        node = Pi()
        _fill_binding(node, 8, name, type_, body, info)
        PIS[key] = node
    return node


def mk_arrow(domain: Expr, codomain: Expr, name: str = "a") -> Pi:
    """The non-dependent `domain -> codomain` (`codomain` without loose variables)."""
    return mk_pi(name, domain, codomain)


def mk_let(name: str, type_: Expr, value: Expr, body: Expr, nondep: bool = False) -> Let:
    """`let name : type := value; body`."""
    key = (name, type_, value, body, nondep)
    node = LETS.get(key)
    if node is None:
        node = Let()
        node.name, node.type, node.value, node.body, node.nondep = name, type_, value, body, nondep
        node.hash = hash((9, type_.hash, value.hash, body.hash))
        node.loose = max(type_.loose, value.loose, body.loose - 1)
        node.has_fvar = type_.has_fvar or value.has_fvar or body.has_fvar
        node.has_mvar = type_.has_mvar or value.has_mvar or body.has_mvar
        node.has_param = type_.has_param or value.has_param or body.has_param
        LETS[key] = node
    return node


def mk_lit(value: int | str) -> Lit:
    """A literal. `value` is a natural number or a string."""
    key = (type(value), value)  # `True == 1`, but `True` is not a literal
    node = LITS.get(key)
    if node is None:
        node = Lit()
        node.value = value
        node.hash = hash((10, value))
        node.loose = 0
        node.has_fvar = node.has_mvar = node.has_param = False
        LITS[key] = node
    return node


def mk_proj(struct: str, idx: int, expr: Expr) -> Proj:
    """Field `idx` of `expr : struct ...`."""
    key = (struct, idx, expr)
    node = PROJS.get(key)
    if node is None:
        node = Proj()
        node.struct, node.idx, node.expr = struct, idx, expr
        node.hash = hash((11, struct, idx, expr.hash))
        node.loose = expr.loose
        node.has_fvar = expr.has_fvar
        node.has_mvar = expr.has_mvar
        node.has_param = expr.has_param
        PROJS[key] = node
    return node


PROP: Final = mk_sort(ZERO)
TYPE: Final = mk_sort(ONE)


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
    """Return whether `e` is the constant `name` applied to exactly `arity` arguments."""
    for _ in range(arity):
        if type(e) is not App:
            return False
        e = e.fn
    return type(e) is Const and e.name == name


def format_raw(e: Expr) -> str:
    """A plain rendering for debugging and kernel errors; `printer/pretty.py` prints terms for users."""
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
