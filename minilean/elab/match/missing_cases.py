"""Cases that no alternative covers: the variables that are left to split there, and the proof that they cannot occur.

Source: Lean 4 `src/Lean/Meta/Match/Match.lean` (`process`) (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Protocol

from minilean.elab.match.patterns import (
    ANY,
    Pattern,
    constructor_view,
    example_text,
    is_excluded,
    literal_value,
    unary,
)
from minilean.elab.term import Elab
from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import Const, Expr, FVar, get_app, mk_lit
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError
from minilean.meta.metavars import Meta
from minilean.meta.numerals import literal_to_constructor
from minilean.syntax import ast
from minilean.syntax.ast.base import node


class Row(Protocol):
    """An alternative, as far as its patterns go."""

    patterns: list[Pattern]


def untested(m: Meta, rows: Sequence[Row], values: Sequence[Expr]) -> list[FVar] | FVar:
    """Return the variables of `values`, to which no alternative applies, that Lean has not dealt with.

    Lean tests the first pattern of the first alternative that can fail, and drops the alternatives that it excludes; a
    value whose patterns cannot fail is done.

    Returns:
        The variables left where the last alternative is excluded; or the variable that has to be split before.
    """
    left = list(values)
    table = [list(row.patterns) for row in rows]
    while table:
        if all(_is_open(patterns[0]) for patterns in table):
            left, table = left[1:], [patterns[1:] for patterns in table]
            continue
        first = next(i for i, pattern in enumerate(table[0]) if not _is_open(pattern))
        left = [left[first], *left[:first], *left[first + 1 :]]
        table = [[line[first], *line[:first], *line[first + 1 :]] for line in table]
        view = constructor_view(m, left[0])
        if type(view) is FVar:
            kept = [
                line for line in table if not (line[0].kind == "lit" and is_excluded(m, view, line[0].value))
            ]
            if len(kept) == len(table):
                return view
            table = kept
        else:
            left, table = _tested(m, view, left[1:], table)
    return [value for value in left if type(value) is FVar]


def _is_open(pattern: Pattern) -> bool:
    return pattern.kind in ("any", "var")


def _tested(
    m: Meta, view: Expr, rest: list[Expr], table: list[list[Pattern]]
) -> tuple[list[Expr], list[list[Pattern]]]:
    """Keep the alternatives whose first pattern fits the first value, whose fields take its place."""
    number = literal_value(m, view)
    open_lines = [line for line in table if _is_open(line[0])]
    if isinstance(number, str):
        return rest, [line[1:] for line in table if _is_open(line[0]) or line[0].value == number]
    fn, args = get_app(view if number is None else literal_to_constructor(mk_lit(number)))
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Constructor):
        return rest, [line[1:] for line in open_lines]
    heads = [unary(line[0]) for line in table]
    if open_lines and all(decl.name != head.ctor for head in heads):
        return rest, [line[1:] for line in open_lines]  # Lean does not take the other constructors apart
    fields = args[decl.num_params :]
    refined = []
    for head, line in zip(heads, table, strict=True):
        if _is_open(head):
            refined.append([*(ANY for _ in fields), *line[1:]])
        elif head.ctor == decl.name:
            refined.append([*head.fields, *line[1:]])
    return [*fields, *rest], refined


@node(frozen=True)
class RefuteCases(ast.Tactic):
    """Close the goal of a case that no alternative covers.

    Attributes:
        values: The matched values.
        variables: The variables to split, in order.
        lacks: Gets the texts of the cases that can occur.
    """

    values: tuple[Expr, ...]
    variables: tuple[FVar, ...]
    lacks: list[str] = field(compare=False)


def refute_cases(
    el: Elab, target: Expr, values: Sequence[Expr], variables: Sequence[FVar], lacks: list[str]
) -> Expr | None:
    """Prove `target` in a case that no alternative covers; `None` if a case can occur.

    Args:
        el: The elaborator, in the context of `target`.
        target: The statement.
        values: The matched values.
        variables: The variables to split, in order.
        lacks: Gets the texts of the cases that can occur.
    """
    assert el.run_tactics is not None
    m = el.m
    mark, old = m.mctx.mark(), m.lctx
    mvar = m.new_mvar(target, Kind.OPAQUE)
    known = len(lacks)
    block = ast.TacSeq((RefuteCases(tuple(values), tuple(variables), lacks),))
    try:
        with m.quietly():
            el.run_tactics(el, mvar, block)
    except MetaError:
        if len(lacks) == known:
            raise
        m.mctx.rollback(mark)
        return None
    finally:
        m.lctx = old
    return m.instantiate_mvars(mvar)


def case_text(m: Meta, values: Sequence[Expr]) -> str:
    """Return the text of a case in the message `Missing cases`."""
    return ", ".join(example_text(m, value) for value in values)
