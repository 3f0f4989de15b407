"""The `sorry`s of a Lean file: those that a search can fill, and those that are left alone, each with the reason.

A hole is the `sorry` of a theorem, lemma or example that has no other one: its whole proof (`:= sorry`, `:= by sorry`),
or a tactic or the value of a `have` in its block of tactics, see `proof_blocks.py`. `sorry` in comments,
strings and names is no `sorry`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lean_gym.backends.statement import indented
from lean_gym.datasets.formats.lean_source import (
    Command,
    declared_name,
    has_sorry,
    imported_modules,
    mask,
    statement_of,
    without_comments,
    without_scopes,
)
from lean_gym.types import Theorem
from trainers.proving.editing.file_text import Edit
from trainers.proving.editing.proof_blocks import place_of

_SORRY: Final = re.compile(r"(?<![\w'.«])(?:sorry|admit)(?![\w'.»])")
_HEAD: Final = re.compile(
    r"(?:@\[[^\n]*?\]\s*)*(?:(?:private|protected|nonrec|noncomputable|public)\s+)*"
    r"(?P<word>theorem|lemma|example)(?![\w'.])"
)
_WITHOUT_EFFECT: Final = re.compile(r"(?:public\s+)?import\b|module\b|example\b|#")
_OPTION: Final = re.compile(r"set_option\s+\S+\s+\S+\s*\Z")


@dataclass(frozen=True, slots=True)
class Hole:
    """A `sorry` that a search can fill.

    Attributes:
        command: Number of its command in the file.
        name: Declared name; made up for an example.
        statement: The statement as a theorem, without its proof.
        scopes: What the command opens and sets for itself by `open ... in`.
        line: Line of the `sorry`, from 1.
        protected: Whether its name is only known with the namespaces around it.
        head: Offset in the file of the word `theorem`, `lemma` or `example`.
        start: Offset where the text to replace begins.
        end: Offset behind the `sorry`.
        before: The tactics before it as one block; empty where there are none.
        after: The tactics after it as one block; empty where there are none.
        opening: Text to write before the first tactic.
        indent: Spaces before the other lines.
    """

    command: int
    name: str
    statement: str
    scopes: tuple[str, ...]
    line: int
    protected: bool
    head: int
    start: int
    end: int
    before: str
    after: str
    opening: str
    indent: int

    def edit(self, tactics: Sequence[str]) -> Edit:
        """Return the edit of the file that writes tactics in place of the `sorry`."""
        lines = [line.removeprefix("  ") for line in indented(tactics).split("\n")]
        space = "\n" + " " * self.indent
        return Edit(self.start, self.end, self.opening + space.join(lines).replace(f"{space}\n", "\n\n"))


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A `sorry` that no search can fill: its line, from 1, and the reason."""

    line: int
    reason: str


def sorries(source: str, commands: Sequence[Command]) -> Iterator[Hole | LeftAlone]:
    """Yield the `sorry`s of a file in order; those of one command that are left alone together, as one."""
    for number, command in enumerate(commands):
        places = [found.start() for found in _SORRY.finditer(mask(command.text))]
        if places:
            found = _read(source, command, number, places)
            line = source.count("\n", 0, command.start + places[0]) + 1
            yield LeftAlone(line, found) if isinstance(found, str) else found


def theorem_of(source: str, commands: Sequence[Command], hole: Hole, *, with_options: bool = True) -> Theorem:
    """Return the theorem of a hole, with what stands before it for its context.

    Commands with a `sorry` are left out: what they declare may not be used.

    Args:
        source: The file, with the proofs found so far.
        commands: Its commands.
        hole: A hole of the file before proofs were filled in; its command is still the one of that number.
        with_options: Whether the context may set options, which minilean allows in files only.
    """
    facts = [
        command.text
        for command in commands[: hole.command]
        if not has_sorry(command.text) and not _WITHOUT_EFFECT.match(command.text)
    ]
    said = [text for text in (*facts, *hole.scopes) if with_options or not _OPTION.match(text)]
    context = "\n".join(said)
    return Theorem(hole.name, hole.statement, context=context, imports=imported_modules(source))


def _read(source: str, command: Command, number: int, places: Sequence[int]) -> Hole | str:
    """Return the hole of a command with `sorry`s, or why there is none."""
    scopes, rest = without_scopes(command.text)
    head = _HEAD.match(mask(rest))
    if head is None:
        return "it is in no proof of a theorem"
    skipped = len(command.text) - len(rest) + head.start("word")
    declaration = command.text[skipped:]
    statement = statement_of(declaration)
    proof = without_comments(declaration)[len(statement) :]
    sorry = places[0] - skipped - len(statement)
    if sorry < 0:
        return "it is in a statement"
    if len(places) > 1:
        return f"its theorem has {len(places)} of them"
    layout = _layout(source, proof, sorry, command.start + skipped + len(statement))
    if isinstance(layout, str):
        return layout
    start, opening, indent, before, after = layout
    name = declared_name(statement)
    if name is None:
        line = source.count("\n", 0, command.start) + 1
        name = f"example_at_line_{line}"
        while name in source:
            name += "_"
        statement = f"theorem {name}{statement.removeprefix('example')}"
    end = command.start + places[0] + len("sorry")
    return Hole(
        command=number,
        name=name,
        statement=statement,
        scopes=tuple(scopes),
        line=source.count("\n", 0, end) + 1,
        protected="protected" in rest[: head.start("word")].split(),
        head=command.start + skipped,
        start=start,
        end=end,
        before=before,
        after=after,
        opening=opening,
        indent=indent,
    )


def _layout(source: str, proof: str, sorry: int, offset: int) -> tuple[int, str, int, str, str] | str:
    """Return where the text to replace begins, the opening, the indentation, and the tactics around, or a reason.

    Args:
        source: The file.
        proof: What follows the statement, comments blanked out.
        sorry: Offset of the `sorry` in it.
        offset: Offset of it in the file.
    """
    inner = "it is inside a proof"
    opened = re.match(r"\s*:=\s*(?P<by>by(?![\w'.])\s*)?", proof)
    line = source[source.rfind("\n", 0, offset + sorry) + 1 : offset + sorry]
    if opened is None or (opened.end() == sorry and proof[sorry + len("sorry") :].strip()):
        return inner
    before = after = ""
    column = len(line) - len(line.lstrip(" "))
    if opened.end() < sorry:
        if opened["by"] is None:
            return inner
        begin = proof.rfind("\n", 0, opened.end()) + 1
        lines = proof[begin:].split("\n")
        if proof[begin : opened.end()].strip():
            return inner
        place = place_of(lines, proof.count("\n", begin, sorry))
        if place is None:
            return inner
        before, after, column = place.before, place.after, place.column
    # The text between the last word before and the `sorry` decides how the tactics are written in its place.
    head = proof[:sorry].rstrip()
    if not line.strip() and not head.endswith(":="):
        return (offset + sorry, "", len(line), before, after) if line else inner
    if line.rstrip().endswith(("·", ".")):
        return offset + sorry, "", len(line), before, after
    column = max(column, 0 if line.strip() else len(line))
    deeper = "\n" + " " * (column + 2)
    if head.endswith(":="):
        is_term = proof.startswith("sorry", sorry)
        return (offset + sorry, f"by{deeper}", column + 2, before, after) if is_term else inner
    start = offset + len(head)
    if source[start : offset + sorry].strip() or not head.endswith("by"):  # a comment stands between
        return inner
    return start, deeper, column + 2, before, after
