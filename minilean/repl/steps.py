"""`goal.tactic`: one step of a proof, on one goal or on all of them.

Source: Pantograph `Repl.lean` (`goal_tactic`), `Pantograph/Goal.lean` (`Site`), `Pantograph/Tactic/`, 0.3.15.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from minilean.elab.sorry import mentions_sorry, sorry_as_term
from minilean.kernel.expr import Expr, MVar
from minilean.proof import MAX_TACTIC_CHARS, State
from minilean.repl import calc
from minilean.repl.draft import draft
from minilean.repl.goals import value_of
from minilean.repl.session import GoalState, Session
from minilean.repl.show import goals_of, message
from minilean.repl.terms import located
from minilean.repl.wire import Fields, Json, Refusal
from minilean.syntax import ast
from minilean.syntax.cursor import Grammar
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_tactics, parse_term
from minilean.tactics.have import tac_have
from minilean.tactics.state import Tactics, retag

ACTIONS = ("tactic", "mode", "expr", "have", "let", "draft")
_FAILED: Json = {"hasSorry": False, "hasUnsafe": False}

Action = Callable[[Tactics], None]


@dataclass(frozen=True, slots=True)
class Site:
    """The goals that a step acts on, the main one first; with `focus` the other goals become dormant."""

    goals: tuple[MVar, ...]
    focus: bool


def goal_tactic(session: Session, fields: Fields) -> Json:
    """`goal.tactic`: run a tactic, or one of Pantograph's own steps, and store the new state."""
    started = time.monotonic()
    state_id, goal_id = fields.number("stateId"), fields.optional_number("goalId")
    resume = fields.optional_flag("autoResume")
    given = {name: text for name in ACTIONS if (text := fields.optional_text(name)) is not None}
    binder = fields.optional_text("binderName")
    before = session.state(state_id)
    site = _site(before, goal_id, session.options.automaticMode if resume is None else resume)
    if len(given) != 1:
        raise Refusal("operation", f"Exactly one of {{{', '.join(ACTIONS)}}} must be supplied")
    name, text = next(iter(given.items()))
    if not site.goals:
        raise Refusal("exception", "no goals to be solved")
    if name == "mode":
        return _success(session, _in_mode(before, site.goals[0], text), ())
    if len(text) > MAX_TACTIC_CHARS:
        return _failure(f"the {name} has {len(text)} characters, at most {MAX_TACTIC_CHARS} are read")
    main, grammar = site.goals[0].id, before.problem.scope.grammar
    chains = {key: rhs for key, rhs in before.chains.items() if key != main}
    try:
        if name == "tactic" and main in before.chains:
            action = _chain_action(text, grammar, before.chains[main], chains)
        else:
            action = _action(name, text, binder or "", grammar)
    except ParseError as error:
        if error.message.startswith("unsupported"):
            return _failure(error.message)
        return {**_FAILED, "parseError": located(error)}
    start = State(site.goals, before.state.mctx)
    step = before.problem.act(start, action, text, session.seconds(), session.heartbeats)
    if step.state is None:
        if (interrupt := session.interrupt(started)) is not None:
            raise interrupt
        return _failure(step.error or "")
    parents = site.goals if site.focus else tuple(g for g in site.goals if g not in step.state.goals)
    after = GoalState(before.problem, step.state, before.root, parents, chains)
    return _success(session, after, step.messages)


def _site(goal_state: GoalState, goal_id: int | None, resume: bool) -> Site:
    goals = goal_state.state.goals
    if goal_id is None:
        if not resume and not goals:
            raise Refusal("index", "No goals to be solved")
        return Site(goals if resume else goals[:1], not resume)
    if goal_id >= len(goals):
        raise Refusal("index", f"Invalid goal index {goal_id}")
    chosen = goals[goal_id]
    if not resume:
        return Site((chosen,), True)
    return Site((chosen, *(goal for goal in goals if goal != chosen)), False)


def _in_mode(before: GoalState, goal: MVar, mode: str) -> GoalState:
    """Return the state with `goal` in another mode."""
    if mode == "calc":
        return calc.enter(before, goal)
    if mode == "tactic":
        return calc.leave(before, goal)
    if mode == "conv":
        raise Refusal("invalid", "unsupported: the mode `conv`; use the tactic `conv .. => ..` instead")
    raise Refusal("operation", f"Invalid mode {mode}")


def _chain_action(
    text: str, grammar: Grammar, previous: Expr | None, chains: dict[int, Expr | None]
) -> Action:
    """Return the action that takes one step of a chain; the rest of the chain is stored in `chains`."""
    syntax = sorry_as_term(parse_term(text, grammar), text)

    def step(t: Tactics) -> None:
        rest = calc.take_step(t, syntax, previous)
        if rest is not None:
            chains[rest[0].id] = rest[1]

    return lambda t: on_main(t, lambda: step(t))


def _failure(text: str) -> Json:
    return {**_FAILED, "messages": [message(text)]}


def _success(session: Session, after: GoalState, messages: tuple[str, ...]) -> Json:
    goals = goals_of(after, session.options)
    with after.problem.reading(after.state) as m:
        values = [value for parent in after.parents if (value := value_of(m, parent)) is not None]
        has_sorry = mentions_sorry(values)
    return {
        "nextStateId": session.add_state(after),
        "goals": goals,
        "messages": [message(text, "information") for text in messages],
        "hasSorry": has_sorry,
        "hasUnsafe": False,
    }


def _action(name: str, text: str, binder: str, grammar: Grammar) -> Action:
    """Return the action of the field `name` with the value `text`.

    Raises:
        ParseError: The text does not parse.
    """
    if name == "tactic":
        block = sorry_as_term(parse_tactics(text, grammar), text)
        return lambda t: t.run_block(block)
    syntax = sorry_as_term(parse_term(text, grammar), text)
    if name == "expr":
        return lambda t: on_main(t, lambda: _assign(t, syntax))
    if name == "draft":
        return lambda t: on_main(t, lambda: draft(t, syntax))
    return lambda t: on_main(t, lambda: _branch(t, syntax, binder, name == "let"))


def on_main(t: Tactics, action: Callable[[], None]) -> None:
    """Run `action` in the context of the main goal."""
    with t.m.with_lctx(t.m.mvar_decl(t.main).lctx):
        action()


def _assign(t: Tactics, syntax: ast.Term) -> None:
    """Close the goal with a term whose holes become goals."""
    value, goals = t.term_with_holes(syntax, t.target, natural_ok=True)
    t.assign(t.main, value)
    t.replace_main(goals)


def _branch(t: Tactics, syntax: ast.Term, binder: str, is_let: bool) -> None:
    """`have` and `let`: a goal for the type, then the main goal with a variable of that type."""
    stx = ast.HaveTac("let" if is_let else "have", binder or None, (), syntax, None)
    tac_have(t, stx)
    retag(t, t.goals[0], binder if is_let else "")
