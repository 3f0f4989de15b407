"""Splitters: eliminators of matchers that provide overlap assumptions.

Where alternatives of a `match` overlap, the matcher gives no hypothesis that the earlier ones do not apply. Its
splitter does: alternative `i` proves `motive ps` from `∀ ys, p = q → False` for each earlier overlapping one.

Source: Lean 4 `src/Lean/Meta/Match/MatchEqs.lean`, `SimpH.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minilean.elab.match.case_trees import Alternative, contradiction, narrow
from minilean.elab.match.overlaps import exclusions, refuted
from minilean.elab.match.patterns import digest
from minilean.elab.term import Elab
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Pi,
    get_app_args,
    mk_apps,
    mk_pi,
    mk_sort,
)
from minilean.kernel.instantiate import abstract, instantiate, instantiate1, instantiate_level_params
from minilean.kernel.level import Level
from minilean.meta.errors import MetaError
from minilean.meta.extension import MatcherInfo
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
    """Build the splitter of a matcher, for motives into `Sort level`.

    Raises:
        MetaError: An assumption could not be proved.
    """
    m = el.m
    old = m.lctx
    try:
        _, xs, rows = rows_of(m, fn, info, params)
        motive = m.push_local("motive", m.mk_pi(xs, mk_sort(level)))
        props = [exclusions(m, rows, i) for i in range(len(rows))]
        handlers = []
        for i, (row, assumed) in enumerate(zip(rows, props, strict=True), 1):
            end: Expr = mk_apps(motive, row.terms)
            for prop in reversed(assumed):
                end = mk_pi("x✝", prop, end)
            handlers.append(m.push_local(f"h_{i}", m.mk_pi(row.variables, end)))

        def leaf(inner: Elab, target: Expr, row: Alternative | None, found: dict[FVar, Expr]) -> Expr:
            if row is None:
                closed = contradiction(inner, target)
                if closed is None:
                    raise MetaError("a `match` with missing cases")
                return closed
            i = [r is row for r in rows].index(True)
            values = [found[x] for x in row.variables]
            proofs = [refuted(inner, instantiate(abstract(p, row.variables), values)) for p in props[i]]
            return mk_apps(handlers[i], [*values, *proofs])

        tree = narrow(el, mk_apps(motive, xs), xs, rows, leaf, get_app_args)
        value = m.mk_lambda([motive, *xs, *handlers], m.instantiate_mvars(tree))
        variables = tuple(len(row.variables) for row in rows)
        arities = tuple(n + len(assumed) for n, assumed in zip(variables, props, strict=True))
        return Splitter(value, arities, variables)
    finally:
        m.lctx = old
