"""Preparation of a recursive body: beta-reduction around its recursive calls; the error of structural recursion.

Source: Lean 4 `src/Lean/Elab/PreDefinition/Structural/Preprocess.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.recursion.recursive_calls import mentions
from minilean.kernel.expr import Expr, FVar, Lam, get_app
from minilean.kernel.instantiate import beta_apply, replace
from minilean.meta.errors import MetaError


class StructuralError(MetaError):
    """A function does not recurse structurally; the text has the reason for each argument."""


def beta_reduced(e: Expr, self_var: FVar) -> Expr:
    """Beta-reduce the applied lambdas of `e` that contain recursive calls; `have` and `simp` make such terms."""

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn, args = get_app(sub)
        if type(fn) is not Lam or not args or not mentions(fn, self_var):
            return None
        return replace(beta_apply(fn, args), at)

    return replace(e, at)
