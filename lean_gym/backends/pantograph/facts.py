"""Facts about a REPL or a project, found once on a machine and shared by its processes, and slots that they share.

A fact is a JSON value in a file of its own in `$XDG_CACHE_HOME/lean-gym/pantograph`. The process that finds it holds a
lock meanwhile, so that others wait for it instead of doing the same at the same time. A fact is used for an hour: a
wrapper such as `lake exe repl` does not show that the program it runs was replaced.

No verdict rests on a fact. One that is wrong makes requests fail, and a failed request is no proof.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from lean_gym.cache_folder import cache_folder

KEPT_SECONDS: Final = 3600.0
_POLL_SECONDS: Final = 0.05
_LOCK_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


def shared(subject: str, key: Sequence[object], find: Callable[[], Any], patience_s: float) -> Any:
    """Return a fact: the known one, or what `find` returns, which is then known.

    Args:
        subject: One word, for the file's name.
        key: Everything the fact depends on, JSON-able.
        find: Finds the fact, a JSON value other than null; its exceptions are not kept.
        patience_s: Seconds to wait for another process that is finding it; then it is found here as well.
    """
    file = _file_of(subject, key)
    if file is None:
        return find()
    with _locked(file.with_suffix(".lock"), patience_s):
        found = _read(file)
        if found is None:
            found = find()
            _write(file, found)
        return found


def known(subject: str, key: Sequence[object]) -> Any:
    """Return a fact that `shared` has found, or `None`."""
    file = _file_of(subject, key)
    return None if file is None else _read(file)


def _file_of(subject: str, key: Sequence[object]) -> Path | None:
    folder = _folder()
    digest = hashlib.sha256(json.dumps([subject, *key]).encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{subject}-{digest}.json"


@contextmanager
def slot(subject: str, count: int, patience_s: float) -> Iterator[None]:
    """Hold one of a few slots while the block runs, so that not all processes of a machine do the same at a time.

    Args:
        subject: One word that names the slots.
        count: How many there are, at least 1.
        patience_s: Seconds to wait for a free one; then the block runs without.
    """
    folder = _folder()
    held = (
        None
        if folder is None
        else _free_slot([folder / f"{subject}-{n}.lock" for n in range(count)], patience_s)
    )
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


def _free_slot(files: Sequence[Path], patience_s: float) -> int | None:
    until = time.monotonic() + patience_s
    while True:
        for file in files:
            try:
                lock = os.open(file, _LOCK_FLAGS, 0o600)
            except OSError:
                return None
            if _take(lock):
                return lock
            os.close(lock)
        if time.monotonic() >= until:
            return None
        time.sleep(_POLL_SECONDS)


def stamps(paths: Sequence[str | Path]) -> list[tuple[str, int, int]]:
    """Return path, size and time of change (ns) of those paths that are files, to key facts by."""
    found = []
    for path in paths:
        with suppress(OSError, ValueError):
            about = os.stat(path)
            if stat.S_ISREG(about.st_mode):
                found.append((os.path.realpath(path), about.st_size, about.st_mtime_ns))
    return found


def _folder() -> Path | None:
    """Return the folder for facts; `None` where there is none that belongs to this user alone."""
    folder = cache_folder() / "pantograph"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_own(os.stat(folder)) else None
    except OSError:
        return None


def _is_own(about: os.stat_result) -> bool:
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@contextmanager
def _locked(file: Path, patience_s: float) -> Iterator[None]:
    """Hold a lock while the block runs; without it where it cannot be had in time. It ends with its process."""
    try:
        lock = os.open(file, _LOCK_FLAGS, 0o600)
    except OSError:
        yield
        return
    try:
        until = time.monotonic() + patience_s
        while not _take(lock) and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


def _read(file: Path) -> Any:
    """Return what the file holds; `None` when it is missing, old, damaged or another user's."""
    try:
        with file.open(encoding="utf-8") as opened:
            about = os.fstat(opened.fileno())
            if not _is_own(about) or not 0 <= time.time() - about.st_mtime < KEPT_SECONDS:
                return None
            return json.load(opened)
    except (OSError, ValueError):
        return None


def _write(file: Path, value: Any) -> None:
    """Replace the file in one move; a full disk only costs the next process the same work."""
    draft = None
    try:
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as opened:
            draft = opened.name
            json.dump(value, opened)
        os.replace(draft, file)
    except OSError:
        if draft is not None:
            with suppress(OSError):
                os.unlink(draft)
