"""Memory and processes of a worker: what is watched, what is limited, and how nothing is left behind.

A prover may have started processes of its own, in sessions of their own. They are found in two ways: as
descendants, and by a mark in their environment, which also finds those whose parent died first. Both need
Linux's /proc; elsewhere the process group of the worker is ended, and memory is not watched.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

MARK: Final = "LEAN_GYM_WORKER"
"""The environment variable that marks everything a worker starts."""

_MIB: Final = 1024.0 * 1024.0
# What a prover may map on top of what it may use: the compiled libraries of Lean (several GiB for Mathlib).
_MAPPED_MIB: Final = 32 * 1024
_KILL_ROUNDS: Final = 5


def descendants(pid: int) -> list[int]:
    """The process ids of all living descendants of a process."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        with suppress(OSError):
            for task in Path(f"/proc/{waiting.pop()}/task").iterdir():
                with suppress(OSError):
                    children = [int(child) for child in (task / "children").read_text().split()]
                    found += children
                    waiting += children
    return found


def own_memory_mib(pid: int) -> float:
    """Resident memory of a process and its descendants, without pages of files, which processes share."""
    total = 0.0
    for one in (pid, *descendants(pid)):
        with suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{one}/statm").read_text().split()
            total += (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE") / _MIB
    return total


def limit_address_space(memory_mib: int) -> None:
    """Let this process and those it starts map no more than `memory_mib` and room for Lean's libraries.

    The last line of defence: one huge allocation fails at once, without waiting to be noticed.
    """
    try:
        import resource

        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError):
        return
    limit = mapped + int((memory_mib + _MAPPED_MIB) * _MIB)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def kill_started(mark: str, pid: int | None) -> None:
    """Kill everything that a worker started: its descendants, and whatever bears its mark.

    Args:
        mark: The value of `MARK` in the environment of its children.
        pid: The worker, which is not killed itself; `None` when it has ended, since another process may have
            its number by now.
    """
    for _ in range(_KILL_ROUNDS):
        victims = {*_marked(mark), *([] if pid is None else descendants(pid))} - {os.getpid(), pid}
        for victim in victims:
            with suppress(OSError):
                os.kill(victim, signal.SIGKILL)
        if not victims:
            return


def _marked(mark: str) -> Iterator[int]:
    wanted = f"{MARK}={mark}".encode()
    with suppress(OSError):
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    if wanted in (entry / "environ").read_bytes().split(b"\0"):
                        yield int(entry.name)
