"""`unfold`, `delta`: definitions replaced by their values.

Source: Lean 4 `src/Lean/Meta/Tactic/Unfold.lean`, `src/Lean/Elab/Tactic/Unfold.lean`, `Delta.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping

from minilean.elab.missing_names import unknown
from minilean.elab.names import resolve_exact
from minilean.kernel.declaration import Definition
from minilean.kernel.expr import Const, Expr, FVar, get_app, mk_apps, mk_const
from minilean.kernel.instantiate import beta_apply, instantiate_level_params, replace
from minilean.kernel.traversal import alpha_eq, subterms
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.whnf import unfold_definition
from minilean.syntax import ast
from minilean.tactics.hypotheses import retype
from minilean.tactics.location import run_at
from minilean.tactics.registry import runs
from minilean.tactics.rewrite import (
    Equation,
    apply_to_hypothesis,
    apply_to_target,
    equation_of,
)
from minilean.tactics.state import Tactics


@runs(ast.NamesTactic, "unfold")
def tac_unfold(t: Tactics, stx: ast.NamesTactic) -> None:
    """`unfold f g at loc`."""
    for name in stx.names:
        local = t.m.lctx.by_name(name)
        if local is not None:
            _unfold_local(t, stx, local)
            continue
        full = resolve_exact(t.m.env, t.scope, name)
        if full is None:
            raise unknown(t.m.env, t.scope, name, f"Unknown constant `{name}`" if "." in name else None)
        t.m.lctx = t.m.mvar_decl(t.main).lctx

        def at_target(full: str = full) -> None:
            stuck = stuck_calls(t, t.target, full)
            for e in stuck:
                apply_to_target(t, body_equation(t, e))
            t.set_target(unfolded(t, t.target, full, bool(stuck)))

        def at_hypothesis(decl: LocalDecl, full: str = full) -> None:
            stuck = stuck_calls(t, t.m.instantiate_mvars(decl.type), full)
            for e in stuck:
                decl = t.m.local(apply_to_hypothesis(t, decl, body_equation(t, e)))
            retype(t, decl.fvar, unfolded(t, t.m.instantiate_mvars(decl.type), full, bool(stuck)))

        run_at(
            t,
            stx.location,
            at_hypothesis,
            at_target,
            lambda full=full: MetaError(f"Tactic `unfold` failed to unfold `{full}`"),  # type: ignore[misc]
        )


def _unfold_local(t: Tactics, stx: ast.NamesTactic, local: LocalDecl) -> None:
    """`unfold x` for a local definition `x := v`."""
    value = local.value
    if value is None:
        raise MetaError(f"Tactic `unfold` failed: Local variable `{local.name}` has no definition")

    def at(e: Expr) -> Expr:
        e = t.m.instantiate_mvars(e)
        new = replace(e, lambda sub, _depth: _at_variable(sub, local.fvar, value))
        if alpha_eq(new, e):
            raise MetaError(f"Tactic `unfold` failed to unfold `{local.name}` in\n  {t.show(e)}")
        return new

    run_at(
        t,
        stx.location,
        lambda decl: retype(t, decl.fvar, at(decl.type)),
        lambda: t.set_target(at(t.target)),
        lambda: MetaError(f"Tactic `unfold` failed to unfold `{local.name}`"),
    )


def _at_variable(e: Expr, x: FVar, value: Expr) -> Expr | None:
    fn, args = get_app(e)
    return beta_apply(value, args) if fn is x else None


def stuck_calls(t: Tactics, e: Expr, name: str) -> list[Expr]:
    """Return the applications in `e` of a recursive function to which no case of its definition applies."""
    if name not in t.m.env.unfold_equations or not t.m.env.is_recursive(name):
        return []
    arity = t.m.env.recursions[name].arity
    out = []
    for sub in subterms(e):
        fn, args = get_app(sub)
        full = type(fn) is Const and fn.name == name and len(args) == arity and not sub.loose
        if full and unfold_definition(t.m, sub) is None:
            out.append(sub)
    return out


def body_equation(t: Tactics, e: Expr) -> Equation:
    """Return `f x = match x with ..`, the theorem `f.eq_def` at the arguments of `e`."""
    fn, args = get_app(e)
    assert type(fn) is Const
    return equation_of(t, mk_apps(mk_const(t.m.env.unfold_equations[fn.name], fn.levels), args), False)


@runs(ast.NamesTactic, "delta")
def tac_delta(t: Tactics, stx: ast.NamesTactic) -> None:
    """`delta f g at loc`: definitions of any kind replaced by their values."""
    wanted: dict[str, Definition] = {}
    for name in stx.names:
        full = resolve_exact(t.m.env, t.scope, name)
        decl = None if full is None else t.m.env.find(full)
        if decl is None:
            raise unknown(t.m.env, t.scope, name, f"Unknown constant `{name}`" if "." in name else None)
        if isinstance(decl, Definition) and not decl.is_opaque:
            # recursion is not compiled as Lean compiles it
            by_recursor = any(type(e) is Const and e.name.endswith(".rec") for e in subterms(decl.value))
            if by_recursor or t.m.env.is_recursive(decl.name):
                raise UnsupportedError(f"`delta` for `{decl.name}`, which is defined by recursion")
            wanted[decl.name] = decl

    def failure(where: str = "") -> MetaError:
        return t.failed("delta", f"did not delta reduce [{', '.join(stx.names)}]{where}")

    def reduced(e: Expr, where: str) -> Expr:
        new = replace(e, lambda sub, _depth: _delta(sub, wanted))
        if alpha_eq(new, e):
            raise failure(where)
        return new

    def at_hypothesis(decl: LocalDecl) -> None:
        retype(t, decl.fvar, reduced(t.m.instantiate_mvars(decl.type), f" at {decl.name}"))

    run_at(t, stx.location, at_hypothesis, lambda: t.set_target(reduced(t.target, "")), failure)


def _delta(e: Expr, wanted: Mapping[str, Definition]) -> Expr | None:
    fn, args = get_app(e)
    decl = wanted.get(fn.name) if type(fn) is Const else None
    if decl is None:
        return None
    assert type(fn) is Const
    value = instantiate_level_params(decl.value, decl.level_params, fn.levels)
    return beta_apply(value, [replace(a, lambda sub, _depth: _delta(sub, wanted)) for a in args])


def unfolded(t: Tactics, e: Expr, name: str, changed: bool = False) -> Expr:
    """Return `e` with every application of `name` unfolded once; `changed`: other names were unfolded before."""
    m = t.m
    decl = m.env.find(name)
    if not isinstance(decl, Definition) or decl.is_opaque:
        raise MetaError(f"Tactic `unfold` failed to unfold `{name}` in\n  {t.show(e)}")
    recursive = m.env.is_recursive(name)

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn, args = get_app(sub)
        if recursive:
            return unfold_definition(m, sub) if type(fn) is Const and fn.name == name else None
        if type(fn) is Const and fn.name == name:
            assert isinstance(decl, Definition)
            value = instantiate_level_params(decl.value, decl.level_params, fn.levels)
            return beta_apply(value, [replace(a, at) for a in args])
        return None

    new = replace(e, at)
    if alpha_eq(new, e) and not changed:
        raise MetaError(f"Tactic `unfold` failed to unfold `{name}` in\n  {t.show(e)}")
    return new
