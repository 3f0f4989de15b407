"""`split`: case analysis on the condition of an `if`, or on a `match`, in the target or in a hypothesis.

Source: Lean 4 `src/Lean/Meta/Tactic/SplitIf.lean`, `Split.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import (
    DEFAULT,
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    MVar,
    Pi,
    Proj,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.traversal import alpha_eq
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.fun_info import binder_infos
from minilean.meta.infer import is_proof, sort_level
from minilean.meta.metavars import Meta
from minilean.syntax import ast
from minilean.tactics.hypotheses import assert_hypothesis, try_clear
from minilean.tactics.registry import runs
from minilean.tactics.simp.result import proof_of
from minilean.tactics.simp.rules import Options, RuleSet
from minilean.tactics.simp.simplifier import Simplifier
from minilean.tactics.split_match import split_match
from minilean.tactics.state import Tactics

_HINT = "\n\nHint: Use `set_option trace.split.failure true` to display additional diagnostic information"


def find_split(m: Meta, e: Expr) -> Expr | None:
    """Return the first `if` or `match` in `e` that can be split; one in the condition of an `if` precedes that `if`.

    Proofs, implicit arguments and conditions over variables that are bound inside `e` are left out.
    """
    found = _visit(m, m.instantiate_mvars(e), set())
    if found is None:
        return None
    fn, args = get_app(found)
    return found if fn.name in m.env.matchers else find_split(m, args[1]) or found  # type: ignore[attr-defined]


def _visit(m: Meta, e: Expr, seen: set[Expr]) -> Expr | None:
    if e in seen:
        return None
    seen.add(e)
    m.budget.spend("split")
    kind = type(e)
    if kind is App:
        fn, args = get_app(e)
        head = mk_apps(fn, args[:5])
        if (is_app_of(head, "ite", 5) or is_app_of(head, "dite", 5)) and not args[1].loose:
            return head
        matcher = m.env.matchers.get(fn.name) if type(fn) is Const else None
        if matcher is not None and len(args) >= matcher.arity:
            discriminants = args[matcher.num_params + 1 :][: matcher.num_discrs]
            if not any(d.loose for d in discriminants):
                return mk_apps(fn, args[: matcher.arity])
    if not e.loose and is_proof(m, e):
        return None
    if kind is App:
        infos = [DEFAULT] * len(args) if fn.loose else binder_infos(m, fn, len(args))
        for info, arg in zip(infos, args, strict=False):  # a function may lack arguments
            if info == DEFAULT:
                found = _visit(m, arg, seen)
                if found is not None:
                    return found
        return _visit(m, fn, seen)
    parts: tuple[Expr, ...] = ()
    if kind is Lam:
        parts = (e.body,)  # type: ignore[attr-defined]
    elif kind is Pi:
        parts = (e.type, e.body)  # type: ignore[attr-defined]
    elif kind is Let:
        parts = (e.value, e.body)  # type: ignore[attr-defined]
    elif kind is Proj:
        parts = (e.expr,)  # type: ignore[attr-defined]
    for part in parts:
        found = _visit(m, part, seen)
        if found is not None:
            return found
    return None


@runs(ast.Split)
def tac_split(t: Tactics, stx: ast.Split) -> None:
    """`split`, `split at h`."""
    where = stx.location
    if where is None:
        _split(t, None)
        return
    if where.wildcard:
        raise UnsupportedError("`split at *`")
    if len(where.hyps) != 1 or where.target:
        raise MetaError("`split` tactic failed, select a single target to split")
    _split(t, t.hypothesis(where.hyps[0]))


def _split(t: Tactics, decl: LocalDecl | None) -> None:
    m = t.m
    type_ = t.target if decl is None else m.instantiate_mvars(decl.type)
    found = find_split(m, type_)
    if found is None:
        raise _failure(t, decl)
    fn, args = get_app(found)
    if type(fn) is Const and fn.name in m.env.matchers:
        split_match(t, found, decl)
        return
    goal, rest = t.main, t.goals[1:]
    goals = by_deciding(t, args[1], args[2])
    changed = False
    out = []
    for new in goals:
        t.goals = [new]
        m.lctx = m.mvar_decl(new).lctx
        changed = _reduce(t, decl) or changed
        out += t.goals
    if not changed:
        t.goals = [goal, *rest]
        raise _failure(t, decl)
    t.goals = [*out, *rest]


def _failure(t: Tactics, decl: LocalDecl | None) -> MetaError:
    place = "the goal" if decl is None else f"the type\n  {t.show(decl.type)}\nof `{decl.name}`"
    return t.failed("split", f"Could not split an `if` or `match` expression in {place}", _HINT)


def by_deciding(t: Tactics, prop: Expr, instance: Expr) -> list[MVar]:
    """Split the main goal in two: with `prop` and with its negation as a hypothesis."""
    m = t.m
    goal, target = t.main, t.target
    decl = m.mvar_decl(goal)
    fns, goals = [], []
    for label, hypothesis in (("isTrue", prop), ("isFalse", mk_app(mk_const("Not"), prop))):
        fvar, lctx = decl.lctx.push("h✝", hypothesis)
        new = t.new_goal(target, t.sub_tag(label), lctx)
        with m.with_lctx(lctx):
            fns.append(m.mk_lambda([fvar], new))
        goals.append(new)
    level = sort_level(m, target)
    t.assign(goal, mk_apps(mk_const("dite", (level,)), (target, prop, instance, *fns)))
    return goals


def _reduce(t: Tactics, decl: LocalDecl | None) -> bool:
    """Replace each `if` that a hypothesis decides by its branch; return whether there were any."""
    m = t.m
    rules = RuleSet(procedures=frozenset(["reduceIte"]), options=Options(splitting=True))
    type_ = t.target if decl is None else m.instantiate_mvars(decl.type)
    with m.with_transparency(REDUCIBLE):
        result = Simplifier(t, rules).simp(type_)
    if alpha_eq(result.expr, type_):
        return False
    level = (sort_level(m, type_),)
    proof = proof_of(m, type_, result)
    if decl is None:
        new = t.new_goal(result.expr, t.tag)
        t.assign(t.main, mk_apps(mk_const("Eq.mpr", level), (type_, result.expr, proof, new)))
        t.replace_main([new])
        return True
    fvar: FVar = decl.fvar
    value = mk_apps(mk_const("Eq.mp", level), (type_, result.expr, proof, fvar))
    assert_hypothesis(t, decl.name, result.expr, value)
    try_clear(t, fvar)
    return True
