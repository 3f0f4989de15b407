"""Terminal output of the programs: plain lines and progress bars."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

LONGEST_SILENCE: Final = 30.0
"""Seconds after which work without a terminal says how far it is."""


def say(console: Console, text: str) -> None:
    """Print one line without markup, highlighting or wrapping."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def warn(text: str) -> None:
    """Print one line on standard error; of several processes, only the first prints it."""
    if os.environ.get("RANK", "0") == "0":
        print(f"warning: {text}", file=sys.stderr, flush=True)


class Bars(Progress):
    """Progress bars on a terminal; elsewhere a line whenever nothing was said for `LONGEST_SILENCE` seconds.

    The line tells of the task that was added last. A thread prints it, as one call of a model may take minutes.
    """

    def __init__(self, *columns: Any, console: Console, **options: Any) -> None:
        super().__init__(*columns, console=console, disable=not console.is_terminal, **options)
        self._said = time.monotonic()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to show the bars."""
        super().start()
        if self.disable and self._thread is None:
            self._said = time.monotonic()
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the display."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        super().stop()

    def say(self, text: str) -> None:
        """Print one line, which counts as a sign of life."""
        self._said = time.monotonic()
        say(self.console, text)

    @contextmanager
    def doing(self, title: str, total: int = 1) -> Iterator[TaskID]:
        """Show a task while the block runs, below the others; the only one stays as it ended."""
        task = self.add_task(title, total=total, note="")
        try:
            yield task
        finally:
            if len(self.tasks) > 1:
                self.remove_task(task)

    def _watch(self) -> None:
        while not self._ended.wait(min(1.0, LONGEST_SILENCE / 4)):
            if self.tasks and time.monotonic() - self._said >= LONGEST_SILENCE:
                task = self.tasks[-1]
                total = "" if task.total is None else f" {task.completed:g}/{task.total:g}"
                note = f"  {task.fields['note']}" if task.fields["note"] else ""
                self.say(
                    f"{task.description}{total}{note}  after {timedelta(seconds=round(task.elapsed or 0))}"
                )


def progress_on(console: Console) -> Bars:
    """Return progress bars with elapsed and remaining time; tasks have a field `note`. See `Bars`."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.completed}/{task.total}  {task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    # Work that ends in bursts, a worker's share at a time, has no speed over the 30 seconds that are the default.
    return Bars(*columns, console=console, speed_estimate_period=600.0)
