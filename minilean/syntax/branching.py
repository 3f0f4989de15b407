"""Terms with branches or steps: `if`, `bif`, `match` and `calc`."""

from __future__ import annotations

from collections.abc import Callable

from minilean.syntax.ast import App, Calc, CalcStep, Hole, Ident, If, Match, MatchAlt, Term
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import IDENT
from minilean.syntax.terms import term


def optional_name(p: Cursor) -> str | None:
    """`h :` if it comes next."""
    if not p.at_binder_name() or p.kinds[p.i + 1] != ":":
        return None
    name = p.binder_name()
    p.i += 1
    return name


def _if(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    if p.accept("let"):
        return _if_let(p, start)
    name = optional_name(p)
    condition, then, orelse = _branches(p, name is not None)
    return If(name, condition, then, orelse, start=start, end=p.end())


def condition_of(p: Cursor, named: bool) -> Term:
    """`c then`; `named` says whether a name for the hypothesis came before."""
    p.need_term("term" if named else "'_', 'let', identifier or term")
    condition = term(p)
    short = not named and isinstance(condition, Ident | Hole)
    p.expect("then", "':' or 'then'" if short else "")
    return condition


def _branches(p: Cursor, named: bool = True) -> tuple[Term, Term, Term]:
    """`c then a else b`."""
    condition = condition_of(p, named)
    then = term(p)
    p.expect("else")
    return condition, then, term(p)


def _if_let(p: Cursor, start: int) -> Term:
    """`if let pat := e then a else b`, which abbreviates a `match` with two alternatives."""
    pattern = term(p)
    p.expect(":=")
    discriminant, then, orelse = _branches(p)
    rest = Hole(start=orelse.start, end=orelse.start)
    alts = (
        MatchAlt((pattern,), then, start=pattern.start, end=then.end),
        MatchAlt((rest,), orelse, start=orelse.start, end=orelse.end),
    )
    return Match(((None, discriminant),), alts, None, True, start=start, end=p.end())


def _bif(p: Cursor, prec: int) -> Term:
    """`bif c then a else b`, which abbreviates `cond c a b`."""
    start = p.starts[p.i]
    p.i += 1
    word_end = p.end()
    args = _branches(p)
    return App(Ident("cond", start=start, end=word_end), args, start=start, end=p.end())


def match_alts(p: Cursor, body: Callable[[Cursor], Term]) -> tuple[MatchAlt, ...]:
    """Alternatives `| p, q => e` in the allowed columns; `| p | q => e` gives two alternatives with one body."""
    if p.kinds[p.i] != "|":
        p.fail("'|'")
    saved, p.column = p.column, p.columns[p.i]
    alts: list[MatchAlt] = []
    while p.kinds[p.i] == "|" and p.columns[p.i] >= p.column:
        start = p.starts[p.i]
        rows: list[tuple[Term, ...]] = []
        while p.accept("|"):
            row = [term(p)]
            while p.accept(","):
                row.append(term(p))
            rows.append(tuple(row))
        p.expect("=>")
        if p.columns[p.i] < p.column:
            raise p.error(
                "expected alternative right-hand-side to start in a column greater than or equal to the "
                "corresponding '|'"
            )
        result = body(p)
        alts += [MatchAlt(patterns, result, start=start, end=p.end()) for patterns in rows]
    p.column = saved
    return tuple(alts)


def match(p: Cursor, body: Callable[[Cursor], Term]) -> Match:
    """A `match` from its keyword on, as a term or, with another `body`, as a tactic."""
    start = p.starts[p.i]
    p.i += 1
    motive, generalizing = _match_options(p)
    discriminants = [(optional_name(p), term(p))]
    while p.accept(","):
        discriminants.append((optional_name(p), term(p)))
    p.expect("with")
    alts = match_alts(p, body)
    return Match(tuple(discriminants), alts, motive, generalizing, start=start, end=p.end())


def _match_options(p: Cursor) -> tuple[Term | None, bool]:
    """`(motive := e)` and `(generalizing := false)`."""
    motive, generalizing = None, True
    while p.kinds[p.i] == "(" and p.kinds[p.i + 1] is IDENT and p.kinds[p.i + 2] == ":=":
        p.i += 1
        column = p.open()
        name = p.name()
        p.i += 1
        value = term(p)
        p.close(")", column)
        if name == "motive":
            motive = value
        elif name == "generalizing":
            generalizing = not (isinstance(value, Ident) and value.name == "false")
        else:
            raise p.unsupported(f"`match ({name} := ..)`")
    return motive, generalizing


def _match(p: Cursor, prec: int) -> Term:
    return match(p, term)


def calc(p: Cursor, prec: int) -> Calc:
    """The steps of a calculation from its keyword on.

    The steps after the first line up with the second. The first step's proof may be missing: then it is the
    left side that the rest starts from.
    """
    start = p.starts[p.i]
    p.i += 1
    saved, p.column = p.column, p.columns[p.i]
    steps = [_calc_step(p, needs_proof=False)]
    # only a step starts with `_`, so it may be left of the column of the term after `calc`
    p.column = p.columns[p.i] if p.kinds[p.i] == "_" else max(saved, p.columns[p.i])
    while _at_later_step(p, saved):
        steps.append(_calc_step(p, needs_proof=True))
    p.column = saved
    return Calc(tuple(steps), start=start, end=p.end())


def _at_later_step(p: Cursor, outer: int) -> bool:
    """Return whether a step comes next; a token in the column of the outer block, except `_`, is the next tactic."""
    kind, column = p.kinds[p.i], p.columns[p.i]
    is_step = kind == "_" or (kind in p.leading and column > outer)
    return is_step and column >= p.column and p.after_linebreak()


def _calc_step(p: Cursor, *, needs_proof: bool) -> CalcStep:
    start = p.starts[p.i]
    relation = term(p)
    if needs_proof and p.kinds[p.i] != ":=":
        p.fail("':='")
    proof = term(p) if p.accept(":=") else None
    return CalcStep(relation, proof, start=start, end=p.end())


LEADING: dict[str, Callable[[Cursor, int], Term]] = {
    "bif": _bif,
    "if": _if,
    "match": _match,
    "calc": calc,
}
