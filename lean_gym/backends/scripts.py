"""Whole proofs as source text, and the positions in it that Lean's messages name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lean_gym.backends.statement import file_with, flush_left, tactic_body
from lean_gym.types import ScriptError, Theorem


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A theorem with a whole proof as a file without imports.

    Attributes:
        text: The file: the context, an empty line, the declaration.
        start: Lines before the declaration.
        by_line: Line of the declaration, from 1, that ends in `by`; the script begins on the next one.
    """

    text: str
    start: int
    by_line: int

    def errors(self, found: Iterator[ScriptError]) -> tuple[ScriptError, ...]:
        """Return those errors of the file that are about the proof, in the declaration's lines.

        An error above the proof says nothing about the script: the library may have a theorem of that name.
        """
        moved = (
            replace(
                one,
                line=one.line - self.start,
                end_line=None if one.end_line is None else one.end_line - self.start,
            )
            for one in found
        )
        return tuple(one for one in moved if one.line >= self.by_line)


def declaration_source(theorem: Theorem, script: str) -> str:
    """Return a theorem with a script for its proof, as it is checked: the statement, `:= by`, the indented script."""
    return script_file(replace(theorem, context=""), script).text


def script_file(theorem: Theorem, script: str) -> ScriptFile:
    """Return the file of a theorem with a script for its proof."""
    text = file_with(theorem, tactic_body([script]))
    start = text.count("\n") - file_with(replace(theorem, context=""), tactic_body([script])).count("\n")
    lines = text.count("\n") - flush_left(script).count("\n")
    return ScriptFile(text, start, lines - start)


def script_lines(script: str) -> list[str]:
    """Return the lines of a script as they stand in the declaration, where each is two characters further right."""
    return flush_left(script).split("\n")
