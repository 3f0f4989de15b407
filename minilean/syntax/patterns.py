"""Patterns of `rcases`, `obtain` and `rintro`, and the term patterns of `have ⟨x, y⟩ := e`."""

from __future__ import annotations

from minilean.syntax.ast import AnonCtor, Ascription, Hole, Ident, Paren, RPat, Term, TupleStx
from minilean.syntax.cursor import Cursor
from minilean.syntax.errors import parse_error
from minilean.syntax.lexer import IDENT
from minilean.syntax.terms import term

_STARTS = frozenset({IDENT, "_", "-", "⟨", "(", "@"})


def at_pattern(p: Cursor) -> bool:
    """Return whether the next token can start a pattern."""
    return p.kinds[p.i] in _STARTS


def pattern(p: Cursor) -> RPat:
    """`p1 | p2 | ..`, without a type."""
    start = p.starts[p.i]
    alts = [_one(p)]
    while p.accept("|"):
        alts.append(_one(p))
    if len(alts) == 1:
        return alts[0]
    return RPat("alts", items=tuple(alts), start=start, end=p.end())


def typed_pattern(p: Cursor) -> RPat:
    """`p1 | p2 : type`, the type being optional."""
    start, inner = p.starts[p.i], pattern(p)
    if not p.accept(":"):
        return inner
    type_ = term(p)
    return RPat("typed", items=(inner,), type=type_, start=start, end=p.end())


def _one(p: Cursor) -> RPat:
    start, kind = p.starts[p.i], p.kinds[p.i]
    if kind == "@":
        raise p.unsupported("`@` patterns")
    if kind not in _STARTS:
        p.fail("pattern")
    if kind in ("_", "-") or kind is IDENT:
        name = p.name() if kind is IDENT else kind
        p.i += kind is not IDENT
        return RPat("name", name, start=start, end=p.end())
    p.enter()
    p.i += 1
    column = p.open()
    if kind == "(":
        inner = typed_pattern(p)
        p.close(")", column)
    else:
        items: list[RPat] = []
        while p.kinds[p.i] != "⟩":
            items.append(typed_pattern(p))
            if not p.accept(","):
                break
        p.close("⟩", column)
        inner = RPat("tuple", items=tuple(items), start=start, end=p.end())
    p.leave()
    return inner


def intro_patterns(p: Cursor, typed: bool = True) -> tuple[RPat, ...]:
    """The patterns after `rintro`, also as `(p q : type)`; with `typed`, one type for all of them may follow."""
    found: list[RPat] = []
    while at_pattern(p) and p.indented():
        if p.kinds[p.i] == "(":
            found.extend(_intro_group(p))
        else:
            found.append(_one(p))
    if not found:
        p.fail("pattern")
    return _typed(p, found) if typed else tuple(found)


def _intro_group(p: Cursor) -> tuple[RPat, ...]:
    p.enter()
    p.i += 1
    column = p.open()
    found = [pattern(p)]
    while at_pattern(p):
        found.append(_one(p))
    group = _typed(p, found)
    p.close(")", column)
    p.leave()
    return group


def _typed(p: Cursor, found: list[RPat]) -> tuple[RPat, ...]:
    if not p.accept(":"):
        return tuple(found)
    type_ = term(p)
    return tuple(RPat("typed", items=(item,), type=type_, start=item.start, end=p.end()) for item in found)


def from_term(p: Cursor, term_: Term) -> RPat:
    """The `rcases` pattern that matches as a term pattern does.

    Raises:
        ParseError: for a pattern with anything but names, `_`, tuples and types.
    """
    start, end = term_.start, term_.end
    match term_:
        case Ident(name=name, levels=None):
            return RPat("name", name, start=start, end=end)
        case Hole():
            return RPat("name", "_", start=start, end=end)
        case Paren(term=inner):
            return from_term(p, inner)
        case AnonCtor(args=items):
            return RPat("tuple", items=tuple(from_term(p, item) for item in items), start=start, end=end)
        case TupleStx(items=items) if items:
            return RPat("tuple", items=tuple(from_term(p, item) for item in items), start=start, end=end)
        case Ascription(term=inner, type=type_):
            return RPat("typed", items=(from_term(p, inner),), type=type_, start=start, end=end)
    raise parse_error(p.text, start, f"unsupported: the pattern `{p.text[start:end]}`")
