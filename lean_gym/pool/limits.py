"""Memory and processes of a worker: the watch on memory, the limit, and the removal of everything it started.

A prover may have started processes of its own, in sessions of their own. They are found in two ways: as
descendants, and by a mark in their environment, which also finds those whose parent died first.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import psutil

MARK: Final = "LEAN_GYM_WORKER"
"""The environment variable that marks everything a worker starts."""

_MIB: Final = 1024.0 * 1024.0
# What a prover may map on top of what it may use: the compiled libraries of Lean (several GiB for Mathlib).
_MAPPED_MIB: Final = 32 * 1024
_KILL_ROUNDS: Final = 5
# The search for descendants reads every process of the machine; it takes at most this share of the time.
_SEARCH_SHARE: Final = 0.005


class MemoryGauge:
    """Memory of a process and its descendants, cheap enough to be read ten times a second.

    The search for new descendants takes at most 0.5 % of the time: on a machine with a few hundred processes it happens
    about once a second.

    Args:
        pid: The process; it may end at any time.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._processes: list[psutil.Process] = []
        self._next_search = 0.0

    def read_mib(self) -> float:
        """Return the resident memory in MiB; on Linux without pages of files, which processes share."""
        began = time.monotonic()
        if began >= self._next_search:
            self._processes = _family(self._pid)
            ended = time.monotonic()
            self._next_search = ended + (ended - began) / _SEARCH_SHARE
        return sum(map(_own_bytes, self._processes)) / _MIB


def own_memory_mib(pid: int) -> float:
    """Return the memory of a process and its descendants now, see `MemoryGauge`."""
    return MemoryGauge(pid).read_mib()


def _family(pid: int) -> list[psutil.Process]:
    """Return a process and its living descendants; none when it has ended."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    return []


def _own_bytes(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        memory = process.memory_info()
        return int(memory.rss - memory.shared if sys.platform == "linux" else memory.rss)
    return 0


def limit_address_space(memory_mib: int) -> None:
    """Let this process and those it starts map no more than `memory_mib` and room for Lean's libraries, on Linux.

    This is the last line of defence: one huge allocation fails at once, before the watch on memory sees it.
    """
    if sys.platform != "linux":
        return
    import resource

    limit = psutil.Process().memory_info().vms + int((memory_mib + _MAPPED_MIB) * _MIB)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def kill_started(mark: str, pid: int | None) -> None:
    """Kill everything that a worker started: its descendants, and every process that bears its mark.

    Args:
        mark: The value of `MARK` in the environment of its children.
        pid: The worker, which is not killed itself; `None` when it has ended, since another process may have
            its number by now.

    Raises:
        OSError: The processes of the machine cannot be listed: no file descriptor is left.
    """
    for _ in range(_KILL_ROUNDS):
        victims = {*_marked(mark), *([] if pid is None else _family(pid))}
        victims = {victim for victim in victims if victim.pid not in (os.getpid(), pid)}
        for victim in victims:
            with suppress(psutil.Error):
                victim.kill()
        if not victims:
            return


def _marked(mark: str) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARK) == mark:
                yield process
