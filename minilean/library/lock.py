"""Locks between processes: one process proves the library while the others wait, one prints a shared warning.

The operating system releases a lock when its holder ends, also when the holder is killed. Without `fcntl`, or on a
file system without locks, nothing is locked: each process then proves the library for itself.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from minilean.library.progress import write_line

_POLL_S = 0.1
_QUIET_S = 30.0
"""Seconds after which a waiting process says what it waits for."""


@contextmanager
def locked(path: Path, wait_s: float) -> Iterator[bool]:
    """Hold the lock on a file as long as the block runs.

    Args:
        path: The lock file; it is made, with its directory, and stays.
        wait_s: Seconds to wait for another holder, who may be stopped.

    Yields:
        Whether the lock is held. If not, the block runs without it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A link could name any file of this user, which would lose its content.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        yield False
        return
    try:
        yield _wait(descriptor, wait_s)
    finally:
        os.close(descriptor)


def is_first_process(topic: str) -> bool:
    """Return whether no other living process of this user was given `True` for this topic.

    Each process may ask once a topic. The answer is `True` as well where nothing can be locked.
    """
    user = os.getuid() if sys.platform != "win32" else 0
    name = f"minilean-{user}-{hashlib.sha256(os.fsencode(topic)).hexdigest()[:16]}.lock"
    try:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(os.path.join(tempfile.gettempdir(), name), flags, 0o600)
    except OSError:
        return True
    # The descriptor stays open, so the process holds the lock until it ends.
    return _try(descriptor) is not False


def _wait(descriptor: int, wait_s: float) -> bool:
    began = time.monotonic()
    told = False
    while (got := _try(descriptor)) is False:
        waited = time.monotonic() - began
        if waited >= wait_s:
            return False
        if waited >= _QUIET_S and not told:
            told = True
            _say_waiting(descriptor, wait_s)
        time.sleep(_POLL_S)
    if got:
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return got is True


def _say_waiting(descriptor: int, wait_s: float) -> None:
    with suppress(OSError, ValueError):
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace")
        write_line(
            f"minilean: waiting for process {holder or '?'}, which is proving the library; after {wait_s:.0f} s this "
            "process proves it as well\n"
        )


if sys.platform == "win32":

    def _try(descriptor: int) -> bool | None:
        """Return `None`: nothing can be locked."""
        return None

else:
    import fcntl

    def _try(descriptor: int) -> bool | None:
        """Try to lock an open file.

        Returns:
            `True` for a lock, `False` if another process has it, `None` if the file cannot be locked.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return None
        return True
