"""Printing of terms by the user's notations.

A notation whose right side is a constant applied to arguments is also read from right to left: an application of that
constant whose printed arguments fit is printed by the notation.

Source: Lean 4 `src/Lean/Elab/Notation.lean` (`mkUnexpander`), `src/Lean/PrettyPrinter/Formatter.lean` (`pushToken`),
`src/Lean/PrettyPrinter/Parenthesizer.lean` (4.34).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from minilean.printer.layout import LINE, Doc
from minilean.printer.parenthesize import CLOSED, Fragment, parenthesized
from minilean.syntax.lexer import BAD, tokenize
from minilean.syntax.notation import ARG_PREC, MAX_PREC


@dataclass(frozen=True, slots=True)
class Argument:
    """Any term; it goes where the notation has its argument `index`."""

    index: int


@dataclass(frozen=True, slots=True)
class Word:
    """A name or a numeral that has to be printed exactly as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Applied:
    """An application of these."""

    head: Pattern
    args: tuple[Pattern, ...]


Pattern: TypeAlias = Argument | Word | Applied


@dataclass(frozen=True, slots=True)
class Piece:
    """A token as the user wrote it, spaces included, or an argument at a precedence."""

    token: str | None
    prec: int


@dataclass(frozen=True, slots=True)
class ShownNotation:
    """A notation for printing.

    Attributes:
        prec: Precedence of the whole term.
        pieces: Tokens and arguments from left to right.
        patterns: Patterns that the explicit arguments of the constant have to match.
    """

    prec: int
    pieces: tuple[Piece, ...]
    patterns: tuple[Pattern, ...]

    def show(self, args: Sequence[Fragment]) -> Fragment | None:
        """The application to these printed arguments, `None` if they do not fit.

        Args:
            args: The explicit arguments in front.
        """
        if len(args) != len(self.patterns):
            return None
        found: dict[int, Fragment] = {}
        if not all(_fits(pattern, arg, found) for pattern, arg in zip(self.patterns, args, strict=True)):
            return None
        return _printed(self, [found[i] for i in range(len(found))])


Notations: TypeAlias = Mapping[str, tuple[ShownNotation, ...]]
"""Constant -> notations that show its applications, the latest first."""

NONE: Final[Notations] = {}


def _fits(pattern: Pattern, term: Fragment, found: dict[int, Fragment]) -> bool:
    """Return whether a printed term is an instance of a pattern; its parts are added to `found`."""
    if isinstance(pattern, Argument):
        found[pattern.index] = term
        return True
    if isinstance(pattern, Word):
        return term.flat == pattern.text and term.cont == MAX_PREC
    if term.shape != "application":
        return False
    head, args = term.parts
    return (
        len(args) == len(pattern.args)
        and _fits(pattern.head, head, found)
        and all(_fits(p, arg, found) for p, arg in zip(pattern.args, args, strict=True))
    )


def _printed(notation: ShownNotation, args: Sequence[Fragment]) -> Fragment:
    pieces = notation.pieces
    symbols = frozenset(piece.token.strip() for piece in pieces if piece.token is not None)
    shown = _with_parentheses(notation, args)
    flat, body = "", list[Doc]()
    for piece, arg in zip(pieces, shown, strict=True):
        text = arg.flat if arg is not None else (piece.token or "").rstrip()
        if flat and not flat.endswith(" ") and _would_merge(flat, text, symbols):
            flat += " "
            body.append(LINE)
        flat += text
        body.append(text if arg is None else arg.doc)
        if piece is not pieces[-1] and piece.token is not None and piece.token.endswith(" "):
            flat += " "
            body.append(LINE)
    last, first = shown[-1], shown[0]
    trail = CLOSED if last is None else min(last.trail, pieces[-1].prec)
    cont = min(ARG_PREC, notation.prec) if first is None else first.cont
    return Fragment(flat, tuple(body), notation.prec, trail, cont)


def _with_parentheses(notation: ShownNotation, args: Sequence[Fragment]) -> list[Fragment | None]:
    """One entry for each piece: `None` for tokens, arguments with parentheses where they need them."""
    out: list[Fragment | None] = []
    rest = iter(args)
    for i, piece in enumerate(notation.pieces):
        arg = next(rest) if piece.token is None else None
        if arg is not None and (arg.prec < piece.prec or (i == 0 and arg.trail <= notation.prec)):
            arg = parenthesized(arg)
        out.append(arg)
    for i in range(len(out) - 1):
        here, after = out[i], out[i + 1]
        if here is not None and after is not None and here.trail <= after.cont:
            out[i] = parenthesized(here)
    return out


_LAST_WORD = re.compile(r"[^\s()\[\]{}⟨⟩,]+\Z")
_FIRST_WORD = re.compile(r"\S{0,40}")


def _would_merge(before: str, after: str, symbols: frozenset[str]) -> bool:
    """Return whether the last token of one text and the first of the next would lex differently without a space."""
    word = _LAST_WORD.search(before[-40:])
    start = _FIRST_WORD.match(after)
    if word is None or start is None or not start[0]:
        return False
    tokens = tokenize(word[0] + start[0], symbols)
    cut = len(word[0])
    readable = [end for end, kind in zip(tokens.ends, tokens.kinds, strict=True) if kind is not BAD]
    return cut not in readable and any(end > cut for end in readable)
