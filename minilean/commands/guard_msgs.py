"""`#guard_msgs in command`: the messages of a command are compared with a doc comment.

Source: Lean 4 `src/Lean/Elab/GuardMsgs.lean` (4.34).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from minilean.commands.command_state import CommandState
from minilean.elab.sorry import USES_SORRY
from minilean.kernel.errors import DeepRecursion, KernelError
from minilean.meta.errors import MetaError, UnsupportedError, messages_of
from minilean.printer.pretty import MAX_TEXT
from minilean.syntax import ast

_MOST_LINES: Final = 300
"""Lines up to which a mismatch shows a diff, whose time grows with the square of their number."""
MISMATCH = "❌️ Docstring on `#guard_msgs` does not match generated message:\n\n"


class Note(NamedTuple):
    """Message: its severity (`error`, `warning`, `info` or `trace`), text and source offset."""

    severity: str
    text: str
    offset: int | None = None


def in_order(notes: Sequence[tuple[str, str, int | None]], theorem: bool) -> list[Note]:
    """Sort messages into Lean's order: traces come late, and traces of one place are one message.

    The warning about `sorry` comes last, except for a theorem, whose proof Lean elaborates asynchronously.
    """
    early: list[Note] = []
    late: list[Note] = []
    traces: dict[int, list[str]] = {}
    for severity, text, offset in notes:
        if severity == "trace":
            traces.setdefault(offset or 0, []).append(text)
        else:
            (late if text == USES_SORRY and not theorem else early).append(Note(severity, text, offset))
    told = [Note("trace", "\n".join(texts), offset) for offset, texts in sorted(traces.items())]
    return [*early, *told, *late]


def run_guarded(state: CommandState, guard: ast.GuardMsgs, command: ast.Command) -> None:
    """Run `#guard_msgs in command`.

    Raises:
        MetaError: The messages are not the expected ones.
    """
    notes: list[Note] = []
    outer, state.report = state.report, lambda *note: notes.append(Note(*note))
    try:
        state.run(command)
    except (MetaError, KernelError, DeepRecursion) as error:
        notes += [Note("error", message, position) for message, position, _ in messages_of(error)]
    finally:
        state.report = outer
    passed, mismatch = judged(guard, notes, state.scope.option("guard_msgs.diff", "true") != "false")
    for note in passed:
        state.say(*note)
    if mismatch is not None:
        raise MetaError(mismatch)


def judged(command: ast.GuardMsgs, notes: Sequence[Note], diff: bool = True) -> tuple[list[Note], str | None]:
    """Compare messages with the doc comment of `#guard_msgs`.

    Args:
        command: The expected messages and how to compare them.
        notes: The messages of the guarded command, in order.
        diff: Whether a mismatch shows a diff or only the messages found.

    Returns:
        The messages to pass on, and the error message if the others differ from the expected ones.

    Raises:
        UnsupportedError: There are too many messages. Each guard of a guard doubles those of the inner one.
    """
    checked: list[str] = []
    passed: list[Note] = []
    for note in notes:
        action = _action(command, note.severity)
        if action == "check":
            checked.append(_as_text(note))
        elif action == "pass":
            passed.append(note)
    if command.sorted:
        checked.sort()
    found = "\n---\n".join(checked).strip()
    if len(found) > MAX_TEXT:
        raise UnsupportedError(
            f"`#guard_msgs` over {len(found)} characters of messages, at most {MAX_TEXT} are handled"
        )
    expected = (command.doc or "").strip().replace("⏎\n", "\n")
    wanted, got = (_normal(command.whitespace, _renumbered(text)) for text in (expected, found))
    if wanted == got or (command.substring and wanted in got):
        return passed, None
    diff = diff and max(expected.count("\n"), found.count("\n")) < _MOST_LINES
    return list(notes), MISMATCH + (_difference(expected, found) if diff else found)


def _action(command: ast.GuardMsgs, severity: str) -> str:
    for action, wanted in command.filters:
        if wanted in ("all", severity):
            return action
    return "pass" if command.filters else "check"


def _as_text(note: Note) -> str:
    gap = "" if note.text.startswith("\n") else " "
    return f"{note.severity}:{gap}{note.text}".rstrip("\n")


def _renumbered(text: str) -> str:
    """Return a message with its metavariables `?m.7` and `?u.7` numbered in their order in the text.

    Lean counts the metavariables of its own elaborator, whose number says nothing about the program.
    """
    numbers: dict[str, int] = {}

    def renumber(found: re.Match[str]) -> str:
        return f"{found[1]}.{numbers.setdefault(found[0], len(numbers) + 1)}"

    return re.sub(r"(\?[mu])\.\d+", renumber, text)


def _normal(whitespace: str, text: str) -> str:
    if whitespace == "exact":
        return text
    return " ".join(text.split()) if whitespace == "lax" else text.replace("\n", " ")


def _difference(expected: str, found: str) -> str:
    """Return a diff: expected lines marked `-`, found lines `+`, common lines with a blank."""
    lines = difflib.ndiff(expected.split("\n"), found.split("\n"))
    return "\n".join(line.rstrip() for line in lines if not line.startswith("?"))
