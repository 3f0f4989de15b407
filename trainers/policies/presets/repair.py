"""Repair turns: Lean's errors about a failed proof, as the next message to a model.

Positions of the errors are those in the text that is shown: `in_file` moves them from a proof into its file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from trainers.policies.presets.base import Mistake, Shown
from trainers.policies.presets.texts import FENCE, theorem_file

GOEDEL_ERRORS: Final = 8
GOEDEL_LINES_BEFORE: Final = 4
GOEDEL_LINES: Final = 6
KIMINA_ERRORS: Final = 3
KIMINA_LINES_AROUND: Final = 2


@dataclass(frozen=True, slots=True)
class Placed:
    """An error at another place; the fields are those of `Mistake`."""

    line: int
    column: int
    end_line: int | None
    end_column: int | None
    message: str
    goals: str = ""


def in_file(shown: Shown) -> tuple[str, tuple[Placed, ...]]:
    """Return the file of the last attempt, and the errors at their places in it."""
    above = theorem_file(replace(shown, statement=""), "")
    lines = above.count("\n")
    return above + shown.attempt, tuple(
        Placed(
            one.line + lines,
            one.column,
            None if one.end_line is None else one.end_line + lines,
            one.end_column,
            one.message,
            one.goals,
        )
        for one in shown.mistakes
    )


def goedel_errors(code: str, mistakes: Sequence[Mistake]) -> str:
    """Return the errors with the code around them, marked by `<error>`, as Goedel-Prover-V2 was trained on.

    Source: Goedel-LM/Goedel-Prover-V2, src/utils.py.
    """
    lines = code.split("\n")
    text = ""
    for number, one in enumerate(mistakes[:GOEDEL_ERRORS], start=1):
        marked = _marked(lines, one)
        text += f"\nError {number}:\n\nCorresponding Code:\n{FENCE}lean4\n{marked}\n{FENCE}\n"
        text += f"\nError Message: {one.message}\n"
    left_out = len(mistakes) - GOEDEL_ERRORS
    return text + (f"\n... [Omitted {left_out} more errors] ...\n" if left_out > 0 else "")


def _marked(lines: Sequence[str], one: Mistake) -> str:
    """Return the lines of an error, those before it included, each with a newline."""
    start = min(max(one.line - 1, 0), len(lines) - 1)
    has_end = one.end_line is not None and one.end_column is not None
    end = min(max((one.end_line or 0) - 1, start), len(lines) - 1) if has_end else start
    column = min(one.column, len(lines[start]))
    end_column = min(one.end_column or 0, len(lines[end])) if has_end else len(lines[end])
    before = "".join(f"{line}\n" for line in lines[max(0, start - GOEDEL_LINES_BEFORE) : start])
    if start == end:
        line, last = lines[start], max(column, end_column)
        return f"{before}{line[:column]}<error>{line[column:last]}</error>{line[last:]}\n"
    middle = lines[start + 1 : min(end, start + GOEDEL_LINES)]
    inner = "".join(f"{line}\n" for line in middle)
    if end > start + GOEDEL_LINES:
        indent = len(middle[-1]) - len(middle[-1].lstrip(" "))
        inner += f"\n{' ' * indent}... --[Truncated]-- ...\n"
    first = f"{lines[start][:column]}<error>{lines[start][column:]}\n"
    return f"{before}{first}{inner}{lines[end][:end_column]}</error>{lines[end][end_column:]}\n"


def goedel_turn(code: str, mistakes: Sequence[Mistake], number: int) -> str:
    """Return the message after attempt `number`, counted from 0."""
    return (
        f"The proof (Round {number}) is not correct. Following is the compilation error message, where we use "
        f"<error></error> to signal the position of the error.\n\n{goedel_errors(code, mistakes)}\n\n"
        "Before producing the Lean 4 code to formally prove the given theorem, provide a detailed analysis of the "
        "error message."
    )


def kimina_turn(code: str, mistakes: Sequence[Mistake]) -> str:
    """Return the first errors with the goals and numbered lines around them; imports are no part of the numbering.

    Source: MoonshotAI/Kimina-Prover-Preview, kimina_prover_demo/utils.py.
    """
    lines = code.strip().split("\n")
    skipped = next((at for at, line in enumerate(lines) if not line.startswith("import")), len(lines))
    lines = lines[skipped:]
    text = ""
    for number, one in enumerate(mistakes[:KIMINA_ERRORS], start=1):
        at = one.line - 1 - skipped
        text += f"# Error {number}:\n"
        if one.goals:
            text += "Goals state before error position: \n" + one.goals.replace("\n\n", "\n") + "\n\n"
        text += f"Error message: \n{one.message.strip()}\n\nLean 4 code snippet with error:\n{FENCE}lean4\n"
        around = range(max(0, at - KIMINA_LINES_AROUND), min(len(lines), at + KIMINA_LINES_AROUND + 1))
        text += "".join(f"{n + 1:03d}{' >' if n == at else '  '}| {lines[n]}\n" for n in around)
        text += f"{FENCE}\n"
    return text
