"""Output of a run: lines and progress bars on the terminal, scalars and samples to the recorders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta

from rich.console import Console
from rich.table import Table

from trainers.evaluation.yardstick import automation_share
from trainers.run.checkpoint import RunState
from trainers.run.display import ProgressBar
from trainers.run.folder import RunFolder
from trainers.run.found_proofs import FoundProofs
from trainers.run.trackers.base import Tracker
from trainers.runtime.terminal import Bars, progress_on, say


class Monitor:
    """Progress on the terminal, and the recorders of a run."""

    def __init__(self, console: Console, trackers: Sequence[Tracker]) -> None:
        """Keep the parts.

        Args:
            console: Output.
            trackers: The recorders; `close` closes them. Of several processes, only the first has any.
        """
        self.console = console
        self._trackers = trackers
        self._progress: Bars | None = None

    def flush(self) -> dict[str, int]:
        """Bring everything to the disk and return the sizes of the recorders' files, in bytes."""
        return {name: size for tracker in self._trackers for name, size in tracker.flush().items()}

    def close(self) -> None:
        """Close the recorders, all of them also where one fails."""
        with ExitStack() as closing:
            for tracker in self._trackers:
                closing.callback(tracker.close)

    def say(self, text: str) -> None:
        """Print one line."""
        say(self.console, text)

    def scalars(self, values: Mapping[str, float], iteration: int) -> None:
        """Record named scalars."""
        for tracker in self._trackers:
            tracker.scalars(values, iteration)

    def text(self, name: str, text: str, iteration: int) -> None:
        """Record a text."""
        for tracker in self._trackers:
            tracker.text(name, text, iteration)

    def histogram(self, name: str, values: Sequence[float], iteration: int) -> None:
        """Record a distribution; nothing where there is no value."""
        for tracker in self._trackers if values else ():
            tracker.histogram(name, values, iteration)

    @contextmanager
    def bar(self, title: str, total: int, done: int = 0, lines: int = 20) -> Iterator[ProgressBar]:
        """Show a progress bar while the block runs, below that of a block around it.

        Args:
            title: What is done.
            total: Number of its parts.
            done: Those that are done already.
            lines: Most lines where the output is no terminal; with 0 there are only those after a silence.
        """
        if self._progress is None:
            with progress_on(self.console) as self._progress:
                try:
                    with self.bar(title, total, done, lines) as bar:
                        yield bar
                finally:
                    self._progress = None
            return
        with self._progress.doing(title, total) as task:
            self._progress.update(task, completed=done)
            yield ProgressBar(self.console, self._progress, task, title, total, lines)

    def show_result(self, state: RunState, proofs: FoundProofs, folder: RunFolder, held_out: str) -> None:
        """Print the table of results, and mark the records as those of a run that ended."""
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
        for tracker in self._trackers:
            tracker.end()
            self.say(tracker.where)
