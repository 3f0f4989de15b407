"""Memory of a REPL: the process and what it started, since a sandbox stands between the REPL and this process."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import psutil

_MIB: Final = 1024.0 * 1024.0
_SEARCH_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory in MiB.

    Attributes:
        own: Memory that no other process shares; on other systems than Linux, all of it.
        files: Pages of files, such as compiled modules, which the processes of a machine share.
    """

    own: float
    files: float


class MemoryGauge:
    """Memory of a process and its descendants; a search for new ones, which is slow, comes every 10 seconds at most.

    Args:
        pid: The process; it may end at any time.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._family: list[psutil.Process] = []
        self._next_search = 0.0

    def read(self) -> Memory:
        """Return the memory now; nothing of processes that have ended."""
        if time.monotonic() >= self._next_search:
            self._family = []
            with suppress(psutil.Error):
                process = psutil.Process(self._pid)
                self._family = [process, *process.children(recursive=True)]
            self._next_search = time.monotonic() + _SEARCH_SECONDS
        own = files = 0.0
        for process in self._family:
            with suppress(psutil.Error):
                found = process.memory_info()
                shared = found.shared if sys.platform == "linux" else 0
                own += (found.rss - shared) / _MIB
                files += shared / _MIB
        return Memory(own, files)
