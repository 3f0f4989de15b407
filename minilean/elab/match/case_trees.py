"""Case trees: values are split with the tactics `cases` and `subst` until an alternative of a `match` applies.

Source: Lean 4 `src/Lean/Meta/Match/Match.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from minilean.elab.match.missing_cases import untested
from minilean.elab.match.patterns import Pattern, constructor_view, is_excluded, matching
from minilean.elab.term import Elab
from minilean.kernel.declaration import Constructor, Inductive
from minilean.kernel.expr import Const, Expr, FVar, Pi, get_app, mk_app, mk_apps, mk_const
from minilean.kernel.instantiate import instantiate1
from minilean.kernel.level import ONE
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind, LocalDecl
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.numerals import mk_numeral
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.syntax.ast.base import node
from minilean.syntax.text_literals import CHAR, mk_char, mk_string


@node(frozen=True)
class Then(ast.Term):
    """Term that a Python function makes where it is elaborated; used inside generated tactic blocks."""

    action: Callable[[Elab, Expr], Expr] = field(compare=False)


@dataclass(slots=True)
class Alternative:
    """Alternative of a `match`: variables, pattern terms over them, and the digested patterns."""

    variables: list[FVar]
    decls: list[LocalDecl]
    terms: list[Expr]
    patterns: list[Pattern]
    syntax: ast.MatchAlt
    used: bool = False
    named: dict[str, Expr] = field(default_factory=dict)
    """Values of the names of `x@p` patterns."""


UNARY_LITERALS = 4
"""Numbers below this are split by constructors; larger ones, if other numbers are accepted as well, by `x = n`."""


def _tested_literal(m: Meta, rows: Sequence[Alternative], values: Sequence[Expr], x: FVar) -> Expr | None:
    """Return the literal to compare `x` with; `None` where `x` is split by constructors."""
    found: list[Pattern] = []
    for row in rows:
        for pattern, value in zip(row.patterns, values, strict=True):
            _patterns_at(m, pattern, value, x, found)
    literals = [p.value for p in found if p.kind == "lit"]
    if not literals or any(p.kind == "ctor" for p in found):
        return None
    numbers = [value for value in literals if isinstance(value, int)]
    if numbers and (len(literals) == len(found) or max(numbers) < UNARY_LITERALS):
        return None
    literal = next((known for known in literals if not is_excluded(m, x, known)), None)
    if literal is None:
        return None
    if isinstance(literal, int):
        return mk_numeral(literal)
    return mk_char(literal) if whnf(m, m.local(x).type) is CHAR else mk_string(literal)


def _patterns_at(m: Meta, pattern: Pattern, value: Expr, x: FVar, found: list[Pattern]) -> None:
    """Add to `found` the subpatterns that stand at the variable `x` of the value, or above it."""
    if value is x or (pattern.kind in ("any", "var") and x in subterms(value)):
        found.append(pattern)
    elif pattern.kind == "ctor":
        fn, args = get_app(constructor_view(m, value))
        decl = m.env.find(fn.name) if type(fn) is Const else None
        if isinstance(decl, Constructor) and decl.name == pattern.ctor:
            for p, v in zip(pattern.fields, args[decl.num_params :], strict=True):
                _patterns_at(m, p, v, x, found)


def _test(el: Elab, x: FVar, literal: Expr, target: Expr, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """Build `if x = literal then .. else ..`; `action` proves both branches."""
    m = el.m
    type_ = whnf(m, m.local(x).type)
    assert type(type_) is Const
    equation = mk_apps(mk_const("Eq", (ONE,)), (type_, x, literal))
    instance = mk_apps(mk_const(f"instDecidableEq{type_.name}"), (x, literal))
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
    """Prove `target` by cases on the variable `x`; `action` proves each possible case."""
    m = el.m
    if not _has_plain_indices(m, x) and any(sub is x for sub in subterms(m.instantiate_mvars(target))):
        return _split_dependent(el, x, target, action)
    return cases_on(el, x, target, action)


def cases_on(el: Elab, x: FVar, target: Expr, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """Run the tactic `cases x`, and `action` for each remaining goal."""
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
    """Run the tactic `subst e`, and `action` for the remaining goal."""
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
    """Return constant, parameters and indices of the inductive family of a variable; `None` for other types."""
    fn, args = get_app(whnf(m, m.instantiate_mvars(m.local(x).type)))
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Inductive):
        return None
    m.env.require_shown(decl.name)
    return fn, args[: decl.num_params], args[decl.num_params :]


def _has_plain_indices(m: Meta, x: FVar) -> bool:
    """Return whether the indices are distinct variables, so that they can be abstracted directly."""
    family = _family(m, x)
    if family is None:
        return True
    _, params, indices = family
    if any(type(i) is not FVar or m.local(i).value is not None for i in indices):
        return False
    inside = {s for p in params for s in subterms(p) if type(s) is FVar}
    return len(set(indices)) == len(indices) and not inside & set(indices)


def _split_dependent(el: Elab, x: FVar, target: Expr, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """Cases on `x : T is` where the target depends on `x` and some index is not a variable.

    A copy `y : T js` of `x` is split under the hypotheses `is = js` and `x ≍ y`. They are solved afterwards, first
    those of the indices, then that of `x`.
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
        body = cases_on(el, copy, general, lambda inner, goal: _introduced(inner, goal, len(known), solve))
        return mk_apps(m.mk_lambda([*fresh, copy], body), arguments)
    finally:
        m.lctx = old


def _introduced(el: Elab, target: Expr, count: int, action: Callable[[Elab, Expr], Expr]) -> Expr:
    """Introduce the first `count` binders of the target, then run `action`."""
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
    """Return the step for a branch of `_split_dependent`: solve equations `k` to `count - 1`, then the `HEq`."""

    def solve(el: Elab, target: Expr) -> Expr:
        m = el.m
        if k < count:
            decl = m.lctx.by_name(f"eq{k}_split")
            if decl is None:  # solved with an earlier one
                return _solve_indices(k + 1, count, action)(el, target)
            return cases_on(el, decl.fvar, target, _solve_indices(k + 1, count, action))
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
    leaf: Callable[[Elab, Expr, Alternative, dict[FVar, Expr]], Expr],
    values_of: Callable[[Expr], Sequence[Expr]],
    lacking: Callable[[Elab, Expr, list[FVar]], Expr],
) -> Expr:
    """Build a term of type `target`: split `values` until an alternative applies.

    Args:
        el: The elaborator, in the context of `target`.
        target: The type of the term; it mentions `values`.
        values: The matched values.
        rows: The alternatives, in order.
        leaf: Makes the term where an alternative applies.
        values_of: Reads `values` off a refined target.
        lacking: Makes the term where no alternative is left, from the variables that no alternative was tested on.
    """
    m = el.m
    m.budget.spend("match")

    def split(x: FVar) -> Expr:
        def go(inner: Elab, refined: Expr) -> Expr:
            refined = inner.m.instantiate_mvars(refined)
            return narrow(inner, refined, values_of(refined), rows, leaf, values_of, lacking)

        literal = _tested_literal(m, rows, values, x)
        return _test(el, x, literal, target, go) if literal is not None else split_variable(el, x, target, go)

    for row in rows:
        found: dict[FVar, Expr] = {}
        stuck: list[FVar] = []
        if not all([matching(m, p, v, found, stuck) for p, v in zip(row.patterns, values, strict=True)]):
            continue
        return split(stuck[0]) if stuck else leaf(el, target, row, found)
    rest = untested(m, rows, values)
    return split(rest) if isinstance(rest, FVar) else lacking(el, target, rest)


def contradiction(el: Elab, target: Expr) -> Expr | None:
    """Prove `target` by the tactic `contradiction`; `None` if it fails."""
    assert el.run_tactics is not None
    m = el.m
    mark = m.mctx.mark()
    old = m.lctx
    mvar = m.new_mvar(target, Kind.OPAQUE)
    block = ast.TacSeq((ast.Simple("contradiction"),))
    try:
        with m.quietly():
            el.run_tactics(el, mvar, block)
        return m.instantiate_mvars(mvar)
    except BudgetError:
        raise
    except MetaError:
        m.mctx.rollback(mark)
        m.lctx = old
        return None
