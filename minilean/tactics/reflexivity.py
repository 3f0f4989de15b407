"""`@[refl]` theorems, which `rfl` applies to relations other than equality.

Source: Lean 4 `src/Lean/Meta/Tactic/Rfl.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import INST, Const, Expr, MVar, Pi, get_app_fn, mk_app
from minilean.kernel.instantiate import instantiate1
from minilean.meta.infer import infer_type
from minilean.meta.instances import synth_instance
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf_reducible
from minilean.tactics.apply import apply_term
from minilean.tactics.state import Tactics


def by_refl_lemma(t: Tactics, target: Expr) -> bool:
    """Close the main goal with a theorem about its relation, the latest first; return whether that worked."""
    target = whnf_reducible(t.m, target)
    fn = get_app_fn(target)
    names = t.m.env.refl_lemmas.get(fn.name, ()) if type(fn) is Const else ()
    for name in names:
        term = _applied(t, name, target)
        if term is not None:
            t.close(term)
            return True
    for name in names:
        mark, goals = t.m.mctx.mark(), list(t.goals)
        error = t.attempt(lambda name=name: _leave(t, name))  # type: ignore[misc]
        left = t.goals
        if error is None:
            t.goals = left[: len(left) - len(goals) + 1]
            raise t.unsolved()
        t.m.mctx.rollback(mark)
    return False


def _leave(t: Tactics, name: str) -> None:
    """Apply the theorem; its premises become goals."""
    new = apply_term(t, t.m.const(name), set(t.m.mctx.decls))
    t.goals = [*new, *t.goals]


def _applied(t: Tactics, name: str, target: Expr) -> Expr | None:
    """Return the theorem as a proof of `target`; arguments that unification leaves open must be instances."""
    m = t.m
    mark = m.mctx.mark()
    term = m.const(name)
    type_ = infer_type(m, term)
    instances: list[MVar] = []
    while type(type_) is Pi:
        arg = m.new_mvar(type_.type)
        if type_.info == INST:
            instances.append(arg)
        term, type_ = mk_app(term, arg), instantiate1(type_.body, arg)
    if m.attempt(lambda: is_def_eq(m, type_, target)) and all([_found(t, mvar) for mvar in instances]):
        term = m.instantiate_mvars(term)
        if not has_expr_mvar(term) or has_expr_mvar(target):
            return term
    m.mctx.rollback(mark)
    return None


def _found(t: Tactics, mvar: MVar) -> bool:
    m = t.m
    if m.mctx.is_assigned(mvar.id):
        return True
    value = synth_instance(m, m.mvar_decl(mvar).type)
    return value is not None and is_def_eq(m, mvar, value)
