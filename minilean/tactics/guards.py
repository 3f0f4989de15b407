"""Tactics that change nothing: `guard_hyp`, `guard_target`, `trace`, `trace_state`.

Source: Lean 4 `src/Lean/Elab/Tactic/Guard.lean`, `BuiltinTactic.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import Expr
from minilean.kernel.traversal import alpha_eq
from minilean.meta.errors import MetaError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics


def _same(t: Tactics, how: str, a: Expr, b: Expr) -> bool:
    a, b = t.m.instantiate_mvars(a), t.m.instantiate_mvars(b)
    if how in ("ₛ", "ₐ"):
        return a is b if how == "ₛ" else alpha_eq(a, b)
    if how == "~":
        return is_def_eq(t.m, a, b)
    with t.m.with_transparency(REDUCIBLE):
        return is_def_eq(t.m, a, b)


@runs(ast.Guard)
def tac_guard(t: Tactics, stx: ast.Guard) -> None:
    """`guard_hyp h : t := v` and `guard_target = t`: fail unless the hypothesis or the target is the given one."""
    if stx.hypothesis is None:
        wanted = _term(t, stx.type)
        if wanted is not None and not _same(t, stx.how, wanted, t.target):
            raise MetaError(
                f"The main goal is\n  {t.show(t.target)}\nbut was expected to be\n  {t.show(wanted)}"
            )
        return
    h = stx.hypothesis
    decl = t.hypothesis(h)
    type_ = _term(t, stx.type)
    if type_ is not None and not _same(t, stx.how, type_, decl.type):
        raise MetaError(
            f"Hypothesis `{h}` has type\n  {t.show(decl.type)}\nbut was expected to have type\n  {t.show(type_)}"
        )
    value = _term(t, stx.value)
    if decl.value is None:
        if value is not None:
            raise MetaError(f"`{h}` is not a let binding")
    elif value is None:
        raise MetaError(f"`{h}` is a let binding")
    elif not _same(t, stx.how_value, value, decl.value):
        raise MetaError(
            f"Hypothesis `{h}` has value\n  {t.show(decl.value)}\nbut was expected to have value\n  {t.show(value)}"
        )


def _term(t: Tactics, stx: ast.Term | None) -> Expr | None:
    return None if stx is None else t.elab().elab_closed(stx)


@runs(ast.Trace)
def tac_trace(t: Tactics, stx: ast.Trace) -> None:
    """`trace "text"` and `trace_state`, which reports all goals."""
    t.prune()
    t.say(t.show_goals() if stx.text is None else stx.text, stx, "trace")
