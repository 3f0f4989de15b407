"""What programs show on a terminal: lines as they stand, and progress bars."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


def say(console: Console, text: str) -> None:
    """Print one line as it stands."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def progress_on(console: Console) -> Progress:
    """Bars with the time taken and left, silent where output is no terminal; tasks have a field `note`."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.completed}/{task.total}  {task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, disable=not console.is_terminal)
