"""The closed term of a finished proof, in one pass over the assigned values.

`Meta.instantiate_mvars` abstracts the variables of each delayed assignment, and so visits the same subterms once for
each `intro` and `have` around them. Here the variables are looked up instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from minilean.kernel.expr import (
    App,
    Const,
    Expr,
    FVar,
    MVar,
    Sort,
    get_app,
    mk_apps,
    mk_const,
    mk_mvar,
    mk_sort,
)
from minilean.kernel.instantiate import beta_apply, lift_loose, map_children
from minilean.kernel.level import ZERO
from minilean.meta.errors import MetaError
from minilean.meta.metavars import Meta


@dataclass(slots=True)
class _Frame:
    """Values of the variables of delayed assignments, each with the number of binders that it is below."""

    values: dict[int, tuple[Expr, int]] = field(default_factory=dict)
    done: dict[tuple[Expr, int], Expr] = field(default_factory=dict)


def closed_proof(m: Meta, root: MVar) -> Expr:
    """The value of `root` with every metavariable replaced; universe metavariables left over become 0.

    Raises:
        MetaError: A metavariable has no value.
    """
    for level_id in m.mctx.level_depth:
        if level_id not in m.mctx.level_assignment:
            m.mctx.assign_level(level_id, ZERO)
    return _close(m, root, _Frame(), 0)


def _close(m: Meta, e: Expr, frame: _Frame, depth: int) -> Expr:
    """Return the closed form of `e`, which is below `depth` binders of the result."""
    if not e.has_mvar and not (e.has_fvar and frame.values):
        return e
    key = (e, depth)
    out = frame.done.get(key)
    if out is None:
        m.budget.spend("instantiate_mvars")
        kind = type(e)
        if kind is FVar:
            value, base = frame.values.get(e.id, (e, depth))  # type: ignore[attr-defined]
            out = lift_loose(value, depth - base)
        elif kind is App or kind is MVar:
            fn, args = get_app(e)
            out = _close_app(m, fn, [_close(m, a, frame, depth) for a in args], frame, depth)
        elif kind is Const:
            out = mk_const(e.name, tuple(m.instantiate_level(level) for level in e.levels))  # type: ignore[attr-defined]
        elif kind is Sort:
            out = mk_sort(m.instantiate_level(e.level))  # type: ignore[attr-defined]
        else:
            out = map_children(e, depth, lambda t, d: _close(m, t, frame, d))
        frame.done[key] = out
    return out


def _close_app(m: Meta, fn: Expr, args: list[Expr], frame: _Frame, depth: int) -> Expr:
    """Return the closed form of `fn args`, whose arguments are closed already."""
    if type(fn) is not MVar:
        return mk_apps(_close(m, fn, frame, depth), args)
    delayed = m.mctx.delayed.get(fn.id)
    if delayed is not None and len(args) >= len(delayed[0]):
        fvars, target = delayed
        values = {x.id: (value, depth) for x, value in zip(fvars, args, strict=False)}  # type: ignore[attr-defined]
        inner = _Frame({**frame.values, **values})
        return mk_apps(_close(m, mk_mvar(target), inner, depth), args[len(fvars) :])
    value = m.mctx.assignment.get(fn.id)
    if value is None:
        raise MetaError("the proof has metavariables that no tactic assigned")
    return beta_apply(_close(m, value, frame, depth), args)
