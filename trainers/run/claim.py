"""Claim on the folder of a run: a folder of its own for each new run, and a lock against a second process in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from trainers.config.run import TrainingConfig
from trainers.errors import ConfigError

LOCK_NAME = "run.lock"
"""File in the run folder that is locked while a process works there."""


@contextmanager
def claimed_folder(config: TrainingConfig, resume: Path | None = None) -> Iterator[Path]:
    """Choose and lock the folder of a run as long as the block runs.

    The system releases the lock when the process ends, also when it is killed. A new folder in which no run was begun
    is removed again.

    Args:
        config: The settings, which name the folder or leave the choice open.
        resume: The folder of a run to be resumed, or `None` for a new run.

    Yields:
        The folder, which exists.

    Raises:
        ConfigError: The folder is in use by another process, holds a run already, or cannot be written.
    """
    if resume is not None:
        with _locked(resume, f"--resume {resume}"):
            yield resume
        return
    path, made = _reserve(config) if config.run_dir is None else _given(Path(config.run_dir))
    try:
        with _locked(path, f"run_dir: {path}"):
            _refuse_a_run(path)
            yield path
    finally:
        if not (path / "config.yaml").exists():
            with suppress(OSError):
                for folder in made:
                    folder.rmdir()


def _reserve(config: TrainingConfig) -> tuple[Path, list[Path]]:
    """Make a new folder below `runs`; of two processes, only one makes it."""
    number = 1
    while True:
        path = Path("runs") / (config.stem if number == 1 else f"{config.stem}-{number}")
        made = _missing(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir()
        except FileExistsError:
            number += 1
        except OSError as error:
            raise ConfigError(f"run_dir: cannot write to {path}: {error.strerror}") from None
        else:
            return path, made


def _given(path: Path) -> tuple[Path, list[Path]]:
    try:
        if path.exists() and not path.is_dir():
            raise ConfigError(f"run_dir: expected a folder, got the file {path}")
        made = _missing(path)
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"run_dir: cannot write to {path}: {error.strerror}") from None
    return path, made


def _missing(path: Path) -> list[Path]:
    """Return the folder and those of its parents that do not exist, the innermost first."""
    return [folder for folder in (path, *path.parents) if not folder.exists()]


def _refuse_a_run(path: Path) -> None:
    if (path / "config.yaml").exists():
        raise ConfigError(
            f"run_dir: {path} holds a run already; resume it with --resume {path}, or choose another folder"
        )


@contextmanager
def _locked(folder: Path, what: str) -> Iterator[None]:
    lock = FileLock(folder / LOCK_NAME, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise ConfigError(f"{what} is in use by another process; wait for its end, or stop it") from None
    except OSError as error:
        raise ConfigError(f"{what}: cannot write to {folder}: {error.strerror}") from None
    try:
        yield
    finally:
        # Removed while it is held: who opened it in the meantime finds that it has no name any more, and starts over.
        with suppress(OSError):
            (folder / LOCK_NAME).unlink()
        lock.release()
