"""Substitution on terms: bound variables, free variables, universe parameters.

Source: Lean 4 `src/kernel/instantiate.cpp`, `abstract.cpp`. Within a call each result is computed once, so shared
subterms stay shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from minilean.kernel.expr import (
    App,
    BVar,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    MVar,
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
from minilean.kernel.level import Level, instantiate_level


def instantiate(e: Expr, values: Sequence[Expr]) -> Expr:
    """Replace bound variable `i` by `values[n - 1 - i]`, `n = len(values)`: outermost binder first.

    Loose variables of the values are lifted over the binders of `e` that they end up under.
    """
    if e.loose == 0 or not values:
        return e
    return _instantiate(e, 0, values, {})


# Recursion goes through functions of the module: a nested function that calls itself is a cycle of references, and
# would leave its cache to the garbage collector at every call.
def _instantiate(t: Expr, depth: int, values: Sequence[Expr], cache: dict[tuple[Expr, int], Expr]) -> Expr:
    """`instantiate` on a term with loose variables from `depth` on."""
    kind = type(t)
    if kind is BVar:
        n = len(values)
        i = t.idx - depth  # type: ignore[attr-defined]
        if i < n:
            value = values[n - 1 - i]
            return lift_loose(value, depth) if depth and value.loose else value
        return mk_bvar(t.idx - n)  # type: ignore[attr-defined]
    key = (t, depth)
    out = cache.get(key)
    if out is not None:
        return out
    if kind is App:
        # a spine at once: what is shared are the arguments
        args = []
        fn = t
        while type(fn) is App and fn.loose > depth:
            arg = fn.arg
            args.append(_instantiate(arg, depth, values, cache) if arg.loose > depth else arg)
            fn = fn.fn
        out = _instantiate(fn, depth, values, cache) if fn.loose > depth else fn
        for arg in reversed(args):
            out = mk_app(out, arg)
    elif kind is Lam or kind is Pi:
        type_, body = t.type, t.body  # type: ignore[attr-defined]
        if type_.loose > depth:
            type_ = _instantiate(type_, depth, values, cache)
        if body.loose > depth + 1:
            body = _instantiate(body, depth + 1, values, cache)
        out = (mk_lam if kind is Lam else mk_pi)(t.name, type_, body, t.info)  # type: ignore[attr-defined]
    else:
        out = map_children(t, depth, lambda c, d: c if c.loose <= d else _instantiate(c, d, values, cache))
    cache[key] = out
    return out


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
    return e if e.loose <= start else _map_loose_below(e, start, at, {})


def _map_loose_below(
    t: Expr, depth: int, at: Callable[[int, int], Expr], cache: dict[tuple[Expr, int], Expr]
) -> Expr:
    if type(t) is BVar:
        return at(t.idx, depth)
    key = (t, depth)
    out = cache.get(key)
    if out is None:
        out = cache[key] = map_children(
            t, depth, lambda c, d: c if c.loose <= d else _map_loose_below(c, d, at, cache)
        )
    return out


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
    """Replace each subterm by `at(subterm, binders passed)`, top-down; go into those where that is `None`."""
    return _replace(e, 0, at, {})


def _replace(
    t: Expr, depth: int, at: Callable[[Expr, int], Expr | None], cache: dict[tuple[Expr, int], Expr]
) -> Expr:
    key = (t, depth)
    out = cache.get(key)
    if out is None:
        out = at(t, depth)
        if out is None:
            out = map_children(t, depth, lambda c, d: _replace(c, d, at, cache))
        cache[key] = out
    return out


def abstract(e: Expr, fvars: Sequence[Expr]) -> Expr:
    """Replace the free variables (or metavariables) `fvars` by bound variables, the last one by index 0."""
    if not fvars or not (e.has_fvar or e.has_mvar):
        return e
    n = len(fvars)
    # equal variables are one object as long as one is referenced, so identity finds them
    index = {v: n - 1 - i for i, v in enumerate(fvars)}
    want_mvar = any([type(v) is not FVar for v in fvars])
    return _abstract(e, 0, index, want_mvar, {}) if e.has_fvar or want_mvar else e


def _abstract(
    t: Expr, depth: int, index: Mapping[Expr, int], want_mvar: bool, cache: dict[tuple[Expr, int], Expr]
) -> Expr:
    """`abstract` on a term with free variables or, where those are wanted, metavariables."""
    kind = type(t)
    if kind is FVar or kind is MVar:
        i = index.get(t)
        return t if i is None else mk_bvar(i + depth)
    key = (t, depth)
    out = cache.get(key)
    if out is not None:
        return out
    if kind is App:
        args = []
        fn = t
        while type(fn) is App and (fn.has_fvar or (want_mvar and fn.has_mvar)):
            arg = fn.arg
            if arg.has_fvar or (want_mvar and arg.has_mvar):
                arg = _abstract(arg, depth, index, want_mvar, cache)
            args.append(arg)
            fn = fn.fn
        if fn.has_fvar or (want_mvar and fn.has_mvar):
            fn = _abstract(fn, depth, index, want_mvar, cache)
        out = fn
        for arg in reversed(args):
            out = mk_app(out, arg)
    elif kind is Lam or kind is Pi:
        type_, body = t.type, t.body  # type: ignore[attr-defined]
        if type_.has_fvar or (want_mvar and type_.has_mvar):
            type_ = _abstract(type_, depth, index, want_mvar, cache)
        if body.has_fvar or (want_mvar and body.has_mvar):
            body = _abstract(body, depth + 1, index, want_mvar, cache)
        out = (mk_lam if kind is Lam else mk_pi)(t.name, type_, body, t.info)  # type: ignore[attr-defined]
    else:
        out = map_children(
            t,
            depth,
            lambda c, d: (
                _abstract(c, d, index, want_mvar, cache) if c.has_fvar or (want_mvar and c.has_mvar) else c
            ),
        )
    cache[key] = out
    return out


def instantiate_level_params(e: Expr, params: Sequence[str], levels: Sequence[Level]) -> Expr:
    """Return `e` with the universe parameters `params` replaced by `levels`, position by position.

    Raises:
        ValueError: `params` and `levels` differ in length.

    Source: Lean 4 `src/Lean/Expr.lean` (`Expr.instantiateLevelParams`).
    """
    if len(params) != len(levels):
        raise ValueError(f"got {len(levels)} universe levels, expected {len(params)}")
    if not e.has_param or not params:
        return e
    return _instantiate_levels(e, dict(zip(params, levels, strict=True)), {})


def _instantiate_levels(t: Expr, values: Mapping[str, Level], cache: dict[Expr, Expr]) -> Expr:
    """`instantiate_level_params` on a term with universe parameters."""
    out = cache.get(t)
    if out is not None:
        return out
    kind = type(t)
    if kind is App:
        args = []
        fn = t
        while type(fn) is App and fn.has_param:
            arg = fn.arg
            args.append(_instantiate_levels(arg, values, cache) if arg.has_param else arg)
            fn = fn.fn
        out = _instantiate_levels(fn, values, cache) if fn.has_param else fn
        for arg in reversed(args):
            out = mk_app(out, arg)
    elif kind is Const:
        out = mk_const(t.name, tuple([instantiate_level(level, values) for level in t.levels]))  # type: ignore[attr-defined]
    elif kind is Sort:
        out = mk_sort(instantiate_level(t.level, values))  # type: ignore[attr-defined]
    elif kind is Lam or kind is Pi:
        type_, body = t.type, t.body  # type: ignore[attr-defined]
        if type_.has_param:
            type_ = _instantiate_levels(type_, values, cache)
        if body.has_param:
            body = _instantiate_levels(body, values, cache)
        out = (mk_lam if kind is Lam else mk_pi)(t.name, type_, body, t.info)  # type: ignore[attr-defined]
    else:
        out = map_children(t, 0, lambda c, _: _instantiate_levels(c, values, cache) if c.has_param else c)
    cache[t] = out
    return out


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
