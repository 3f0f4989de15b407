"""Errors of elaboration and tactics.

MetaError                      a message for the user, in Lean's words
├── SeveralErrors              what several parts of a proof, tried on their own, had to say
├── UnsupportedError           valid Lean that minilean does not do; the text starts with "unsupported: "
└── BudgetError                a bound was reached; never swallowed by `try`, `first` or `repeat`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from minilean.kernel.errors import DeepRecursion, KernelError

RECURSION: Final = (
    "maximum recursion depth has been reached\nuse `set_option maxRecDepth <num>` to increase limit\n"
    "use `set_option diagnostics true` to get diagnostic information"
)
"""Lean's message for what nests too deeply or repeats without end."""


def message_of(error: Exception) -> str:
    """What a user reads of what a command raised."""
    if isinstance(error, MetaError):
        return str(error)
    if isinstance(error, DeepRecursion):
        return RECURSION
    if isinstance(error, KernelError):
        return f"(kernel) {type(error).__name__}: {error}"
    # A defect of minilean in one command: the rest of the file is still worth reading.
    return f"internal error of minilean: {type(error).__name__}: {error}"


def messages_of(error: Exception) -> list[tuple[str, int | None, int | None]]:
    """What a user reads of it, part by part: the text, and where it starts and ends, where that is known."""
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
        position: Offset of the piece of source text that failed, where it is known.
        end: Offset behind it, where that is known for sure.
    """

    position: int | None = None
    end: int | None = None

    def locate(self, start: int, end: int) -> None:
        """Set the position, unless something inside has set it; syntax without source text has the `end` 0."""
        if self.position is None and end:
            self.position = start


class SeveralErrors(MetaError):
    """Two or more failures that have nothing to do with one another; a file shows all, everyone else the first."""

    def __init__(self, errors: Sequence[MetaError]) -> None:
        super().__init__(str(errors[0]))
        self.errors = tuple(errors)
        self.position, self.end = errors[0].position, errors[0].end


def together(errors: Sequence[MetaError]) -> MetaError:
    """One error for one or several."""
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
