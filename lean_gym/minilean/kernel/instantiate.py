"""Substitution on terms: bound variables, free variables, universe parameters.

Source: Lean 4 `src/kernel/instantiate.cpp`, `abstract.cpp`. Results are shared per call, so a term that is a
small graph stays one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lean_gym.minilean.kernel.expr import (
    App,
    BVar,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Pi,
    Proj,
    Sort,
    mk_app,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_let,
    mk_pi,
    mk_proj,
    mk_sort,
)
from lean_gym.minilean.kernel.level import Level, instantiate_level


def instantiate(e: Expr, values: Sequence[Expr]) -> Expr:
    """Replace bound variable `i` by `values[n - 1 - i]`, `n = len(values)`: outermost binder first.

    Loose variables of the values are lifted over the binders of `e` that they end up under.
    """
    if e.loose == 0 or not values:
        return e
    n = len(values)
    cache: dict[tuple[Expr, int], Expr] = {}

    def go(t: Expr, depth: int) -> Expr:
        if t.loose <= depth:
            return t
        kind = type(t)
        if kind is BVar:
            i = t.idx - depth  # type: ignore[attr-defined]
            if i < n:
                value = values[n - 1 - i]
                return lift_loose(value, depth) if depth and value.loose else value
            return mk_bvar(t.idx - n)  # type: ignore[attr-defined]
        key = (t, depth)
        hit = cache.get(key)
        if hit is not None:
            return hit
        if kind is App:
            out: Expr = mk_app(go(t.fn, depth), go(t.arg, depth))  # type: ignore[attr-defined]
        elif kind is Lam:
            out = mk_lam(t.name, go(t.type, depth), go(t.body, depth + 1), t.info)  # type: ignore[attr-defined]
        elif kind is Pi:
            out = mk_pi(t.name, go(t.type, depth), go(t.body, depth + 1), t.info)  # type: ignore[attr-defined]
        elif kind is Let:
            out = mk_let(
                t.name,  # type: ignore[attr-defined]
                go(t.type, depth),  # type: ignore[attr-defined]
                go(t.value, depth),  # type: ignore[attr-defined]
                go(t.body, depth + 1),  # type: ignore[attr-defined]
                t.nondep,  # type: ignore[attr-defined]
            )
        else:
            out = mk_proj(t.struct, t.idx, go(t.expr, depth))  # type: ignore[attr-defined]
        cache[key] = out
        return out

    return go(e, 0)


def instantiate1(body: Expr, value: Expr) -> Expr:
    """Replace bound variable 0 by `value`."""
    return instantiate(body, (value,)) if body.loose else body


def lift_loose(e: Expr, by: int, start: int = 0) -> Expr:
    """Add `by` to every loose bound variable with index `>= start`."""
    if by == 0:
        return e
    return _map_loose(e, start, lambda idx, _depth: mk_bvar(idx + by))


def lower_loose(e: Expr, start: int, by: int) -> Expr:
    """Subtract `by` from loose bound variables `>= start`; none right below `start` may occur."""
    if by == 0:
        return e
    return _map_loose(e, start, lambda idx, _depth: mk_bvar(idx - by))


def _map_loose(e: Expr, start: int, at: Callable[[int, int], Expr]) -> Expr:
    cache: dict[tuple[Expr, int], Expr] = {}

    def go(t: Expr, depth: int) -> Expr:
        if t.loose <= depth:
            return t
        if type(t) is BVar:
            return at(t.idx, depth)
        key = (t, depth)
        hit = cache.get(key)
        if hit is None:
            hit = cache[key] = map_children(t, depth, go)
        return hit

    return go(e, start)


def map_children(t: Expr, depth: int, go: Callable[[Expr, int], Expr]) -> Expr:
    """Rebuild `t` with `go(child, depth of the child)` for each child; leaves are returned as they are."""
    kind = type(t)
    if kind is App:
        fn, arg = go(t.fn, depth), go(t.arg, depth)  # type: ignore[attr-defined]
        return t if fn is t.fn and arg is t.arg else mk_app(fn, arg)  # type: ignore[attr-defined]
    if kind is Lam or kind is Pi:
        type_, body = go(t.type, depth), go(t.body, depth + 1)  # type: ignore[attr-defined]
        if type_ is t.type and body is t.body:  # type: ignore[attr-defined]
            return t
        return (mk_lam if kind is Lam else mk_pi)(t.name, type_, body, t.info)  # type: ignore[attr-defined]
    if kind is Let:
        return mk_let(
            t.name,  # type: ignore[attr-defined]
            go(t.type, depth),  # type: ignore[attr-defined]
            go(t.value, depth),  # type: ignore[attr-defined]
            go(t.body, depth + 1),  # type: ignore[attr-defined]
            t.nondep,  # type: ignore[attr-defined]
        )
    if kind is Proj:
        return mk_proj(t.struct, t.idx, go(t.expr, depth))  # type: ignore[attr-defined]
    return t


def replace(e: Expr, at: Callable[[Expr, int], Expr | None]) -> Expr:
    """Replace top-down: where `at(subterm, binders passed)` is not `None`, that is put and not entered."""
    cache: dict[tuple[Expr, int], Expr] = {}

    def go(t: Expr, depth: int) -> Expr:
        key = (t, depth)
        hit = cache.get(key)
        if hit is None:
            hit = at(t, depth)
            if hit is None:
                hit = map_children(t, depth, go)
            cache[key] = hit
        return hit

    return go(e, 0)


def abstract(e: Expr, fvars: Sequence[Expr]) -> Expr:
    """Replace the free variables (or metavariables) `fvars` by bound variables, the last one by index 0."""
    if not fvars or not (e.has_fvar or e.has_mvar):
        return e
    n = len(fvars)
    index = {v: n - 1 - i for i, v in enumerate(fvars)}
    by_id = {(type(v), v.id): k for v, k in index.items()}  # type: ignore[attr-defined]
    want_mvar = any(type(v) is not FVar for v in fvars)
    cache: dict[tuple[Expr, int], Expr] = {}

    def go(t: Expr, depth: int) -> Expr:
        if not t.has_fvar and not (want_mvar and t.has_mvar):
            return t
        kind = type(t)
        if kind is App:
            key = (t, depth)
            hit = cache.get(key)
            if hit is None:
                hit = cache[key] = mk_app(go(t.fn, depth), go(t.arg, depth))  # type: ignore[attr-defined]
            return hit
        if (i := by_id.get((kind, getattr(t, "id", None)))) is not None:
            return mk_bvar(i + depth)
        key = (t, depth)
        hit = cache.get(key)
        if hit is None:
            hit = cache[key] = map_children(t, depth, go)
        return hit

    return go(e, 0)


def instantiate_level_params(e: Expr, values: Mapping[str, Level]) -> Expr:
    """Replace universe parameters by levels."""
    if not e.has_param or not values:
        return e

    def at(t: Expr, _depth: int) -> Expr | None:
        if not t.has_param:
            return t
        if type(t) is Const:
            return mk_const(t.name, tuple(instantiate_level(level, values) for level in t.levels))
        if type(t) is Sort:
            return mk_sort(instantiate_level(t.level, values))
        return None

    return replace(e, at)


def beta_apply(fn: Expr, args: Sequence[Expr]) -> Expr:
    """`fn args` with the leading lambdas of `fn` contracted."""
    i = 0
    n = len(args)
    body = fn
    while i < n and type(body) is Lam:
        body = body.body
        i += 1
    result = instantiate(body, args[:i]) if i else fn
    if i and i < n and type(result) is Lam:
        return beta_apply(result, args[i:])
    for arg in args[i:]:
        result = mk_app(result, arg)
    return result


def head_beta(e: Expr) -> Expr:
    """Contract beta redexes at the head of `e`."""
    if type(e) is not App:
        return e
    args = []
    fn: Expr = e
    while type(fn) is App:
        args.append(fn.arg)
        fn = fn.fn
    if type(fn) is not Lam:
        return e
    args.reverse()
    return beta_apply(fn, args)
