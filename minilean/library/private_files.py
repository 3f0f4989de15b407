"""Files that other users cannot have written: the checks before a cached file is read, and how it is kept.

A path below a cache directory may be anything that some program put there: the file of another user, a named pipe,
a device, a link. None of these may be believed, and none may stop the process.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

MAX_BYTES = 1 << 28
"""Greatest size of a file that is read; the library has about 2 MB."""
_OTHERS = 0o077
# Nobody writes a file for longer.
_WRITE_SECONDS = 600.0


def read_regular(path: Path) -> bytes | None:
    """Return the content of a regular file; `None` if the path is anything else or too large."""
    opened = _opened(path)
    return None if opened is None else opened[0]


def read_private(path: Path) -> bytes | None:
    """Return the content of a regular file of this user, closed to others, in a folder of which the same holds.

    Returns:
        `None` if the file or its folder belongs to another user, or its mode gives others any right.
    """
    try:
        folder = os.stat(path.parent)
    except OSError:
        return None
    opened = _opened(path)
    if opened is None or not (_is_private(folder) and _is_private(opened[1])):
        return None
    return opened[0]


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only this user can read, by atomic replacement; its folder is closed to others.

    Raises:
        OSError: It cannot be written, or the folder belongs to another user.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = os.stat(path.parent)
    if not _is_own(folder):
        raise OSError(errno.EPERM, f"the directory belongs to user {folder.st_uid}")
    if not _is_private(folder):
        path.parent.chmod(0o700)
    replace_file(path, content, 0o600)


def replace_file(path: Path, content: bytes, mode: int) -> None:
    """Write a file of this mode, by atomic replacement.

    Raises:
        OSError: It cannot be written.
    """
    _remove_abandoned(path.parent)
    descriptor, name = tempfile.mkstemp(prefix="library-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of processes that were killed while they wrote."""
    for path in folder.glob("library-*.tmp"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _WRITE_SECONDS:
                path.unlink()


def _opened(path: Path) -> tuple[bytes, os.stat_result] | None:
    """Return content and status of a regular file, from one descriptor."""
    # Opening a named pipe would wait for a writer.
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    )
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return None
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            return file.readall(), status
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _is_private(status: os.stat_result) -> bool:
    # Windows has no modes; its user folders are closed to others by inherited access lists.
    return sys.platform == "win32" or (_is_own(status) and not status.st_mode & _OTHERS)


def _is_own(status: os.stat_result) -> bool:
    return sys.platform == "win32" or status.st_uid == os.geteuid()
