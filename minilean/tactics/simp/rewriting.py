"""Application of one rewrite rule of `simp` to a term.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/Rewrite.lean` (`tryTheoremCore`) (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from minilean.kernel.expr import INST, Const, Expr, MVar, Pi, get_app, mk_apps
from minilean.kernel.instantiate import (
    beta_apply,
    head_beta,
    instantiate,
    instantiate1,
    instantiate_level_params,
)
from minilean.kernel.traversal import alpha_eq
from minilean.meta.context import Kind
from minilean.meta.extension import DEFAULT_TRANSPARENCY, REDUCIBLE
from minilean.meta.infer import is_proof
from minilean.meta.instances import class_of, synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.tactics.simp.result import Result
from minilean.tactics.simp.rules import Rule
from minilean.tactics.term_order import term_less

Discharge: TypeAlias = Callable[[Expr], Expr | None]


def apply_rule(m: Meta, e: Expr, rule: Rule, definitional: bool, discharge: Discharge) -> Result | None:
    """Rewrite `e` by one rule.

    Args:
        m: The metavariable context, to which nothing is added when the rule does not apply.
        e: Any term.
        rule: The rule; its left side has to match `e` up to reducible unfolding.
        definitional: Use the rule only if it holds by definition.
        discharge: Returns a proof of a premise of the rule, `None` if it finds none.

    Returns:
        The new term, `None` when the rule does not apply.
    """
    mark = m.mctx.mark()
    with m.new_mctx_depth(), m.with_transparency(REDUCIBLE):
        result = _try_rule(m, e, rule, definitional, discharge)
    if result is None:
        m.mctx.rollback(mark)
    return result


def _try_rule(m: Meta, e: Expr, rule: Rule, definitional: bool, discharge: Discharge) -> Result | None:
    if definitional and not holds_by_definition(m, rule):
        return None
    type_, proof = rule.type, rule.proof
    if rule.levels:
        levels = [m.new_level_mvar() for _ in rule.levels]
        type_ = instantiate_level_params(type_, rule.levels, levels)
        proof = instantiate_level_params(proof, rule.levels, levels)
    mvars: list[tuple[MVar, int]] = []
    while type(type_) is Pi:
        kind = Kind.SYNTHETIC if type_.info == INST else Kind.NATURAL
        mvar = m.new_mvar(type_.type, kind)
        mvars.append((mvar, type_.info))
        type_ = instantiate1(type_.body, mvar)
    _, args = get_app(type_)
    left, right = args[-2], args[-1]
    if not is_def_eq(m, left, e):
        return None
    for mvar, info in mvars:
        if m.mctx.is_assigned(mvar.id):
            continue
        wanted = m.instantiate_mvars(m.mvar_decl(mvar).type)
        instance = info == INST or class_of(m, wanted) is not None
        value = synth_instance(m, wanted) if instance else discharge(wanted)
        if value is None or not is_def_eq(m, mvar, value):
            return None
    new = m.instantiate_mvars(right)
    if has_expr_mvar(new) and not has_expr_mvar(e):
        return None
    new = head_beta(new)
    if alpha_eq(new, e) or (rule.permutes and not term_less(m, new, e)):
        return None
    if rule.by_definition or definitional:
        return Result(new)
    term = m.instantiate_mvars(beta_apply(proof, [mvar for mvar, _ in mvars]))
    return Result(new, term)


def unfolded_by(e: Expr, rule: Rule) -> Expr | None:
    """Return an application of a definition, with as many arguments or more, after one unfolding."""
    fn, args = get_app(e)
    assert type(fn) is Const
    type_, arity = rule.type, 0
    while type(type_) is Pi:
        type_, arity = type_.body, arity + 1
    if len(args) < arity:
        return None
    _, sides = get_app(type_)
    value = instantiate(instantiate_level_params(sides[-1], rule.levels, fn.levels), args[:arity])
    return head_beta(mk_apps(value, args[arity:]))


def holds_by_definition(m: Meta, rule: Rule) -> bool:
    """Return whether a rule has no premises and its sides are equal by definition, as those of `rfl` lemmas are."""
    if rule.by_definition:
        return True
    key = ("definitional", rule.type)
    if key not in m.env.memo or rule.type.has_fvar:
        with m.new_mctx_depth(), m.with_transparency(DEFAULT_TRANSPARENCY):
            old = m.lctx
            fvars, statement = m.intro_binders(rule.type)
            _, args = get_app(statement)
            premises = any(is_proof(m, x) for x in fvars)
            found = not premises and m.attempt(lambda: is_def_eq(m, args[-2], args[-1]))
            m.lctx = old
        if rule.type.has_fvar:
            return found
        m.env.memo[key] = found
    return bool(m.env.memo[key])
