"""Reading string and character literals, escape sequences included."""

from __future__ import annotations

import re
from collections.abc import Mapping

from minilean.syntax.ast import Char, Str, Term
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import STR
from minilean.syntax.text_literals import char_of_code

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(\n[ \n]*)|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
_ESCAPED_WITH_HOLES = {**_ESCAPED, "{": "{"}


def string(p: Cursor) -> str:
    """The value of the string literal that is the next token."""
    if p.kinds[p.i] is not STR:
        p.fail("string literal")
    result = _ESCAPE.sub(lambda match: _escaped(p, match), p.word()[1:-1])
    p.i += 1
    return result


def string_piece(p: Cursor) -> str:
    """The text of the next token, which is a piece of an interpolated string, without its first and last character."""
    word = p.word().removeprefix("s!")[1:-1]
    p.i += 1
    return _ESCAPE.sub(lambda match: _escaped(p, match, _ESCAPED_WITH_HOLES), word)


def _escaped(p: Cursor, match: re.Match[str], known: Mapping[str, str] = _ESCAPED) -> str:
    if match[3]:  # a line break that is not part of the value
        return ""
    if match[4]:
        if match[4] not in known:
            raise p.error("invalid escape sequence")
        return known[match[4]]
    return char_of_code(int(match[1] or match[2], 16))


def string_term(p: Cursor, prec: int) -> Term:
    """A string literal as a term."""
    start, value = p.starts[p.i], string(p)
    return Str(value, start=start, end=p.end())


def char_term(p: Cursor, prec: int) -> Term:
    """A character literal as a term."""
    start = p.starts[p.i]
    value = _ESCAPE.sub(lambda match: _escaped(p, match), p.word()[1:-1])
    p.i += 1
    return Char(value, start=start, end=p.end())
