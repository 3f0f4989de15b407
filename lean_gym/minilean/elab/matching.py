"""`match`, `fun | ..`, `nomatch`, `nofun`: elaborated to matchers, functions made of nested case analysis.

A matcher `f.match_1 params motive discriminants alternatives` is a definition that the kernel checks. Its body is
found by narrowing: the first alternative that does not clash with what is known decides which variable to split.
Splitting is left to the tactic `cases`, which also closes the branches that cannot occur.

Source: Lean 4 `src/Lean/Elab/Match.lean`, `src/Lean/Meta/Match/Match.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from lean_gym.minilean.elab.display import show
from lean_gym.minilean.elab.patterns import (
    Pattern,
    constructor_form,
    constructor_view,
    digest,
    is_excluded,
    matching,
    pattern_names,
)
from lean_gym.minilean.elab.term import Elab, Handler
from lean_gym.minilean.kernel.declaration import Constructor, Definition, Inductive
from lean_gym.minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    Sort,
    alpha_eq,
    get_app,
    get_app_args,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_pi,
    mk_sort,
    subterms,
)
from lean_gym.minilean.kernel.instantiate import abstract, beta_apply, instantiate, instantiate1
from lean_gym.minilean.kernel.level import ONE, IMax, Level, LMVar, Max, Succ, is_zero, level_params, mk_param
from lean_gym.minilean.meta.context import Kind, LocalContext, LocalDecl
from lean_gym.minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from lean_gym.minilean.meta.extension import MatcherInfo
from lean_gym.minilean.meta.infer import infer_type, sort_level
from lean_gym.minilean.meta.kabstract import kabstract
from lean_gym.minilean.meta.metavars import Meta, collect_mvars, has_expr_mvar
from lean_gym.minilean.meta.numerals import mk_numeral, nat_offset
from lean_gym.minilean.meta.unify import is_def_eq
from lean_gym.minilean.meta.whnf import whnf
from lean_gym.minilean.syntax import ast

UNIT = mk_const("Unit")
UNIT_VALUE = mk_const("Unit.unit")


class PatternTypeError(MetaError):
    """A pattern that does not have the type of its discriminant."""


@dataclass(frozen=True, slots=True)
class Then(ast.Term):
    """A term made by Python code in the context where it is elaborated; used inside generated tactic blocks."""

    action: Callable[[Elab, Expr], Expr] = field(compare=False)


@dataclass(slots=True)
class Alternative:
    """An alternative: its variables, the pattern terms over them, and what they mean."""

    variables: list[FVar]
    decls: list[LocalDecl]
    terms: list[Expr]
    patterns: list[Pattern]
    syntax: ast.MatchAlt
    used: bool = False
    named: dict[str, Expr] = field(default_factory=dict)
    """What the names of `x@p` patterns stand for."""


# --- case trees -----------------------------------------------------------------------------------------------


UNARY_LITERALS = 4
"""Numbers below this are split by constructors; larger ones, where no constructor is asked for, by `x = n`."""


def _tested_literal(m: Meta, rows: Sequence[Alternative], values: Sequence[Expr], x: FVar) -> int | None:
    """The number that `x` should be compared with; `None` where it is to be split by constructors."""
    found: list[Pattern] = []
    for row in rows:
        for pattern, value in zip(row.patterns, values, strict=True):
            _patterns_at(m, pattern, value, x, found)
    numbers = [p.value for p in found if p.kind == "lit" and isinstance(p.value, int)]
    if not numbers or max(numbers) < UNARY_LITERALS or any(p.kind == "ctor" for p in found):
        return None
    return next((n for n in numbers if not is_excluded(m, x, n)), None)


def _patterns_at(m: Meta, pattern: Pattern, value: Expr, x: FVar, found: list[Pattern]) -> None:
    """What the pattern asks of the variable `x` of the value."""
    if value is x:
        found.append(pattern)
    elif pattern.kind == "ctor":
        fn, args = get_app(constructor_view(m, value))
        decl = m.env.find(fn.name) if type(fn) is Const else None
        if isinstance(decl, Constructor) and decl.name == pattern.ctor:
            for p, v in zip(pattern.fields, args[decl.num_params :], strict=True):
                _patterns_at(m, p, v, x, found)


def _test(el: Elab, x: FVar, number: int, target: Expr, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """`if x = number` the one case, else the other."""
    m = el.m
    numeral = mk_numeral(number)
    equation = mk_apps(mk_const("Eq", (ONE,)), (mk_const("Nat"), x, numeral))
    instance = mk_apps(mk_const("instDecidableEqNat"), (x, numeral))
    branches = []
    for prop in (equation, mk_app(mk_const("Not"), equation)):
        old = m.lctx
        try:
            h = m.push_local("test_split", prop)
            inner = _subst(el, h, target, action) if prop is equation else action(el, target)
            branches.append(m.mk_lambda([h], inner))
        finally:
            m.lctx = old
    level = sort_level(m, target)
    return mk_apps(mk_const("dite", (level,)), (target, equation, instance, *branches))


def split_variable(el: Elab, x: FVar, target: Expr, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """Prove `target` by cases on the variable `x`; `action` proves each case that can occur."""
    m = el.m
    if not _has_plain_indices(m, x) and any(sub is x for sub in subterms(m.instantiate_mvars(target))):
        return _split_dependent(el, x, target, action)
    return _cases(el, x, target, action)


def _cases(el: Elab, x: FVar, target: Expr, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """The tactic `cases x`, and `action` for each goal that it leaves."""
    assert el.run_tactics is not None
    m = el.m
    mvar = m.new_mvar(target, Kind.OPAQUE)
    cases = ast.Cases("cases", ((None, ast.Quoted(x)),))
    block = ast.TacSeq((ast.AndThen(cases, ast.TermTactic("exact", Then(action))),))
    old = m.lctx
    try:
        el.run_tactics(el, mvar, block)
    finally:
        m.lctx = old
    return m.instantiate_mvars(mvar)


def _subst(el: Elab, e: FVar, target: Expr, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """The tactic `subst e`, and `action` for what it leaves."""
    assert el.run_tactics is not None
    m = el.m
    mvar = m.new_mvar(target, Kind.OPAQUE)
    steps = (ast.NamesTactic("subst", (m.local(e).name,)), ast.TermTactic("exact", Then(action)))
    old = m.lctx
    try:
        el.run_tactics(el, mvar, ast.TacSeq(steps))
    finally:
        m.lctx = old
    return m.instantiate_mvars(mvar)


def _family(m: Meta, x: FVar) -> tuple[Expr, list[Expr], list[Expr]] | None:
    """The inductive family that a variable belongs to: constant, parameters, indices."""
    fn, args = get_app(whnf(m, m.instantiate_mvars(m.local(x).type)))
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Inductive):
        return None
    m.env.require_shown(decl.name)
    return fn, args[: decl.num_params], args[decl.num_params :]


def _has_plain_indices(m: Meta, x: FVar) -> bool:
    """Whether the indices are different variables, so that they can be abstracted as they are."""
    family = _family(m, x)
    if family is None:
        return True
    _, params, indices = family
    if any(type(i) is not FVar or m.local(i).value is not None for i in indices):
        return False
    inside = {s for p in params for s in subterms(p) if type(s) is FVar}
    return len(set(indices)) == len(indices) and not inside & set(indices)


def _split_dependent(el: Elab, x: FVar, target: Expr, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """Cases on `x : T is` where the target depends on `x` and the indices are no variables.

    A copy `y : T js` of `x` is split, with `is = js` and `x ≍ y` at hand; these are solved afterwards, first the
    indices, then `x` itself.
    """
    m = el.m
    old = m.lctx
    family = _family(m, x)
    assert family is not None
    fn, params, indices = family
    try:
        former = mk_apps(fn, params)
        fresh: list[FVar] = []
        equations: list[FVar] = []
        arguments: list[Expr] = []
        reflexive: list[Expr] = []
        type_ = infer_type(m, former)
        for k in range(len(indices)):
            type_ = whnf(m, type_)
            assert type(type_) is Pi
            fresh.append(m.push_local(f"j{k}✝", type_.type))
            type_ = instantiate1(type_.body, fresh[-1])
        copy = m.push_local("y✝", mk_apps(former, fresh))
        for k, (index, j) in enumerate(zip(indices, fresh, strict=True)):
            index_type = m.instantiate_mvars(infer_type(m, index))
            if not is_def_eq(m, index_type, m.local(j).type):
                raise UnsupportedError("a pattern of a family whose indices depend on each other")
            level = sort_level(m, index_type)
            equations.append(
                m.push_local(f"eq{k}_split", mk_apps(mk_const("Eq", (level,)), (index_type, index, j)))
            )
            reflexive.append(mk_apps(mk_const("Eq.refl", (level,)), (index_type, index)))
        x_type, level = m.local(x).type, sort_level(m, m.local(x).type)
        heq = mk_apps(mk_const("HEq", (level,)), (x_type, x, m.local(copy).type, copy))
        same = m.push_local("heq_split", heq)
        arguments = [*indices, x, *reflexive, mk_apps(mk_const("HEq.refl", (level,)), (x_type, x))]
        known = [*equations, same]
        general = m.mk_pi(known, target)
        m.lctx = m.lctx.without({e.id for e in known})
        solve = _solve_indices(0, len(indices), action)
        body = _cases(el, copy, general, lambda inner, goal: _introduced(inner, goal, len(known), solve))
        return mk_apps(m.mk_lambda([*fresh, copy], body), arguments)
    finally:
        m.lctx = old


def _introduced(el: Elab, target: Expr, count: int, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """`action` below the first `count` binders of the target."""
    m = el.m
    old = m.lctx
    try:
        fvars: list[FVar] = []
        target = m.instantiate_mvars(target)
        for _ in range(count):
            assert type(target) is Pi
            fvars.append(m.push_local(target.name, target.type))
            target = instantiate1(target.body, fvars[-1])
        return m.mk_lambda(fvars, action(el, target))
    finally:
        m.lctx = old


def _solve_indices(k: int, count: int, action: Callable[[Elab, Expr], Expr]) -> Callable[[Elab, Expr], Expr]:
    """In a branch of `_split_dependent`: solve the equations from `k` on, then the heterogeneous one."""

    def solve(el: Elab, target: Expr) -> Expr:
        m = el.m
        if k < count:
            decl = m.lctx.by_name(f"eq{k}_split")
            if decl is None:  # solved with an earlier one
                return _solve_indices(k + 1, count, action)(el, target)
            return _cases(el, decl.fvar, target, _solve_indices(k + 1, count, action))
        decl = m.lctx.by_name("heq_split")
        assert decl is not None
        _, (left_type, left, right_type, right) = get_app(m.instantiate_mvars(decl.type))
        if not is_def_eq(m, left_type, right_type):
            raise UnsupportedError("a pattern of a family whose indices cannot be solved")
        level = sort_level(m, left_type)
        proof = mk_apps(mk_const("eq_of_heq", (level,)), (left_type, left, right, decl.fvar))
        old = m.lctx
        try:
            e = m.push_local("e_split", mk_apps(mk_const("Eq", (level,)), (left_type, left, right)))
            return mk_app(m.mk_lambda([e], _subst(el, e, target, action)), proof)
        finally:
            m.lctx = old

    return solve


def narrow(
    el: Elab,
    target: Expr,
    values: Sequence[Expr],
    rows: Sequence[Alternative],
    leaf: Callable[[Elab, Expr, Alternative | None, dict[FVar, Expr]], Expr],
    values_of: Callable[[Expr], Sequence[Expr]],
) -> Expr:
    """A term of type `target` found by narrowing `values` until an alternative applies.

    Args:
        el: The elaborator, in the context of `target`.
        target: What to prove; it mentions `values`.
        values: What is matched.
        rows: The alternatives, in order.
        leaf: Makes the term where an alternative applies, or where none is left (`None`).
        values_of: Reads `values` off a refined target.
    """
    m = el.m
    m.budget.spend("match")
    for row in rows:
        found: dict[FVar, Expr] = {}
        stuck: list[FVar] = []
        if not all([matching(m, p, v, found, stuck) for p, v in zip(row.patterns, values, strict=True)]):
            continue
        if not stuck:
            return leaf(el, target, row, found)
        literal = _tested_literal(m, rows, values, stuck[0])

        def go(inner: Elab, refined: Expr) -> Expr:
            refined = inner.m.instantiate_mvars(refined)
            return narrow(inner, refined, values_of(refined), rows, leaf, values_of)

        if literal is not None:
            return _test(el, stuck[0], literal, target, go)
        return split_variable(el, stuck[0], target, go)
    return leaf(el, target, None, {})


# --- discriminants and motive ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Subject:
    """The discriminants of a `match` and what depends on them.

    Attributes:
        terms: The discriminants.
        xs: One variable each, in `lctx`.
        equations: Names for `h : d = x`, where asked for.
        generalized: Hypotheses whose types change with the discriminants.
        motive: The type of the whole over `xs`: equations, then hypotheses, then the expected type.
    """

    terms: list[Expr]
    xs: list[FVar]
    lctx: LocalContext
    equations: list[str | None]
    generalized: list[LocalDecl]
    motive: Expr


def _subject(el: Elab, stx: ast.Match, terms: list[Expr], expected: Expr) -> Subject:
    m = el.m
    old = m.lctx
    equations = [name for name, _ in stx.discriminants]
    try:
        xs: list[FVar] = []
        for term in terms:
            type_ = m.instantiate_mvars(infer_type(m, term))
            if type(get_app_fn(type_)) is FVar:
                type_ = whnf(m, type_)  # `U x` with a local definition of `U`
            type_ = _abstracted(m, type_, terms, xs)
            xs.append(m.push_local("x✝", type_))
        generalized: list[LocalDecl] = []
        if stx.generalizing and all(type(t) is FVar for t in terms):
            generalized = _depending(m, old, [t for t in terms if type(t) is FVar])
        fvars = [d.fvar for d in generalized]
        with m.with_lctx(old):
            body = m.mk_pi(fvars, expected) if fvars else expected
        motive = m.instantiate_mvars(body)
        if stx.motive is None:
            motive = _abstracted(m, motive, terms, xs)
        else:
            given = el.elab_closed(stx.motive)
            motive = beta_apply(given, xs)
            generalized = []
        for i in reversed(range(len(xs))):
            if equations[i] is not None:
                motive = mk_pi(equations[i] or "h", _equation(m, terms[i], xs[i]), motive)
        return Subject(terms, xs, m.lctx, equations, generalized, motive)
    finally:
        m.lctx = old


def _equation(m: Meta, a: Expr, b: Expr) -> Expr:
    type_ = m.instantiate_mvars(infer_type(m, a))
    if not is_def_eq(m, type_, infer_type(m, b)):
        raise UnsupportedError("`match h : ..` where the type of a discriminant changes")
    return mk_apps(mk_const("Eq", (sort_level(m, type_),)), (type_, a, b))


def _abstracted(m: Meta, e: Expr, terms: Sequence[Expr], xs: Sequence[FVar]) -> Expr:
    """`e` with the variables in place of the discriminants."""
    for term, x in zip(terms, xs, strict=False):
        if type(term) is FVar:
            e = instantiate1(abstract(e, [term]), x)
        else:
            body = kabstract(m, e, term)
            e = e if body is None else instantiate1(body, x)
    return e


def _depending(m: Meta, lctx: LocalContext, xs: list[FVar]) -> list[LocalDecl]:
    ids = {x.id for x in xs}
    out = []
    for decl in lctx:
        if decl.fvar.id in ids or decl.hidden:
            continue
        type_ = m.instantiate_mvars(decl.type)
        if any(type(s) is FVar and s.id in ids for s in subterms(type_)):
            if decl.value is not None:
                continue
            ids.add(decl.fvar.id)
            out.append(decl)
    return out


# --- alternatives ---------------------------------------------------------------------------------------------


def _alternative(el: Elab, subject: Subject, alt: ast.MatchAlt) -> Alternative:
    """Elaborate the patterns of an alternative; the context is left with its variables."""
    m = el.m
    outer = m.lctx
    if len(alt.patterns) != len(subject.xs):
        raise MetaError(
            f"Not enough patterns in match alternative: Expected {len(subject.xs)}, but found {len(alt.patterns)}"
            if len(alt.patterns) < len(subject.xs)
            else f"Too many patterns in match alternative: Expected {len(subject.xs)}, but found {len(alt.patterns)}"
        )
    names: list[str] = []
    for stx in alt.patterns:
        pattern_names(el, stx, names)
    variables = [m.push_local(name, m.new_type_mvar()) for name in names]
    terms: list[Expr] = []
    named: dict[str, Expr] = {}
    el.named_patterns = named
    try:
        for stx, x in zip(alt.patterns, subject.xs, strict=True):
            type_ = subject.lctx.get(x).type
            expected = instantiate(abstract(type_, subject.xs[: len(terms)]), terms)
            try:
                terms.append(el.elab_ensuring(stx, expected))
                el.synthesize(postpone=True)
            except BudgetError:
                raise
            except MetaError as error:
                failure = PatternTypeError(str(error))
                failure.position = error.position
                raise failure from None
        el.synthesize()
    finally:
        el.named_patterns = None
    terms = [m.instantiate_mvars(t) for t in terms]
    variables, decls = _close_variables(el, outer, variables, terms)
    terms = [m.instantiate_mvars(t) for t in terms]
    own = set(variables)
    seen: set[FVar] = set()
    # variables are bound where constructors lead to them; what else mentions one only repeats it
    patterns = [digest(m, t, own, seen) for t in terms]
    if missing := [d.name for d in decls if d.fvar not in seen]:
        raise UnsupportedError(f"a pattern variable that no constructor determines (`{missing[0]}`)")
    if taken := [name for name in named if name in names]:
        raise MetaError(f"Invalid pattern(s): Variable `{taken[0]}` occurred more than once")
    values = {name: m.instantiate_mvars(value) for name, value in named.items()}
    return Alternative(variables, decls, terms, patterns, alt, named=values)


def _close_variables(
    el: Elab, outer: LocalContext, variables: list[FVar], terms: Sequence[Expr]
) -> tuple[list[FVar], list[LocalDecl]]:
    """Turn what patterns leave open (`_`, implicit arguments) into variables; all of them in order of dependency."""
    m = el.m
    decls = {d.fvar: d for d in m.lctx if d.fvar.id not in outer}
    parts = [sub for term in terms for sub in subterms(m.instantiate_mvars(term))]
    below_succ = {offset[0] for sub in parts if (offset := nat_offset(m, sub)) is not None}
    todo = [m.instantiate_mvars(e) for e in (*terms, *(decls[x].type for x in variables))][::-1]
    while todo:
        e = m.instantiate_mvars(todo.pop())
        for mvar in collect_mvars(e):
            if m.mctx.is_assigned(mvar.id):
                continue
            info = el.hole_infos.get(mvar.id)
            type_ = m.instantiate_mvars(m.mvar_decl(mvar).type)
            name = "n" if mvar in below_succ else (info.name if info else "") or "x"
            fvar = m.push_local(f"{name}✝", type_)
            m.mctx.assign(mvar.id, fvar)
            decls[fvar] = m.local(fvar)
            todo.append(type_)
    done: dict[FVar, LocalDecl] = {}

    def visit(x: FVar) -> None:
        if x in done:
            return
        d = decls[x]
        type_ = m.instantiate_mvars(d.type)
        for sub in subterms(type_):
            if type(sub) is FVar and sub in decls:
                visit(sub)
        done[x] = LocalDecl(x, d.name, type_, d.value, d.info, d.hidden)

    found = {sub: None for term in terms for sub in subterms(m.instantiate_mvars(term)) if sub in decls}
    for x in (*found, *decls):
        visit(x)
    m.lctx = outer.replace_all([*outer, *done.values()])
    return list(done), list(done.values())


def _right_side(el: Elab, subject: Subject, alt: Alternative) -> Expr:
    """`fun variables equations hypotheses => body`, in the context with the variables."""
    m = el.m
    type_ = instantiate(abstract(subject.motive, subject.xs), alt.terms)
    extra: list[FVar] = []
    names = [name for name in subject.equations if name is not None]
    names += [d.name for d in subject.generalized]
    for name in names:
        assert type(type_) is Pi
        extra.append(m.push_local("h✝" if name == "_" else name, type_.type, type_.info))
        type_ = instantiate1(type_.body, extra[-1])
    aliases = [
        (m.push_local(name, m.instantiate_mvars(infer_type(m, value)), value=value), value)
        for name, value in alt.named.items()
    ]
    body = el.elab_ensuring(alt.syntax.body, type_)
    if aliases:
        el.synthesize()
        body = m.instantiate_mvars(body)
        for x, value in reversed(aliases):
            body = instantiate1(abstract(body, [x]), value)
    bound = [*alt.variables, *extra]
    if not alt.variables:
        return mk_lam("x✝", UNIT, m.mk_lambda(bound, body))
    return m.mk_lambda(bound, body)


# --- the matcher ----------------------------------------------------------------------------------------------


def _alternative_type(m: Meta, alt: Alternative, motive: FVar) -> Expr:
    result = mk_apps(motive, [constructor_form(m, term) for term in alt.terms])
    if not alt.variables:
        return mk_pi("x✝", UNIT, result)
    with m.with_lctx(m.lctx.replace_all([*m.lctx, *(d for d in alt.decls if d.fvar.id not in m.lctx)])):
        return m.mk_pi(alt.variables, result)


def _build(el: Elab, subject: Subject, alts: Sequence[Alternative], level: Level) -> tuple[Expr, list[FVar]]:
    """The matcher as a closed function of parameters, motive, discriminants, alternatives; and the parameters."""
    m = el.m
    old = m.lctx
    try:
        m.lctx = subject.lctx
        motive_type = m.mk_pi(subject.xs, mk_sort(level))
        params = _parameters(m, old, [motive_type, *(d.type for a in alts for d in a.decls),
                                      *(t for a in alts for t in a.terms)])  # fmt: skip
        # a matcher takes local definitions as it takes other variables
        m.lctx = old.replace_all([replace(old.get(p), value=None) for p in params])
        motive = m.push_local("motive", motive_type)
        m.lctx = m.lctx.replace_all([*m.lctx, *(subject.lctx.get(x) for x in subject.xs)])
        handlers = [
            m.push_local(f"h_{i}", _alternative_type(m, alt, motive)) for i, alt in enumerate(alts, 1)
        ]
        missing_type = mk_pi("α", mk_sort(level), mk_bvar(0))
        missing = m.push_local("missing", missing_type, hidden=True)
        lacks: list[Expr] = []

        def leaf(inner: Elab, target: Expr, row: Alternative | None, found: dict[FVar, Expr]) -> Expr:
            if row is None:
                closed = _contradiction(inner, target)
                if closed is not None:
                    return closed
                lacks.append(target)
                _note_missing(inner, target, texts)
                return mk_app(missing, target)
            row.used = True
            handler = handlers[[a is row for a in alts].index(True)]
            return mk_apps(handler, [found[x] for x in row.variables] or [UNIT_VALUE])

        texts: list[str] = []
        target = mk_apps(motive, subject.xs)
        tree = narrow(el, target, subject.xs, alts, leaf, get_app_args)
        if lacks:
            raise MetaError("Missing cases:\n" + "\n".join(texts))
        value = m.mk_lambda([*params, motive, *subject.xs, *handlers], m.instantiate_mvars(tree))
        return value, params
    finally:
        m.lctx = old


def _note_missing(el: Elab, target: Expr, texts: list[str]) -> None:
    m = el.m
    shown = []
    for value in get_app_args(target):
        holes = {x for x in subterms(value) if type(x) is FVar}
        for x in holes:
            value = instantiate1(abstract(value, [x]), mk_const("_"))
        text = show(m, value)
        shown.append(f"({text})" if " " in text else text)
    texts.append(", ".join(shown))


def _contradiction(el: Elab, target: Expr) -> Expr | None:
    """A proof of `target` from a context that cannot be."""
    assert el.run_tactics is not None
    m = el.m
    mark = m.mctx.mark()
    old = m.lctx
    mvar = m.new_mvar(target, Kind.OPAQUE)
    block = ast.TacSeq((ast.Simple("contradiction"),))
    try:
        el.run_tactics(el, mvar, block)
        return m.instantiate_mvars(mvar)
    except BudgetError:
        raise
    except MetaError:
        m.mctx.rollback(mark)
        m.lctx = old
        return None


def _parameters(m: Meta, lctx: LocalContext, terms: Sequence[Expr]) -> list[FVar]:
    """The variables of `lctx` that terms depend on, in order."""
    needed: set[int] = set()
    todo = [m.instantiate_mvars(t) for t in terms]
    while todo:
        for sub in subterms(todo.pop()):
            if type(sub) is FVar and sub.id in lctx and sub.id not in needed:
                needed.add(sub.id)
                todo.append(m.instantiate_mvars(lctx.get(sub).type))
    return [d.fvar for d in lctx if d.fvar.id in needed]


def closed_levels(m: Meta, e: Expr) -> tuple[tuple[str, ...], Expr, tuple[Level, ...]]:
    """`e` over universe parameters only: their names, the term, and the levels that they stand for here."""
    found: dict[Level, str] = {}
    names: set[str] = set()
    for sub in subterms(e):
        for level in sub.levels if type(sub) is Const else (sub.level,) if type(sub) is Sort else ():
            level_params(level, names)
            collect_level_mvars(level, found)
    for i, mvar in enumerate(found, 1):
        name = f"u_{i}"
        while name in names:
            name += "'"
        names.add(name)
        found[mvar] = name
    mark = m.mctx.mark()
    for mvar, name in found.items():
        m.mctx.assign_level(mvar.id, mk_param(name))  # type: ignore[attr-defined]
    closed = m.instantiate_mvars(e)
    m.mctx.rollback(mark)
    back = {name: mvar for mvar, name in found.items()}
    order = tuple(sorted(names))
    return order, closed, tuple(back.get(name, mk_param(name)) for name in order)


def collect_level_mvars(level: Level, found: dict[Level, str]) -> None:
    """Add the universe metavariables of a level to `found`."""
    kind = type(level)
    if kind is LMVar:
        found.setdefault(level, "")
    elif kind is Succ:
        collect_level_mvars(level.of, found)  # type: ignore[attr-defined]
    elif kind is Max or kind is IMax:
        collect_level_mvars(level.left, found)  # type: ignore[attr-defined]
        collect_level_mvars(level.right, found)  # type: ignore[attr-defined]


def _declare(m: Meta, value: Expr, info: MatcherInfo) -> tuple[str, tuple[Level, ...]]:
    """The name of a constant for this matcher, an older equal one if there is one, and its levels here."""
    params, closed, levels = closed_levels(m, value)
    env = m.env
    for name, known in env.matchers.items():
        decl = env.find(name)
        alike = known.alt_arities == info.alt_arities and known.num_discrs == info.num_discrs
        alike = alike and isinstance(decl, Definition) and decl.level_params == params
        if alike and isinstance(decl, Definition) and alpha_eq(decl.value, closed):
            return name, levels
    index = 1
    while env.find(f"{m.auxiliary_prefix}.match_{index}") is not None:
        index += 1
    name = f"{m.auxiliary_prefix}.match_{index}"
    type_ = m.instantiate_mvars(infer_type(m, closed))
    env.kernel.add_definition(name, params, type_, closed, abbrev=True)
    env.matchers[name] = MatcherInfo(name, info.num_params, info.num_discrs, info.alt_arities, info.has_unit)
    return name, levels


# --- the terms ------------------------------------------------------------------------------------------------


def elab_match(el: Elab, stx: ast.Match, expected: Expr | None) -> Expr:
    """`match d1, d2 with | p1, p2 => e ..`."""
    m = el.m
    if expected is None or type(m.instantiate_mvars(expected)) is MVar:
        el.postpone_or_fail()
        expected = m.new_type_mvar() if expected is None else expected
    terms = []
    for _, term in stx.discriminants:
        terms.append(el.elab(term))
    el.synthesize(postpone=True)
    terms = [m.instantiate_mvars(t) for t in terms]
    if any(has_expr_mvar(t) or has_expr_mvar(m.instantiate_mvars(infer_type(m, t))) for t in terms):
        el.postpone_or_fail()
        el.synthesize()
        terms = [m.instantiate_mvars(t) for t in terms]
    subject = _subject(el, stx, terms, m.instantiate_mvars(expected))
    mark, pending = m.mctx.mark(), list(el.pending)
    try:
        elaborated = _alternatives(el, subject, stx.alts)
    except PatternTypeError as error:
        indices = _open_indices(m, terms)
        if not indices:
            raise
        # what a pattern says about an index is said of a discriminant: `match n, v with | _, nil => ..`
        m.mctx.rollback(mark)
        el.pending = pending
        del error
        more = tuple((None, ast.Quoted(x)) for x in indices)
        holes = tuple(ast.Hole() for _ in indices)
        wider = replace(
            stx,
            discriminants=(
                *more,
                *((name, ast.Quoted(t)) for (name, _), t in zip(stx.discriminants, terms, strict=True)),
            ),
            alts=tuple(replace(alt, patterns=(*holes, *alt.patterns)) for alt in stx.alts),
        )
        return elab_match(el, wider, expected)
    alts, sides = elaborated
    return match_term(el, subject, alts, sides)


def _alternatives(
    el: Elab, subject: Subject, syntax: Sequence[ast.MatchAlt]
) -> tuple[list[Alternative], list[Expr]]:
    """All alternatives, and their right sides as functions."""
    m = el.m
    alts: list[Alternative] = []
    sides: list[Expr] = []
    old = m.lctx
    for alt in syntax:
        try:
            alternative = _alternative(el, subject, alt)
            sides.append(_right_side(el, subject, alternative))
        finally:
            m.lctx = old
        alts.append(alternative)
    return alts, sides


def _open_indices(m: Meta, terms: Sequence[Expr]) -> list[FVar]:
    """Variables that are indices of the discriminants' types and no discriminants themselves, outermost first."""
    found: set[FVar] = set()
    for term in terms:
        fn, args = get_app(whnf(m, m.instantiate_mvars(infer_type(m, term))))
        decl = m.env.find(fn.name) if type(fn) is Const else None
        if isinstance(decl, Inductive):
            found |= {i for i in args[decl.num_params :] if type(i) is FVar and m.local(i).value is None}
    return [d.fvar for d in m.lctx if d.fvar in found - set(terms)]


def match_term(el: Elab, subject: Subject, alts: list[Alternative], sides: list[Expr]) -> Expr:
    """The application of the matcher."""
    m = el.m
    with m.with_lctx(subject.lctx):
        level = m.instantiate_level(sort_level(m, subject.motive))
        motive = m.mk_lambda(subject.xs, subject.motive)
        elim = level if is_zero(level) else m.new_level_mvar()
    value, params = _build(el, subject, alts, elim)
    for alt in alts:
        if not alt.used:
            raise _redundant(el, alt)
    extra: list[Expr] = []
    for term, name in zip(subject.terms, subject.equations, strict=True):
        if name is not None:
            type_ = infer_type(m, term)
            extra.append(mk_apps(mk_const("Eq.refl", (sort_level(m, type_),)), (type_, term)))
    extra += [d.fvar for d in subject.generalized]
    args = [*params, motive, *subject.terms, *sides, *extra]
    if m.auxiliary_prefix is None or has_expr_mvar(value):
        if elim is not level:
            m.mctx.assign_level(elim.id, level)  # type: ignore[attr-defined]
        return beta_apply(m.instantiate_mvars(value), args)
    info = MatcherInfo(
        "", len(params), len(subject.xs), tuple(len(a.variables) or 1 for a in alts),
        tuple(not a.variables for a in alts),
    )  # fmt: skip
    name, levels = _declare(m, value, info)
    if elim is not level:
        m.mctx.assign_level(elim.id, level)  # type: ignore[attr-defined]
    return mk_apps(mk_const(name, tuple(m.instantiate_level(u) for u in levels)), args)


def _redundant(el: Elab, alt: Alternative) -> MetaError:
    patterns = ", ".join(el.source[p.start : p.end] for p in alt.syntax.patterns)
    error = MetaError(
        f"Redundant alternative: Any expression matching\n  {patterns}\n"
        "will match one of the preceding alternatives"
    )
    error.position = alt.syntax.start or None
    return error


def elab_fun_match(el: Elab, stx: ast.FunMatch, expected: Expr | None) -> Expr:
    """`fun | p, q => e | ..`: as many binders as there are patterns."""
    m = el.m
    count = len(stx.alts[0].patterns)
    type_ = el.require_known(expected)
    old = m.lctx
    try:
        fvars: list[FVar] = []
        for _ in range(count):
            pi = whnf(m, m.instantiate_mvars(type_))
            if type(pi) is not Pi:
                el.postpone_or_fail()
                raise MetaError(
                    f"Too many patterns in match alternative: Expected {len(fvars)}, but found {count}"
                )
            fvars.append(m.push_local("x✝", pi.type, pi.info))
            type_ = instantiate1(pi.body, fvars[-1])
        match = ast.Match(tuple((None, ast.Quoted(x)) for x in fvars), stx.alts, start=stx.start, end=stx.end)
        return m.mk_lambda(fvars, el.elab_ensuring(match, type_))
    finally:
        m.lctx = old


def elab_nofun(el: Elab, stx: ast.NoFun, expected: Expr | None) -> Expr:
    """`nofun` and `nomatch e`: there is nothing to match."""
    m = el.m
    goal = el.require_known(expected)
    if stx.term is not None:
        e = el.elab_closed(stx.term)
        old = m.lctx
        try:
            fvar = m.push_local("x✝", infer_type(m, e))
            value = _empty(el, goal, [fvar])
            return mk_app(m.mk_lambda([fvar], value), e)
        finally:
            m.lctx = old
    old = m.lctx
    try:
        fvars: list[FVar] = []
        while type(goal) is Pi:
            fvars.append(
                m.push_local(goal.name if goal.name.endswith("✝") else goal.name + "✝", goal.type, goal.info)
            )
            goal = whnf(m, instantiate1(goal.body, fvars[-1]))
        return m.mk_lambda(fvars, _empty(el, goal, fvars))
    finally:
        m.lctx = old


def _empty(el: Elab, goal: Expr, fvars: Sequence[FVar]) -> Expr:
    """A term of type `goal` where the variables cannot have values."""
    closed = _contradiction(el, goal)
    if closed is not None:
        return closed
    m = el.m
    for x in fvars:
        mark, old = m.mctx.mark(), m.lctx

        def go(inner: Elab, target: Expr) -> Expr:
            value = _contradiction(inner, target)
            if value is None:
                raise MetaError("Missing cases")
            return value

        try:
            return split_variable(el, x, goal, go)
        except BudgetError:
            raise
        except MetaError:
            m.mctx.rollback(mark)
            m.lctx = old
    raise MetaError("Missing cases:\n_")


def elab_then(el: Elab, stx: Then, expected: Expr | None) -> Expr:
    """Code in the place of a term."""
    assert expected is not None
    return stx.action(el, expected)


HANDLERS: dict[type, Handler] = {
    ast.Match: elab_match,  # type: ignore[dict-item]
    ast.FunMatch: elab_fun_match,  # type: ignore[dict-item]
    ast.NoFun: elab_nofun,  # type: ignore[dict-item]
    Then: elab_then,  # type: ignore[dict-item]
}
