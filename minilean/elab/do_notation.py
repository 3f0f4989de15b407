"""`do` at the type of an action of a known monad.

Source: Lean 4 `src/Lean/Elab/Do.lean`, `extractBind` (4.34).
"""

from __future__ import annotations

from minilean.elab.display import show
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import App, Expr, MVar, get_app_fn
from minilean.meta.errors import BudgetError, MetaError
from minilean.meta.instances import synth_instance
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
    """Return whether a type is `m α` for a monad `m`, perhaps after definitions at its head are unfolded."""
    m = el.m
    while True:
        type_ = whnf_core(m, type_)
        if type(type_) is App and _is_monad(el, type_.fn):
            return True
        unfolded = unfold_definition(m, type_)
        if unfolded is None:
            return False
        type_ = unfolded


def _is_monad(el: Elab, e: Expr) -> bool:
    m = el.m
    mark = m.mctx.mark()
    try:
        monad = el.elab(ast.App(ast.Ident("_root_.Monad"), (ast.Quoted(e),)), None)
        return synth_instance(m, m.instantiate_mvars(monad)) is not None
    except BudgetError:
        raise
    except MetaError:
        return False
    finally:
        m.mctx.rollback(mark)
