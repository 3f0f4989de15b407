"""Equations reduced to equations between parts: `congr`, `funext`, `ac_rfl`.

Source: Lean 4 `src/Lean/Elab/Tactic/{Congr,Ext}.lean`, `src/Lean/Meta/Tactic/{Congr,AC/Main}.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import (
    DEFAULT,
    INST,
    MVar,
    Pi,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.instantiate import instantiate1
from minilean.meta.errors import UnsupportedError
from minilean.meta.fun_info import binder_infos
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_reducible
from minilean.syntax import ast
from minilean.tactics.apply import apply_term
from minilean.tactics.contradiction import find_assumption
from minilean.tactics.hypotheses import introduce
from minilean.tactics.intro import intro_pattern
from minilean.tactics.registry import runs
from minilean.tactics.relations import try_rfl
from minilean.tactics.simp.lemmas import constant_rules
from minilean.tactics.simp.result import Result, congr
from minilean.tactics.simp.rules import RuleSet
from minilean.tactics.simp.simplifier import Simplifier
from minilean.tactics.state import Tactics, join_tags, retag

MAX_CONGRUENCES = 200


# --- congruence --------------------------------------------------------------------------------------------


@runs(ast.NumTactic, "congr")
def tac_congr(t: Tactics, stx: ast.NumTactic) -> None:
    """`congr`, `congr n`: from `f a = f b` to `a = b`, as often as possible or `n` times."""
    rest = t.goals[1:]
    if not _not_easy(t, [t.main]):
        t.goals = rest
        return
    if stx.num == 1:
        out = congruence(t)
        if out is None:
            raise t.failed("congr", "failed to apply congruence")
    else:
        out = _congruences(t, MAX_CONGRUENCES if stx.num is None else stx.num)
    t.goals = [*out, *rest]


def _congruences(t: Tactics, depth: int) -> list[MVar]:
    goal = t.main
    t.m.lctx = t.m.mvar_decl(goal).lctx
    parts: list[MVar] | None = None
    if depth:

        def go() -> None:
            nonlocal parts
            t.goals = [goal]
            parts = congruence(t)
            if parts is None:
                raise t.failed("congr", "failed to apply congruence")

        with t.m.nested("congr"):
            if t.attempt(go) is not None:
                parts = None
    if parts is None:
        return [goal]
    out = []
    for part in parts:
        t.goals = [part]
        with t.m.nested("congr"):
            out += _congruences(t, depth - 1)
    return out


def congruence(t: Tactics) -> list[MVar] | None:
    """Reduce `f as = f bs` to the equations of the arguments; those that `rfl` or a hypothesis closes are left out."""
    m = t.m
    target = whnf_reducible(m, t.target)
    if is_app_of(target, "HEq", 4):
        raise UnsupportedError("`congr` on heterogeneous equality")
    if not is_app_of(target, "Eq", 3):
        return None
    _, (_, left, right) = get_app(target)
    left, right = m.instantiate_mvars(left), m.instantiate_mvars(right)
    if type(left) is Pi and type(right) is Pi:
        return _congr_implication(t)
    (f, xs), (g, ys) = get_app(left), get_app(right)
    if not xs or len(xs) != len(ys) or not m.attempt(lambda: is_def_eq(m, f, g)):
        return None
    f_type = m.instantiate_mvars(infer_type(m, f))
    so_far, current = f, Result(f)
    goals: list[tuple[MVar, str]] = []
    infos = binder_infos(m, f, len(xs))[: len(xs)]
    infos = (
        *infos,
        *(DEFAULT for _ in xs[len(infos) :]),
    )  # arguments beyond those of the type as it is written
    for info, x, y in zip(infos, xs, ys, strict=True):
        if type(f_type) is not Pi:
            f_type = whnf(m, f_type)
        assert type(f_type) is Pi
        equation = None
        fixed = info == INST or f_type.body.loose or is_prop(m, f_type.type)
        if fixed:
            if not m.attempt(lambda x=x, y=y: is_def_eq(m, x, y)):  # type: ignore[misc]
                return None
        else:
            level = sort_level(m, f_type.type)
            statement = mk_apps(mk_const("Eq", (level,)), (f_type.type, x, y))
            equation = t.new_goal(statement)
            goals.append((equation, f_type.name))
        current = congr(m, so_far, current, x, Result(x if equation is None else y, equation))
        so_far = mk_app(so_far, x)
        f_type = instantiate1(f_type.body, x)
    if not goals or current.proof is None:
        return None
    tag = t.tag
    t.close(current.proof)
    for goal, name in goals:
        retag(t, goal, tag if len(goals) == 1 else join_tags(tag, "e_" + name.replace("✝", "")))
    return _not_easy(t, [goal for goal, _ in goals])


def _congr_implication(t: Tactics) -> list[MVar] | None:
    goal = t.main
    goals = apply_term(t, t.m.const("implies_congr"), set(t.m.mctx.decls))
    return None if goal in t.goals else _not_easy(t, goals)


def _not_easy(t: Tactics, goals: list[MVar]) -> list[MVar]:
    """Return the goals that neither reflexivity nor a hypothesis closes."""
    saved, out = t.goals, []
    for goal in goals:
        t.goals = [goal]
        with t.m.with_lctx(t.m.mvar_decl(goal).lctx):
            if try_rfl(t):
                continue
            found = find_assumption(t, t.target)
            if found is not None:
                t.close(found.fvar)
                continue
        out.append(goal)
    t.goals = saved
    return out


# --- extensionality ----------------------------------------------------------------------------------------


@runs(ast.TermsTactic, "funext")
def tac_funext(t: Tactics, stx: ast.TermsTactic) -> None:
    """`funext x y`: equality of functions at a point."""
    if stx.terms:
        for pattern in stx.terms:
            _apply_funext(t)
            intro_pattern(t, pattern)
            t.m.lctx = t.m.mvar_decl(t.main).lctx
        return

    def again() -> None:
        _apply_funext(t)
        introduce(t, [None])

    while t.attempt(again) is None:
        pass


def _apply_funext(t: Tactics) -> None:
    tag = t.tag
    goals = apply_term(t, t.m.const("funext"), set(t.m.mctx.decls))
    t.goals = [*[retag(t, g, tag) for g in goals], *t.goals]
    t.m.lctx = t.m.mvar_decl(t.main).lctx


# --- associativity and commutativity -----------------------------------------------------------------------

_AC = {
    "HAdd.hAdd": ("Nat.add_assoc", "Nat.add_comm", "Nat.add_left_comm"),
    "HMul.hMul": ("Nat.mul_assoc", "Nat.mul_comm", "Nat.mul_left_comm"),
    "And": ("and_assoc", "and_comm", "and_left_comm"),
    "Or": ("or_assoc", "or_comm", "or_left_comm"),
}


@runs(ast.Simple, "ac_rfl")
def tac_ac_rfl(t: Tactics, stx: ast.Simple) -> None:
    """`ac_rfl`: both sides brought into one order by associativity and commutativity."""
    m = t.m
    rules = RuleSet(procedures=frozenset())
    for names in _AC.values():
        for name in names:
            decl = m.env.find(name)
            if decl is not None:
                rules.add(constant_rules(m, decl))
    target = t.target
    result = Simplifier(t, rules).simp(target)
    if result.proof is not None:
        goal = t.new_goal(result.expr, t.tag)
        level = (sort_level(m, target),)
        t.assign(t.main, mk_apps(mk_const("Eq.mpr", level), (target, result.expr, result.proof, goal)))
        t.replace_main([goal])
    with m.with_transparency(1):
        closed = try_rfl(t)
    if not closed:
        raise t.failed("rfl", "the sides differ in more than association and order")
