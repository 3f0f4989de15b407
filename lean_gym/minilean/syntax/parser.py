r"""Lean 4 source text to syntax trees.

    parse_tactics("intro h\nexact h.1")               -> TacSeq
    parse_term("fun x => x + 1")                      -> Term
    parse_statement("theorem t (p : Prop) : p → p")   -> Decl without a value
    parse_commands(whole_file)                        -> list[Command]

Whatever the text, the only exception is `ParseError`. A node's `start` and `end` are offsets into the text:
`text[node.start:node.end]` is what it was made from.
"""

from __future__ import annotations

from lean_gym.minilean.syntax import (
    binding,
    blocks,
    brackets,
    commands,
    declarations,
    structuring,
    tactics,
    terms,
)
from lean_gym.minilean.syntax.ast import Command, Decl, TacSeq, Term
from lean_gym.minilean.syntax.cursor import Cursor, Grammar
from lean_gym.minilean.syntax.errors import ParseError
from lean_gym.minilean.syntax.lexer import BAD, EOF

__all__ = ["ParseError", "parse_commands", "parse_statement", "parse_tactics", "parse_term"]

_GRAMMAR = Grammar(
    leading=terms.LEADING | brackets.LEADING | binding.LEADING | blocks.LEADING,
    tactics=tactics.TACTICS | structuring.TACTICS,
)


def parse_tactics(text: str) -> TacSeq:
    """Parses a tactic script; it may be indented, and its first tactic sets the column."""
    p = Cursor(text, _GRAMMAR)
    result = blocks.script(p)
    _expect_end(p)
    return result


def parse_term(text: str) -> Term:
    """Parses one term."""
    p = Cursor(text, _GRAMMAR)
    result = terms.term(p)
    _expect_end(p)
    return result


def parse_statement(text: str) -> Decl:
    """Parses `theorem name binders : type`, which must end there: the value of the result is `None`."""
    p = Cursor(text, _GRAMMAR)
    result = declarations.statement(p)
    if p.kinds[p.i] == ":=":
        raise p.error("the statement must end before `:=`")
    _expect_end(p)
    return result


def parse_commands(text: str) -> list[Command]:
    """Parses a whole `.lean` file."""
    return commands.commands(Cursor(text, _GRAMMAR))


def _expect_end(p: Cursor) -> None:
    if p.kinds[p.i] is EOF:
        return
    if p.kinds[p.i] is BAD:
        p.fail("end of input")
    raise p.error("expected end of input")
