"""Check that a value may be assigned to a metavariable: it is in scope and does not contain the metavariable.

Source: Lean 4 `src/Lean/Meta/ExprDefEq.lean`, `CheckAssignment` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from minilean.kernel.expr import App, Expr, FVar, MVar, Pi, get_app, mk_lam
from minilean.kernel.instantiate import map_children
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind
from minilean.meta.metavars import Meta


def check_closed(e: Expr, allowed: Mapping[int, object]) -> bool:
    """Return whether the ids of all free variables of `e` are among those allowed."""
    return all(type(s) is not FVar or s.id in allowed for s in subterms(e))


def check_scope(m: Meta, mvar: Expr, scope: set[int], v: Expr) -> Expr | None:
    """Return `v` as a value for a metavariable whose scope is `scope`, or `None` if it is none.

    `let` variables out of scope are replaced by their values, and metavariables that see too much are restricted.
    """
    if not v.has_fvar and not v.has_mvar:
        return v
    if type(v) is FVar and v.id in scope:
        return v
    failed = False
    cache: dict[Expr, Expr] = {}

    def go(t: Expr, _depth: int = 0) -> Expr:
        nonlocal failed
        if failed or not (t.has_fvar or t.has_mvar):
            return t
        hit = cache.get(t)
        if hit is not None:
            return hit
        kind = type(t)
        if kind is FVar:
            out = t
            if t.id not in scope:  # type: ignore[attr-defined]
                decl = m.lctx.decls.get(t.id)  # type: ignore[attr-defined]
                if decl is not None and decl.value is not None:
                    out = go(m.instantiate_mvars(decl.value))
                else:
                    failed = True
        elif kind is MVar:
            restricted = _restrict_mvar(m, mvar, scope, t, go)
            if restricted is None:
                failed = True
            out = t if restricted is None else restricted
        else:
            out = map_children(t, 0, go)
            if failed and kind is App:
                constant = _constant_function(m, t)
                if constant is not None:
                    failed = False
                    out = go(constant)
        cache[t] = out
        return out

    result = go(v)
    return None if failed else result


def _constant_function(m: Meta, t: Expr) -> Expr | None:
    """For `?f xs` with arguments out of scope: let `?f` ignore its arguments, as Lean's `ctxApprox` does."""
    fn, args = get_app(t)
    if type(fn) is not MVar or not m.is_assignable(fn):
        return None
    decl = m.mvar_decl(fn)
    type_ = m.instantiate_mvars(decl.type)
    domains: list[Pi] = []
    for _ in args:
        if type(type_) is not Pi:
            return None
        domains.append(type_)
        type_ = type_.body
    if type_.loose:
        return None
    new = m.new_mvar(type_, decl.kind, decl.tag, decl.lctx)
    value: Expr = new
    for pi in reversed(domains):
        value = mk_lam(pi.name, pi.type, value, pi.info)
    m.mctx.assign(fn.id, value)
    return new


def _restrict_mvar(m: Meta, mvar: Expr, scope: set[int], t: Expr, go: Callable[[Expr], Expr]) -> Expr | None:
    """Return a metavariable of a value, restricted to the scope of the assigned one; `None` if that is impossible."""
    if t.id == mvar.id:  # type: ignore[attr-defined]
        return None
    decl = m.mvar_decl(t)
    outside = {fvar_id for fvar_id in decl.lctx.decls if fvar_id not in scope}
    if not outside:
        return t
    if t.id in m.mctx.delayed:  # type: ignore[attr-defined]
        return t
    if not m.is_assignable(t) or decl.kind is Kind.OPAQUE:
        return None
    # a fresh metavariable with a smaller context, if that context and the type stay well formed
    keep = {}
    for fvar_id, local in decl.lctx.decls.items():
        if fvar_id in outside:
            continue
        local_type = m.instantiate_mvars(local.type)
        if local_type.has_fvar and any(type(s) is FVar and s.id in outside for s in subterms(local_type)):
            return None
        keep[fvar_id] = local
    new_type = m.instantiate_mvars(decl.type)
    if any(type(s) is FVar and s.id in outside for s in subterms(new_type)):
        new_type = go(new_type)
        if any(type(s) is FVar and s.id in outside for s in subterms(new_type)):
            return None
    new = m.new_mvar(new_type, decl.kind, decl.tag, type(decl.lctx)(keep))
    m.mctx.assign(t.id, new)  # type: ignore[attr-defined]
    return new
