"""Search targets: goal states made from declarations with `sorry`.

A target is one declaration, or a declaration together with the later ones that mention it: those become a goal of
the form `{ f : T // properties }`.

Source: Pantograph `Pantograph/Frontend/Distil.lean`, `Refactor.lean`, 0.3.15.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from minilean.commands.declarations import Signature
from minilean.kernel.declaration import Declaration, Definition, TheoremDecl
from minilean.kernel.expr import Const, Expr, Sort, mk_apps, mk_bvar, mk_const, mk_lam
from minilean.kernel.instantiate import replace as replace_in
from minilean.kernel.traversal import subterms
from minilean.meta.infer import infer_type
from minilean.meta.meta_m import MetaM
from minilean.meta.whnf import whnf
from minilean.proof import Problem
from minilean.repl.compile import Compiled, Unit
from minilean.repl.draft import sorry_to_holes
from minilean.repl.session import GoalState, Session
from minilean.repl.steps import on_main
from minilean.repl.wire import Refusal
from minilean.tactics.state import Tactics, retag


@dataclass(slots=True)
class Target:
    """A declaration with `sorry`, and the later ones with `sorry` that mention it."""

    unit: Unit
    head: Declaration
    companions: list[Declaration] = field(default_factory=list)


def search_targets(compiled: Compiled) -> list[Target]:
    """Return the search targets of a file, in order.

    Raises:
        Refusal: A declaration depends on more than one target, or on one that itself depends on another.
    """
    targets: list[Target] = []
    for unit in compiled.units:
        for decl in unit.with_sorry[:1] if unit.main is None else [unit.main] if unit.with_sorry else []:
            owners = [target for target in targets if _mentions(decl, target)]
            if not owners:
                targets.append(Target(unit, decl))
            elif len(owners) > 1 or any(_mentions_one(decl, c.name) for c in owners[0].companions):
                raise Refusal(
                    "frontend", f"unsupported: `{decl.name}` depends on several declarations with `sorry`"
                )
            else:
                owners[0].companions.append(decl)
    return targets


def _mentions(decl: Declaration, target: Target) -> bool:
    return any(_mentions_one(decl, other.name) for other in (target.head, *target.companions))


def _mentions_one(decl: Declaration, name: str) -> bool:
    return any(
        type(e) is Const and e.name == name for term in (decl.type, value_of(decl)) for e in subterms(term)
    )


def value_of(decl: Declaration) -> Expr:
    """Return the value of a definition or theorem, the type of a declaration without a value."""
    value = decl.value if isinstance(decl, (Definition, TheoremDecl)) else None
    return decl.type if value is None else value


def distilled(session: Session, target: Target, binder: str | None, ignore_values: bool) -> GoalState:
    """Return the goal state of a target: its statement alone, or its value with a goal for each `sorry`."""
    if not target.companions:
        if not ignore_values:
            return with_holes(session, target.unit, target.head)
        return _start(target.unit, target.head.level_params, target.head.type)
    return _coupled(session, target, binder or target.head.name.rpartition(".")[2], ignore_values)


def with_holes(session: Session, unit: Unit, decl: Declaration) -> GoalState:
    """Return the state after proving the type of a declaration by its value, with a goal for each `sorry`."""
    start = _start(unit, decl.level_params, decl.type)

    def fill(t: Tactics) -> None:
        value, holes = sorry_to_holes(t, value_of(decl))
        t.assign(t.main, value)
        t.replace_main(holes)

    return _filled(session, start, fill)


def _start(unit: Unit, params: tuple[str, ...], type_: Expr) -> GoalState:
    """Return the state whose only goal is `type_`, in the environment before the declaration."""
    if unit.before is None:
        raise Refusal("frontend", "unsupported: a `sorry` that comes from a notation")
    problem = Problem(unit.before, unit.scope, Signature(params, type_, 0))
    state = problem.start()
    return GoalState(problem, state, state.goals[0])


def _filled(session: Session, start: GoalState, fill: Callable[[Tactics], None]) -> GoalState:
    assert start.root is not None
    step = start.problem.act(
        start.state, lambda t: on_main(t, lambda: fill(t)), "", session.seconds(), session.heartbeats
    )
    if step.state is None:
        raise Refusal("frontend", step.error or "")
    return GoalState(start.problem, step.state, start.root, (start.root,))


# --- coupled declarations -----------------------------------------------------------------------------------


def _coupled(session: Session, target: Target, binder: str, ignore_values: bool) -> GoalState:
    head, companions = target.head, target.companions
    params = tuple(dict.fromkeys(p for decl in (head, *companions) for p in decl.level_params))
    if head.level_params:
        raise Refusal(
            "frontend", f"unsupported: `{head.name}` has universe parameters and others depend on it"
        )
    body = _conjunction([_with(decl.type, head.name, None) for decl in companions])
    predicate = mk_lam(binder, head.type, body)
    before = target.unit.before
    if before is None or before.find("Subtype") is None:
        raise Refusal("frontend", "unsupported: declarations that depend on each other")
    sort = whnf(MetaM(before), infer_type(MetaM(before), head.type))
    assert type(sort) is Sort
    levels = (sort.level,)
    start = _start(target.unit, params, mk_apps(mk_const("Subtype", levels), (head.type, predicate)))
    if ignore_values:
        return start

    def fill(t: Tactics) -> None:
        witness, goals = sorry_to_holes(t, value_of(head))
        if len(goals) == 1:
            retag(t, goals[0], binder)
        proofs: list[Expr] = []
        for decl in companions:
            proof, more = sorry_to_holes(t, _with(value_of(decl), head.name, witness))
            proofs.append(proof)
            goals += more
        types = [_with(decl.type, head.name, witness) for decl in companions]
        proof = _conjoined(list(zip(types, proofs, strict=True)))
        t.assign(t.main, mk_apps(mk_const("Subtype.mk", levels), (head.type, predicate, witness, proof)))
        t.replace_main(goals)

    return _filled(session, start, fill)


def _with(term: Expr, name: str, value: Expr | None) -> Expr:
    """Replace the constant `name` in `term` by a closed `value` or by the variable of a binder around `term`."""

    def at(e: Expr, depth: int) -> Expr | None:
        if type(e) is Const and e.name == name:
            return mk_bvar(depth) if value is None else value
        return None

    return replace_in(term, at)


def _conjunction(types: list[Expr]) -> Expr:
    out = types[-1]
    for type_ in reversed(types[:-1]):
        out = mk_apps(mk_const("And"), (type_, out))
    return out


def _conjoined(rows: list[tuple[Expr, Expr]]) -> Expr:
    """Return the proof of a conjunction from (statement, proof) rows."""
    (type_, out), rest = rows[-1], rows[:-1]
    for left, proof in reversed(rest):
        out = mk_apps(mk_const("And.intro"), (left, type_, proof, out))
        type_ = mk_apps(mk_const("And"), (left, type_))
    return out
