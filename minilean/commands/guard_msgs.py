"""`#guard_msgs in command`: the messages of a command are what its doc comment says.

Source: Lean 4 `src/Lean/Elab/GuardMsgs.lean` (4.34).
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from minilean.elab.sorry import USES_SORRY
from minilean.syntax import ast

MISMATCH = "❌️ Docstring on `#guard_msgs` does not match generated message:\n\n"


class Note(NamedTuple):
    """A message: `error`, `warning`, `info` or `trace`, its text and the offset it is about."""

    severity: str
    text: str
    offset: int | None = None


def in_order(notes: Sequence[tuple[str, str, int | None]], theorem: bool) -> list[Note]:
    """Messages in the order in which Lean has them: traces late, those of one place as one.

    The warning about `sorry` comes behind them, but for a theorem, whose proof Lean elaborates on the side.
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


def judged(command: ast.GuardMsgs, notes: Sequence[Note], diff: bool = True) -> tuple[list[Note], str | None]:
    """Hold messages against the doc comment of `#guard_msgs`.

    Args:
        command: What to expect and how to compare.
        notes: What the guarded command had to say, in order.
        diff: Whether a mismatch shows how the two differ, or what there was.

    Returns:
        The messages to pass on, and the error message when the others are not the expected ones.
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
    expected = (command.doc or "").strip().replace("⏎\n", "\n")
    if _normal(command.whitespace, expected) == _normal(command.whitespace, found):
        return passed, None
    if command.substring and _normal(command.whitespace, expected) in _normal(command.whitespace, found):
        return passed, None
    return list(notes), MISMATCH + (_difference(expected, found) if diff else found)


def _action(command: ast.GuardMsgs, severity: str) -> str:
    for action, wanted in command.filters:
        if wanted in ("all", severity):
            return action
    return "pass" if command.filters else "check"


def _as_text(note: Note) -> str:
    gap = "" if note.text.startswith("\n") else " "
    return f"{note.severity}:{gap}{note.text}".rstrip("\n")


def _normal(whitespace: str, text: str) -> str:
    if whitespace == "exact":
        return text
    return " ".join(text.split()) if whitespace == "lax" else text.replace("\n", " ")


def _difference(expected: str, found: str) -> str:
    """Expected lines marked `-`, found ones `+`, common ones with a blank."""
    lines = difflib.ndiff(expected.split("\n"), found.split("\n"))
    return "\n".join(line.rstrip() for line in lines if not line.startswith("?"))
