"""Tactics on equations: `subst`, `injection`, `generalize`.

Source: Lean 4 `src/Lean/Elab/Tactic/{Injection,Generalize}.lean`, `src/Lean/Meta/Tactic/{Injection,Generalize}.lean`
(4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minilean.elab.display import show_goal
from minilean.kernel.expr import (
    Expr,
    FVar,
    Lit,
    MVar,
    get_app,
    is_app_of,
    mk_apps,
    mk_const,
    mk_lam,
)
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.meta.check import IllTyped, check
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.kabstract import kabstract
from minilean.meta.occurrences import occurs_fvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_reducible
from minilean.syntax import ast
from minilean.tactics.constructors import (
    clash,
    close_with_false,
    constructor_form,
    injection_equations,
)
from minilean.tactics.contradiction import find_assumption
from minilean.tactics.equations import subst_hypothesis, subst_var
from minilean.tactics.hypotheses import assert_hypothesis, try_clear
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics

MAX_INJECTIONS = 5


@runs(ast.NamesTactic, "subst")
def tac_subst(t: Tactics, stx: ast.NamesTactic) -> None:
    """`subst h` for `h : a = b` with a variable on one side, or `subst x`."""
    m = t.m
    for name in stx.names:
        m.lctx = m.mvar_decl(t.main).lctx
        decl = t.hypothesis(name)
        type_ = whnf(m, m.instantiate_mvars(decl.type))
        if is_app_of(type_, "Eq", 3) or is_app_of(type_, "HEq", 4):
            subst_hypothesis(t, decl.fvar)
        else:
            _subst_variable(t, decl.fvar, name)


def _subst_variable(t: Tactics, var: FVar, name: str) -> None:
    m = t.m
    if m.local(var).value is not None:
        _subst_let(t, var)
        return
    for decl in list(m.lctx):
        type_ = m.instantiate_mvars(decl.type)
        if not is_app_of(type_, "Eq", 3):
            continue
        _, (_, a, b) = get_app(type_)
        if b is var and not occurs_fvar(m.instantiate_mvars(a), var):
            subst_var(t, decl.fvar, var, True)
            return
        if a is var and not occurs_fvar(m.instantiate_mvars(b), var):
            subst_var(t, decl.fvar, var, False)
            return
    raise t.failed("subst", f"did not find equation for eliminating '{name}'")


def _subst_let(t: Tactics, var: FVar) -> None:
    """Replace a `let` variable by its value everywhere."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    written = m.local(var).value
    assert written is not None
    value = m.instantiate_mvars(written)

    def replaced(e: Expr) -> Expr:
        return instantiate1(abstract(m.instantiate_mvars(e), [var]), value)

    kept = [d for d in decl.lctx if d.fvar is not var]
    lctx = decl.lctx.without({var.id}).replace_all(
        [
            replace(d, type=replaced(d.type), value=None if d.value is None else replaced(d.value))
            for d in kept
        ]
    )
    new = t.new_goal(replaced(decl.type), decl.tag, lctx)
    t.assign(goal, new)
    t.replace_main([new])
    m.lctx = lctx


@runs(ast.Simple, "subst_vars")
def tac_subst_vars(t: Tactics, stx: ast.Simple) -> None:
    """`subst_vars`: substitute by every equation that has a variable on one side."""
    m = t.m
    progress = True
    while progress:
        progress = False
        m.lctx = m.mvar_decl(t.main).lctx
        for decl in list(m.lctx):
            type_ = m.instantiate_mvars(decl.type)
            if not is_app_of(type_, "Eq", 3):
                continue
            _, (_, a, b) = get_app(type_)
            for side, forward in ((b, True), (a, False)):
                if type(side) is FVar and (
                    t.attempt(lambda d=decl, v=side, f=forward: subst_var(t, d.fvar, v, f)) is None  # type: ignore[misc]
                ):
                    progress = True
                    break
            if progress:
                break


@runs(ast.Injection)
def tac_injection(t: Tactics, stx: ast.Injection) -> None:
    """`injection h with h1 h2`; `assumption` is tried on the goal that is left."""
    m = t.m
    e = t.term(stx.term)
    if type(e) is not FVar:
        e = assert_hypothesis(t, "x✝", t.infer(e), e)
    names, goals = list(stx.names), list(t.goals)
    if inject(t, e, names) is None:
        return
    _check_unused(t, "injection", names, goals)
    m.lctx = m.mvar_decl(t.main).lctx
    found = find_assumption(t, t.target)
    if found is not None:
        t.close(found.fvar)


def _check_unused(t: Tactics, name: str, names: list[str], goals: list[MVar]) -> None:
    if names:
        error = f"Tactic `{name}` failed: too many identifiers provided, unused: [{', '.join(names)}]"
        raise MetaError(f"{error}\n\n{show_goal(t.m, goals[0])}")


def inject(t: Tactics, h: FVar, names: list[str]) -> list[FVar] | None:
    """Replace `h : c xs = c ys` by equations between the fields; their names are taken from the front of `names`.

    Returns:
        The new hypotheses; `None` when constructors differ and the goal is closed.
    """
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    type_ = whnf(m, m.instantiate_mvars(m.local(h).type))
    proof: Expr = h
    if is_app_of(type_, "HEq", 4):
        fn, (alpha, a, beta, b) = get_app(type_)
        if is_def_eq(m, alpha, beta):
            proof = mk_apps(mk_const("eq_of_heq", fn.levels), (alpha, a, b, h))  # type: ignore[attr-defined]
            type_ = t.infer(proof)
    if not is_app_of(type_, "Eq", 3):
        raise t.failed("injection", "equality expected")
    _, (alpha, a, b) = get_app(type_)
    # the type may be a definition whose value is an equation
    proof = mk_apps(mk_const("id", (sort_level(m, type_),)), (type_, proof)) if proof is h else proof
    absurd = clash(t, proof, alpha, a, b)
    if absurd is not None:
        close_with_false(t, absurd)
        return None
    left, right = constructor_form(t, a), constructor_form(t, b)
    if left is None or right is None:
        left, right = constructor_form(t, whnf(m, a)), constructor_form(t, whnf(m, b))
    if left is None or right is None:
        raise t.failed("injection", "equality of constructor applications expected")
    new = []
    for value, equation, field in injection_equations(t, proof, alpha, left, right):
        name = names.pop(0) if names else f"{field.rstrip('✝')}_eq✝"
        new.append(assert_hypothesis(t, "h✝" if name == "_" else name, equation, value))
    try_clear(t, h)
    return new


@runs(ast.NamesTactic, "injections")
def tac_injections(t: Tactics, stx: ast.NamesTactic) -> None:
    """`injections`: `injection` on every hypothesis, and on the equations that it adds."""
    m = t.m
    names, goals = list(stx.names), list(t.goals)
    todo = [(d.fvar, MAX_INJECTIONS) for d in m.lctx if not d.hidden]
    while todo:
        h, depth = todo.pop(0)
        if not depth:
            raise t.failed("injections", "recursion depth exceeded")
        m.lctx = m.mvar_decl(t.main).lctx
        if not _is_constructor_equation(t, h):
            continue
        found: list[FVar] = []

        def go(h: FVar = h, out: list[FVar] = found) -> None:
            new = inject(t, h, names)
            out.extend(() if new is None else new)

        goal = t.main
        if t.attempt(go) is not None:
            continue
        if m.mctx.is_assigned(goal.id) and not t.goals:
            return
        if not found and goal not in t.goals:
            return
        todo[:0] = [(x, depth - 1) for x in found]
    _check_unused(t, "injections", names, goals)
    m.lctx = m.mvar_decl(t.main).lctx
    closing = find_assumption(t, t.target)
    if closing is not None:
        t.close(closing.fvar)


def _is_constructor_equation(t: Tactics, h: FVar) -> bool:
    m = t.m
    if h.id not in m.lctx:
        return False
    type_ = whnf_reducible(m, m.instantiate_mvars(m.local(h).type))
    if not is_app_of(type_, "Eq", 3):
        return is_app_of(type_, "HEq", 4)
    _, (_, a, b) = get_app(type_)
    return not (type(whnf(m, a)) is Lit and type(whnf(m, b)) is Lit)


# --- generalize --------------------------------------------------------------------------------------------


@runs(ast.Generalize)
def tac_generalize(t: Tactics, stx: ast.Generalize) -> None:
    """`generalize h : e = x, .. at ..`."""
    where = stx.location
    if where is not None and where.wildcard:
        raise UnsupportedError("`generalize ... at *`")
    for eq_name, term, name in stx.args:
        t.m.lctx = t.m.mvar_decl(t.main).lctx
        places = [] if where is None else [t.hypothesis(hyp) for hyp in where.hyps]
        target = where is None or where.target
        generalize(t, t.term(term), name, "h✝" if eq_name == "_" else eq_name, places, target)


def generalize(
    t: Tactics, e: Expr, name: str, eq_name: str | None, places: Sequence[LocalDecl], target: bool
) -> None:
    """Replace `e` by a variable in the target and in hypotheses, with `eq_name : e = x` if asked for."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    e = m.instantiate_mvars(e)
    type_ = m.instantiate_mvars(infer_type(m, e))
    level = sort_level(m, type_)
    x = m.push_local("x✝" if name == "_" else name, type_)
    xs, args = [x], [e]
    if eq_name is not None:
        xs.append(m.push_local(eq_name, mk_apps(mk_const("Eq", (level,)), (type_, e, x))))
        args.append(mk_apps(mk_const("Eq.refl", (level,)), (type_, e)))
    for place in places:
        body = kabstract(m, place.type, e)
        if body is not None:
            _check_general(t, body, type_, x)
            xs.append(m.push_local(place.name, instantiate1(body, x)))
            args.append(place.fvar)
    new_target = m.instantiate_mvars(decl.type)
    body = kabstract(m, new_target, e) if target else None
    if body is not None:
        _check_general(t, body, type_, x)
        new_target = instantiate1(body, x)
    lctx = m.lctx
    new = t.new_goal(new_target, decl.tag, lctx)
    t.assign(goal, mk_apps(m.mk_lambda(xs, new), args))
    t.replace_main([new])
    m.lctx = lctx
    for place in reversed(places):
        try_clear(t, place.fvar)


def _check_general(t: Tactics, body: Expr, type_: Expr, x: FVar) -> None:
    """Check that the statement over the new variable is well typed."""
    try:
        check(t.m, mk_lam("x", type_, body))
    except IllTyped:
        raise t.failed(
            "generalize", f"result is not type correct\n  {t.show(instantiate1(body, x))}"
        ) from None
