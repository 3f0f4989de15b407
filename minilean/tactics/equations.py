"""Solver of equations between variables and constructor terms, which `cases` leaves; and `subst`.

Source: Lean 4 `src/Lean/Meta/Tactic/{Subst,UnifyEq}.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from minilean.kernel.expr import (
    Expr,
    FVar,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.instantiate import (
    abstract,
    instantiate,
    instantiate1,
)
from minilean.kernel.level import ONE
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.infer import sort_level
from minilean.meta.numerals import mk_nat_add, mk_numeral, nat_offset
from minilean.meta.occurrences import occurs_fvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core
from minilean.tactics.constructors import (
    close_with_false,
    constructor_form,
    constructor_name,
    injection_equations,
    no_confusion,
)
from minilean.tactics.hypotheses import assert_hypothesis, intro_one, retype, revert, try_clear
from minilean.tactics.state import Tactics

Subst: TypeAlias = "dict[int, Expr]"
"""The terms that replace local variables, by the id of the variable."""


def introduce_again(t: Tactics, reverted: Sequence[LocalDecl], subst: Subst) -> None:
    """Introduce reverted hypotheses again under their old names; `subst` gets the new variables."""
    for decl in reverted:
        extend(subst, decl.fvar, intro_one(t, decl.name))


def extend(subst: Subst, old: FVar, new: Expr) -> None:
    """Add `old := new`, also to earlier replacements that mention `old`."""
    for key, value in subst.items():
        if value is old:
            subst[key] = new
        elif occurs_fvar(value, old):
            subst[key] = instantiate1(abstract(value, [old]), new)
    subst[old.id] = new


def solve_equations(t: Tactics, count: int, subst: Subst) -> bool:
    """Introduce and solve `count` equations; return whether that closed the goal."""
    for _ in range(count):
        h = intro_one(t, "h✝")
        if solve_equation(t, h, subst):
            return True
    return False


def solve_equation(t: Tactics, h: FVar, subst: Subst | None = None, turned: bool = False) -> bool:
    """Eliminate `h : a = b`: substitute a variable, use injectivity of constructors, or close an impossible goal.

    Args:
        t: The tactic state.
        h: The equation, a local variable of the main goal.
        subst: Gets the terms that replace local variables.
        turned: Whether the message about an equation that cannot be solved shows it as `b = a`.

    Returns:
        Whether the goal is closed.

    Raises:
        MetaError: Neither side is a variable or a constructor.
    """
    m = t.m
    subst = {} if subst is None else subst
    m.lctx = m.mvar_decl(t.main).lctx
    type_ = m.instantiate_mvars(m.local(h).type)
    if not is_app_of(type_, "Eq", 3):
        type_ = whnf(m, type_)
    if is_app_of(type_, "HEq", 4):
        return _solve_heq(t, h, type_, subst)
    if not is_app_of(type_, "Eq", 3):
        raise no_equation(t, type_)
    _, (alpha, a, b) = get_app(type_)
    a, b = _variable_form(t, a), _variable_form(t, b)
    if FVar in (type(a), type(b)) and _subst_either(t, h, a, b, subst):
        return False
    if m.attempt(lambda: is_def_eq(m, a, b)):
        try_clear(t, h)
        return False
    if _close_cycle(t, h, alpha, a, b):
        return True
    left, right = constructor_form(t, a), constructor_form(t, b)
    if left is None or right is None:
        a, b = whnf(m, a), whnf(m, b)
        left, right = constructor_form(t, a), constructor_form(t, b)
    if left is None or right is None:
        a, b = (b, a) if turned else (a, b)
        equation = mk_apps(m.const("Eq"), (alpha, a, b))
        raise MetaError(f"Dependent elimination failed: Failed to solve equation\n  {t.show(equation)}")
    if get_app_fn(left) is not get_app_fn(right) and constructor_name(left) != constructor_name(right):
        close_with_false(t, no_confusion(t, h, alpha, left))
        return True
    new = []
    for proof, eq, _ in injection_equations(t, h, alpha, left, right):
        new.append(assert_hypothesis(t, "h✝", eq, proof))
    try_clear(t, h)
    for x in new:
        # Solving one equation may have reintroduced the others.
        current = subst.get(x.id, x)
        if type(current) is FVar and solve_equation(t, current, subst, turned):
            return True
    return False


def no_equation(t: Tactics, type_: Expr) -> MetaError:
    """Return Lean's message for a hypothesis that `subst` cannot use."""
    return t.failed(
        "subst", f"invalid equality proof, it is not of the form (x = t) or (t = x)\n  {t.show(type_)}"
    )


def _close_cycle(t: Tactics, h: FVar, alpha: Expr, a: Expr, b: Expr) -> bool:
    """Close the goal by `h : n = n + k` or `h : n + k = n`, `k > 0`; return whether that worked."""
    if not is_app_of(alpha, "Nat", 0):
        return False
    for proof, small, big in (
        (h, a, b),
        (mk_apps(mk_const("Eq.symm", (ONE,)), (alpha, a, b, h)), b, a),
    ):
        offset = nat_offset(t.m, t.m.instantiate_mvars(big))
        if offset is None or not t.m.attempt(lambda o=offset, s=small: is_def_eq(t.m, o[0], s)):  # type: ignore[misc]
            continue
        k = mk_numeral(offset[1])
        positive = mk_app(mk_const("Nat.succ_pos"), mk_numeral(offset[1] - 1))
        less = mk_apps(mk_const("Nat.lt_add_of_pos_right"), (k, small, positive))
        total = mk_nat_add(small, offset[1])
        close_with_false(t, mk_apps(mk_const("Nat.ne_of_lt"), (small, total, less, proof)))
        return True
    return False


def _variable_form(t: Tactics, e: Expr) -> Expr:
    e = t.m.instantiate_mvars(e)
    if type(e) is FVar and t.m.local(e).value is None:
        return e
    reduced = whnf_core(t.m, e)
    if type(reduced) is not FVar:
        reduced = whnf(t.m, e)
    return reduced if type(reduced) is FVar else e


def _solve_heq(t: Tactics, h: FVar, type_: Expr, subst: Subst) -> bool:
    return solve_equation(t, _as_equation(t, h, type_), subst)


def _as_equation(t: Tactics, h: FVar, type_: Expr) -> FVar:
    """Replace `h : a ≍ b` by `a = b`, where both sides have the same type."""
    m = t.m
    fn, (alpha, a, beta, b) = get_app(type_)
    if not is_def_eq(m, alpha, beta):
        raise MetaError("Dependent elimination failed: heterogeneous equality between different types")
    proof = mk_apps(mk_const("eq_of_heq", fn.levels), (alpha, a, b, h))  # type: ignore[attr-defined]
    eq = mk_apps(mk_const("Eq", fn.levels), (alpha, a, b))  # type: ignore[attr-defined]
    new = assert_hypothesis(t, "h✝", eq, proof)
    try_clear(t, h)
    return new


def _subst_either(t: Tactics, h: FVar, a: Expr, b: Expr, subst: Subst) -> bool:
    """Substitute one side by the other; of two variables the later one is eliminated. Return whether that worked."""
    m = t.m
    order = {fvar_id: i for i, fvar_id in enumerate(m.lctx.decls)}
    candidates = []
    if type(b) is FVar and m.local(b).value is None and not occurs_fvar(m.instantiate_mvars(a), b):
        candidates.append((b, True))
    if type(a) is FVar and m.local(a).value is None and not occurs_fvar(m.instantiate_mvars(b), a):
        candidates.append((a, False))
    if type(a) is FVar and type(b) is FVar:
        candidates.sort(key=lambda c: -order[c[0].id])
    return any(
        t.attempt(lambda v=var, f=forward: subst_var(t, h, v, f, subst)) is None  # type: ignore[misc]
        for var, forward in candidates
    )


def subst_var(t: Tactics, h: FVar, var: FVar, forward: bool, subst: Subst | None = None) -> None:
    """Eliminate `var` by `h : a = var` (`forward`) or `h : var = b`; both disappear from the context."""
    subst = {} if subst is None else subst
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    type_ = whnf_core(m, m.instantiate_mvars(m.local(h).type))
    fn, (alpha, a, b) = get_app(type_)
    if (b if forward else a) is not var:
        # a side that reduces to the variable may mention hypotheses that depend on it
        other = a if forward else b
        if occurs_fvar(m.instantiate_mvars(other), var):
            other = _variable_form(t, other)
        a, b = (other, var) if forward else (var, other)
        retype(t, h, mk_apps(fn, (alpha, a, b)))
    term = m.instantiate_mvars(a if forward else b)
    if occurs_fvar(term, var):
        raise t.failed("subst", f"'{t.show(var)}' occurs at\n  {t.show(term)}")
    dependents = [d for d in t.dependents([var]) if d.fvar is not h]
    extra = [d for d in t.dependents([h]) if d not in dependents]
    reverted = revert(t, [d.fvar for d in [*dependents, *extra]]) if dependents or extra else []
    reverted = [d for d in reverted if d.fvar is not h]
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    if h.id not in decl.lctx:
        raise MetaError("subst: the equation depends on itself")
    target = m.instantiate_mvars(decl.type)
    proof: Expr = h
    if forward:
        motive = m.mk_lambda([var, h], target)
    else:
        proof = mk_apps(mk_const("Eq.symm", fn.levels), (alpha, a, b, h))  # type: ignore[attr-defined]
        swapped = mk_apps(fn, (alpha, term, var))
        h2 = m.push_local("h✝", swapped)
        back = mk_apps(mk_const("Eq.symm", fn.levels), (alpha, term, var, h2))  # type: ignore[attr-defined]
        body = instantiate1(abstract(target, [h]), back)
        m.lctx = m.lctx.without({h.id})
        motive = m.mk_lambda([var, h2], body)
        m.lctx = decl.lctx
    refl = mk_apps(mk_const("Eq.refl", fn.levels), (alpha, term))  # type: ignore[attr-defined]
    # closing the motive has made metavariables of the goal functions of both variables
    target = m.instantiate_mvars(target)
    new_target = instantiate(abstract(target, [var, h]), [term, refl])
    new = t.new_goal(new_target, decl.tag, decl.lctx.without({var.id, h.id}))
    levels = (sort_level(m, target), *fn.levels)  # type: ignore[attr-defined]
    t.assign(goal, mk_apps(mk_const("Eq.rec", levels), (alpha, term, motive, new, var, proof)))
    t.replace_main([new])
    m.lctx = m.mvar_decl(new).lctx
    extend(subst, var, term)
    introduce_again(t, reverted, subst)


def subst_hypothesis(t: Tactics, h: FVar, subst: Subst | None = None) -> None:
    """`subst h`: eliminate the right side of `h` if it is a variable, else the left side."""
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    type_ = m.instantiate_mvars(m.local(h).type)
    if is_app_of(type_, "HEq", 4):
        h = _as_equation(t, h, type_)
        type_ = m.local(h).type
    if not is_app_of(type_, "Eq", 3):
        reduced = whnf(m, type_)
        if not is_app_of(reduced, "Eq", 3):
            raise no_equation(t, type_)
        type_ = reduced
    _, (_, a, b) = get_app(type_)
    left, right = whnf(m, m.instantiate_mvars(a)), whnf(m, m.instantiate_mvars(b))
    if type(right) is FVar:
        subst_var(t, h, right, True, subst)
    elif type(left) is FVar:
        subst_var(t, h, left, False, subst)
    else:
        raise no_equation(t, type_)
