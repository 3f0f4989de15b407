"""The folder of a data set between runs: one run at a time writes it, and removes what earlier ones left in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lean_gym.errors import DataError

RECORDS: Final = ".files"
"""Folder of the data set with the record of each traced file."""
PARTIAL: Final = ".partial"
"""Ending of the names of files that are being written."""
_LOCK: Final = ".lock"


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let no other run write to a folder while the block runs; the operating system ends this with the process.

    Without `fcntl`, or on a file system without locks, nothing is locked.

    Raises:
        DataError: Another run writes to it.
        OSError: Files cannot be made in it.
    """
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        if not _lock(descriptor):
            raise DataError(
                f"trace: another process is tracing into {folder}; wait for its end or take another --out"
            )
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":

    def _lock(descriptor: int) -> bool:
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        """Return whether no other process has locked an open file."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True


def remove_left_over(folder: Path, records: Collection[Path]) -> None:
    """Remove the records of files that the project no longer has, and what killed runs had begun to write.

    Args:
        folder: The folder of the data set.
        records: The records of all files of the project.
    """
    for path in [*folder.glob(f"*{PARTIAL}"), *folder.glob(f"*/*{PARTIAL}")]:
        if path.is_file():
            path.unlink()
    for inner, _, names in os.walk(folder / RECORDS, topdown=False):
        for path in (Path(inner, name) for name in names):
            if path not in records:
                path.unlink()
        if inner != str(folder / RECORDS) and not os.listdir(inner):
            os.rmdir(inner)


def write_whole(path: Path, text: str) -> None:
    """Write a file of the folder, as a whole or not at all; what a kill leaves of it has a name that is cleaned up."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}{PARTIAL}")
    partial.write_text(text, encoding="utf-8", newline="\n")
    partial.replace(path)
