r"""Lean 4 source text to syntax trees.

    parse_tactics("intro h\nexact h.1")               -> TacSeq
    parse_term("fun x => x + 1")                      -> Term
    parse_statement("theorem t (p : Prop) : p → p")   -> Decl without a value
    parse_commands(whole_file)                        -> list[Command]

Whatever the text, the only exception is `ParseError`. A node's `start` and `end` are offsets into the text:
`text[node.start:node.end]` is what it was made from.
"""

from __future__ import annotations

from minilean.syntax import (
    binding,
    blocks,
    brackets,
    branching,
    commands,
    declarations,
    do_notation,
    structuring,
    tactics,
    terms,
)
from minilean.syntax.ast import Command, Decl, TacSeq, Term
from minilean.syntax.cursor import Cursor, Grammar
from minilean.syntax.errors import ParseError
from minilean.syntax.lexer import BAD, EOF

__all__ = [
    "CORE",
    "FileParser",
    "ParseError",
    "parse_commands",
    "parse_statement",
    "parse_tactics",
    "parse_term",
]

CORE = Grammar(
    leading=terms.LEADING
    | brackets.LEADING
    | binding.LEADING
    | branching.LEADING
    | blocks.LEADING
    | do_notation.LEADING,
    tactics=tactics.TACTICS | structuring.TACTICS,
    infix=terms.INFIX,
    arg_start=terms.ARG_START,
)


def parse_tactics(text: str, grammar: Grammar = CORE) -> TacSeq:
    """Parses a tactic script; it may be indented, and its first tactic sets the column."""
    p = Cursor(text, grammar)
    result = blocks.script(p)
    _expect_end(p)
    return result


def parse_term(text: str, grammar: Grammar = CORE) -> Term:
    """Parses one term."""
    p = Cursor(text, grammar)
    result = terms.term(p)
    _expect_end(p)
    return result


def parse_statement(text: str, grammar: Grammar = CORE) -> Decl:
    """Parses `theorem name binders : type`, which must end there: the value of the result is `None`."""
    p = Cursor(text, grammar)
    result = declarations.statement(p)
    if p.kinds[p.i] == ":=":
        raise p.error("the statement must end before `:=`")
    _expect_end(p)
    return result


def parse_commands(text: str) -> list[Command]:
    """Parses a whole `.lean` file."""
    return commands.commands(Cursor(text, CORE))


class FileParser:
    """Reads the commands of a file one by one; after a syntax error it goes on with the next command.

    Commands may change the grammar of what follows: `use`.

    Attributes:
        skipped: Start and end of the text that the last syntax error skipped.
    """

    def __init__(self, text: str, grammar: Grammar = CORE) -> None:
        self.text = text
        self._grammar = grammar
        self._p = Cursor(text, grammar)
        self._read = 0
        self.skipped = (0, 0)

    def next(self) -> Command | None:
        """The next command, `None` at the end of the file.

        Raises:
            ParseError: for text that is not a command; the text up to the next command is skipped.
        """
        try:
            command = commands.next_command(self._p)
        except ParseError as error:
            end = commands.recovery_point(self.text, self._p, error.offset)
            self.skipped, self._read = (self._read, end), end
            self._restart(end)
            raise
        if command is not None:
            self._read = command.end
        return command

    def use(self, grammar: Grammar) -> None:
        """Read what follows by this grammar."""
        if grammar is not self._grammar:
            self._grammar = grammar
            self._restart(self._p.end())

    def _restart(self, offset: int) -> None:
        # text that is already read becomes white space, so that offsets, lines and columns do not change
        blank = "".join(["\n" if char == "\n" else " " for char in self.text[:offset]])
        self._p = Cursor(blank + self.text[offset:], self._grammar)


def _expect_end(p: Cursor) -> None:
    if p.kinds[p.i] is EOF:
        return
    if p.kinds[p.i] is BAD:
        p.fail("end of input")
    raise p.error("expected end of input")
