"""Errors of elaboration and tactics.

MetaError                      a message for the user, in Lean's words
├── UnsupportedError           valid Lean that minilean does not do; the text starts with "unsupported: "
└── BudgetError                a bound was reached; never swallowed by `try`, `first` or `repeat`
"""

from __future__ import annotations

from typing import Final

from lean_gym.minilean.kernel.errors import DeepRecursion, KernelError

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


class UnsupportedError(MetaError):
    """Valid Lean outside minilean's fragment."""

    def __init__(self, what: str) -> None:
        super().__init__(f"unsupported: {what}")


class BudgetError(MetaError):
    """Heartbeats, wall clock or memory of one tactic are spent."""
