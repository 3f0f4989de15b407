"""Signs that a worker process lives, and evidence of its end."""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Final

import psutil

STOPPED_SECONDS: Final = 5.0
"""Silence after which a process that is stopped (SIGSTOP) is given up; a stop for a moment is no loss."""
SILENT_SECONDS: Final = 60.0
"""Silence after which a process is given up whatever its state, unless it is inside a call of its backend, which may
keep the interpreter from running its other threads."""

# Signals that a process brings upon itself. Others are sent by people, schedulers, and the kernel short of memory.
_FAULTS: Final = frozenset(
    getattr(signal, name)
    for name in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGSYS", "SIGTRAP")
    if hasattr(signal, name)
)


def is_stopped(pid: int | None) -> bool:
    """Return whether a process is stopped by a signal; False when it has ended."""
    with suppress(psutil.Error, OSError):
        return pid is not None and psutil.Process(pid).status() == psutil.STATUS_STOPPED
    return False


def ended_by_itself(exit_code: int | None) -> bool:
    """Return whether an exit status speaks against what the process was doing: a fault, or an exit of its own.

    Args:
        exit_code: Status of the process; negative for a signal, `None` when it is not known.
    """
    return exit_code is not None and (exit_code >= 0 or -exit_code in _FAULTS)


def limit_waits(connection: Connection) -> None:
    """Let no read or write wait longer than `STOPPED_SECONDS` for the other end; then it raises `OSError`.

    A process may be stopped in the middle of a message. On Windows, where pipes have no such option, nothing changes.
    """
    if sys.platform == "win32":
        return
    whole = int(STOPPED_SECONDS)
    limit = struct.pack("ll", whole, int((STOPPED_SECONDS - whole) * 1e6))
    with socket.fromfd(connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
    # With `socket.setdefaulttimeout`, every new socket object makes what it wraps non-blocking.
    os.set_blocking(connection.fileno(), True)
