"""Processes of a run that were stopped and do not go on: the others would wait for them, gloo for half an hour."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from contextlib import suppress
from typing import Final

import psutil

LOOK_S: Final = 0.2
STOPPED_S: Final = 30.0
"""Time after which a process that does not go on after a SIGSTOP is killed, in seconds."""


class Watch:
    """Kills those among some processes that have been stopped for long.

    Looks are counted, not seconds: a terminal's Ctrl-Z stops this process too.

    Args:
        processes: Processes of this machine, with their place in the run, e.g. `"2 of 4"`.
        seconds: How long one may be stopped.
    """

    def __init__(self, processes: dict[str, psutil.Process], seconds: float) -> None:
        self._processes = processes
        self._seconds = seconds
        self._looks = Counter[str]()

    def look(self) -> None:
        """Look once; call it every `LOOK_S` seconds."""
        for place, process in self._processes.items():
            stopped = False
            with suppress(psutil.NoSuchProcess):
                stopped = process.status() == psutil.STATUS_STOPPED
            self._looks[place] = self._looks[place] + 1 if stopped else 0
            if self._looks[place] * LOOK_S > self._seconds:
                self._looks[place] = 0
                sys.stderr.write(
                    f"process {place} was stopped for {self._seconds:g} seconds, so it is killed\n"
                )
                with suppress(psutil.NoSuchProcess):
                    process.kill()


class BackgroundWatch:
    """A watch in a thread, which ends with `close`; for processes that another program started, e.g. torchrun.

    Args:
        processes: See `Watch`.
        seconds: See `Watch`.
    """

    def __init__(self, processes: dict[str, psutil.Process], seconds: float) -> None:
        self._watch = Watch(processes, seconds)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stopped processes", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.wait(LOOK_S):
            self._watch.look()

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join()
