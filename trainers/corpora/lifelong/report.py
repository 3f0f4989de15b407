"""Results of a course: the table of solve rates, a JSON file, and scalars for TensorBoard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from trainers.run.trackers.tensorboard import TensorBoardTracker
from trainers.runtime.atomic_files import write_text


def write_report(folder: Path, report: Mapping[str, Any]) -> None:
    """Write `transfer.json`, and the event file anew, so that no point is in it twice after a resumption.

    Args:
        folder: The run folder.
        report: `repositories`, `rates` (a row for each number of repositories learned), `beside`, `measures`.

    Raises:
        ConfigError: A file cannot be written.
    """
    write_text(folder / "transfer.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    for old in folder.glob("events.out.tfevents.*"):
        old.unlink(missing_ok=True)
    tracker = TensorBoardTracker(folder, {}, None)
    try:
        for step, (row, found) in enumerate(zip(report["rates"], report["measures"], strict=True)):
            named = zip(report["repositories"], row, strict=True)
            scalars = {f"solve_rate/{name}": rate for name, rate in named}
            scalars |= {f"lifelong/{name}": value for name, value in found.items()}
            if report["beside"] is not None:
                scalars["lifelong/beside"] = report["beside"][step]
            tracker.scalars({name: value for name, value in scalars.items() if value is not None}, step)
    finally:
        tracker.close()


def show(console: Console, report: Mapping[str, Any]) -> None:
    """Print the table: a row after each repository, and the measures so far."""
    table = Table(title="solve rate on held-out theorems")
    table.add_column("after", no_wrap=True)
    names = [*report["repositories"], *(["beside"] if report["beside"] is not None else [])]
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for step, row in enumerate(report["rates"]):
        cells = [*row, *([report["beside"][step]] if report["beside"] is not None else [])]
        after = report["repositories"][step - 1] if step else "the start"
        table.add_row(after, *("-" if cell is None else f"{cell:.1%}" for cell in cells))
    console.print(table)
    told = [
        f"{name.replace('_', ' ')} {value:+.1%}"
        for name, value in report["measures"][-1].items()
        if value is not None
    ]
    if told:
        console.print("  ".join(told), highlight=False)
