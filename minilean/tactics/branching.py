"""Terms with branches as tactics: `by_cases`, `if`, `match`.

Source: Lean 4 `src/Lean/Elab/Tactic/Match.lean`, `src/Init/TacticsExtra.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import replace

from minilean.elab.holes import check_no_holes, hole_error, open_holes
from minilean.kernel.expr import PROP, mk_app, mk_apps, mk_const
from minilean.meta.errors import MetaError
from minilean.meta.infer import is_prop, sort_level
from minilean.syntax import ast
from minilean.tactics.apply import refine
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics, retag


@runs(ast.ByCases)
def tac_by_cases(t: Tactics, stx: ast.ByCases) -> None:
    """`by_cases h : p`: goals `pos` with `h : p` and `neg` with `h : ¬p`."""
    m = t.m
    el = t.elab()
    prop = el.elab(stx.prop, PROP)
    type_ = t.infer(prop)
    coerced = prop if el.agree(prop, type_, PROP) else el.coerce(prop, type_, PROP)
    if coerced is None:
        application = mk_apps(m.const("dite"), (m.new_type_mvar(), prop))
        raise MetaError(
            f"Application type mismatch: The argument\n  {t.show(prop)}\nhas type\n  {t.show(type_)}\n"
            f"but is expected to have type\n  Prop\nin the application\n  {t.show(application)}"
        )
    prop = coerced
    el.synthesize()
    if holes := open_holes(el):
        raise hole_error(el, holes)
    prop = check_no_holes(el, prop)
    name = "h✝" if stx.name in (None, "_") else stx.name
    goal = t.main
    target = t.target
    decl = m.mvar_decl(goal)
    fns, goals = [], []
    for label, hypothesis in (("pos", prop), ("neg", mk_app(mk_const("Not"), prop))):
        fvar, lctx = decl.lctx.push(name, hypothesis)
        new = t.new_goal(target, label, lctx)
        with m.with_lctx(lctx):
            fns.append(m.mk_lambda([fvar], new))
        goals.append(new)
    level = sort_level(m, target)
    if is_prop(m, target):
        em = mk_app(mk_const("Classical.em"), prop)
        value = mk_apps(mk_const("Or.elim"), (prop, mk_app(mk_const("Not"), prop), target, em, *fns))
    else:
        instance = el.instance(mk_app(mk_const("Decidable"), prop))
        value = mk_apps(mk_const("dite", (level,)), (target, prop, instance, *fns))
    t.assign(goal, value)
    t.replace_main(goals)


@runs(ast.IfTac)
def tac_if(t: Tactics, stx: ast.IfTac) -> None:
    """`if h : c then tacs else tacs`: `refine` of the term, then each block closes its goal."""
    name = "h✝" if stx.name in (None, "_") else stx.name
    holes: list[ast.Term] = []
    blocks: list[tuple[str, ast.TacSeq]] = []
    for tag, branch in (("pos", stx.then), ("neg", stx.orelse)):
        if isinstance(branch, ast.NamedHole):
            holes.append(branch)
            continue
        # a user cannot write these names, so they are not names of the user's holes
        own = tag if isinstance(branch, ast.Term) else f"{tag}✝"
        holes.append(ast.NamedHole(own, start=branch.start, end=branch.end))
        if isinstance(branch, ast.TacSeq):
            blocks.append((own, branch))
    before, t.m.classical = t.m.classical, True
    try:
        refine(t, ast.If(name, stx.cond, *holes, start=stx.start, end=stx.end))
    finally:
        t.m.classical = before
    for own, block in blocks:
        goal = next(g for g in t.goals if t.m.mvar_decl(g).tag == own)
        others = [g for g in t.goals if g is not goal]
        t.goals = [retag(t, goal, "")]
        t.m.lctx = t.m.mvar_decl(t.goals[0]).lctx
        t.run_block(block)
        t.prune()
        if t.goals:
            raise t.unsolved()
        t.goals = others


@runs(ast.MatchTac)
def tac_match(t: Tactics, stx: ast.MatchTac) -> None:
    """`match d with | p => tacs`: `refine` of the term, whose alternatives are tactic blocks or goals.

    Alternatives `_` become goals `match_1`, `match_2`, .. below the tag of the goal.
    """
    assert isinstance(stx.match, ast.Match | ast.FunMatch)
    tag = t.m.mvar_decl(t.main).tag.rstrip("✝")
    alts = []
    count = 0
    for alt in stx.match.alts:
        if isinstance(alt.body, ast.Hole):
            count += 1
            name = f"{tag}.match_{count}" if tag else f"match_{count}"
            alt = replace(alt, body=ast.NamedHole(name, start=alt.body.start, end=alt.body.end))
        alts.append(alt)
    match = replace(stx.match, alts=tuple(alts))
    # implicit arguments of the goal are not introduced
    refine(t, ast.Explicit(match, start=match.start, end=match.end) if type(match) is ast.Match else match)
