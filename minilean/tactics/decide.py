"""`decide`: evaluate the `Decidable` instance of a closed proposition.

Source: Lean 4 `src/Lean/Elab/Tactic/Decide.lean` (4.34). The proof is `of_decide_eq_true rfl`; the kernel
evaluates it again.
"""

from __future__ import annotations

from minilean.elab.instance_problems import not_synthesized
from minilean.kernel.expr import Const, Expr, FVar, get_app_fn, mk_app, mk_apps, mk_const
from minilean.kernel.level import ONE
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import is_prop
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.tactics.hypotheses import revert
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics


def decide_goal(t: Tactics) -> None:
    """Close the main goal by evaluation."""
    m = t.m
    prop = t.target
    if any(type(s) is FVar for s in subterms(prop)):
        raise MetaError(
            f"Expected type must not contain free variables\n  {t.show(prop)}\n\n"
            "Hint: Use the `+revert` option to automatically clean up and revert free variables"
        )
    if has_expr_mvar(prop):
        raise MetaError(f"Expected type must not contain metavariables\n  {t.show(prop)}")
    class_type = mk_app(mk_const("Decidable"), prop)
    instance = synth_instance(m, class_type)
    if instance is None:
        raise not_synthesized(m, class_type)
    value = whnf(m, instance)
    fn = get_app_fn(value)
    if type(fn) is Const and fn.name == "Decidable.isTrue":
        true = mk_const("Bool.true")
        refl = mk_apps(mk_const("Eq.refl", (ONE,)), (mk_const("Bool"), true))
        t.close(mk_apps(mk_const("of_decide_eq_true"), (prop, instance, refl)))
        return
    if type(fn) is Const and fn.name == "Decidable.isFalse":
        raise MetaError(f"Tactic `decide` proved that the proposition\n  {t.show(prop)}\nis false")
    raise MetaError(
        f"Tactic `decide` failed for proposition\n  {t.show(prop)}\nbecause its `Decidable` instance\n"
        f"  {t.show(instance)}\ndid not reduce to `isTrue` or `isFalse`.\n\n"
        f"After unfolding, reduction got stuck at the `Decidable` instance\n  {t.show(value)}"
    )


def refutation(m: Meta, prop: Expr) -> Expr | None:
    """Return a proof of `¬prop` by evaluation if `prop` is closed and decidably false."""
    if prop.has_fvar or prop.has_mvar or not is_prop(m, prop):
        return None
    instance = synth_instance(m, mk_app(mk_const("Decidable"), prop))
    if instance is None:
        return None
    fn = get_app_fn(whnf(m, instance))
    if type(fn) is not Const or fn.name != "Decidable.isFalse":
        return None
    refl = mk_apps(mk_const("Eq.refl", (ONE,)), (mk_const("Bool"), mk_const("Bool.false")))
    return mk_apps(mk_const("of_decide_eq_false"), (prop, instance, refl))


@runs(ast.Omega)
def tac_decide(t: Tactics, stx: ast.Omega) -> None:
    """`decide`."""
    if stx.name != "decide":
        raise UnsupportedError(f"the tactic `{stx.name}`")
    for option in stx.config:
        if option not in ("+revert", "-revert", "+kernel", "-kernel"):
            raise UnsupportedError(f"`decide` with `{option}`")
    if "+revert" in stx.config:
        _revert_needed(t)
    decide_goal(t)


@runs(ast.Simple, "decide")
def tac_plain_decide(t: Tactics, _stx: ast.Simple) -> None:
    """`decide` without options."""
    decide_goal(t)


def _revert_needed(t: Tactics) -> None:
    """Revert the variables that the goal mentions, and the propositions that mention no other variables."""
    m = t.m
    needed: set[int] = set()
    todo = [t.target]
    while todo:
        for sub in subterms(todo.pop()):
            if type(sub) is FVar and sub.id not in needed:
                needed.add(sub.id)
                todo.append(m.instantiate_mvars(m.local(sub).type))
    for decl in m.lctx:
        type_ = m.instantiate_mvars(decl.type)
        if not decl.hidden and decl.fvar.id not in needed and is_prop(m, type_):
            mentioned = {s.id for s in subterms(type_) if type(s) is FVar}
            if mentioned and mentioned <= needed:
                needed.add(decl.fvar.id)
    found = [d.fvar for d in m.lctx if d.fvar.id in needed]
    if found:
        revert(t, found)
