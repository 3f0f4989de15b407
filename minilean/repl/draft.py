"""Drafts: a term with `sorry` in it closes a goal, and each `sorry` becomes a new goal.

Source: Pantograph `Pantograph/Tactic/Assign.lean` (`sorryToHole`, `draft`).
"""

from __future__ import annotations

from minilean.elab.sorry import SORRY, mentions_sorry
from minilean.kernel.expr import (
    App,
    Const,
    Expr,
    Lam,
    Let,
    MVar,
    Pi,
    get_app,
    mk_app,
    mk_apps,
    mk_let,
)
from minilean.kernel.instantiate import instantiate1, map_children
from minilean.meta.errors import MetaError
from minilean.syntax import ast
from minilean.tactics.state import Tactics


def draft(t: Tactics, syntax: ast.Term) -> None:
    """Close the main goal with a term whose holes and `sorry`s become goals.

    Raises:
        MetaError: The term does not fit, or the type of one `sorry` depends on another.
    """
    value, goals = t.term_with_holes(syntax, t.target, natural_ok=True)
    value, holes = sorry_to_holes(t, value)
    t.assign(t.main, value)
    t.replace_main([*goals, *holes])


def sorry_to_holes(t: Tactics, value: Expr) -> tuple[Expr, list[MVar]]:
    """Replace each `sorry` in `value` by a new goal in its context; return the term and the goals.

    Raises:
        MetaError: The type of a `sorry` contains another one.
    """
    m = t.m
    holes: list[MVar] = []

    def go(e: Expr, depth: int = 0) -> Expr:
        m.budget.spend("draft")
        if not mentions_sorry([e]):
            return e
        with m.nested("draft"):
            kind = type(e)
            if kind is App or kind is Const:
                return application(e)
            if kind in (Lam, Pi, Let):
                return binder(e)
            return map_children(e, depth, go)

    def application(e: Expr) -> Expr:
        fn, args = get_app(e)
        if type(fn) is Const and fn.name == SORRY and len(args) > 1:
            if mentions_sorry(args[:1]):
                raise MetaError(f"Coupling is not allowed in draft tactic: {t.show(args[0])}")
            hole = t.new_goal(args[0], lctx=m.lctx)
            holes.append(hole)
            return mk_apps(hole, [go(a) for a in args[2:]])
        if type(fn) is Const and fn.name == SORRY:
            raise MetaError("unsupported: a draft with `sorryAx` that is not a whole `sorry`")
        if type(fn) is Lam:
            # `have` elaborates to `(fun h => body) value`: the value was written first, and Pantograph shows it first.
            done = go(mk_let(fn.name, fn.type, args[0], fn.body))
            return mk_apps(done, [go(a) for a in args[1:]])
        done = go(fn)
        for a in args:
            done = mk_app(done, go(a))
        return done

    def binder(e: Expr) -> Expr:
        old = m.lctx
        type_ = go(e.type)  # type: ignore[attr-defined]
        value = go(e.value) if type(e) is Let else None
        info = 0 if type(e) is Let else e.info  # type: ignore[attr-defined]
        fvar = m.push_local(e.name, type_, info, value)  # type: ignore[attr-defined]
        body = go(instantiate1(e.body, fvar))  # type: ignore[attr-defined]
        out = m.mk_pi([fvar], body) if type(e) is Pi else m.mk_lambda([fvar], body)
        m.lctx = old
        return out

    return go(m.instantiate_mvars(value)), holes
