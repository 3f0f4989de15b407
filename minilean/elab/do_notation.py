"""`do` at the type of an action of a known monad.

Source: Lean 4 `src/Lean/Elab/Do.lean`, `extractBind` (4.34).
"""

from __future__ import annotations

from minilean.elab.display import show
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import App, Expr, MVar, get_app_fn
from minilean.meta.errors import BudgetError, MetaError
from minilean.meta.whnf import unfold_definition, whnf_core
from minilean.syntax import ast

_UNKNOWN = "invalid `do` notation, expected type is not available"


@elaborates(ast.Do)
def elab_do(el: Elab, stx: ast.Do, expected: Expr | None) -> Expr:
    """A block of actions, at the expected type."""
    if expected is None:
        el.postpone_or_fail()
        raise MetaError(_UNKNOWN)
    type_ = el.m.instantiate_mvars(expected)
    if type(get_app_fn(type_)) is MVar:
        el.postpone_or_fail()
        raise MetaError(_UNKNOWN)
    if not _is_action(el, type_):
        raise MetaError(
            f"invalid `do` notation, expected type is not a monad application\n  {show(el.m, type_, 2)}\nYou can use "
            "the `do` notation in pure code by writing `Id.run do` instead of `do`, where `Id` is the identity monad."
        )
    return el.elab_ensuring(stx.body, expected)


def _is_action(el: Elab, type_: Expr) -> bool:
    """Return whether a type is `m α`, perhaps after definitions at its head are unfolded, and `Monad m` makes sense."""
    m = el.m
    while True:
        type_ = whnf_core(m, type_)
        if type(type_) is App and _may_be_monad(el, type_.fn):
            return True
        unfolded = unfold_definition(m, type_)
        if unfolded is None:
            return False
        type_ = unfolded


def _may_be_monad(el: Elab, e: Expr) -> bool:
    mark = el.m.mctx.mark()
    try:
        el.elab(ast.App(ast.Ident("_root_.Monad"), (ast.Quoted(e),)), None)
    except BudgetError:
        raise
    except MetaError:
        return False
    finally:
        el.m.mctx.rollback(mark)
    return True
