"""Terminal output of the programs: plain lines and progress bars."""

from __future__ import annotations

import os
import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


def say(console: Console, text: str) -> None:
    """Print one line without markup, highlighting or wrapping."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def warn(text: str) -> None:
    """Print one line on standard error; of several processes, only the first prints it."""
    if os.environ.get("RANK", "0") == "0":
        print(f"warning: {text}", file=sys.stderr, flush=True)


def progress_on(console: Console) -> Progress:
    """Return progress bars with elapsed and remaining time, hidden without a terminal; tasks have a field `note`."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.completed}/{task.total}  {task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    # Work that ends in bursts, a worker's share at a time, has no speed over the 30 seconds that are the default.
    return Progress(*columns, console=console, disable=not console.is_terminal, speed_estimate_period=600.0)
