"""Tactics that add hypotheses: `have`, `let`, `suffices`, `replace`, `specialize`.

Source: Lean 4 `src/Init/Tactics.lean`, `src/Lean/Elab/Tactic/ElabTerm.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.binders import push_binders
from minilean.elab.let_rec import declared
from minilean.kernel.expr import Expr, MVar, mk_app
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type
from minilean.meta.occurrences import has_expr_mvar
from minilean.syntax import ast
from minilean.tactics.apply import put_behind, tag_holes
from minilean.tactics.hypotheses import add_let, assert_hypothesis, try_clear
from minilean.tactics.location import replace_hypothesis
from minilean.tactics.rcases import rcases_term
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics


@runs(ast.HaveTac)
def tac_have(t: Tactics, stx: ast.HaveTac) -> None:
    """`have h : p := e`, `have h : p` (a new goal), `let x := e`, `suffices h : p from e`, `replace h := e`."""
    if stx.pattern is not None:
        rcases_term(t, stx.value, stx.type, stx.pattern, by_match=True)
        return
    if stx.kind == "suffices":
        _suffices(t, stx)
        return
    name = stx.name or "this"
    m = t.m
    el = t.elab()
    old = m.lctx
    fvars = push_binders(el, stx.binders)
    type_ = None if stx.type is None else el.elab_type(stx.type)
    el.synthesize()
    new_goals: list[MVar] = []
    if stx.value is None:
        if type_ is None:
            raise MetaError("`have` without a value needs a type")
        mvar = t.new_goal(m.instantiate_mvars(type_), t.sub_tag("") if stx.name is None else t.tag)
        new_goals.append(mvar)
        value: Expr = mvar
    else:
        value, new_goals = t.term_with_holes(stx.value, type_)
        type_ = m.instantiate_mvars(infer_type(m, value)) if type_ is None else m.instantiate_mvars(type_)
    for x in fvars:
        if has_expr_mvar(m.instantiate_mvars(m.local(x).type)):
            raise MetaError(f"Failed to infer type of binder `{m.local(x).name}`")
    value = m.mk_lambda(fvars, value)
    type_ = m.mk_pi(fvars, type_)
    m.lctx = old
    if stx.kind == "let":
        add_let(t, name, type_, value)
    else:
        replaced = t.m.lctx.by_name(name) if stx.kind == "replace" else None
        assert_hypothesis(t, name, type_, value)
        if replaced is not None:
            try_clear(t, replaced.fvar)
    if stx.value is None:
        t.goals = [*new_goals, *t.goals]
    else:
        put_behind(t, new_goals)


def _suffices(t: Tactics, stx: ast.HaveTac) -> None:
    m = t.m
    name = stx.name or "this"
    if stx.type is None:
        raise MetaError("`suffices` needs a type")
    el = t.elab()
    type_ = el.elab_type(stx.type)
    el.synthesize()
    type_ = m.instantiate_mvars(type_)
    sub = t.new_goal(type_, t.tag if stx.value is None else "")
    goal = t.main
    decl = m.mvar_decl(goal)
    fvar, lctx = decl.lctx.push(name, type_)
    new = t.new_goal(decl.type, decl.tag, lctx)
    with m.with_lctx(lctx):
        fn = m.mk_lambda([fvar], new)
    t.assign(goal, mk_app(fn, sub))
    if stx.value is not None:
        t.goals[:1] = [new]
        with m.with_lctx(lctx):
            value, goals = t.term_with_holes(stx.value, decl.type)
        t.close(value)
        tag_holes(t, [sub, *goals], decl.tag)
        t.goals = [*goals, sub, *t.goals]
    else:
        t.goals[:1] = [new, sub]


@runs(ast.TermTactic, "specialize")
def tac_specialize(t: Tactics, stx: ast.TermTactic) -> None:
    """`specialize h a b`."""
    m = t.m
    head = stx.term
    while isinstance(head, (ast.App, ast.Paren)):
        head = head.fn if isinstance(head, ast.App) else head.term
    if not isinstance(head, ast.Ident):
        raise MetaError(
            "'specialize' requires a term of the form `h x_1 .. x_n` where `h` appears in the local context"
        )
    decl = t.hypothesis(head.name)
    value, goals = t.term_with_holes(stx.term, None)
    type_ = m.instantiate_mvars(infer_type(m, value))
    replace_hypothesis(t, decl, type_, value)
    t.goals = [*goals, *t.goals]


@runs(ast.LetRecTac)
def tac_let_rec(t: Tactics, stx: ast.LetRecTac) -> None:
    """`let rec` after another tactic; at the beginning of a proof it is a declaration before the theorem."""
    type_, call = declared(t.elab(), stx.name, stx.binders, stx.type, stx.value, stx.termination)
    add_let(t, stx.name, type_, call, hidden=True)
