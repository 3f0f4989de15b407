"""Universe levels: `u`, `0`, `_`, `u + 1`, `max u v`, `imax u v`, `(..)`."""

from __future__ import annotations

from minilean.syntax.ast import LevelStx
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import IDENT, NUM

_MAX_LEVEL = 32  # Lean's own bound on universe offsets
_STARTS = frozenset({IDENT, NUM, "_", "("})


def at_level(p: Cursor) -> bool:
    """Return whether the next token can start a level that follows `Type` or `Sort`."""
    return p.kinds[p.i] in _STARTS and not p.adjacent() and p.indented()


def level(p: Cursor) -> LevelStx:
    """A level with any number of `+ n` after it."""
    p.enter()
    start = p.starts[p.i]
    left = level_atom(p)
    while p.accept("+"):
        value = level_numeral(p)
        left = LevelStx("succ", value=value, args=(left,), start=start, end=p.end())
        p.grow()
    p.leave()
    return left


def level_atom(p: Cursor) -> LevelStx:
    """A level without `+` outside parentheses."""
    start, kind = p.starts[p.i], p.kinds[p.i]
    if kind is NUM:
        return LevelStx("num", value=level_numeral(p), start=start, end=p.end())
    if p.accept("_"):
        return LevelStx("hole", start=start, end=p.end())
    if p.accept("("):
        column = p.open()
        inner = level(p)
        p.close(")", column)
        return inner
    if kind is not IDENT:
        p.fail("universe level")
    name = p.name()
    if name not in ("max", "imax"):
        return LevelStx("name", name=name, start=start, end=p.end())
    p.enter()
    args = [level_atom(p)]
    while at_level(p):
        args.append(level_atom(p))
    p.leave()
    return LevelStx(name, args=tuple(args), start=start, end=p.end())


def level_numeral(p: Cursor) -> int:
    """A numeral small enough for a universe level."""
    value = p.natural()
    if value > _MAX_LEVEL:
        raise p.unsupported(f"universe levels above {_MAX_LEVEL}")
    return value


def universe_args(p: Cursor) -> tuple[LevelStx, ...]:
    """`u, v}` after `.{`."""
    column = p.open()
    levels = [level(p)]
    while p.accept(","):
        levels.append(level(p))
    p.close("}", column)
    return tuple(levels)
