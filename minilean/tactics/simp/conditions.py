"""`if c then a else b` with a condition that is known to hold or not to hold.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/BuiltinSimprocs/Core.lean` (`reduceIte`, `reduceDIte`),
`src/Lean/Meta/Tactic/SplitIf.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass

from minilean.kernel.expr import Expr, Pi, get_app, get_app_fn, is_app_of, mk_app, mk_apps, mk_const
from minilean.kernel.instantiate import beta_apply, instantiate1
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.tactics.simp.result import Result


@dataclass(frozen=True, slots=True)
class Decision:
    """A condition that is decided: `proof` proves it if it `holds`, else its negation."""

    holds: bool
    proof: Expr


def chosen_branch(m: Meta, e: Expr, decision: Decision) -> Result:
    """Rewrite an application of `ite` or `dite` to the branch that its condition chooses."""
    _, (alpha, cond, inst, a, b) = get_app(e)
    holds = decision.proof
    dependent = get_app_fn(e).name == "dite"  # type: ignore[attr-defined]
    name = ("dif_" if dependent else "if_") + ("pos" if decision.holds else "neg")
    values = {"c": cond, "h": inst, "hc": holds, "hnc": holds, "α": alpha, "t": a, "e": b}
    proof = _named_app(m, name, values)
    branch = a if decision.holds else b
    return Result(beta_apply(branch, [holds]) if dependent else branch, proof)


def decided_by_hypothesis(m: Meta, cond: Expr) -> Decision | None:
    """Decide a condition by the last hypothesis that states it or its negation."""
    negation = mk_app(mk_const("Not"), cond)
    for decl in reversed(list(m.lctx)):
        type_ = m.instantiate_mvars(decl.type)
        if decl.hidden or not is_prop(m, type_):
            continue
        for wanted, positive in ((cond, True), (negation, False)):
            if m.attempt(lambda w=wanted, s=type_: is_def_eq(m, w, s)):  # type: ignore[misc]
                return Decision(positive, decl.fvar)
        if is_app_of(cond, "Not", 1) and m.attempt(lambda s=type_: is_def_eq(m, cond.arg, s)):  # type: ignore[attr-defined, misc]
            return Decision(False, mk_apps(mk_const("not_not_intro"), (cond.arg, decl.fvar)))  # type: ignore[attr-defined]
    return None


def _named_app(m: Meta, name: str, values: dict[str, Expr]) -> Expr:
    """Apply a lemma to arguments that are given by binder name."""
    term = m.const(name)
    type_ = infer_type(m, term)
    args = []
    while type(type_) is Pi:
        value = values[type_.name]
        is_def_eq(m, type_.type, infer_type(m, value))
        args.append(value)
        type_ = instantiate1(type_.body, value)
    return m.instantiate_mvars(mk_apps(term, args))
