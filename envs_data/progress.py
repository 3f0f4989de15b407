"""Progress of a command over the theorems of a set, on standard error."""

from __future__ import annotations

from typing import Final, TextIO

_REPORT_EVERY: Final = 50


class Progress:
    """One line that says how far a set is; on a terminal it is rewritten in place."""

    def __init__(self, label: str, total: int, stream: TextIO) -> None:
        self._label = label
        self._total = total
        self._stream = stream
        self._in_place = stream.isatty()

    def show(self, done: int, note: str = "") -> None:
        """Show the number of theorems that are done, and a note."""
        text = f"{self._label}: {done}/{self._total} theorems" + (f", {note}" if note else "")
        if self._in_place:
            self._stream.write(f"\r{text}" + ("\n" if done == self._total else ""))
        elif done % _REPORT_EVERY == 0 or done == self._total:
            self._stream.write(text + "\n")
        self._stream.flush()
