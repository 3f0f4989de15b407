"""`goal.subsume`: close a goal with an earlier goal or its proof.

Source: Pantograph `Pantograph/Goal.lean` (`canSubsume?`, `subsumeAny`, `GoalState.subsume`), 0.3.15.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from minilean.kernel.expr import PROP, Expr, FVar, MVar
from minilean.kernel.instantiate import replace as replace_in
from minilean.kernel.traversal import subterms
from minilean.meta.check import IllTyped, check
from minilean.meta.context import LocalDecl
from minilean.meta.extension import REDUCIBLE
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import collect_mvars, has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.proof import State
from minilean.repl.goals import named_goals
from minilean.repl.session import GoalState, Session
from minilean.repl.show import open_mvars
from minilean.repl.wire import Fields, Json, Refusal
from minilean.tactics.state import Tactics


@dataclass(slots=True)
class _Source:
    """An earlier goal: its target, its context and its partial proof."""

    target: Expr
    context: list[LocalDecl]
    solution: Expr
    is_proposition: bool


def goal_subsume(session: Session, fields: Fields) -> Json:
    """`goal.subsume`: `subsumed` with a state where the goal is closed, `cycle`, or `none`."""
    here = session.state(fields.number("stateId"))
    goal_name, candidates = fields.text("goal"), fields.texts("candidates")
    source_id = fields.optional_number("srcStateId")
    elsewhere = None if source_id is None else session.state(source_id)
    (goal,) = named_goals(here, (goal_name,))
    if here.state.mctx.is_assigned(goal.id):
        raise Refusal("structure", f"Goal {goal_name} is closed already")
    for name, candidate in zip(candidates, named_goals(elsewhere or here, candidates), strict=True):
        result, after = _try(session, here, goal, candidate, elsewhere)
        if result == "none":
            continue
        answer: Json = {"result": result, "subsumptor": name}
        if after is not None:
            answer["stateId"] = session.add_state(after)
        return answer
    return {"result": "none"}


def _try(
    session: Session, here: GoalState, goal: MVar, candidate: MVar, elsewhere: GoalState | None
) -> tuple[str, GoalState | None]:
    source = _read(elsewhere or here, candidate)
    foreign = elsewhere is not None
    if not source.is_proposition or (foreign and has_expr_mvar(source.solution)):
        return "none", None
    found: list[str] = []

    def close(t: Tactics) -> None:
        found.append(_close(t, goal, source, foreign))

    others = tuple(g for g in here.state.goals if g != goal)
    start = State((goal, *others), here.state.mctx)
    step = here.problem.act(start, close, "", session.seconds(), session.heartbeats)
    if step.state is None or not found or found[0] != "subsumed":
        return found[0] if found and step.state is not None else "none", None
    return "subsumed", replace(here, state=State(others, step.state.mctx), parents=(goal,))


def _read(goal_state: GoalState, candidate: MVar) -> _Source:
    with goal_state.problem.reading(goal_state.state) as m:
        decl = m.mvar_decl(candidate)
        with m.with_lctx(decl.lctx):
            target = m.instantiate_mvars(decl.type)
            proposition = whnf(m, m.instantiate_mvars(infer_type(m, target))) is PROP
        solution = m.instantiate_mvars(candidate)
        context = [_instantiated(m, local) for local in decl.lctx]
        if not has_expr_mvar(solution):
            context = _used(context, solution)
        return _Source(target, context, solution, proposition)


def _instantiated(m: Meta, local: LocalDecl) -> LocalDecl:
    value = None if local.value is None else m.instantiate_mvars(local.value)
    return replace(local, type=m.instantiate_mvars(local.type), value=value)


def _used(context: list[LocalDecl], solution: Expr) -> list[LocalDecl]:
    """Return the variables that a finished proof mentions, and those that their types and values mention."""
    needed = {e.id for e in subterms(solution) if type(e) is FVar}
    out = []
    for local in reversed(context):
        if local.fvar.id in needed:
            out.append(local)
            for part in (local.type, local.value):
                if part is not None:
                    needed |= {e.id for e in subterms(part) if type(e) is FVar}
    return out[::-1]


def _close(t: Tactics, goal: MVar, source: _Source, foreign: bool) -> str:
    """Close `goal` with the solution of `source` if that fits; return `subsumed`, `cycle` or `none`."""
    m = t.m
    decl = m.mvar_decl(goal)
    context = [_instantiated(m, local) for local in decl.lctx]
    with m.with_lctx(decl.lctx):
        renaming = _match(m, context, source, m.instantiate_mvars(decl.type))
        if renaming is None:
            return "none"
        if not foreign and goal in open_mvars(m, source.solution):
            return "cycle" if len(context) == len(source.context) else "none"
        solution = _renamed(source.solution, renaming)
        if solution is None or not _in_scope(m, solution, decl.lctx.decls.keys()):
            return "none"
        try:
            check(m, solution)
        except IllTyped:
            return "none"
        if not is_def_eq(m, infer_type(m, solution), decl.type):
            return "none"
        t.assign(goal, solution)
    return "subsumed"


def _in_scope(m: Meta, solution: Expr, known: object) -> bool:
    """Return whether the contexts of the open goals in `solution` have only variables in `known`."""
    known_ids = set(known)  # type: ignore[call-overload]
    mvars = collect_mvars(solution)
    return all(m.mctx.decls[x.id].lctx.decls.keys() <= known_ids for x in mvars)


def _match(m: Meta, context: list[LocalDecl], source: _Source, target: Expr) -> dict[int, Expr] | None:
    """Match the variables of `source` to those of `context`, in order, so that the targets are equal."""
    for first in range(len(context) - len(source.context) + 1):
        renaming: dict[int, Expr] = {}
        at = first
        for local in source.context:
            while at < len(context) and not _same_local(m, local, context[at], renaming):
                at += 1
            if at == len(context):
                break
            renaming[local.fvar.id] = context[at].fvar
            at += 1
        if len(renaming) == len(source.context):
            there = _renamed(source.target, renaming)
            same = there is not None and not has_expr_mvar(there) and _equal(m, there, target)
            return renaming if same else None
    return None


def _same_local(m: Meta, there: LocalDecl, here: LocalDecl, renaming: dict[int, Expr]) -> bool:
    type_ = _renamed(there.type, renaming)
    if type_ is None or has_expr_mvar(type_) or not _equal(m, type_, here.type):
        return False
    if there.value is None or here.value is None:
        return there.value is here.value
    value = _renamed(there.value, renaming)
    return value is not None and _equal(m, value, here.value)


def _equal(m: Meta, a: Expr, b: Expr) -> bool:
    with m.with_transparency(REDUCIBLE), m.new_mctx_depth():
        return m.attempt(lambda: is_def_eq(m, a, b))


def _renamed(term: Expr, renaming: dict[int, Expr]) -> Expr | None:
    """Replace the variables of `term`; `None` when one is not in `renaming`."""
    missing = [e for e in subterms(term) if type(e) is FVar and e.id not in renaming]
    if missing:
        return None
    return replace_in(term, lambda e, _: renaming[e.id] if type(e) is FVar else None)
