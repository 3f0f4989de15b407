"""Commands on goal states: start, print, continue, delete.

Source: Pantograph `Repl.lean`, `Pantograph/Goal.lean` (`GoalState.resume`, `GoalState.continue`), 0.3.15.
"""

from __future__ import annotations

from dataclasses import replace

from minilean.commands.declarations import Signature
from minilean.elab.sorry import SORRY
from minilean.kernel.expr import Expr, MVar, get_app, mk_apps, mk_mvar
from minilean.kernel.instantiate import abstract, instantiate
from minilean.kernel.instantiate import replace as replace_in
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.proof import Problem, State
from minilean.repl.session import GoalState, Session
from minilean.repl.show import expression, goals_of, uniq, uniq_id
from minilean.repl.terms import elaborated_type
from minilean.repl.wire import Fields, Json, Refusal


def goal_start(session: Session, fields: Fields) -> Json:
    """`goal.start`: one goal, whose target is a type given as text or copied from a constant."""
    text, copied = fields.optional_text("expr", "expr"), fields.optional_text("copyFrom", "copyFrom")
    levels = fields.optional_texts("levels") or ()
    if (text is None) == (copied is None):
        raise Refusal("arguments", "Exactly one of {expr, copyFrom} must be supplied")
    if copied is not None:
        decl = session.env.find(copied)
        if decl is None:
            raise Refusal("index", f"Symbol not found: {copied}")
        params, type_ = decl.level_params, decl.type
    else:
        assert text is not None
        params, type_ = elaborated_type(session, text, levels)
    goal_state = first_state(session, params, type_)
    assert goal_state.root is not None
    return {"stateId": session.add_state(goal_state), "root": uniq(goal_state.root)}


def first_state(session: Session, params: tuple[str, ...], type_: Expr) -> GoalState:
    """Return the state whose only goal is `type_`."""
    problem = Problem(session.env, session.scope, Signature(params, type_, 0))
    state = problem.start()
    return GoalState(problem, state, state.goals[0])


def goal_print(session: Session, fields: Fields) -> Json:
    """`goal.print`: the term of the root, the terms of the parents, and the goals.

    A root that is missing, or that contains a metavariable or a `sorry`, is not a proof.
    """
    goal_state = session.state(fields.number("stateId"))
    want_root, want_parents = fields.optional_flag("rootExpr"), fields.optional_flag("parentExprs")
    want_goals, extra = fields.optional_flag("goals"), fields.optional_texts("extraMVars") or ()
    answer: Json = {"goals": goals_of(goal_state, session.options) if want_goals else []}
    with goal_state.problem.reading(goal_state.state) as m:
        root = None if goal_state.root is None else value_of(m, goal_state.root)
        # Pantograph looks for `sorry` in the term alone; here `sorry` in a constant that the term uses counts as well.
        answer["rootHasSorry"] = root is not None and SORRY in m.env.kernel.axioms_of(root)
        answer["rootHasMVar"] = root is not None and has_expr_mvar(root)
        answer["rootHasUnsafe"] = False
        if want_root and root is not None and goal_state.root is not None:
            answer["root"] = _in_context(m, goal_state.root, root, session)
        if want_parents:
            values = [(parent, value_of(m, parent)) for parent in goal_state.parents]
            answer["parentExprs"] = [None if v is None else _in_context(m, p, v, session) for p, v in values]
        answer["extraMVars"] = [_extra(m, name, session) for name in extra]
    return answer


def value_of(m: Meta, goal: MVar) -> Expr | None:
    """Return the instantiated value of a metavariable; `None` while it is open."""
    value = m.mctx.assignment.get(goal.id)
    return None if value is None else m.instantiate_mvars(value)


def _in_context(m: Meta, goal: MVar, value: Expr, session: Session) -> Json:
    with m.with_lctx(m.mvar_decl(goal).lctx):
        return expression(m, unfolded(m, value), session.options)


def unfolded(m: Meta, e: Expr) -> Expr:
    """Replace goals under binders in an instantiated term by their partial proofs."""

    def at(part: Expr, _: int) -> Expr | None:
        fn, args = get_app(part)
        delayed = m.mctx.delayed.get(fn.id) if type(fn) is MVar else None
        if delayed is None or len(args) < len(delayed[0]):
            return None
        fvars, target = delayed
        inner = m.instantiate_mvars(mk_mvar(target))
        if type(inner) is MVar and inner.id == target:
            return None
        body = instantiate(abstract(unfolded(m, inner), fvars), [unfolded(m, a) for a in args[: len(fvars)]])
        return mk_apps(body, [unfolded(m, a) for a in args[len(fvars) :]])

    return replace_in(e, at) if e.has_mvar else e


def _extra(m: Meta, name: str, session: Session) -> Json:
    mvar_id = uniq_id(name)
    if mvar_id is None or mvar_id not in m.mctx.decls:
        return {}
    value = value_of(m, mk_mvar(mvar_id))
    return {} if value is None else _in_context(m, mk_mvar(mvar_id), value, session)


def goal_delete(session: Session, fields: Fields) -> Json:
    """`goal.delete`: delete states; unknown numbers are ignored."""
    for state_id in fields.numbers("stateIds"):
        session.states.pop(state_id, None)
    return {}


def goal_continue(session: Session, fields: Fields) -> Json:
    """`goal.continue`: add goals to a state, those of another state or those named."""
    target = session.state(fields.number("target"))
    branch_id, names = fields.optional_number("branch"), fields.optional_texts("goals")
    if (branch_id is None) == (names is None):
        raise Refusal("arguments", "Exactly one of {branch, goals} must be supplied")
    if branch_id is not None:
        goals = _goals_of_branch(target, session.state(branch_id))
    else:
        goals = named_goals(target, names or ())
    mctx = target.state.mctx
    left = tuple(goal for goal in dict.fromkeys(goals) if not mctx.is_assigned(goal.id))
    goal_state = replace(target, state=State(left, mctx))
    return {
        "nextStateId": session.add_state(goal_state),
        "goals": goals_of(goal_state, session.options),
    }


def _goals_of_branch(target: GoalState, branch: GoalState) -> tuple[MVar, ...]:
    if target.state.goals:
        raise Refusal("structure", "Target state has unresolved goals")
    if target.root != branch.root:
        roots = [uniq(root) if root is not None else "[anonymous]" for root in (target.root, branch.root)]
        raise Refusal(
            "structure", f"Roots of two continued goal states do not match: {roots[0]} != {roots[1]}"
        )
    return _in_scope(target, [(uniq(goal), goal.id) for goal in branch.state.goals])


def named_goals(goal_state: GoalState, names: tuple[str, ...]) -> tuple[MVar, ...]:
    """Return the metavariables with these names.

    Raises:
        Refusal: A name is unknown in the state.
    """
    return _in_scope(goal_state, [(name, uniq_id(name)) for name in names])


def _in_scope(goal_state: GoalState, named: list[tuple[str, int | None]]) -> tuple[MVar, ...]:
    known = goal_state.state.mctx.decls
    unknown = [name for name, mvar_id in named if mvar_id is None or mvar_id not in known]
    if unknown:
        raise Refusal("structure", f"Goals [{', '.join(unknown)}] are not in scope")
    return tuple(mk_mvar(mvar_id) for _, mvar_id in named if mvar_id is not None)
