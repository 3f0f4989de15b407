"""Simplification of the main goal by a set of rules: its target, its hypotheses, or both.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/Main.lean` (`simpTarget`, `simpGoal`) (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.expr import Expr, get_app, is_app_of, mk_apps, mk_const
from minilean.kernel.traversal import alpha_eq
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.infer import is_prop, sort_level
from minilean.meta.unify import is_def_eq
from minilean.tactics.hypotheses import assert_hypothesis, retype, try_clear
from minilean.tactics.simp.result import FALSE, TRUE, Result, proof_of
from minilean.tactics.simp.rules import RuleSet
from minilean.tactics.simp.simplifier import Simplifier
from minilean.tactics.state import Tactics

NO_PROGRESS = "`{}` made no progress"


def free_propositions(t: Tactics) -> list[LocalDecl]:
    """Return the propositions of the context that nothing depends on."""
    m = t.m
    decls = [d for d in m.lctx if not d.hidden and d.value is None]
    types = [t.target, *(m.instantiate_mvars(d.type) for d in m.lctx)]
    return [
        d
        for d in decls
        if is_prop(m, m.instantiate_mvars(d.type)) and not any(t.mentions(e, {d.fvar.id}) for e in types)
    ]


def simp_goal(t: Tactics, rules: RuleSet, hypotheses: Sequence[LocalDecl], target: bool) -> None:
    """Simplify hypotheses and perhaps the target of the main goal.

    A hypothesis that becomes `False` closes the goal, one that becomes `True` stays. A hypothesis
    whose new type is equal by definition keeps its position; the others move to the end, in order.
    """
    m = t.m
    start = t.main
    proved: list[tuple[LocalDecl, Expr, Expr]] = []
    for decl in hypotheses:
        type_ = m.instantiate_mvars(decl.type)
        result = _run(t, rules.without(f"_hyp{decl.fvar.id}"), type_)
        if result.proof is None and not alpha_eq(result.expr, FALSE):
            if not alpha_eq(result.expr, type_):
                retype(t, decl.fvar, result.expr)
            continue
        value: Expr = decl.fvar
        if result.proof is not None:
            levels = (sort_level(m, type_),)
            value = mk_apps(mk_const("Eq.mp", levels), (type_, result.expr, result.proof, value))
        if alpha_eq(result.expr, FALSE):
            t.close(mk_apps(mk_const("False.elim", (sort_level(m, t.target),)), (t.target, value)))
            return
        proved.append((decl, result.expr, value))
    if target and simp_target(t, rules):
        return
    for decl, new_type, value in proved:
        assert_hypothesis(t, decl.name, new_type, value)
    for decl, _, _ in reversed(proved):
        try_clear(t, decl.fvar)
    if t.main is start and rules.options.fail_if_unchanged:
        raise MetaError(NO_PROGRESS.format("dsimp" if rules.options.definitional else "simp"))


def simp_target(t: Tactics, rules: RuleSet) -> bool:
    """Simplify the target of the main goal; return whether that closed it."""
    m = t.m
    target = t.target
    result = _run(t, rules, target)
    if alpha_eq(result.expr, TRUE):
        proof = proof_of(m, target, result)
        t.close(mk_apps(mk_const("of_eq_true"), (target, proof)))
        return True
    if rules.options.definitional and _closed_by_rfl(t, result.expr):
        return True
    if alpha_eq(result.expr, target):
        return False
    new = t.new_goal(result.expr, t.tag)
    if result.proof is None:
        t.assign(t.main, new)
    else:
        level = sort_level(m, target)
        t.assign(t.main, mk_apps(mk_const("Eq.mpr", (level,)), (target, result.expr, result.proof, new)))
    t.replace_main([new])
    return False


def _closed_by_rfl(t: Tactics, target: Expr) -> bool:
    """Close the main goal if its simplified target is an equation between equal terms; return whether that worked."""
    m = t.m
    if not is_app_of(target, "Eq", 3):
        return False
    fn, (alpha, a, b) = get_app(target)
    with m.with_transparency(REDUCIBLE):
        if not m.attempt(lambda: is_def_eq(m, a, b)):
            return False
    t.close(mk_apps(mk_const("Eq.refl", fn.levels), (alpha, a)))  # type: ignore[attr-defined]
    return True


def _run(t: Tactics, rules: RuleSet, e: Expr) -> Result:
    return Simplifier(t, rules).simp(t.m.instantiate_mvars(e))
