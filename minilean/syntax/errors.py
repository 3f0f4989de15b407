"""The exception of the parser."""

from __future__ import annotations


class ParseError(Exception):
    """Text that is not Lean, or Lean that is not supported.

    Attributes:
        message: Lean's words where they are known, e.g. `unexpected token ')'; expected term`.
        offset: where in the text, in code points from 0.
        line: counted from 1.
        column: as Lean prints it: counted from 0, and one more than that for `unknown tactic`.
    """

    def __init__(self, message: str, offset: int, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"<input>:{self.line}:{self.column}: {self.message}"


def parse_error(text: str, offset: int, message: str, *, shift: int = 0) -> ParseError:
    """Builds a `ParseError` for an offset into `text`.

    Args:
        text: the whole source.
        offset: where it went wrong.
        message: the text without the position.
        shift: added to the printed column.
    """
    line_start = text.rfind("\n", 0, offset) + 1
    return ParseError(message, offset, text.count("\n", 0, offset) + 1, offset - line_start + shift)
