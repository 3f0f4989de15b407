"""Proof that a function by well-founded recursion equals its body: `f x = body`.

`WellFounded.fix_eq` gives the body in which `match`es pass on the function for smaller arguments. Where such a `match`
is stuck on a variable, the proof splits the variable; then both sides are the same by computation.

Source: Lean 4 `src/Lean/Elab/PreDefinition/WF/Unfold.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minilean.elab.match.case_trees import split_variable
from minilean.elab.match.overlaps import equation, reflexivity
from minilean.elab.term import Elab
from minilean.kernel.declaration import Definition, Recursor
from minilean.kernel.expr import (
    DEFAULT,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Pi,
    Proj,
    get_app,
    is_app_of,
    mk_apps,
    mk_const,
    mk_lam,
)
from minilean.kernel.instantiate import beta_apply, instantiate1, instantiate_level_params, replace
from minilean.meta.errors import MetaError
from minilean.meta.matchers import reduce_matcher
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf, whnf_core


def unfolding_proof(el: Elab, decl: Definition, call: Expr, body: Expr) -> Expr:
    """Prove `call = body`, where `call` applies a function by well-founded recursion to variables.

    Raises:
        MetaError: The function is not compiled to `WellFounded.fix`.
    """
    m = el.m
    fn, args = get_app(call)
    assert type(fn) is Const
    value = beta_apply(instantiate_level_params(decl.value, decl.level_params, fn.levels), args)
    if not is_app_of(value, "WellFounded.fix", 6):
        raise MetaError("the function is not compiled to `WellFounded.fix`")
    fix, (alpha, motive, rel, wf, step, x) = get_app(value)
    assert type(fix) is Const
    by_fix = mk_apps(mk_const("WellFounded.fix_eq", fix.levels), (alpha, motive, rel, wf, step, x))
    smaller = _smaller(m, alpha, rel, mk_apps(fix, (alpha, motive, rel, wf, step)), x)
    computed = whnf_core(m, beta_apply(step, [x, smaller]))
    eq, (type_, _, _) = get_app(equation(m, body, body))
    assert type(eq) is Const
    # the function itself is irreducible: both sides call `WellFounded.fix`
    recursion = m.env.recursions.get(decl.name)
    delta: dict[str, Expr] = {}
    for name in (decl.name,) if recursion is None or not recursion.all else recursion.all:
        other = m.env.find(name)
        assert isinstance(other, Definition)
        delta[name] = instantiate_level_params(other.value, other.level_params, fn.levels)
    shown = replace(body, lambda sub, _depth: _unfolded(sub, delta))
    same = _by_splitting(el, mk_apps(eq, (type_, computed, shown)))
    return mk_apps(mk_const("Eq.trans", eq.levels), (type_, call, computed, body, by_fix, same))


def _unfolded(e: Expr, values: Mapping[str, Expr]) -> Expr | None:
    fn, args = get_app(e)
    if type(fn) is not Const or fn.name not in values:
        return None
    return beta_apply(
        values[fn.name], [replace(arg, lambda sub, _depth: _unfolded(sub, values)) for arg in args]
    )


def _smaller(m: Meta, alpha: Expr, rel: Expr, fix: Expr, x: Expr) -> Expr:
    """Return `fun y (_ : rel y x) => fix y`."""
    y = m.push_local("y", alpha)
    inner = mk_lam("x✝", beta_apply(rel, [y, x]), mk_apps(fix, (y,)), DEFAULT)
    return m.mk_lambda([y], inner)


def _by_splitting(el: Elab, statement: Expr) -> Expr:
    m = el.m
    statement = m.instantiate_mvars(statement)
    fn, (type_, left, right) = get_app(statement)
    left, right = whnf_core(m, left), whnf_core(m, right)
    statement = mk_apps(fn, (type_, left, right))
    known = {d.fvar for d in m.lctx}
    variable = _stuck(m, left, known)
    if variable is None:
        return reflexivity(statement)
    return split_variable(el, variable, statement, _by_splitting)


def _stuck(m: Meta, e: Expr, known: set[FVar]) -> FVar | None:
    """Return a variable of `known` on which a case distinction with an additional argument is stuck."""
    m.budget.spend("well-founded recursion")
    kind = type(e)
    if kind is Lam or kind is Pi:
        return _stuck(m, e.type, known) or _below_binder(m, e, known)  # type: ignore[attr-defined]
    if kind is Let:
        return _stuck(m, e.value, known) or _below_binder(m, e, known)  # type: ignore[attr-defined]
    if kind is Proj:
        return _stuck(m, e.expr, known)  # type: ignore[attr-defined]
    fn, args = get_app(e)
    if type(fn) is Const:
        info = m.env.matchers.get(fn.name)
        if info is not None and len(args) > info.arity:
            reduced = reduce_matcher(m, fn, args, info)
            if reduced is not None:
                return _stuck(m, reduced, known)
            found = stuck_variable(m, fn, args)
            if found in known:
                return found
        decl = m.env.find(fn.name)
        if isinstance(decl, Recursor) and len(args) > decl.major_index + 1:
            major = args[decl.major_index]
            if type(major) is FVar and major in known:
                return major
    elif type(fn) is Lam and args:
        return _stuck(m, beta_apply(fn, args), known)
    for part in args:
        inner = _stuck(m, part, known)
        if inner is not None:
            return inner
    return None


def _below_binder(m: Meta, e: Expr, known: set[FVar]) -> FVar | None:
    old = m.lctx
    try:
        x = m.push_local(e.name, e.type)  # type: ignore[attr-defined]
        return _stuck(m, instantiate1(e.body, x), known)  # type: ignore[attr-defined]
    finally:
        m.lctx = old


def stuck_variable(m: Meta, matcher: Const, args: Sequence[Expr]) -> FVar | None:
    """Return the variable on which an application of a matcher is stuck; `None` where it is stuck on another term."""
    decl = m.env.find(matcher.name)
    assert isinstance(decl, Definition)
    e = beta_apply(instantiate_level_params(decl.value, decl.level_params, matcher.levels), args)
    while True:
        e = whnf(m, e)
        if type(e) is FVar:
            return e
        fn, args = get_app(e)
        recursor = m.env.find(fn.name) if type(fn) is Const else None
        if not isinstance(recursor, Recursor) or recursor.major_index >= len(args):
            return None
        e = args[recursor.major_index]
