"""Limit of a worker's memory, and the removal of everything that it started.

A prover may have started processes of its own, in sessions of their own. They are found in two ways: as
descendants, and by a mark in their environment, which also finds those whose parent died first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import psutil

from lean_gym.process_state import family

MARK: Final = "LEAN_GYM_WORKER"
"""The environment variable that marks everything a worker starts."""

_MIB: Final = 1024.0 * 1024.0
# What a prover may map on top of what it may use: the compiled libraries of Lean (several GiB for Mathlib).
_MAPPED_MIB: Final = 32 * 1024
_KILL_ROUNDS: Final = 5


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
        victims = {*_marked(mark), *([] if pid is None else family(pid))}
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
