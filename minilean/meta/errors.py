"""Errors of elaboration and tactics.

MetaError                      a message for the user, in Lean's words
├── SeveralErrors              independent errors of several parts of a proof
├── UnsupportedError           valid Lean that minilean does not support; the text starts with "unsupported: "
└── BudgetError                a bound was reached; `try`, `first` and `repeat` do not catch it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from minilean.kernel.errors import DeepRecursion, KernelError

RECURSION: Final = (
    "maximum recursion depth has been reached\nuse `set_option maxRecDepth <num>` to increase limit\n"
    "use `set_option diagnostics true` to get diagnostic information"
)
"""Lean's message for input that nests too deeply or a tactic that repeats without end."""


def message_of(error: Exception) -> str:
    """Return the message of an error of a command for the user."""
    if isinstance(error, MetaError):
        return str(error)
    if isinstance(error, DeepRecursion):
        return RECURSION
    if isinstance(error, KernelError):
        return f"(kernel) {type(error).__name__}: {error}"
    # a defect of minilean in one command; the rest of the file is still checked
    return f"internal error of minilean: {type(error).__name__}: {error}"


def messages_of(error: Exception) -> list[tuple[str, int | None, int | None]]:
    """Return the messages of an error for the user: text, and start and end in the source where they are known."""
    if isinstance(error, SeveralErrors):
        return [
            (str(part), *((part.position, part.end) if part.position is not None else (error.position, None)))
            for part in error.errors
        ]
    place = (error.position, error.end) if isinstance(error, MetaError) else (None, None)
    return [(message_of(error), *place)]


class MetaError(Exception):
    """An elaboration or tactic failure; `str(error)` is the message a user sees.

    Attributes:
        position: Offset of the piece of source text that failed, if it is known.
        end: Offset of the end of that piece, if it is known.
    """

    position: int | None = None
    end: int | None = None

    def locate(self, start: int, end: int) -> None:
        """Set the position, unless an inner piece of syntax has set it; syntax without source text has `end` 0."""
        if self.position is None and end:
            self.position = start


class SeveralErrors(MetaError):
    """Two or more independent failures. The check of a file shows them all; a proof step shows the first."""

    def __init__(self, errors: Sequence[MetaError]) -> None:
        super().__init__(str(errors[0]))
        self.errors = tuple(errors)
        self.position, self.end = errors[0].position, errors[0].end


def together(errors: Sequence[MetaError]) -> MetaError:
    """Join errors into one; a single error is returned as it is."""
    parts = [
        part for error in errors for part in (error.errors if isinstance(error, SeveralErrors) else (error,))
    ]
    return parts[0] if len(parts) == 1 else SeveralErrors(parts)


class UnsupportedError(MetaError):
    """Valid Lean outside minilean's fragment."""

    def __init__(self, what: str) -> None:
        super().__init__(f"unsupported: {what}")


class BudgetError(MetaError):
    """Heartbeats, wall clock or memory of one tactic are spent."""
