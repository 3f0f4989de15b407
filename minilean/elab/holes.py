"""Holes `_`, `?_` and `?name`: which ones stay open as goals, and the error for those that must be assigned.

Source: Lean 4 `src/Lean/Elab/BuiltinTerm.lean`, `src/Lean/Elab/Term/TermElabM.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.elab.display import show_explicit, show_goal
from minilean.elab.pending import HoleInfo
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, MVar, mk_mvar
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError
from minilean.meta.occurrences import collect_mvars


def new_hole(el: Elab, name: str | None, expected: Expr | None) -> Expr:
    """Return the metavariable of `?_` or `?name`; one name is one metavariable.

    Raises:
        MetaError: The name was used where other variables are in scope.
    """
    m = el.m
    old = None if name is None else el.named_holes.get(name) or _named(el, name)
    if old is not None and old.id in m.mctx.decls:
        if m.mvar_decl(old).lctx.decls.keys() <= m.lctx.decls.keys():
            return old
        raise MetaError("synthetic hole has already been defined with an incompatible local context")
    type_ = m.new_type_mvar() if expected is None else expected
    mvar = m.new_mvar(type_, Kind.OPAQUE, name or "")
    el.holes.append(mvar)
    el.hole_infos[mvar.id] = HoleInfo(mvar)
    if name is not None:
        el.named_holes[name] = mvar
    return mvar


def _named(el: Elab, name: str) -> MVar | None:
    """Return the latest goal or hole of this name, created by any tactic."""
    for decl in reversed(el.m.mctx.decls.values()):
        if decl.tag == name and decl.kind is Kind.OPAQUE:
            return mk_mvar(decl.id)
    return None


def open_holes(el: Elab) -> list[MVar]:
    """Return the unassigned holes, without those of attempts that were undone."""
    mctx = el.m.mctx
    return [hole for hole in el.holes if hole.id in mctx.decls and not mctx.is_assigned(hole.id)]


def check_no_holes(el: Elab, e: Expr) -> Expr:
    """Require that every metavariable of `e` is assigned, as `exact` and declarations do; return `e` instantiated."""
    e = el.m.instantiate_mvars(e)
    left = []
    for mvar in collect_mvars(e):
        decl = el.m.mvar_decl(mvar)
        if mvar.id in el.m.mctx.delayed or mvar in el.holes or decl.index <= el.first_index:
            continue
        if decl.depth == el.m.mctx.depth:
            left.append(mvar)
    if left:
        raise hole_error(el, left)
    return e


def hole_error(el: Elab, left: Sequence[MVar]) -> MetaError:
    """Return Lean's message for the first hole or implicit argument that depends on one of `left`."""
    m = el.m
    ids = {mvar.id for mvar in left}
    for info in el.hole_infos.values():
        if info.mvar.id not in m.mctx.decls:
            continue
        if ids.isdisjoint(mvar.id for mvar in collect_mvars(m.instantiate_mvars(info.mvar))):
            continue
        context = show_goal(m, info.mvar)
        name = f" `{info.name}`" if info.name else ""
        if info.app is None:
            what = "placeholder" + (" for argument" if name else "")
            return MetaError(f"don't know how to synthesize {what}{name}\ncontext:\n{context}")
        app = show_explicit(m, info.app, 2)
        return MetaError(
            f"don't know how to synthesize implicit argument{name}\n  {app}\ncontext:\n{context}"
        )
    context = show_goal(m, left[0])
    return MetaError(f"don't know how to synthesize placeholder\ncontext:\n{context}")
