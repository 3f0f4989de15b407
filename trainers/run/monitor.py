"""Output of a run: progress bar, lines on the terminal, TensorBoard scalars."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table
from torch.utils.tensorboard import SummaryWriter

from trainers.evaluation.yardstick import automation_share
from trainers.run.checkpoint import RunState
from trainers.run.folder import RunFolder
from trainers.run.found_proofs import FoundProofs
from trainers.runtime.atomic_files import naming_unwritable
from trainers.runtime.terminal import progress_on, say

_LAYOUT: Final = {
    "What the policy proves": {
        "held-out theorems": ["Multiline", ["eval/pass_at_1$", "eval/pass_at_8$", "eval/automation_best$"]],
        "training theorems": ["Multiline", ["proof/solve_rate$", "proof/pass_at_8$", "proof/refused_share$"]],
        "theorems proved": ["Multiline", ["proof/new$", "eval/proved$"]],
    },
    "What it is rewarded for": {
        "terms of the reward": ["Multiline", ["reward/.*"]],
        "groups without a difference": ["Multiline", ["group/zero_std_fraction$"]],
    },
    "How it changes": {
        "entropy, nats": ["Multiline", ["policy/entropy$"]],
        "KL from the start, nats": ["Multiline", ["policy/kl$"]],
        "clipped tokens": ["Multiline", ["policy/clip_fraction$"]],
    },
    "Where the time goes, seconds": {"an iteration": ["Multiline", ["time/.*"]]},
}
"""Charts of TensorBoard's page Custom Scalars: chart -> patterns of the scalars on it."""
_EVENTS: Final = "events.out.tfevents."
"""Beginning of the name of each event file."""


class Monitor:
    """Progress on the terminal and scalars for TensorBoard."""

    def __init__(self, folder: RunFolder, console: Console, written: Mapping[str, int]) -> None:
        """Open a new event file.

        Args:
            folder: Folder of the run.
            console: Output.
            written: Result of `flush` at the point from which the run goes on. Scalars that were written later are
                deleted; they will be written again.
        """
        self.console = console
        self._events = folder.path / f"{_EVENTS}*"
        with naming_unwritable(self._events):
            # At a start, when nothing is written yet, event files in the folder are of someone else.
            for path in _files(self._events.parent) if written else ():
                if path.name not in written:
                    path.unlink()
                elif path.stat().st_size > written[path.name]:
                    os.truncate(path, written[path.name])
            self._writer = SummaryWriter(str(folder.path))
            self._writer.add_custom_scalars(_LAYOUT)
        self._plain_hook = threading.excepthook
        threading.excepthook = self._on_thread_error

    def _on_thread_error(self, error: threading.ExceptHookArgs) -> None:
        """Leave out the traceback of the thread that writes events: the next call reports the error, in one line."""
        written = type(error.thread).__module__.startswith("tensorboard.")
        if not (written and isinstance(error.exc_value, OSError)):
            self._plain_hook(error)

    def flush(self) -> dict[str, int]:
        """Write all scalars to the disk and return the size of each event file, in bytes."""
        with naming_unwritable(self._events):
            self._writer.flush()
            return {path.name: path.stat().st_size for path in _files(self._events.parent)}

    def close(self) -> None:
        """Flush and close the event file."""
        try:
            with naming_unwritable(self._events):
                self._writer.close()
        finally:
            threading.excepthook = self._plain_hook

    def say(self, text: str) -> None:
        """Print one line."""
        say(self.console, text)

    def scalars(self, values: Mapping[str, float], iteration: int) -> None:
        """Write named scalars."""
        with naming_unwritable(self._events):
            for name, value in values.items():
                self._writer.add_scalar(name, value, iteration)

    @contextmanager
    def bar(self, title: str, total: int, done: int = 0) -> Iterator[ProgressBar]:
        """Show a progress bar while the block runs."""
        with progress_on(self.console) as progress:
            task = progress.add_task(title, total=total, completed=done, note="")
            yield ProgressBar(self, progress, task, title, total)

    def show_result(self, state: RunState, proofs: FoundProofs, folder: RunFolder, held_out: str) -> None:
        """Print the table of results."""
        table = Table(title=f"{held_out}, after {timedelta(seconds=round(state.seconds['total']))}")
        for heading in ("", "before", "after", "gain"):
            table.add_column(heading, justify="right" if heading else "left")
        before, after = state.evaluations["before"], state.evaluations["after"]
        for name in before:
            gain = f"{100 * (after[name] - before[name]):+.1f}"
            table.add_row(name, f"{100 * before[name]:.1f}%", f"{100 * after[name]:.1f}%", gain)
        for name, label in (("best", "automation, best script"), ("any", "automation, any script")):
            if state.automation:
                share = f"{100 * state.automation[name]:.1f}%"
                table.add_row(label, share, share, "")
        self.console.print(table)
        for label, rows in (("new proofs", proofs.training), ("held-out theorems proved", proofs.held_out)):
            share_using = automation_share(rows)
            using = "" if share_using is None else f" ({share_using:.0%} of them use automation)"
            self.say(f"{label}, each verified: {len(rows)}{using}, in {folder.path / 'proofs.jsonl'}")
        self.say(f"scalars: tensorboard --logdir {folder.path}")


def _files(folder: Path) -> list[Path]:
    """Return the event files of a run; its folder holds other files beside them."""
    return sorted(folder.glob(f"{_EVENTS}*"))


class ProgressBar:
    """A progress bar; without a terminal, a line for every twentieth of the work."""

    def __init__(self, monitor: Monitor, progress: Progress, task: TaskID, title: str, total: int) -> None:
        self._monitor = monitor
        self._progress = progress
        self._task = task
        self._title = title
        self._every = max(1, total // 20)

    def show(self, done: int, note: str) -> None:
        """Move the bar to `done` and show a note."""
        self._progress.update(self._task, completed=done, note=note)
        task = self._progress.tasks[self._task]
        if not self._monitor.console.is_terminal and (done % self._every == 0 or done == task.total):
            seconds = task.time_remaining  # None until there are two measurements
            left = "" if seconds is None else f"  left {timedelta(seconds=round(seconds))}"
            self._monitor.say(f"{self._title} {done}/{task.total}  {note}{left}")
