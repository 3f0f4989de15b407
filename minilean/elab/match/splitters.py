"""Splitters: eliminators of matchers that provide overlap assumptions.

Where alternatives of a `match` overlap, the matcher gives no hypothesis that the earlier ones do not apply. Its
splitter does: alternative `i` proves `motive ps` from `∀ ys, p = q → False` for each earlier overlapping one.

Source: Lean 4 `src/Lean/Meta/Match/MatchEqs.lean`, `SimpH.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minilean.elab.match.case_trees import Alternative, narrow
from minilean.elab.match.match_alternatives import UNIT_VALUE
from minilean.elab.match.matchers import closed_levels
from minilean.elab.match.missing_cases import refute_cases
from minilean.elab.match.overlaps import equation, exclusions, proved_by_exclusion, refuted
from minilean.elab.match.patterns import digest
from minilean.elab.term import Elab
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Pi,
    get_app_args,
    mk_apps,
    mk_const,
    mk_pi,
    mk_sort,
)
from minilean.kernel.instantiate import (
    abstract,
    beta_apply,
    instantiate,
    instantiate1,
    instantiate_level_params,
)
from minilean.kernel.level import Level
from minilean.meta.errors import BudgetError, MetaError
from minilean.meta.extension import MatcherInfo
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.syntax import ast


@dataclass(slots=True)
class Splitter:
    """Splitter, over the local variables that its parameters mention.

    Attributes:
        value: `fun motive xs alternatives => ..`.
        arities: Number of arguments of each alternative: pattern variables, then overlap assumptions.
        variables: Number of pattern variables of each alternative.
    """

    value: Expr
    arities: tuple[int, ...]
    variables: tuple[int, ...]


@dataclass(slots=True)
class AlternativeEquation:
    """Equation between a `match` on the patterns of an alternative and the body of that alternative.

    Attributes:
        proof: `fun params motive alternatives ys assumptions => ..`, a proof of the equation.
        assumptions: Number of overlap assumptions.
        row: The alternative, over other local variables.
    """

    proof: Expr
    assumptions: int
    row: Alternative


def rows_of(
    m: Meta, fn: Const, info: MatcherInfo, params: Sequence[Expr]
) -> tuple[FVar, list[FVar], list[Alternative]]:
    """Introduce motive, discriminants and alternatives of a matcher as local variables of the current context."""
    decl = m.env.find(fn.name)
    assert decl is not None
    type_ = instantiate_level_params(decl.type, decl.level_params, fn.levels)
    for arg in params:
        type_ = instantiate1(type_.body, arg)  # type: ignore[attr-defined]
    (motive, *xs), rest = m.intro_binders(type_, 1 + info.num_discrs)
    rows = []
    for arity, unit in zip(info.alt_arities, info.has_unit, strict=True):
        assert type(rest) is Pi
        variables, end = m.intro_binders(rest.type, arity)
        terms = get_app_args(end)
        own = set() if unit else set(variables)
        seen: set[FVar] = set()
        patterns = [digest(m, t, own, seen) for t in terms]
        decls = [m.local(x) for x in variables]
        if unit:
            variables = []
        rows.append(Alternative(variables, decls, terms, patterns, ast.MatchAlt((), ast.Hole())))
        rest = rest.body
    return motive, xs, rows


def splitter(el: Elab, fn: Const, info: MatcherInfo, params: Sequence[Expr], level: Level) -> Splitter:
    """Return the splitter of a matcher, for motives into `Sort level`; it is built once.

    Raises:
        MetaError: An assumption could not be proved.
    """
    m = el.m
    made = m.env.splitters.get((fn, level))
    if not isinstance(made, Splitter):
        made = _general(el, fn, info, level)
        if not fn.has_mvar and not level.has_mvar and not made.value.has_mvar:
            made.value = _declared(m, made.value)
            m.env.splitters[fn, level] = made
    return Splitter(beta_apply(made.value, params), made.arities, made.variables)


def alternative_equation(el: Elab, fn: Const, info: MatcherInfo, number: int) -> AlternativeEquation | None:
    """Return the equation of an alternative of a matcher, which is proved once; `None` if that failed."""
    m = el.m
    if fn.has_mvar:
        return None
    key = fn, "equation", number
    if key not in m.env.splitters:
        mark, old = m.mctx.mark(), m.lctx
        try:
            m.env.splitters[key] = _equation(el, fn, info, number)
        except BudgetError:
            raise
        except MetaError:
            m.mctx.rollback(mark)
            m.env.splitters[key] = None
        finally:
            m.lctx = old
    found = m.env.splitters[key]
    return found if isinstance(found, AlternativeEquation) else None


def _equation(el: Elab, fn: Const, info: MatcherInfo, number: int) -> AlternativeEquation:
    m = el.m
    params = _parameters(m, fn, info)
    motive, xs, rows = rows_of(m, fn, info, params)
    row = rows[number]
    sides, _ = m.intro_binders(infer_type(m, mk_apps(fn, [*params, motive, *xs])), len(rows))
    assumed = exclusions(m, rows, number)
    hypotheses = [m.push_local("x✝", prop) for prop in assumed]
    right = beta_apply(sides[number], row.variables or [UNIT_VALUE])
    target = equation(m, mk_apps(fn, [*params, motive, *row.terms, *sides]), right)
    first = info.num_params + 1

    def values_of(goal: Expr) -> Sequence[Expr]:
        left = get_app_args(m.instantiate_mvars(goal))[1]
        return get_app_args(left)[first : first + info.num_discrs]

    proof = proved_by_exclusion(el, target, rows, row, values_of)
    binders = [*params, motive, *sides, *row.variables, *hypotheses]
    closed = _declared(m, m.mk_lambda(binders, m.instantiate_mvars(proof)))
    return AlternativeEquation(closed, len(assumed), row)


def _declared(m: Meta, value: Expr) -> Expr:
    """Declare a closed term where auxiliary declarations are made, so that the kernel checks it once."""
    if m.auxiliary_prefix is None or value.has_mvar:
        return value
    params, closed, levels = closed_levels(m, value)
    index = 1
    while m.env.find(f"{m.auxiliary_prefix}.splitter_{index}") is not None:
        index += 1
    name = f"{m.auxiliary_prefix}.splitter_{index}"
    m.env.kernel.add_definition(name, params, m.instantiate_mvars(infer_type(m, closed)), closed)
    return mk_const(name, levels)


def _parameters(m: Meta, fn: Const, info: MatcherInfo) -> list[FVar]:
    """Introduce the parameters of a matcher as local variables of the current context."""
    params, _ = m.intro_binders(infer_type(m, fn), info.num_params)
    return params


def _general(el: Elab, fn: Const, info: MatcherInfo, level: Level) -> Splitter:
    """Build the splitter of a matcher as a function of the parameters."""
    m = el.m
    old = m.lctx
    try:
        params = _parameters(m, fn, info)
        _, xs, rows = rows_of(m, fn, info, params)
        motive = m.push_local("motive", m.mk_pi(xs, mk_sort(level)))
        props = [exclusions(m, rows, i) for i in range(len(rows))]
        handlers = []
        for i, (row, assumed) in enumerate(zip(rows, props, strict=True), 1):
            end: Expr = mk_apps(motive, row.terms)
            for prop in reversed(assumed):
                end = mk_pi("x✝", prop, end)
            handlers.append(m.push_local(f"h_{i}", m.mk_pi(row.variables, end)))

        def lacking(inner: Elab, target: Expr, rest: list[FVar]) -> Expr:
            closed = refute_cases(inner, target, get_app_args(target), rest, [])
            if closed is None:
                raise MetaError("a `match` with missing cases")
            return closed

        def leaf(inner: Elab, target: Expr, row: Alternative, found: dict[FVar, Expr]) -> Expr:
            i = [r is row for r in rows].index(True)
            values = [found[x] for x in row.variables]
            proofs = [refuted(inner, instantiate(abstract(p, row.variables), values)) for p in props[i]]
            return mk_apps(handlers[i], [*values, *proofs])

        tree = narrow(el, mk_apps(motive, xs), xs, rows, leaf, get_app_args, lacking)
        value = m.mk_lambda([*params, motive, *xs, *handlers], m.instantiate_mvars(tree))
        variables = tuple(len(row.variables) for row in rows)
        arities = tuple(n + len(assumed) for n, assumed in zip(variables, props, strict=True))
        return Splitter(value, arities, variables)
    finally:
        m.lctx = old
