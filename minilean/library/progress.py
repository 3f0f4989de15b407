"""Progress of proving the library, on standard error: a REPL's standard output belongs to its protocol."""

from __future__ import annotations

import sys
import time
from contextlib import suppress

_FIRST_LINE_S = 10.0
_NEXT_LINE_S = 30.0


def write_line(text: str) -> None:
    """Write to standard error, if this process has one that can still be written."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


class Progress:
    """One line that says how far proving is: rewritten in place on a terminal, else written every 30 seconds.

    Where there is no terminal, nothing is said in the first 10 seconds.

    Args:
        total: How many files there are.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._in_place = sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + _FIRST_LINE_S

    def show(self, done: int) -> None:
        """Say that `done` files are proved, if it is time to."""
        text = f"minilean: proving its library, {done} of {self._total} files (once per version)"
        if self._in_place:
            self._say(f"\r{text}{' ...' if done < self._total else '    '}")
        elif time.monotonic() >= self._next and done < self._total:
            self._next = time.monotonic() + _NEXT_LINE_S
            self._say(f"{text} ...\n")

    def end(self) -> None:
        """End the line."""
        if self._in_place:
            self._say("\n")

    def _say(self, text: str) -> None:
        write_line(text)
