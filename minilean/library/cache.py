"""Files with the proved library: where they are, which one is valid, and writing them.

The wheel brings one (`proved.bin`, written by `ship.py` when the wheel is built). Where it is absent or belongs to
other sources, the library is proved once and kept below `$XDG_CACHE_HOME/lean-gym`.

A file begins with a SHA-256 over its key and its content, which finds damage. It is no signature: a program that can
write the file can change what minilean believes (docs/minilean/security.md). `python -m minilean recheck-library`
compares the file in use with what the sources prove.
"""

from __future__ import annotations

import gc
import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from minilean.library.encoding import EncodingError, decode, encode
from minilean.library.lock import is_first_process
from minilean.library.progress import write_line
from minilean.meta.extension import LeanEnv

FORMAT = 7
SHIPPED = Path(__file__).parent / "proved.bin"
"""The file that the wheel brings."""
_DIGEST_BYTES = 32
# Nobody writes a file for longer.
_WRITE_SECONDS = 600.0
# The rooms of minilean that take part in proving the library. A change of the others leaves the library as it is.
_DECIDING = ("kernel", "meta", "syntax", "printer", "elab", "commands", "tactics", "library")


def library_key(sources: Iterable[Path]) -> str:
    """Return the hash of everything that decides what the library is.

    The Python version is not among it: the content is JSON, and what the kernel accepts depends on no Python.

    Args:
        sources: The Lean files of the library, in the order in which they are loaded.
    """
    package = Path(__file__).parents[1]
    code = (path for room in _DECIDING for path in sorted((package / room).rglob("*.py")))
    digest = hashlib.sha256(f"{FORMAT}".encode())
    for path in [*sources, *code]:
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable garbage collection while a library is made: nearly all objects stay, and it would walk all of them."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def cache_path(key: str) -> Path:
    """Return the user's cache file for this key: in `$XDG_CACHE_HOME/lean-gym`, by default below `~/.cache`."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(root) / "lean-gym" / f"library-{key[:24]}.bin"


def find(key: str) -> tuple[LeanEnv, Path] | None:
    """Return the library of this key and its file: the shipped one, else the user's; `None` if neither is valid."""
    for path in (SHIPPED, cache_path(key)):
        env = read(path, key)
        if env is not None:
            return env, path
    return None


def read(path: Path, key: str) -> LeanEnv | None:
    """Return the library in a file, or `None` if the file is absent, damaged or of another key."""
    try:
        blob = path.read_bytes()
    except OSError:
        return None
    payload = blob[_DIGEST_BYTES:]
    if _digest(key, payload) != blob[:_DIGEST_BYTES]:
        return None
    try:
        with uncollected():
            return decode(payload)
    except EncodingError:
        return None


def sealed(key: str, payload: bytes) -> bytes:
    """Return the content of a file: the digest, then the encoded library."""
    return _digest(key, payload) + payload


def _digest(key: str, payload: bytes) -> bytes:
    return hashlib.sha256(key.encode() + payload).digest()


def write(key: str, env: LeanEnv) -> None:
    """Put a library into the user's cache file of this key, by atomic replacement.

    A directory that cannot be written costs proving the library again in the next process. One line on standard
    error says so, from one of the processes that share this directory.
    """
    path = cache_path(key)
    try:
        _replace(path, sealed(key, encode(env)))
    except OSError as error:
        if is_first_process(f"unwritable {path.parent}"):
            _complain(path.parent, error)


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_abandoned(path.parent)
    descriptor, name = tempfile.mkstemp(prefix="library-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
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


def _complain(folder: Path, error: OSError) -> None:
    write_line(
        f"minilean: the proved library cannot be kept in {folder} ({error.strerror or error}), so every process "
        "proves it anew, for about 20 seconds; set XDG_CACHE_HOME to a directory that can be written\n"
    )
