"""Assigning metavariables in unification: `?m a.. =?= v`.

Source: Lean 4 `src/Lean/Meta/ExprDefEq.lean` (4.34), `processAssignment`.
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.expr import Expr, FVar, Lam, MVar, get_app, get_app_fn, mk_apps
from minilean.meta.check import IllTyped, check
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError
from minilean.meta.eta import eta_reduce
from minilean.meta.extension import DEFAULT_TRANSPARENCY
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar, occurs
from minilean.meta.scope_check import check_closed, check_scope
from minilean.meta.whnf import unfold_definition, whnf_core


def assign_either(m: Meta, t: Expr, s: Expr, t_head: Expr, s_head: Expr) -> bool | None:
    """`?m a.. =?= ?n b..`: assign the natural one or that of the wider scope, else the other; `None` if neither."""
    t_decl, s_decl = m.mvar_decl(t_head), m.mvar_decl(s_head)
    t_first = True
    if type(t) is MVar and type(s) is MVar:
        if t_decl.kind is not s_decl.kind:
            t_first = t_decl.kind is Kind.NATURAL
        else:
            t_first = len(t_decl.lctx) >= len(s_decl.lctx)
    elif type(t) is not MVar and type(s) is MVar:
        t_first = False
    first, second = (t, s) if t_first else (s, t)
    if assign_flex(m, first, second) or assign_flex(m, second, first):
        return True
    return None


def assign_flex(m: Meta, t: Expr, v: Expr) -> bool:
    """`?m a.. =?= v`: assign when the arguments are a pattern, else peel arguments off (first-order).

    Distinct variables are a pattern. Those in the scope of `?m` are abstracted as well (Lean's
    `quasiPatternApprox`): then `fun a.. => v` is one solution of several.
    """
    mvar, args = get_app(t)
    mark = m.mctx.mark()
    if not args:
        return _assign(m, mvar, (), v)
    fvars: list[Expr] = []
    pattern = True
    for arg in args:
        arg = m.instantiate_mvars(arg)
        if type(arg) is Lam:
            arg = eta_reduce(arg)
        if type(arg) is not FVar or arg in fvars:
            pattern = False
            break
        fvars.append(arg)
    if pattern:
        if _assign(m, mvar, fvars, v):
            return True
        m.mctx.rollback(mark)
    return _assign_first_order(m, mvar, args, v)


def equate_all(m: Meta, ts: Sequence[Expr], ss: Sequence[Expr]) -> bool:
    """Return whether two lists of the same length are equal term by term; may leave assignments on failure."""
    for t, s in zip(ts, ss, strict=True):  # noqa: SIM110 - `all` would recurse on the C stack
        if not m.equate(t, s):
            return False
    return True


def _assign_first_order(m: Meta, mvar: Expr, args: list[Expr], v: Expr) -> bool:
    while True:
        fn, v_args = get_app(v)
        if len(v_args) >= len(args) and v_args:
            mark = m.mctx.mark()
            cut = len(v_args) - len(args)
            if m.equate(mvar, mk_apps(fn, v_args[:cut])) and equate_all(m, args, v_args[cut:]):
                return True
            m.mctx.rollback(mark)
        new = unfold_definition(m, v)
        if new is None:
            return False
        v = whnf_core(m, new)


def _assign(m: Meta, mvar: Expr, fvars: Sequence[Expr], v: Expr) -> bool:
    """`?m := fun fvars => v` if scopes and types allow it."""
    decl = m.mvar_decl(mvar)
    v = m.instantiate_mvars(v)
    if v is mvar and not fvars:
        return True
    scope = set(decl.lctx.decls)
    quasi = any(x.id in scope for x in fvars)  # type: ignore[attr-defined]
    if quasi and (get_app_fn(v) is mvar or has_expr_mvar(v)):
        return False
    scope.update(x.id for x in fvars)  # type: ignore[attr-defined]
    checked = check_scope(m, mvar, scope, v)
    if checked is None:
        return False
    value = checked if not fvars else _abstracted(m, mvar, fvars, checked)
    if value is None:
        return False
    mark = m.mctx.mark()
    old = m.lctx
    try:
        if fvars:
            m.lctx = decl.lctx
        if quasi:
            # other variables in scope may depend on those abstracted
            check(m, value)
        value_type = infer_type(m, value)
    except (MetaError, IllTyped):
        m.mctx.rollback(mark)
        return False
    finally:
        m.lctx = old
    if not _eq_types(m, decl.type, value_type):
        m.mctx.rollback(mark)
        return False
    value = m.instantiate_mvars(value) if value.has_mvar else value
    if value is not mvar and occurs(mvar, value):
        m.mctx.rollback(mark)
        return False
    if value is mvar:
        return True
    m.mctx.assign(mvar.id, value)  # type: ignore[attr-defined]
    return True


def _abstracted(m: Meta, mvar: Expr, fvars: Sequence[Expr], v: Expr) -> Expr | None:
    """`fun fvars => v` as a value for `mvar`, or `None` if a type mentions a variable out of scope.

    `let` variables in the types of `fvars` are replaced by their values.
    """
    allowed = m.mvar_decl(mvar).lctx.decls
    value = eta_reduce(m.mk_lambda(fvars, v))
    if not value.has_fvar or check_closed(value, allowed):
        return value
    return check_scope(m, mvar, set(allowed), value)


def _eq_types(m: Meta, a: Expr, b: Expr) -> bool:
    old = m.transparency
    m.transparency = max(old, DEFAULT_TRANSPARENCY)
    try:
        return m.equate(a, b)
    finally:
        m.transparency = old
