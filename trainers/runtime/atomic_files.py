"""Atomic replacement of files and folders; failures to write are reported in one line."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from lean_gym import atomic_files
from trainers.errors import ConfigError


@contextmanager
def naming_unwritable(path: Path) -> Iterator[None]:
    """Turn a failure to write into one line that names the file.

    Raises:
        ConfigError: A file could not be written in the block.
    """
    try:
        yield
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error
    except SafetensorError as error:
        raise ConfigError(f"cannot write {path}: {error}") from error
    except RuntimeError as error:
        cause = error.__context__  # after a failed write, torch fails again while closing its archive
        if not isinstance(cause, OSError):
            raise
        raise ConfigError(f"cannot write {path}: {cause.strerror or cause}") from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`, which it replaces if the block ends without an error."""
    with naming_unwritable(path), atomic_files.replacing(path) as temporary:
        yield temporary


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder next to `path`, which it replaces if the block ends without an error."""
    with naming_unwritable(path):
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        written, replaced = temporary / "written", temporary / "replaced"
        written.mkdir()
        try:
            yield written
            if path.exists():
                path.rename(replaced)
            written.rename(path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file by atomic replacement."""
    with naming_unwritable(path):
        atomic_files.write_text(path, text)
