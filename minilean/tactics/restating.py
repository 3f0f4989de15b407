"""Goals and hypotheses in another, definitionally equal form: `show`, `change`.

Source: Lean 4 `src/Lean/Elab/Tactic/Change.lean`, `src/Lean/Elab/Tactic/Show.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import replace

from minilean.elab.holes import check_no_holes, open_holes
from minilean.kernel.expr import Expr, MVar
from minilean.meta.context import Kind, LocalDecl
from minilean.meta.errors import BudgetError, MetaError
from minilean.meta.infer import infer_type
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast
from minilean.tactics.hypotheses import retype
from minilean.tactics.location import run_at
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics


@runs(ast.TermTactic, "show")
def tac_show(t: Tactics, stx: ast.TermTactic) -> None:
    """`show p`: the first goal that unifies with `p` becomes the main one, stated as `p`."""
    m = t.m
    original = list(t.goals)
    if not original:
        t.main  # noqa: B018  raises Lean's message
    for i, goal in enumerate(original):
        decl = m.mvar_decl(goal)
        mark = m.mctx.mark()
        with m.with_lctx(decl.lctx):
            el = t.elab()
            try:
                pattern = el.elab_type(stx.term)
                el.synthesize(postpone=True)
                ok = is_def_eq(m, pattern, m.instantiate_mvars(decl.type))
                el.synthesize()
            except BudgetError:
                raise
            except MetaError:
                if i == 0:
                    raise
                ok = False
            if ok:
                t.goals = [goal, *original[:i], *original[i + 1 :]]
                t.set_target(m.instantiate_mvars(pattern))
                return
        m.mctx.rollback(mark)
    raise _show_error(t, stx, original)


def _show_error(t: Tactics, stx: ast.TermTactic, goals: list[MVar]) -> MetaError:
    el = t.elab()
    pattern = el.elab_type(stx.term)
    el.synthesize()
    shown, target = t.show(pattern), t.show(t.target)
    if len(goals) == 1:
        return MetaError(
            f"'show' tactic failed, pattern\n  {shown}\nis not definitionally equal to target\n  {target}"
        )
    return MetaError(
        "'show' tactic failed, no goals unify with the given pattern.\n\nIn the first goal, the pattern\n"
        f"  {shown}\nis not definitionally equal to the target\n  {target}\n(Errors for other goals omitted)"
    )


@runs(ast.TermTactic, "change")
def tac_change(t: Tactics, stx: ast.TermTactic) -> None:
    """`change p`, `change p at h`."""
    m = t.m

    def at_hypothesis(decl: LocalDecl) -> None:
        new, goals = changed(t, stx.term, m.instantiate_mvars(decl.type))
        retype(t, decl.fvar, new)
        t.goals[1:1] = goals

    def at_target() -> None:
        new, goals = changed(t, stx.term, t.target)
        t.set_target(new)
        t.goals[1:1] = goals

    run_at(t, stx.location, at_hypothesis, at_target, lambda: MetaError("`change` tactic failed"))


def changed(t: Tactics, stx: ast.Term, e: Expr) -> tuple[Expr, list[MVar]]:
    """Elaborate a term that has to be `e` by definition; return it and its holes `?x`, which become goals.

    Source: Lean 4 `src/Lean/Elab/Tactic/Change.lean` (4.34).
    """
    m = t.m
    el = t.elab()
    pattern = el.elab_ensuring(stx, infer_type(m, e))
    if not m.attempt(lambda: is_def_eq(m, pattern, e)):
        el.synthesize(postpone=True)
        m.attempt(lambda: is_def_eq(m, pattern, e))
    el.synthesize()
    holes = [hole for hole in open_holes(el) if not m.mctx.is_assigned(hole.id)]
    for hole in holes:
        m.mctx.declare(replace(m.mvar_decl(hole), kind=Kind.NATURAL))
    if not is_def_eq(m, pattern, e):
        raise MetaError(
            f"'change' tactic failed, pattern\n  {t.show(pattern)}\n"
            f"is not definitionally equal to target\n  {t.show(e)}"
        )
    for hole in holes:
        m.mctx.declare(replace(m.mvar_decl(hole), kind=Kind.OPAQUE))
    new = check_no_holes(el, m.instantiate_mvars(pattern))
    return new, [hole for hole in holes if not m.mctx.is_assigned(hole.id)]
