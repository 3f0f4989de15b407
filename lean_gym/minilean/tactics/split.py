"""`split`: case analysis on the condition of an `if`, or on a `match`, in the target or in a hypothesis.

Source: Lean 4 `src/Lean/Meta/Tactic/SplitIf.lean`, `Split.lean` (4.34).
"""

from __future__ import annotations

from lean_gym.minilean.elab.recursion import motive_level_position
from lean_gym.minilean.kernel.expr import (
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
    alpha_eq,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_pi,
)
from lean_gym.minilean.kernel.instantiate import head_beta, instantiate, instantiate1, replace
from lean_gym.minilean.meta.check import IllTyped, check
from lean_gym.minilean.meta.context import LocalDecl
from lean_gym.minilean.meta.errors import MetaError, UnsupportedError
from lean_gym.minilean.meta.extension import REDUCIBLE
from lean_gym.minilean.meta.headers import binder_infos
from lean_gym.minilean.meta.infer import infer_type, is_proof, sort_level
from lean_gym.minilean.meta.kabstract import kabstract
from lean_gym.minilean.meta.metavars import Meta
from lean_gym.minilean.meta.unify import is_def_eq
from lean_gym.minilean.meta.whnf import whnf_core
from lean_gym.minilean.syntax import ast
from lean_gym.minilean.tactics.equations import solve_equation
from lean_gym.minilean.tactics.intro import assert_hypothesis, introduce, revert, try_clear
from lean_gym.minilean.tactics.simp_result import proof_of
from lean_gym.minilean.tactics.simp_rules import Options, RuleSet
from lean_gym.minilean.tactics.simplifier import Simplifier
from lean_gym.minilean.tactics.state import TacticFn, Tactics, join_tags

_HINT = "\n\nHint: Use `set_option trace.split.failure true` to display additional diagnostic information"


def find_split(m: Meta, e: Expr) -> Expr | None:
    """The first `if` or `match` in `e` that can be split: one in the condition of an `if` before it itself.

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
        for info, arg in zip(infos, args, strict=True):
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


def split_match(t: Tactics, e: Expr, place: LocalDecl | None) -> None:
    """One goal for each alternative of the `match` term `e`, which becomes the alternative's body there.

    The matcher itself is the eliminator: its motive says that the discriminants equal the patterns.
    """
    m = t.m
    rest, tag = t.goals[1:], t.tag
    fn, args = get_app(e)
    assert isinstance(fn, Const)
    info = m.env.matchers[fn.name]
    if place is not None:
        revert(t, [place.fvar])
    target = t.target
    discriminants = args[info.num_params + 1 :][: info.num_discrs]
    position = motive_level_position(m, fn.name)
    levels = list(fn.levels)
    if position is not None:
        levels[position] = sort_level(m, target)
    motive = _match_motive(t, e, target, args, discriminants, info.num_params)
    head = mk_apps(mk_const(fn.name, tuple(levels)), [*args[: info.num_params], motive, *discriminants])
    type_ = m.instantiate_mvars(infer_type(m, head))
    parts: list[MVar] = []
    for number in range(len(info.alt_arities)):
        assert type(type_) is Pi
        parts.append(t.new_goal(beta_everywhere(type_.type), join_tags(tag, f"h_{number + 1}")))
        type_ = type_.body
    refls = []
    for d in discriminants:
        d_type = m.instantiate_mvars(infer_type(m, d))
        refls.append(mk_apps(mk_const("Eq.refl", (sort_level(m, d_type),)), (d_type, d)))
    t.assign(t.main, mk_apps(head, [*parts, *refls]))
    out: list[MVar] = []
    for number, part in enumerate(parts):
        t.goals = [part]
        m.lctx = m.mvar_decl(part).lctx
        arity = info.alt_arities[number]
        _open_alternative(t, arity, info.has_unit[number], len(discriminants), fn.name, place)
        out += t.goals
    t.goals = [*out, *rest]


def _match_motive(
    t: Tactics, e: Expr, target: Expr, args: list[Expr], discriminants: list[Expr], num_params: int
) -> Expr:
    """`fun xs => d = x → .. → target` with `e` at `xs`."""
    m = t.m
    body = kabstract(m, target, e)
    if body is None:
        raise UnsupportedError("`split` on a `match` that the goal does not hold as it stands")
    old = m.lctx
    try:
        xs: list[FVar] = []
        former = args[num_params]
        for _ in discriminants:
            if type(former) is not Lam:
                raise UnsupportedError("`split` on a `match` with such a motive")
            xs.append(m.push_local(former.name, instantiate(former.type, xs)))
            former = former.body
        first = num_params + 1
        fn, _ = get_app(e)
        other = mk_apps(fn, [*args[:first], *xs, *args[first + len(xs) :]])
        result = instantiate1(body, other)
        for d, x in reversed(list(zip(discriminants, xs, strict=True))):
            x_type = m.local(x).type
            if not is_def_eq(m, x_type, infer_type(m, d)):
                raise UnsupportedError("`split` on a `match` whose discriminants depend on each other")
            equation = mk_apps(mk_const("Eq", (sort_level(m, x_type),)), (x_type, d, x))
            result = mk_pi("heq✝", equation, result)
        motive = m.mk_lambda(xs, result)
        try:
            check(m, motive)
        except IllTyped:
            raise UnsupportedError("`split` on a `match` that other terms depend on") from None
        return motive
    finally:
        m.lctx = old


def _open_alternative(
    t: Tactics, arity: int, unit: bool, equations: int, matcher: str, place: LocalDecl | None
) -> None:
    """Introduce the variables of an alternative, use up what is known, and take its body."""
    m = t.m
    variables = introduce(t, [None] * arity)
    if unit:
        try_clear(t, variables[0])
    hs = introduce(t, ["heq✝"] * equations)
    for h in hs:
        current = m.mvar_decl(t.main).lctx
        if h.id not in current:
            continue
        _, (_, a, _) = get_app(m.instantiate_mvars(current.get(h).type))
        variable = type(a) is FVar and current.get(a).value is None
        if variable and t.attempt(lambda h=h: _substitute(t, h)) is None and not t.goals:  # type: ignore[misc]
            return
    m.lctx = m.mvar_decl(t.main).lctx
    target = t.target
    reduced = _with_bodies(t, target, matcher)
    if alpha_eq(reduced, target):
        raise UnsupportedError("`split` on a `match` whose alternatives overlap")
    t.set_target(reduced)
    if place is not None:
        introduce(t, [place.name])


def _substitute(t: Tactics, h: FVar) -> None:
    if solve_equation(t, h):
        t.goals = []


def _with_bodies(t: Tactics, e: Expr, matcher: str) -> Expr:
    """`e` with the applications of a matcher to patterns reduced."""
    m = t.m

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn = get_app_fn(sub)
        if type(fn) is Const and fn.name == matcher and not sub.loose:
            reduced = whnf_core(m, sub)
            if get_app_fn(reduced) is not fn:
                return reduced
        return None

    return replace(e, at)


def beta_everywhere(e: Expr) -> Expr:
    """`e` with all beta redexes reduced."""

    def at(sub: Expr, _depth: int) -> Expr | None:
        reduced = head_beta(sub)
        return replace(reduced, at) if reduced is not sub else None

    return replace(e, at)


def _failure(t: Tactics, decl: LocalDecl | None) -> MetaError:
    place = "the goal" if decl is None else f"the type\n  {t.show(decl.type)}\nof `{decl.name}`"
    return t.failed("split", f"Could not split an `if` or `match` expression in {place}", _HINT)


def by_deciding(t: Tactics, prop: Expr, instance: Expr) -> list[MVar]:
    """Two goals for the main one, which is assigned: with `prop` and with its negation as a hypothesis."""
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
    """Take the branches that the hypotheses decide on; whether there were any."""
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


TABLE: dict[tuple[type, str], TacticFn] = {(ast.Split, ""): tac_split}  # type: ignore[dict-item]
