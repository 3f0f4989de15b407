"""Files with the proved library: where they are, which one is valid, and writing them.

The wheel brings one (`proved.bin`, written by `ship.py` when the wheel is built). Where it is absent or belongs to
other sources, the library is proved once and kept below `$XDG_CACHE_HOME/lean-gym`.

A file begins with a SHA-256 over its key and its content. In the user's cache this digest is no proof of anything: who
writes the file writes the digest too. Such a file is used only if its digest stands in `proved-here.txt`, a record of
what this installation proved. The record is part of the installation, so whoever can forge it can change minilean's
Python files as well. `python -m minilean recheck-library` compares the file in use with what the sources prove.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from minilean.library.encoding import EncodingError, decode, encode
from minilean.library.lock import is_first_process
from minilean.library.private_files import read_private, read_regular, replace_file, write_private
from minilean.library.progress import write_line
from minilean.meta.extension import LeanEnv

FORMAT = 9
SHIPPED = Path(__file__).parent / "proved.bin"
"""The file that the wheel brings."""
PROVED_HERE = Path(__file__).parent / "proved-here.txt"
"""The libraries that this installation proved: a line with key and digest for each."""
MAX_RECORDED = 50
"""Greatest number of lines of that record; the oldest are dropped, so that a checkout under work does not grow one."""
_DIGEST_BYTES = 32
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
    for path, read in ((SHIPPED, read_shipped), (cache_path(key), read_cached)):
        env = read(key)
        if env is not None:
            return env, path
    return None


def read_shipped(key: str) -> LeanEnv | None:
    """Return the library that the wheel brought; `None` if there is none, or it is damaged or of another key."""
    return _decoded(key, read_regular(SHIPPED))


def read_cached(key: str) -> LeanEnv | None:
    """Return the library in the user's cache file.

    Returns:
        `None` if the file is absent, damaged or of another key, if this installation did not prove what it holds, or
        if another user can have written it.
    """
    blob = read_private(cache_path(key))
    if blob is None or (key, blob[:_DIGEST_BYTES].hex()) not in _recorded():
        return None
    return _decoded(key, blob)


def _decoded(key: str, blob: bytes | None) -> LeanEnv | None:
    if blob is None or _digest(key, blob[_DIGEST_BYTES:]) != blob[:_DIGEST_BYTES]:
        return None
    try:
        with uncollected():
            return decode(blob[_DIGEST_BYTES:])
    except EncodingError:
        return None


def sealed(key: str, payload: bytes) -> bytes:
    """Return the content of a file: the digest, then the encoded library."""
    return _digest(key, payload) + payload


def _digest(key: str, payload: bytes) -> bytes:
    return hashlib.sha256(key.encode() + payload).digest()


def write(key: str, env: LeanEnv) -> None:
    """Record that this installation proved a library, and put it into the user's cache file of this key.

    A directory that cannot be written costs proving the library again in the next process. One line on standard
    error says so, from one of the processes that share this directory.
    """
    content = sealed(key, encode(env))
    path = cache_path(key)
    try:
        record(key, content[:_DIGEST_BYTES].hex())
    except OSError as error:
        _complain(PROVED_HERE.parent, error, f"run `python -m minilean.library.ship {SHIPPED}` as its owner")
        return
    try:
        write_private(path, content)
    except OSError as error:
        _complain(path.parent, error, "set XDG_CACHE_HOME to a directory that can be written")


def _recorded() -> list[tuple[str, str]]:
    """Return key and digest of each library in the record, the oldest first."""
    text = (read_regular(PROVED_HERE) or b"").decode("ascii", "replace")
    return [(key, digest) for key, _, digest in (line.partition(" ") for line in text.splitlines())]


def record(key: str, digest: str) -> None:
    """Record that this installation proved the library of this key and digest.

    Raises:
        OSError: The installation cannot be written.
    """
    known = _recorded()
    if (key, digest) in known:
        return
    lines = [*known, (key, digest)][-MAX_RECORDED:]
    # Other users of the installation read it too.
    replace_file(PROVED_HERE, "".join(f"{key} {digest}\n" for key, digest in lines).encode(), 0o644)


def _complain(folder: Path, error: OSError, remedy: str) -> None:
    if is_first_process(f"unwritable {folder}"):
        write_line(
            f"minilean: the proved library cannot be kept in {folder} ({error.strerror or error}), so every process "
            f"proves it anew, for about 20 seconds; {remedy}\n"
        )
