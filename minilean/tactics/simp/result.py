"""Results of simplification, an equal term with a proof of the equality, and their composition.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/Types.lean`, `Result` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass

from minilean.kernel.expr import Expr, Pi, mk_app, mk_apps, mk_const, mk_lam
from minilean.kernel.instantiate import instantiate1
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf

TRUE, FALSE = mk_const("True"), mk_const("False")


@dataclass(frozen=True, slots=True)
class Result:
    """The simplified term of `e` with `proof : e = expr`, `None` when both are equal by definition."""

    expr: Expr
    proof: Expr | None = None


def trans(m: Meta, e: Expr, first: Result, second: Result) -> Result:
    """Compose `e = first.expr` and `first.expr = second.expr`."""
    if first.proof is None:
        return second
    if second.proof is None:
        return Result(second.expr, first.proof)
    alpha = infer_type(m, e)
    level = (sort_level(m, alpha),)
    proof = mk_apps(
        mk_const("Eq.trans", level),
        (alpha, e, first.expr, second.expr, first.proof, second.proof),
    )
    return Result(second.expr, proof)


def congr(m: Meta, fn: Expr, fn_result: Result, arg: Expr, arg_result: Result) -> Result:
    """Return the result of `fn arg` from those of `fn` and `arg`."""
    new = mk_app(fn_result.expr, arg_result.expr)
    if fn_result.proof is None and arg_result.proof is None:
        return Result(new)
    fn_type = whnf(m, m.instantiate_mvars(infer_type(m, fn)))
    assert type(fn_type) is Pi
    alpha = fn_type.type
    beta_level_type = instantiate1(fn_type.body, arg)
    levels = (sort_level(m, alpha), sort_level(m, beta_level_type))
    if fn_result.proof is None:
        assert arg_result.proof is not None
        proof = mk_apps(
            mk_const("congrArg", levels),
            (alpha, beta_level_type, arg, arg_result.expr, fn_result.expr, arg_result.proof),
        )
    elif arg_result.proof is None:
        beta = mk_lam(fn_type.name, alpha, fn_type.body)
        proof = mk_apps(mk_const("congrFun", levels), (alpha, beta, fn, fn_result.expr, fn_result.proof, arg))
    else:
        proof = mk_apps(
            mk_const("congr", levels),
            (
                alpha,
                beta_level_type,
                fn,
                fn_result.expr,
                arg,
                arg_result.expr,
                fn_result.proof,
                arg_result.proof,
            ),
        )
    return Result(new, proof)


def proof_of(m: Meta, e: Expr, result: Result) -> Expr:
    """Return a proof of `e = result.expr`."""
    if result.proof is not None:
        return result.proof
    alpha = infer_type(m, e)
    return mk_apps(mk_const("Eq.refl", (sort_level(m, alpha),)), (alpha, e))
