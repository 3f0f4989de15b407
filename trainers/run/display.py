"""Progress of a run on the terminal: bars, and a line of news for each iteration."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from rich.console import Console
from rich.progress import TaskID

from trainers.runtime.terminal import Bars

_LEVELS: Final = "▁▂▃▄▅▆▇█"
_DRAWN: Final = 16
"""Most iterations in a sparkline."""
_NAME: Final = 28
"""Longest name of a theorem in a line of news."""


def sparkline(shares: Sequence[float]) -> str:
    """Return a line of blocks, one for each share; the height goes from 0 to the largest of them."""
    top = max(shares, default=0.0) or 1.0
    return "".join(_LEVELS[round((len(_LEVELS) - 1) * share / top)] for share in shares)


class News:
    """News of the iterations of training, as a note behind the progress bar."""

    def __init__(self) -> None:
        self._rates: deque[float] = deque(maxlen=_DRAWN)
        self._last_proof = ""

    def found(self, names: Iterable[str]) -> None:
        """Note the training theorems that were proved for the first time."""
        for name in names:
            self._last_proof = name if len(name) <= _NAME else name[: _NAME - 1] + "…"

    def note(self, solve_rate: float, proofs: int, tactics_per_second: float) -> str:
        """Return the note after an iteration.

        Args:
            solve_rate: Share of its episodes that ended with a proof, from 0 to 1.
            proofs: Training theorems proved so far.
            tactics_per_second: Throughput of its rollout.
        """
        self._rates.append(solve_rate)
        last = f" (last {self._last_proof})" if self._last_proof else ""
        return (
            f"solved {solve_rate:.0%} {sparkline(self._rates)}  new proofs {proofs}{last}  "
            f"{tactics_per_second:.0f} tactics/s"
        )


class ProgressBar:
    """A progress bar; without a terminal, some lines over the work, and those of `Bars`."""

    def __init__(
        self, console: Console, progress: Bars, task: TaskID, title: str, total: int, lines: int
    ) -> None:
        """Keep the parts.

        Args:
            console: Output.
            progress: Draws the bars.
            task: This bar among them.
            title: What is done.
            total: Number of its parts.
            lines: Most lines without a terminal; with 0 there are those of `Bars` only.
        """
        self._console = console
        self._progress = progress
        self._task = task
        self._title = title
        self._total = total
        self._every = max(1, -(-total // lines)) if lines else 0

    def show(self, done: int, note: str) -> None:
        """Move the bar to `done` and show a note."""
        note = writable(self._console, note)
        self._progress.update(self._task, completed=done, note=note)
        if self._every and not self._console.is_terminal and (done % self._every == 0 or done == self._total):
            [seconds] = [task.time_remaining for task in self._progress.tasks if task.id == self._task]
            # It is None until there are two measurements.
            left = "" if seconds is None else f"  left {timedelta(seconds=round(seconds))}"
            line = f"{self._title} {done}/{self._total}  {note}".rstrip()
            self._progress.say(f"{line}{left}")


def writable(console: Console, text: str) -> str:
    """Return a text with a question mark for each letter that the console cannot write, such as a block in ASCII."""
    return text.encode(console.encoding, "replace").decode(console.encoding)
