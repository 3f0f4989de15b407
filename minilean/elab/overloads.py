"""Overloaded names and notations: of several meanings, the one that elaborates is taken.

Source: Lean 4 `src/Lean/Elab/App.lean`, `getSuccesses` and `mergeFailures` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from minilean.elab.display import show
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr
from minilean.meta.errors import BudgetError, MetaError
from minilean.meta.infer import infer_type
from minilean.syntax import ast

T = TypeVar("T", bound=ast.Term)


def elab_overloaded(
    el: Elab,
    stx: ast.Term,
    found: Sequence[T],
    elaborate: Callable[[T], Expr],
    expected: Expr | None,
) -> Expr:
    """Elaborate with the only meaning that fits.

    Args:
        el: The elaborator.
        stx: The overloaded identifier or term, for messages.
        found: Its meanings.
        elaborate: Elaborates the whole application with one meaning.
        expected: The expected type, if known.

    Raises:
        MetaError: None of them fits, or more than one.
    """
    m = el.m
    mark, pending, holes = m.mctx.mark(), list(el.pending), list(el.holes)

    def undo() -> None:
        m.mctx.rollback(mark)
        el.pending, el.holes = list(pending), list(holes)

    def attempt(choice: T, final: bool = False) -> Expr:
        e = elaborate(choice)
        if expected is not None:
            e = el.ensure_has_type(e, expected)
        if final:
            el.synthesize()
        return e

    fitting = list(found)
    errors: list[str] = []
    shown: list[str] = []
    for final in (False, True):
        errors, shown, still = [], [], []
        for choice in fitting:
            try:
                e = m.instantiate_mvars(attempt(choice, final))
                still.append(choice)
                shown.append(f"  {show(m, e, 2)} : {show(m, m.instantiate_mvars(infer_type(m, e)), 2)}")
            except BudgetError:
                raise
            except MetaError as error:
                errors.append("  " + str(error).replace("\n", "\n  "))
            undo()
        if len(still) == 1:
            return attempt(still[0])
        if not still:
            break
        fitting = still
    if not shown:
        raise MetaError("overloaded, errors \n" + "\n  \n".join(errors))
    text = stx.name if isinstance(stx, ast.Ident) else el.source[stx.start : stx.end]
    raise MetaError(f"Ambiguous term\n  {text}\nPossible interpretations:\n" + "\n  \n".join(shown))
