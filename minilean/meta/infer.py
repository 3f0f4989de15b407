"""Types of terms that are known to be well typed. The kernel checks; nothing is checked here.

Source: Lean 4 `src/Lean/Meta/InferType.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.expr import (
    PROP,
    App,
    BVar,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Lit,
    MVar,
    Pi,
    Proj,
    Sort,
    get_app,
    mk_const,
    mk_proj,
    mk_sort,
)
from minilean.kernel.instantiate import (
    beta_apply,
    instantiate,
    instantiate1,
    instantiate_level_params,
    replace,
)
from minilean.kernel.level import ZERO, Level, mk_imax, mk_succ, simplify
from minilean.kernel.level_order import is_equiv
from minilean.meta.context import LocalContext
from minilean.meta.errors import MetaError
from minilean.meta.extension import DEFAULT_TRANSPARENCY
from minilean.meta.metavars import Meta

NAT = mk_const("Nat")
STRING = mk_const("String")


def infer_type(m: Meta, e: Expr) -> Expr:
    """The type of `e`, not reduced."""
    kind = type(e)
    if kind is FVar:
        return m.local(e).type
    if kind is MVar:
        return m.mctx.decls[e.id].type  # type: ignore[attr-defined]
    if kind is Const:
        return const_type(m, e)
    if kind is Sort:
        return mk_sort(mk_succ(e.level))  # type: ignore[attr-defined]
    if kind is Lit:
        return NAT if type(e.value) is int else STRING  # type: ignore[attr-defined]
    cacheable = not e.has_mvar
    if cacheable:
        hit = m.infer_cache.get(e)
        if hit is not None:
            return hit
    m.budget.spend("infer_type")
    if kind is App:
        out = _infer_app(m, e)
    elif kind is Lam:
        out = _infer_lambda(m, e)
    elif kind is Pi:
        out = _infer_pi(m, e)
    elif kind is Let:
        out = infer_type(m, instantiate1(e.body, e.value))  # type: ignore[attr-defined]
    elif kind is Proj:
        out = _infer_proj(m, e)
    else:
        raise MetaError("internal: a loose bound variable has no type")
    if cacheable and not out.has_mvar:
        m.infer_cache[e] = out
    return out


def const_type(m: Meta, e: Expr) -> Expr:
    """The declared type of a constant at its universe arguments."""
    decl = m.env.find(e.name)  # type: ignore[attr-defined]
    if decl is None:
        raise MetaError(f"Unknown constant `{e.name}`")  # type: ignore[attr-defined]
    if not e.levels:  # type: ignore[attr-defined]
        return decl.type
    if len(decl.level_params) != len(e.levels):  # type: ignore[attr-defined]
        raise MetaError(f"`{e.name}` takes {len(decl.level_params)} universe levels, got {len(e.levels)}")  # type: ignore[attr-defined]
    if not e.has_mvar:
        return m.env.kernel.instance(e, decl, 0, decl.type)  # type: ignore[arg-type]
    return instantiate_level_params(decl.type, decl.level_params, e.levels)  # type: ignore[attr-defined]


def _infer_app(m: Meta, e: Expr) -> Expr:
    fn, args = get_app(e)
    type_ = infer_type(m, fn)
    start = 0
    for i, _arg in enumerate(args):
        if type(type_) is Pi:
            type_ = type_.body
            continue
        type_ = m.whnf(instantiate_beta(type_, args[start:i]))
        start = i
        if type(type_) is not Pi:
            # Lean infers types at default transparency, whatever unification may unfold
            with m.with_transparency(DEFAULT_TRANSPARENCY):
                type_ = m.whnf(type_)
        if type(type_) is not Pi:
            raise MetaError("internal: too many arguments")
        type_ = type_.body
    return instantiate_beta(type_, args[start:])


def instantiate_beta(e: Expr, values: Sequence[Expr]) -> Expr:
    """`instantiate`, contracting the redexes that arise where a variable stood at the head of an application."""
    if not e.loose or not any(type(v) is Lam for v in values):
        return instantiate(e, values)
    lambdas = {i for i, v in enumerate(reversed(values)) if type(v) is Lam}

    def at(t: Expr, depth: int) -> Expr | None:
        if type(t) is App and t.loose > depth:
            fn, args = get_app(t)
            if type(fn) is BVar and fn.idx - depth in lambdas:
                value = values[len(values) - 1 - (fn.idx - depth)]

                def below(s: Expr, d: int) -> Expr | None:
                    return at(s, d + depth)

                # `values` have no loose variables, so the lambda needs no lifting here
                return beta_apply(value, [replace(a, below) for a in args])
        return None

    return instantiate(replace(e, at), values)


def _infer_lambda(m: Meta, e: Expr) -> Expr:
    old = m.lctx
    m.lctx = LocalContext(dict(old.decls))
    try:
        fvars: list[Expr] = []
        body = e
        while type(body) is Lam:
            fvars.append(m.push_local(body.name, instantiate(body.type, fvars), body.info))
            body = body.body
        return m.mk_pi(fvars, infer_type(m, instantiate(body, fvars)))
    finally:
        m.lctx = old


def _infer_pi(m: Meta, e: Expr) -> Expr:
    old = m.lctx
    try:
        fvars: list[Expr] = []
        sorts: list[Level] = []
        body = e
        while type(body) is Pi:
            domain = instantiate(body.type, fvars)
            sorts.append(sort_level(m, domain))
            fvars.append(m.push_local(body.name, domain, body.info))
            body = body.body
        level = sort_level(m, instantiate(body, fvars))
        for domain_level in reversed(sorts):
            level = simplify(mk_imax(domain_level, level))
        return mk_sort(level)
    finally:
        m.lctx = old


def _infer_proj(m: Meta, e: Expr) -> Expr:
    struct_type = m.whnf(infer_type(m, e.expr))  # type: ignore[attr-defined]
    fn, args = get_app(struct_type)
    info = m.env.structures.get(e.struct)  # type: ignore[attr-defined]
    if info is None or type(fn) is not Const:
        raise MetaError("internal: projection from a term that is not a structure")
    ctor = m.env.find(info.constructor)
    assert ctor is not None
    type_ = instantiate_level_params(ctor.type, ctor.level_params, fn.levels)
    for arg in args[: info.num_params]:
        type_ = instantiate1(type_.body, arg)  # type: ignore[attr-defined]
    for i in range(e.idx):  # type: ignore[attr-defined]
        type_ = instantiate1(type_.body, mk_proj(e.struct, i, e.expr))  # type: ignore[attr-defined]
    return type_.type  # type: ignore[attr-defined, no-any-return]


def sort_level(m: Meta, type_: Expr) -> Level:
    """The level `u` with `type_ : Sort u`; a metavariable for the sort is assigned one."""
    sort = infer_type(m, type_)
    if type(sort) is not Sort:
        sort = m.whnf(sort)
    if type(sort) is Sort:
        return sort.level
    if type(sort) is MVar and m.is_assignable(sort):
        level = m.new_level_mvar()
        m.mctx.assign(sort.id, mk_sort(level))
        return level
    raise MetaError("type expected")


def is_prop(m: Meta, e: Expr) -> bool:
    """Return whether `e` is a proposition, that is `e : Prop`."""
    kind = type(e)
    if kind is Sort or kind is Lam or kind is Lit:
        return False
    if kind is Pi:
        old = m.lctx
        try:
            while type(e) is Pi:
                fvar = m.push_local(e.name, e.type)
                e = instantiate1(e.body, fvar)
            return is_prop(m, e)
        finally:
            m.lctx = old
    sort = infer_type(m, e)
    if sort is PROP:
        return True
    sort = m.whnf(m.instantiate_mvars(sort))
    return type(sort) is Sort and is_equiv(m.instantiate_level(sort.level), ZERO)


def is_proof(m: Meta, e: Expr) -> bool:
    """Return whether `e` is a proof, that is `e : p` with `p : Prop`."""
    kind = type(e)
    if kind is Sort or kind is Pi or kind is Lit:
        return False
    return is_prop(m, infer_type(m, e))


def is_type(m: Meta, e: Expr) -> bool:
    """Return whether `e` is a type, that is its type is a sort."""
    return type(m.whnf(infer_type(m, e))) is Sort
