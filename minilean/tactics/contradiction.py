"""Goals that hypotheses close: `assumption`, `contradiction`, `exfalso`, and `trivial`.

Source: Lean 4 `src/Lean/Meta/Tactic/Assumption.lean`, `src/Lean/Meta/Tactic/Contradiction.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import (
    IMPLICIT,
    INST,
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.infer import is_prop, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core, whnf_reducible
from minilean.syntax import ast
from minilean.tactics.apply import apply_term
from minilean.tactics.cases import cases_fvar
from minilean.tactics.constructors import close_by_no_confusion
from minilean.tactics.decide import decide_goal, refutation
from minilean.tactics.hypotheses import intro_one
from minilean.tactics.registry import runs
from minilean.tactics.relations import tac_rfl
from minilean.tactics.state import Tactics, retag


@runs(ast.Simple, "assumption")
def tac_assumption(t: Tactics, stx: ast.Simple) -> None:
    """`assumption`: the last hypothesis whose type is the target."""
    found = find_assumption(t, t.target)
    if found is None:
        raise t.failed("assumption")
    t.close(found.fvar)


def find_assumption(t: Tactics, target: Expr) -> LocalDecl | None:
    """Return the last hypothesis with this type."""
    for decl in reversed(list(t.m.lctx)):
        if not decl.hidden and t.m.attempt(lambda d=decl: is_def_eq(t.m, d.type, target)):  # type: ignore[misc]
            return decl
    return None


@runs(ast.Simple, "exfalso")
def tac_exfalso(t: Tactics, stx: ast.Simple) -> None:
    """`exfalso`, which is `refine False.elim ?_`: the target becomes `False`, below its implicit binders."""
    while type(target := t.m.instantiate_mvars(t.target)) is Pi and target.info in (IMPLICIT, INST):
        intro_one(t, None)
    goal = t.new_goal(mk_const("False"), t.tag)
    level = sort_level(t.m, target)
    t.assign(t.main, mk_apps(mk_const("False.elim", (level,)), (target, goal)))
    t.replace_main([goal])


@runs(ast.Simple, "false_or_by_contra")
def tac_false_or_by_contra(t: Tactics, stx: ast.Simple) -> None:
    """`false_or_by_contra`: introduce all binders, then assume the negation of the goal and prove `False`.

    Source: Lean 4 `src/Lean/Elab/Tactic/FalseOrByContra.lean` (4.34).
    """
    m = t.m
    while True:
        target = whnf_reducible(m, t.target)
        if is_app_of(target, "False", 0):
            return
        if type(target) is not Pi and not is_app_of(target, "Not", 1):
            break
        intro_one(t, None)
    if not is_prop(m, target):
        tac_exfalso(t, stx)
        return
    tag, rest = t.tag, t.goals[1:]
    decidable = synth_instance(m, mk_app(mk_const("Decidable"), target)) is not None
    lemma = "Decidable.byContradiction" if decidable else "Classical.byContradiction"
    (goal,) = apply_term(t, m.const(lemma), set(m.mctx.decls))
    t.goals = [retag(t, goal, tag), *rest]
    intro_one(t, None)


def absurd_term(t: Tactics, proof: Expr) -> Expr:
    """Return a proof of the main goal from `proof : False`."""
    target = t.target
    return mk_apps(mk_const("False.elim", (sort_level(t.m, target),)), (target, proof))


@runs(ast.Simple, "contradiction")
def tac_contradiction(t: Tactics, stx: ast.Simple) -> None:
    """`contradiction`: `False`, `h` and `¬h`, empty types, `a ≠ a`, clashing constructors."""
    if not try_contradiction(t):
        raise t.failed("contradiction")


def try_contradiction(t: Tactics) -> bool:
    """Close the main goal by one or two contradictory hypotheses; return whether that worked."""
    return any(not decl.hidden and (_refuted(t, decl) or _impossible(t, decl)) for decl in list(t.m.lctx))


def _refuted(t: Tactics, decl: LocalDecl) -> bool:
    """Close the goal by `False`, by `¬p` and `p`, by `a ≠ a`, or by a proposition that evaluates to false."""
    m = t.m
    type_ = whnf_core(m, m.instantiate_mvars(decl.type))
    if is_app_of(type_, "False", 0):
        t.close(absurd_term(t, decl.fvar))
        return True
    negated = negation_of(t, type_) or negation_of(t, whnf(m, type_))
    if negated is not None:
        if is_app_of(negated, "Eq", 3):
            _, (alpha, a, b) = get_app(negated)
            if m.attempt(lambda: is_def_eq(m, a, b)):
                refl = mk_apps(mk_const("Eq.refl", get_app_fn(negated).levels), (alpha, a))  # type: ignore[attr-defined]
                t.close(absurd_term(t, mk_app(decl.fvar, refl)))
                return True
        found = find_assumption(t, negated)
        if found is not None:
            t.close(absurd_term(t, mk_app(decl.fvar, found.fvar)))
            return True
    proof = refutation(m, type_)
    if proof is None:
        return False
    t.close(absurd_term(t, mk_app(proof, decl.fvar)))
    return True


_SEARCH_FUEL = 16
"""Number of variables that `contradiction` splits for one hypothesis."""


def _impossible(t: Tactics, decl: LocalDecl) -> bool:
    """Close the goal by an equation between different constructors, or by cases that cannot occur.

    Source: Lean 4 `src/Lean/Meta/Tactic/Contradiction.lean` (4.34).
    """
    m = t.m
    type_ = whnf(m, m.instantiate_mvars(decl.type))
    if is_app_of(type_, "Eq", 3):
        return close_by_no_confusion(t, decl.fvar)
    if is_app_of(type_, "HEq", 4):
        return False
    rest = t.goals[1:]
    if not _eliminates(t, t.main, decl.fvar, [_SEARCH_FUEL]):
        return False
    t.goals = rest
    return True


def _may_be_empty(t: Tactics, x: FVar) -> bool:
    """Return whether the type of a variable is taken apart: it has no constructors, or it is a family."""
    m = t.m
    fn = get_app_fn(whnf(m, m.instantiate_mvars(m.local(x).type)))
    decl = m.env.find(fn.name) if type(fn) is Const else None
    return isinstance(decl, Inductive) and (not decl.constructors or decl.num_indices > 0)


def _eliminates(t: Tactics, goal: MVar, x: FVar, fuel: list[int]) -> bool:
    """Return whether no case of `x` can occur; if so, close the goal."""
    t.m.lctx = t.m.mvar_decl(goal).lctx
    if not fuel[0] or not _may_be_empty(t, x):
        return False
    fuel[0] -= 1

    def search() -> None:
        t.goals = [goal]
        branches = cases_fvar(t, x, None)
        if not all(any(_eliminates(t, b.goal, y, fuel) for y in b.fields) for b in branches):
            raise MetaError("possible")

    return t.attempt(search) is None


def negation_of(t: Tactics, type_: Expr) -> Expr | None:
    """Return `p` where `type_` is `¬p` or `p → False`, and `a = b` where it is `a ≠ b`; `None` for other types."""
    if is_app_of(type_, "Not", 1):
        return type_.arg  # type: ignore[attr-defined, no-any-return]
    if is_app_of(type_, "Ne", 3):
        fn, args = get_app(type_)
        return mk_apps(mk_const("Eq", fn.levels), args)  # type: ignore[attr-defined]
    if type(type_) is Pi and not type_.body.loose and is_app_of(type_.body, "False", 0):
        return type_.type
    return None


@runs(ast.Simple, "trivial")
def tac_trivial(t: Tactics, stx: ast.Simple) -> None:
    """`trivial`: `rfl`, `assumption`, `True.intro`, `decide`, `contradiction`, `And.intro` of trivial parts."""

    def true_intro() -> None:
        if not is_def_eq(t.m, t.target, mk_const("True")):
            raise t.failed("trivial")
        t.close(mk_const("True.intro"))

    def and_intro() -> None:
        if t.whnf_head(t.target)[1] != "And":
            raise t.failed("trivial")
        goals = apply_term(t, mk_const("And.intro"), set(t.m.mctx.decls))
        rest = t.goals
        for goal in goals:
            t.goals = [goal]
            with t.m.with_lctx(t.m.mvar_decl(goal).lctx):
                tac_trivial(t, stx)
        t.goals = rest

    for action in (
        lambda: tac_rfl(t, stx),
        lambda: tac_assumption(t, stx),
        true_intro,
        lambda: decide_goal(t),
        lambda: tac_contradiction(t, stx),
        and_intro,
    ):
        with t.m.quietly():
            if t.attempt(action) is None:
                return
    raise t.failed("assumption")
