"""The mode `calc`: a goal is proved by a chain of steps, each sent as one command.

Source: Pantograph `Pantograph/Tactic/Fragment.lean` (`Fragment.step`), 0.3.15.
"""

from __future__ import annotations

from dataclasses import replace

from minilean.elab.calc import extend_calc, relation_of, wrong_calc
from minilean.elab.holes import check_no_holes
from minilean.kernel.expr import Expr, MVar
from minilean.meta.errors import MetaError
from minilean.meta.unify import is_def_eq
from minilean.repl.session import GoalState
from minilean.repl.wire import Refusal
from minilean.syntax import ast
from minilean.tactics.state import Tactics


def enter(goal_state: GoalState, goal: MVar) -> GoalState:
    """Return the goals with `goal` in calc mode.

    Raises:
        Refusal: The goal is in calc mode already.
    """
    if goal.id in goal_state.chains:
        raise Refusal("invalid", "Goal already has a fragment")
    return replace(goal_state, chains={**goal_state.chains, goal.id: None})


def leave(goal_state: GoalState, goal: MVar) -> GoalState:
    """Return `goal` alone, as a goal for ordinary tactics.

    Raises:
        Refusal: The goal is not in calc mode.
    """
    if goal.id not in goal_state.chains:
        raise Refusal("invalid", "Goal does not have a fragment")
    chains = {key: rhs for key, rhs in goal_state.chains.items() if key != goal.id}
    state = replace(goal_state.state, goals=(goal,))
    return replace(goal_state, state=state, parents=(goal,), chains=chains)


def take_step(t: Tactics, syntax: ast.Term, previous: Expr | None) -> tuple[MVar, Expr] | None:
    """Split a step off the main goal: a goal for the step, then what is left of the chain.

    Args:
        t: The tactic state; its main goal is the goal in calc mode.
        syntax: `lhs op rhs`; with a step before this one `lhs` may be `_`.
        previous: The right-hand side of the step before this one.

    Returns:
        The goal that is left with the step's right-hand side; `None` when the chain is complete.

    Raises:
        MetaError: The step is not a relation, or does not continue the chain.
    """
    m, target = t.m, t.target
    el = t.elab()
    step = el.elab_type(syntax)
    parts = relation_of(m, m.instantiate_mvars(step))
    if parts is None:
        raise MetaError(f"invalid 'calc' step, relation expected\n  {t.show(step)}")
    if previous is not None and not is_def_eq(m, parts[1], previous):
        raise MetaError(
            f"invalid 'calc' step, left-hand side is\n  {t.show(parts[1])}\n"
            f"but is expected to be\n  {t.show(previous)}"
        )
    el.synthesize()
    step = check_no_holes(el, m.instantiate_mvars(step))
    branch = t.new_goal(step, "calc")
    if is_def_eq(m, step, target):
        t.assign(t.main, branch)
        t.replace_main([branch])
        return None
    longer = extend_calc(el, branch, step, target, lambda rest: t.new_goal(rest, t.tag))
    if longer is None:
        raise wrong_calc(el, step, target)
    value, rest = longer
    t.assign(t.main, value)
    t.replace_main([branch, rest])
    return rest, m.instantiate_mvars(parts[2])
