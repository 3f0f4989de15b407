"""Printing of applications of matchers as the `match` expressions that they were compiled from.

Source: Lean 4 `src/Lean/PrettyPrinter/Delaborator/Builtins.lean`, `delabAppMatch` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from minilean.kernel.expr import BVar, Const, Expr, FVar, Lam, Pi, get_app
from minilean.kernel.instantiate import instantiate1
from minilean.printer import parenthesize as show
from minilean.printer.parenthesize import Fragment
from minilean.printer.pp_context import MatcherShape, PPContext
from minilean.printer.quick_types import Glance
from minilean.printer.unexpanders import Printer


class MatchPrinter(Printer, Protocol):
    """The parts of the delaborator that printing a `match` uses."""

    ctx: PPContext
    glance: Glance


def show_match(p: MatchPrinter, fn: Const, args: Sequence[Expr], shape: MatcherShape) -> Fragment | None:
    """`match d with | p => e ..` for a complete application of a matcher whose alternatives are functions."""
    first = shape.num_params + 1
    last = first + shape.num_discrs
    end = last + len(shape.alt_arities)
    decl = p.ctx.find(fn.name)
    if len(args) < end or decl is None:
        return None
    type_: Expr = decl.type
    given = [*args[: shape.num_params], fn, *args[first:last], *[fn] * len(shape.alt_arities)]
    domains: list[Expr] = []
    for i in range(end):
        if type(type_) is not Pi:
            return None
        domains.append(type_.type)
        # no type mentions an alternative; the motive may be any term, since only its arguments are used
        type_ = instantiate1(type_.body, given[i])
    rows = []
    for i, arity in enumerate(shape.alt_arities):
        row = _alternative(p, args[last + i], domains[last + i], arity, shape.has_unit[i])
        if row is None:
            return None
        rows.append(row)
    out = show.match([p.term(discr) for discr in args[first:last]], rows)
    return show.application(out, [p.term(a) for a in args[end:]]) if len(args) > end else out


def _alternative(
    p: MatchPrinter, e: Expr, domain: Expr, arity: int, has_unit: bool
) -> tuple[list[Fragment], Fragment] | None:
    """Patterns and right side, from the function and the type that the matcher gives it."""
    probe: Expr = e
    for _ in range(arity):
        if type(probe) is not Lam:
            return None
        probe = probe.body
    taken: set[str] = set()
    for _ in range(arity):
        assert type(e) is Lam and type(domain) is Pi
        # patterns and right side are both below the binder
        name = "_" if has_unit else p.name_for(e.name, e.body, taken)
        taken.add(name)
        p.glance.enter(name, e.type)
        e, domain = e.body, domain.body
    _, terms = get_app(domain)
    # a variable from outside of the match is no pattern of its own
    forced = [type(t) is FVar or (type(t) is BVar and t.idx >= arity) for t in terms]
    shown = [
        show.enclosed(".(", [p.term(t)], ")") if f else p.term(t) for t, f in zip(terms, forced, strict=True)
    ]
    out = shown, p.term(e)
    for _ in range(arity):
        p.glance.leave()
    return out
