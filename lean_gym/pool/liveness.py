"""Limits of the silence of a worker process."""

from __future__ import annotations

import os
import socket
import struct
import sys
from multiprocessing.connection import Connection
from typing import Final

from lean_gym.process_state import STOPPED_SECONDS

SILENT_SECONDS: Final = 60.0
"""Silence after which a process is given up whatever its state, unless it is inside a call of its backend, which may
keep the interpreter from running its other threads."""


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
