"""Occurrences of metavariables and free variables in a term."""

from __future__ import annotations

from minilean.kernel.expr import Expr, FVar, MVar, mk_mvar
from minilean.kernel.traversal import subterms
from minilean.meta.context import MetavarContext


def has_expr_mvar(e: Expr) -> bool:
    """Return whether a term metavariable (not only one of levels) occurs."""
    return e.has_mvar and any(type(s) is MVar for s in subterms(e))


def collect_mvars(e: Expr) -> list[MVar]:
    """The term metavariables of `e`, in order of first occurrence."""
    return [s for s in subterms(e) if type(s) is MVar] if e.has_mvar else []


def occurs(mvar: Expr, e: Expr) -> bool:
    """Return whether a metavariable occurs in `e` itself; assigned values are not searched."""
    return e.has_mvar and any(type(s) is MVar and s.id == mvar.id for s in subterms(e))  # type: ignore[attr-defined]


def occurs_mvar(mctx: MetavarContext, mvar: MVar, e: Expr) -> bool:
    """Return whether a metavariable occurs in `e` or in the values assigned to the metavariables of `e`."""
    todo, seen = [e], {e}
    while todo:
        for found in collect_mvars(todo.pop()):
            if found is mvar:
                return True
            delayed = mctx.delayed.get(found.id)
            value = mctx.assignment.get(found.id) if delayed is None else mk_mvar(delayed[1])
            if value is not None and value not in seen:
                seen.add(value)
                todo.append(value)
    return False


def occurs_fvar(e: Expr, fvar: Expr) -> bool:
    """Return whether a free variable occurs in `e`."""
    return e.has_fvar and any(s is fvar or (type(s) is FVar and s.id == fvar.id) for s in subterms(e))  # type: ignore[attr-defined]
