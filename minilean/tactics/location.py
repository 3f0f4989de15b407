"""Locations `at h ⊢`, `at *`: run an action at hypotheses and at the target; replace a hypothesis in place."""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import Expr, FVar, MVar, mk_app
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.occurrences import collect_mvars
from minilean.syntax import ast
from minilean.tactics.state import Tactics


def run_at(
    t: Tactics,
    location: ast.Location | None,
    at_hypothesis: Callable[[LocalDecl], None],
    at_target: Callable[[], None],
    nothing: Callable[[], MetaError],
) -> None:
    """Run the actions at the named locations; `at *` visits the target and then all hypotheses, the last one first."""
    m = t.m
    if location is None:
        at_target()
        return
    if not location.wildcard:
        for name in location.hyps:
            m.lctx = m.mvar_decl(t.main).lctx
            at_hypothesis(t.hypothesis(name))
        if location.target and t.goals:
            m.lctx = m.mvar_decl(t.main).lctx
            at_target()
        return
    goal = t.main
    done = t.attempt(at_target) is None
    t.prune()
    if t.m.mctx.is_assigned(goal.id) and not _continues(t, goal):
        return
    for decl in reversed(list(m.mvar_decl(t.main).lctx)):
        m.lctx = m.mvar_decl(t.main).lctx
        if decl.hidden or decl.fvar.id not in m.lctx:
            continue
        error = t.attempt(lambda d=decl: at_hypothesis(d))  # type: ignore[misc]
        done = done or error is None
    if not done:
        raise nothing()


def _continues(t: Tactics, goal: MVar) -> bool:
    """Return whether the main goal was made from `goal`, and is not one of the goals after it."""
    value = t.m.instantiate_mvars(goal)
    return bool(t.goals) and any(t.resolve_delayed(x).id == t.goals[0].id for x in collect_mvars(value))


def replace_hypothesis(
    t: Tactics, decl: LocalDecl, type_: Expr, proof: Expr, keep_place: bool = True
) -> FVar:
    """Replace `decl` by `name : type_` with `proof`, at the same position or at the end; clear `decl` if possible."""
    m = t.m
    goal = t.main
    goal_decl = m.mvar_decl(goal)
    fvar, pushed = goal_decl.lctx.push(decl.name, type_, decl.info)
    new_decl = pushed.get(fvar)
    decls = list(goal_decl.lctx)
    position = len(decls)
    if keep_place:
        needed = {d.fvar.id for d in decls if t.mentions(type_, {d.fvar.id})}
        position = 1 + max(i for i, d in enumerate(decls) if d.fvar is decl.fvar or d.fvar.id in needed)
    ids = {decl.fvar.id}
    others_depend = any(t.mentions(d.type, ids) for d in decls if d.fvar is not decl.fvar)
    removable = not others_depend and not t.mentions(goal_decl.type, ids)
    decls.insert(position, new_decl)
    full = goal_decl.lctx.replace_all(decls)
    shown = full.without(ids) if removable else full
    new = t.new_goal(goal_decl.type, goal_decl.tag, shown)
    with m.with_lctx(full):
        fn = m.mk_lambda([fvar], new)
    t.assign(goal, mk_app(fn, proof))
    t.replace_main([new])
    m.lctx = shown
    return fvar
