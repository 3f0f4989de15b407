"""`split` on a `match`: one goal for each alternative, by the splitter of the matcher.

Source: Lean 4 `src/Lean/Meta/Tactic/Split.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.elab.match.match_alternatives import UNIT_VALUE
from minilean.elab.match.overlaps import equation
from minilean.elab.match.patterns import matching
from minilean.elab.match.splitters import Splitter, alternative_equation, splitter
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    get_app,
    get_app_fn,
    is_app_of,
    mk_apps,
    mk_const,
    mk_pi,
    mk_sort,
)
from minilean.kernel.instantiate import beta_apply, head_beta, instantiate1, replace
from minilean.kernel.level import mk_succ
from minilean.meta.check import IllTyped, check
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import MatcherInfo
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.kabstract import kabstract
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf_core
from minilean.tactics.equations import Subst, solve_equation, subst_var
from minilean.tactics.hypotheses import intro_one, introduce, revert
from minilean.tactics.state import Tactics, join_tags, retag


def split_match(t: Tactics, e: Expr, place: LocalDecl | None) -> None:
    """Make one goal for each alternative of the `match` term `e`, in which the body of the alternative replaces `e`."""
    m = t.m
    rest, tag = t.goals[1:], t.tag
    fn, args = get_app(e)
    assert isinstance(fn, Const)
    info = m.env.matchers[fn.name]
    reverted = [] if place is None else revert(t, [place.fvar])
    discriminants = args[info.num_params + 1 :][: info.num_discrs]
    made = splitter(t.elab(), fn, info, args[: info.num_params], sort_level(m, t.target))
    known: list[FVar] = []
    if any(type(d) is not FVar for d in discriminants):
        discriminants, known = _generalize(t, fn, info, args, discriminants)
    parts = _apply(t, made, discriminants)
    out: list[MVar] = []
    for number, part in enumerate(parts):
        t.goals = [part]
        m.lctx = m.mvar_decl(part).lctx
        retag(t, part, join_tags(tag, f"h_{number + 1}"))
        introduce(t, [None] * made.arities[number])
        subst: Subst = {}
        if _unified(t, len(discriminants), subst):
            continue
        for h in known:
            _substitute(t, subst.get(h.id, h), subst)
        m.lctx = m.mvar_decl(t.main).lctx
        _take(t, fn.name, info, number)
        introduce(t, [d.name for d in reverted])
        out += t.goals
    t.goals = [*out, *rest]


def _between(m: Meta, a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Return `a = b`, heterogeneous where the types differ, and the proof of `a = a`."""
    left, right = m.instantiate_mvars(infer_type(m, a)), m.instantiate_mvars(infer_type(m, b))
    levels = (sort_level(m, left),)
    if is_def_eq(m, left, right):
        return mk_apps(mk_const("Eq", levels), (left, a, b)), mk_apps(mk_const("Eq.refl", levels), (left, a))
    heq = mk_apps(mk_const("HEq", levels), (left, a, right, b))
    return heq, mk_apps(mk_const("HEq.refl", levels), (left, a))


def _fresh(m: Meta, former: Expr, count: int) -> list[FVar]:
    """Return new variables for the arguments of a motive of this type."""
    xs, _ = m.intro_binders(former, count)
    return xs


def _generalize(
    t: Tactics, fn: Const, info: MatcherInfo, args: Sequence[Expr], discriminants: Sequence[Expr]
) -> tuple[list[Expr], list[FVar]]:
    """Generalize the discriminants `d` of the `match` to variables `x` with `heq : d = x`, and introduce both."""
    m = t.m
    target = t.target
    old = m.lctx
    first = info.num_params + 1
    try:
        xs = _fresh(m, infer_type(m, args[info.num_params]), len(discriminants))
        equations, proofs = [], []
        for d, x in zip(discriminants, xs, strict=True):
            prop, proof = _between(m, d, x)
            equations.append(m.push_local("heq✝", prop))
            proofs.append(proof)

        def at(sub: Expr, _depth: int) -> Expr | None:
            head, given = get_app(sub)
            if head is not fn or sub.loose or list(given[first : first + len(xs)]) != list(discriminants):
                return None
            alts = [replace(a, at) for a in given[first + len(xs) : info.arity]]
            extra = [_instead(m, a, discriminants, equations) for a in given[info.arity :]]
            return mk_apps(fn, [*given[:first], *xs, *alts, *extra])

        body = m.mk_pi([*xs, *equations], replace(target, at))
    finally:
        m.lctx = old
    try:
        check(m, body)
    except IllTyped:
        raise UnsupportedError("`split` on a `match` that other terms depend on") from None
    new = t.new_goal(body, t.tag)
    t.assign(t.main, mk_apps(new, [*discriminants, *proofs]))
    t.replace_main([new])
    variables = introduce(t, ["x✝"] * len(xs))
    return list(variables), introduce(t, ["heq✝"] * len(xs))


def _instead(m: Meta, proof: Expr, discriminants: Sequence[Expr], equations: Sequence[FVar]) -> Expr:
    """Return the arguments of `match h : d with ..` with `heq` instead of `rfl` for each `h`."""
    fn, args = get_app(proof)
    if type(fn) is Const and fn.name == "Eq.refl" and len(args) == 2:
        for d, h in zip(discriminants, equations, strict=True):
            if d is args[1]:
                return h
    return proof


def _apply(t: Tactics, made: Splitter, discriminants: Sequence[Expr]) -> list[MVar]:
    """Apply the splitter to new variables that equal the discriminants; its alternatives are the goals."""
    m = t.m
    old = m.lctx
    count = len(discriminants)
    fn = infer_type(m, made.value)
    assert type(fn) is Pi
    target = t.target
    try:
        xs = _fresh(m, fn.type, count)
        pairs = [_between(m, d, x) for d, x in zip(discriminants, xs, strict=True)]
        body = target
        for prop, _ in reversed(pairs):
            body = mk_pi("h✝", prop, body)
        general = m.mk_pi(xs, body)
        motive = m.mk_lambda(xs, body)
    finally:
        m.lctx = old
    new = t.new_goal(general, t.tag)
    t.assign(t.main, mk_apps(new, [*discriminants, *(proof for _, proof in pairs)]))
    t.replace_main([new])
    copies = introduce(t, ["x✝"] * count)
    head = mk_apps(made.value, [motive, *copies])
    type_ = m.instantiate_mvars(infer_type(m, head))
    parts: list[MVar] = []
    for _ in made.arities:
        assert type(type_) is Pi
        parts.append(t.new_goal(beta_everywhere(type_.type), t.tag))
        type_ = type_.body
    t.assign(t.main, mk_apps(head, parts))
    return parts


def _unified(t: Tactics, count: int, subst: Subst) -> bool:
    """Introduce and solve the equations between discriminants and patterns; return whether that closed the goal."""
    return any(solve_equation(t, intro_one(t, "h✝"), subst) for _ in range(count))


def _substitute(t: Tactics, h: Expr, subst: Subst) -> None:
    """Substitute by `heq : d = p` where a side is a variable; otherwise `heq` stays."""
    m = t.m
    lctx = m.mvar_decl(t.main).lctx
    if type(h) is not FVar or h.id not in lctx:
        return
    type_ = m.instantiate_mvars(lctx.get(h).type)
    if not is_app_of(type_, "Eq", 3):
        return
    _, (_, left, right) = get_app(type_)
    for side, forward in ((left, False), (right, True)):
        variable = type(side) is FVar and lctx.get(side).value is None
        if variable and t.attempt(lambda v=side, f=forward: subst_var(t, h, v, f, subst)) is None:  # type: ignore[misc]
            return


def _take(t: Tactics, matcher: str, info: MatcherInfo, number: int) -> None:
    """Replace each `match` in the target to which an alternative applies by the body of the alternative."""
    m = t.m

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn = get_app_fn(sub)
        if type(fn) is Const and fn.name == matcher and not sub.loose:
            reduced = whnf_core(m, sub)
            if get_app_fn(reduced) is not fn:
                return reduced
        return None

    target = t.target
    reduced = replace(target, at)
    if reduced is not target:
        t.set_target(reduced)
    while (found := _first(t, t.target, matcher, info, number)) is not None:
        _rewrite(t, *found)


def _first(
    t: Tactics, target: Expr, matcher: str, info: MatcherInfo, number: int
) -> tuple[Expr, Expr, Expr] | None:
    """Return the first such `match` of the target that does not reduce, its value, and a proof that they are equal."""
    found: list[tuple[Expr, Expr, Expr]] = []

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn, args = get_app(sub)
        if (
            type(fn) is Const
            and fn.name == matcher
            and not sub.loose
            and len(args) == info.arity
            and not found
        ):
            result = _excluded(t, sub, info, number)
            if result is not None:
                found.append((sub, *result))
        return sub if found else None

    replace(target, at)
    return found[0] if found else None


def _rewrite(t: Tactics, e: Expr, new: Expr, proof: Expr) -> None:
    """Replace `e` by `new` in the target, by `proof : e = new`."""
    m = t.m
    target = t.target
    body = kabstract(m, target, e)
    assert body is not None
    old = m.lctx
    try:
        x = m.push_local("x✝", m.instantiate_mvars(infer_type(m, e)))
        motive = m.mk_lambda([x], instantiate1(body, x))
    finally:
        m.lctx = old
    try:
        check(m, motive)
    except IllTyped:
        raise UnsupportedError("`split` on a `match` that other terms depend on") from None
    fn, (type_, _, _) = get_app(equation(m, e, new))
    assert isinstance(fn, Const)
    changed = beta_apply(motive, [new])
    goal = t.new_goal(changed, t.tag)
    level = sort_level(m, target)
    congruence = mk_apps(
        mk_const("congrArg", (*fn.levels, mk_succ(level))), (type_, mk_sort(level), e, new, motive, proof)
    )
    t.assign(t.main, mk_apps(mk_const("Eq.mpr", (level,)), (target, changed, congruence, goal)))
    t.replace_main([goal])


def _excluded(t: Tactics, e: Expr, info: MatcherInfo, number: int) -> tuple[Expr, Expr] | None:
    """Return the value of the `match` term `e` if alternative `number` applies, and a proof from the hypotheses."""
    m = t.m
    fn, args = get_app(e)
    assert isinstance(fn, Const)
    first = info.num_params + 1
    known = alternative_equation(t.elab(), fn, info, number)
    if known is None:
        return None
    values: dict[FVar, Expr] = {}
    stuck: list[FVar] = []
    discriminants = args[first : first + info.num_discrs]
    try:
        fits = [
            matching(m, p, v, values, stuck) for p, v in zip(known.row.patterns, discriminants, strict=True)
        ]
    except MetaError:  # a discriminant is neither a variable nor a constructor application
        return None
    if not all(fits) or stuck:
        return None
    taken = [values[x] for x in known.row.variables]
    sides = args[first + info.num_discrs :]
    proof = beta_apply(known.proof, [*args[:first], *sides, *taken])
    type_ = m.instantiate_mvars(infer_type(m, mk_apps(known.proof, [*args[:first], *sides, *taken])))
    for _ in range(known.assumptions):
        assert type(type_) is Pi
        wanted = type_.type
        found = _assumption(m, wanted)
        if found is None:
            return None
        proof = beta_apply(proof, [found])
        type_ = instantiate1(type_.body, found)
    return beta_apply(sides[number], taken or [UNIT_VALUE]), proof


def _assumption(m: Meta, prop: Expr) -> FVar | None:
    """Return the latest hypothesis of this type."""
    for decl in reversed(list(m.lctx)):
        if m.attempt(lambda d=decl: is_def_eq(m, d.type, prop)):  # type: ignore[misc]
            return decl.fvar
    return None


def beta_everywhere(e: Expr) -> Expr:
    """Return `e` with all beta redexes reduced."""

    def at(sub: Expr, _depth: int) -> Expr | None:
        reduced = head_beta(sub)
        return replace(reduced, at) if reduced is not sub else None

    return replace(e, at)
