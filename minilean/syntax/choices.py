"""Tokens that start several notations: each notation is tried, the longest parse wins, and ties are all kept.

A parse that fails further on counts as longer, as in Lean. Arguments are parsed once for each precedence and cached,
so that the number of parses of a text does not grow with its nesting.

Source: Lean 4 `src/Lean/Parser/Basic.lean` (`longestMatchFn`, `trailingLoop`) (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from minilean.syntax.ast import BinOp, Choice, Term
from minilean.syntax.cursor import Cursor, T
from minilean.syntax.errors import ParseError
from minilean.syntax.terms import term

PRIORITY = 1000
"""The priority of core's notations, and of the user's notations that state none."""


class Trailing(NamedTuple):
    """Parser of a notation that starts with a term, from its first token on.

    Attributes:
        prec: Precedence of the notation.
        left: Least precedence of the term in front.
        priority: Of two parses of one length, the one of higher priority is taken.
        parse: Parses on from the token, given the term in front and its start offset.
    """

    prec: int
    left: int
    priority: int
    parse: Callable[[Cursor, Term, int], Term]


class Leading(NamedTuple):
    """Parser of a notation that starts with a token; `prec` is `None` if `parse` checks the precedence itself."""

    prec: int | None
    priority: int
    parse: Callable[[Cursor, int], Term]


def operator(precs: tuple[int, int, int], symbol: str) -> Trailing:
    """One of core's binary operators."""

    def parse(p: Cursor, left: Term, start: int) -> Term:
        p.i += 1
        right = argument(p, precs[2])
        return BinOp(symbol, left, right, start=start, end=p.end())

    return Trailing(precs[0], precs[1], PRIORITY, parse)


def argument(p: Cursor, prec: int) -> Term:
    """A term in the place of an argument."""
    key = (p.i, prec, p.column)
    hit = p.memo.get(key)
    if hit is None:
        outer, p.height = p.height, 0
        try:
            found: Term | ParseError = term(p, prec)
        except ParseError as error:
            found = error
        hit = p.memo[key] = (found, p.i, p.height)
        p.height = outer
    found, p.i, height = hit
    p.height = max(p.height, height)
    if isinstance(found, ParseError):
        raise found
    return found


@dataclass(frozen=True, slots=True)
class TrailingChoice:
    """The notations that continue with one token after a term."""

    readers: tuple[Trailing, ...]

    def __call__(
        self, p: Cursor, left: Term, start: int, prec: int, left_prec: int
    ) -> tuple[Term, int] | None:
        """Parse on after `left`.

        Args:
            p: At the token.
            left: The term in front.
            start: Where that starts.
            prec: How tightly the whole term has to bind.
            left_prec: How tightly `left` binds.

        Returns:
            The whole term and its precedence; `None` if no notation fits here.
        """
        fitting = [r for r in self.readers if r.prec >= prec and left_prec >= r.left]
        if not fitting:
            return None
        readings = [(r.priority, lambda r=r: r.parse(p, left, start)) for r in fitting]
        return _chosen(p, readings), min(r.prec for r in fitting)


@dataclass(frozen=True, slots=True)
class LeadingChoice:
    """Several notations that start with one token."""

    readers: tuple[Leading, ...]

    def __call__(self, p: Cursor, prec: int) -> Term:
        """Read a term of at least this precedence."""
        fitting = [r for r in self.readers if r.prec is None or r.prec >= prec]
        if not fitting:
            p.fail("term")
        return _chosen(p, [(r.priority, lambda r=r: r.parse(p, prec)) for r in fitting])  # type: ignore[misc]


def _chosen(p: Cursor, readers: Sequence[tuple[int, Callable[[], Term]]]) -> Term:
    """The longest parse, or all of them as one term if several are equally long."""
    found = longest(p, readers)
    first = found[0]
    return first if len(found) == 1 else Choice(tuple(found), start=first.start, end=first.end)


def longest(p: Cursor, readers: Sequence[tuple[int, Callable[[], T]]]) -> list[T]:
    """The longest parse, or all of them if several are equally long; each reader comes with its priority."""
    if len(readers) == 1:
        return [readers[0][1]()]
    before = p.mark()
    best: tuple[int, bool, int] | None = None
    found: list[T] = []
    failure: ParseError | None = None
    after = before
    for priority, read in readers:
        p.reset(before)
        try:
            result = read()
            score = (p.starts[p.i], True, priority)
        except ParseError as error:
            score = (error.offset, False, priority)
            if best is None or score > best:
                best, found, failure = score, [], error
            continue
        if best is None or score > best:
            best, found, failure, after = score, [result], None, p.mark()
        elif score == best:
            found.append(result)
    if failure is not None:
        raise failure
    p.reset(after)
    return found
