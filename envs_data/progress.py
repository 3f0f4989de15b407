"""Progress of a command over the theorems of a set, on standard error."""

from __future__ import annotations

import time
from typing import Final, TextIO

_REPORT_EVERY: Final = 50
_REPORT_AFTER: Final = 20.0
"""Seconds after which a line comes before so many theorems are done."""


class ProgressLine:
    """One line that says how far a set is; on a terminal it is rewritten in place."""

    def __init__(self, label: str, total: int, stream: TextIO) -> None:
        self._label = label
        self._total = total
        self._stream = stream
        self._in_place = stream.isatty()
        self._reported = time.monotonic()

    def show(self, done: int, note: str = "") -> None:
        """Show the number of theorems that are done, and a note."""
        text = f"{self._label}: {done}/{self._total} theorems" + (f", {note}" if note else "")
        if self._in_place:
            self._stream.write(f"\r{text}" + ("\n" if done == self._total else ""))
        elif (
            done % _REPORT_EVERY == 0
            or done == self._total
            or time.monotonic() - self._reported > _REPORT_AFTER
        ):
            self._reported = time.monotonic()
            self._stream.write(text + "\n")
        self._stream.flush()
