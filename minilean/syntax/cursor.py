"""State of the parser: the token stream, the layout position, the nesting bounds and the errors.

Every parsing function takes a `Cursor` first and returns a node. Tokens are read once, except those that start several
notations of the user, or one of the user and one of core (`choices`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, NoReturn, TypeAlias, TypeVar

from minilean.syntax.ast import Tactic, Term
from minilean.syntax.digits import from_decimal
from minilean.syntax.errors import ParseError, parse_error
from minilean.syntax.lexer import (
    BAD,
    CHAR,
    DOC,
    DOT_IDENT,
    EOF,
    IDENT,
    ISTR_REST,
    KEYWORDS,
    NUM,
    STR,
    plain_name,
    tokenize,
)

T = TypeVar("T")
Mark: TypeAlias = "tuple[int, int, int, int, int, list[tuple[str, Term]] | None, int]"

MAX_DEPTH = 128
"""How deep terms and tactic blocks may nest. A level takes at most five Python frames, so that a parse fits
into Python's default recursion limit of 1,000 even when it starts 300 frames deep."""

MAX_HEIGHT = 256
"""The tallest tree: chains such as `a + b + c`, arguments and binders stack terms without nesting them."""

NO_COLUMN = -1
_NOUNS = {
    IDENT: "identifier",
    EOF: "end of input",
    NUM: "token",
    STR: "token",
    CHAR: "token",
    DOC: "token '/--'",
    ISTR_REST: "token '}'",
}


class Grammar(NamedTuple):
    """Tables through which the parts of the parser call each other: terms contain tactics, and tactics contain terms.

    Attributes:
        leading: Kind of the first token of a term -> parser of that term; its second argument is the precedence.
        tactics: First word or kind of a tactic -> parser of the rest, given the name and the start offset.
        infix: Operators with the precedences of the whole, of the left side and of the right side.
        arg_start: Kinds of tokens that can start an argument.
        symbols: Tokens of the user's notations.
        trailing: Token -> parser of the user's notations that continue a term. Given are that term, its start offset,
            the least precedence of the whole and the precedence of the term; the result is the whole with its own.
    """

    leading: Mapping[str, Callable[[Cursor, int], Term]]
    tactics: Mapping[str, Callable[[Cursor, str, int], Tactic]]
    infix: Mapping[str, tuple[int, int, int]]
    arg_start: frozenset[str]
    symbols: frozenset[str] = frozenset()
    trailing: Mapping[str, Callable[[Cursor, Term, int, int, int], tuple[Term, int] | None]] = (
        MappingProxyType({})
    )


_CATEGORIES = frozenset({"binderPred", "conv", "pattern", "tactic", "term"})


def _without_categories(expected: str) -> str:
    """Return what may stand at the end of input, where Lean names no kind of syntax but the tokens themselves."""
    words = re.split(", | or ", expected)
    left = [each for each in words if each not in _CATEGORIES]
    if left == words:
        return expected
    return " or ".join([*([", ".join(left[:-1])] if left[1:] else []), *left[-1:]])


class Cursor:
    """A position in a token stream.

    Attributes:
        text: the source.
        kinds, starts, ends, columns: the tokens, see `lexer`.
        i: index of the next token.
        column: the saved column that layout checks compare with; `NO_COLUMN` inside brackets and at the top,
            where every check passes.
        brackets: how many brackets are open around the next token.
        depth: how deep the parser is nested now.
        height: height of the tallest term finished since the enclosing one began.
        leading, tactics, infix, arg_start, trailing: the grammar.
        lifted: the actions `(← e)` of the action of a `do` block that is read, with their variables; `None` where
            none may stand.
        memo: arguments of notations that have been read, by position, precedence and saved column.
    """

    __slots__ = (
        "_bad", "arg_start", "brackets", "column", "columns", "depth", "ends", "height", "i", "infix", "kinds",
        "leading", "lifted", "memo", "starts", "tactics", "text", "trailing",
    )  # fmt: skip

    def __init__(self, text: str, grammar: Grammar) -> None:
        tokens = tokenize(text, grammar.symbols)
        self.text = text
        self.kinds = tokens.kinds
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.columns = tokens.columns
        self._bad = tokens.bad
        self.i = 0
        self.column = NO_COLUMN
        self.brackets = 0
        self.depth = 0
        self.height = 0
        self.leading = grammar.leading
        self.tactics = grammar.tactics
        self.infix = grammar.infix
        self.arg_start = grammar.arg_start
        self.trailing = grammar.trailing
        self.lifted: list[tuple[str, Term]] | None = None
        self.memo: dict[tuple[int, int, int], tuple[Term | ParseError, int, int]] = {}

    def mark(self) -> Mark:
        """Return the state of the parser, for `reset`."""
        return (
            self.i,
            self.column,
            self.brackets,
            self.depth,
            self.height,
            self.lifted,
            len(self.lifted or ()),
        )

    def reset(self, mark: Mark) -> None:
        """Restore the state that `mark` returned."""
        self.i, self.column, self.brackets, self.depth, self.height, self.lifted, lifted = mark
        del (self.lifted or [])[lifted:]

    # --- errors ---------------------------------------------------------------------------------------------

    def error(self, message: str, *, shift: int = 0) -> ParseError:
        """An error at the next token."""
        return parse_error(self.text, self.starts[self.i], message, shift=shift)

    def fail(self, expected: str) -> NoReturn:
        """Raises Lean's `unexpected ..; expected ..` for the next token."""
        kind = self.kinds[self.i]
        if kind is BAD:
            raise self.error(self._bad)
        found = _NOUNS.get(kind) or f"token '{self.word()}'"
        if kind is EOF:
            expected = _without_categories(expected)
        raise self.error(f"unexpected {found}" + (f"; expected {expected}" if expected else ""))

    def unsupported(self, what: str) -> ParseError:
        """An error for Lean that minilean does not support."""
        return self.error(f"unsupported: {what}")

    # --- tokens ---------------------------------------------------------------------------------------------

    def word(self) -> str:
        """Text of the next token."""
        return self.text[self.starts[self.i] : self.ends[self.i]]

    def at_word(self, word: str) -> bool:
        """Return whether the next token is this unreserved word."""
        return self.kinds[self.i] is IDENT and self.word() == word

    def accept(self, kind: str) -> bool:
        """Takes the next token if it is of this kind."""
        if self.kinds[self.i] == kind:
            self.i += 1
            return True
        return False

    def expect(self, kind: str, expected: str = "") -> None:
        """Takes the next token, which must be of this kind; `expected` says what else might stand there."""
        if self.kinds[self.i] != kind:
            self.fail(expected or f"'{kind}'")
        self.i += 1

    def name(self) -> str:
        """Takes an identifier."""
        if self.kinds[self.i] is not IDENT:
            self.fail("identifier")
        word = self.word()
        self.i += 1
        return plain_name(word)

    def natural(self) -> int:
        """Takes a numeral."""
        if self.kinds[self.i] is not NUM:
            self.fail("numeral")
        word = self.word()
        self.i += 1
        base = {"x": 16, "b": 2, "o": 8}.get(word[1:2].lower(), 10)
        return from_decimal(word.replace("_", "")) if base == 10 else int(word[2:], base)

    def binder_name(self) -> str:
        """Takes an identifier or `_`."""
        if self.accept("_"):
            return "_"
        if self.kinds[self.i] is not IDENT:
            self.fail("'_' or identifier")
        return self.name()

    def option_value(self) -> str:
        """Takes the value of an option."""
        value = self.word()
        if self.kinds[self.i] not in (NUM, STR) and value not in ("true", "false"):
            self.fail("'false', 'true', numeral or string literal")
        self.i += 1
        return value

    def at_binder_name(self) -> bool:
        """Return whether `binder_name` would succeed."""
        kind = self.kinds[self.i]
        return kind is IDENT or kind == "_"

    def end(self) -> int:
        """Offset of the end of the last token taken."""
        return self.ends[self.i - 1]

    def split_dot(self) -> None:
        """Reads the next token `.name`, where a tactic begins, as a bullet and a name."""
        if self.kinds[self.i] is not DOT_IDENT:
            return
        start, end, column = self.starts[self.i], self.ends[self.i], self.columns[self.i]
        word = self.text[start + 1 : end]
        self.kinds[self.i : self.i + 1] = [".", KEYWORDS.get(word, IDENT)]
        self.starts[self.i : self.i + 1] = [start, start + 1]
        self.ends[self.i : self.i + 1] = [start + 1, end]
        self.columns[self.i : self.i + 1] = [column, column + 1]
        self.memo.clear()  # it knows tokens by their numbers

    def adjacent(self) -> bool:
        """Return whether no white space separates the next token from the last one."""
        return self.i > 0 and self.starts[self.i] == self.ends[self.i - 1]

    def indented(self) -> bool:
        """Return whether the next token is right of the saved column (Lean's `checkColGt`)."""
        return self.columns[self.i] > self.column

    def need_indented(self, expected: str) -> None:
        """Raises an error unless the next token is right of the saved column."""
        if not self.indented() and self.kinds[self.i] is not EOF:
            raise self.error(f"expected {expected}")

    def need_term(self, expected: str) -> None:
        """Raises an error unless the next token can begin a term."""
        if self.kinds[self.i] not in self.leading:
            self.fail(expected)

    def after_linebreak(self) -> bool:
        """Return whether a line break separates the next token from the last one."""
        return self.text.find("\n", self.end(), self.starts[self.i]) >= 0

    def skip_group(self) -> str:
        """Takes a bracketed group of any tokens, from its opening bracket on, and returns its text."""
        start = self.starts[self.i]
        open_brackets = 0
        while True:
            kind = self.kinds[self.i]
            if kind in OPENING:
                open_brackets += 1
            elif kind in CLOSING:
                open_brackets -= 1
            elif kind is EOF or kind is BAD:
                self.fail("')'")
            self.i += 1
            if open_brackets == 0:
                return self.text[start : self.end()]

    # --- nesting --------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Goes one level deeper; paired with `leave`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.too_deep()

    def leave(self) -> None:
        """Goes back one level; paired with `enter`."""
        self.depth -= 1

    def grow(self, by: int = 1) -> None:
        """Adds to the height of the tallest term finished so far, one node for each argument or bound name."""
        self.height += by
        if self.height > MAX_HEIGHT:
            raise self.too_deep()

    def beside(self, base: int, read: Callable[[Cursor], T]) -> T:
        """Reads one of several parts that stand on a tree of height `base`, not on each other."""
        tallest, self.height = self.height, base
        found = read(self)
        self.height = max(tallest, self.height)
        return found

    def too_deep(self) -> ParseError:
        """The error for trees beyond `MAX_DEPTH` or `MAX_HEIGHT`."""
        return self.error("maximum recursion depth has been reached")

    def open(self) -> int:
        """Enters brackets, where layout does not count; returns what `close` needs."""
        column, self.column = self.column, NO_COLUMN
        self.brackets += 1
        return column

    def close(self, bracket: str, column: int, expected: str = "") -> None:
        """Takes the closing bracket that belongs to `open`; `expected` is that of `expect`."""
        self.expect(bracket, expected)
        self.column = column
        self.brackets -= 1


OPENING = frozenset("([{⟨⦃‹") | {"@[", "#[", ".{"}
CLOSING = frozenset(")]}⟩⦄›")
