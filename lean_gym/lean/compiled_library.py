"""minilean's library, compiled by Lean itself: .olean files for a Lean that came without any.

Each file of `minilean/library` becomes a module `Init.NAME` that imports the one before; `Init.Prelude` begins by the
text of `bridge.py`, and `Init` imports them all. So Lean finds the library for a text without a header.

The files are compiled by Lean's command line, each in a process of its own, and kept below `$XDG_CACHE_HOME/lean-gym`.
A module is kept under the hash of its text and of all that it imports, so after a change, or when a process was
stopped, only what is missing is compiled. A folder for each state of the library has links to its modules.

Source: Lean 4 `src/Lean/Util/Path.lean`, `src/Lean/Shell.lean` (4.35).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from lean_gym.cache_folder import cache_folder
from lean_gym.errors import BackendUnavailable
from lean_gym.lean.bridge import BESIDE, ROOT
from lean_gym.lean.library import find_library

MODULE: Final = "Init"
"""Module that imports the whole library; Lean adds it to a text without a header."""
KEPT: Final = 4
"""Greatest number of states of the library that are kept, the newest ones."""
_SAID_S: Final = 5.0
"""Seconds between two lines of progress while another process compiles."""
HEAD: Final = (
    "set_option linter.all false",
    # core's own files have it: `PUnit : Sort u` may be a proposition
    "set_option bootstrap.inductiveCheckResultingUniverse false",
    # recursors have no code; what Lean cannot compile is marked
    "noncomputable section",
)
"""Lines before a file of the library; the last one opens a section."""
# Lean leaves a proof that fails open by a term that names these; without them its message is lost.
STAND_INS: Final = (
    "axiom sorryAx (α : Sort u) (synthetic : Bool) : α",
    "axiom String : Type",
    "axiom Lean.Name : Type",
    "axiom Lean.Name.anonymous : Lean.Name",
    "axiom Lean.Name.num : Lean.Name → Nat → Lean.Name",
    "axiom Lean.Name.str : Lean.Name → String → Lean.Name",
    *(f"axiom Lean.Name.mkStr{n} : {'String → ' * n}Lean.Name" for n in range(1, 9)),
)
STRINGS_ARE_FROM: Final = "String.lean"
"""File from which on the stand-in of `String` would collide with the library's own."""
NUMERALS_ARE_FROM: Final = "NatDef.lean"
"""File from which on Lean can leave a proof open: the term for that has numerals."""
UNEXPANDERS: Final = "unexpanders.lean"
"""File of the folder with the text that has Lean print notations."""
NAMES_ARE_FROM: Final = "ArrayMore.lean"
"""File from which on all that the stand-ins stand for is declared before."""

Report = Callable[[str], None]


class NotCompiled(BackendUnavailable):
    """A file of the library that Lean refuses: its messages, a line each."""


@dataclass(frozen=True, slots=True)
class _Module:
    """A module to be compiled.

    Args:
        name: Its name after `Init.`; empty for `Init` itself.
        head: Text before the source.
        source: Text of the library's file.
        after: Text after it.
        key: Hash of the whole text and of all that it imports.
        nameless: Whether names and strings are declared neither here nor before.
    """

    name: str
    head: str
    source: str
    after: str
    key: str
    nameless: bool

    @property
    def path(self) -> Path:
        """The file below the folder that Lean searches."""
        return Path(MODULE, f"{self.name}.olean") if self.name else Path(f"{MODULE}.olean")


def compiled_library(library: Path | None = None, report: Report = lambda line: None) -> Path:
    """Return the folder with the library's .olean files, to be put on `LEAN_PATH`; compile what is missing.

    Args:
        library: Lean's library; that of `find_library` by default.
        report: Is told how far it is, in lines, every few seconds while something is compiled.

    Raises:
        BackendUnavailable: Lean's library is not here, or the files cannot be kept.
        NotCompiled: Lean refuses a file.
    """
    library = library or find_library()
    cache = _cache()
    folder = cache / state_of(library)
    if (folder / f"{MODULE}.olean").is_file():
        _touch(folder)
        return folder
    try:
        with _locked(cache, folder, report):
            _Compiler(library, cache, folder, report).run(_modules(library))
            _prune(cache, folder)
    except OSError as error:
        raise BackendUnavailable(
            f"the compiled library cannot be kept in {cache} ({error.strerror or error}); set XDG_CACHE_HOME to a "
            "directory that can be written"
        ) from None
    return folder


def _cache() -> Path:
    return cache_folder() / "oleans"


def _touch(folder: Path) -> None:
    try:
        os.utime(folder)  # the newest ones are kept
    except OSError:
        return


def library_sources() -> list[Path]:
    """Return the files of minilean's library in their order, without importing it.

    Raises:
        BackendUnavailable: minilean is not installed.
    """
    spec = find_spec("minilean")
    if spec is None or spec.origin is None:
        raise BackendUnavailable("the package minilean is not installed")
    folder = Path(spec.origin).parent / "library"
    return [folder / name for name in (folder / "order.txt").read_text("utf-8").split()]


def state_of(library: Path) -> str:
    """Return the hash of all that decides what the modules are: Lean, the library's files, and this program.

    Raises:
        BackendUnavailable: minilean is not installed.
    """
    sources = library_sources()
    status = library.stat()
    digest = hashlib.sha256(f"{status.st_size} {status.st_mtime_ns}".encode())
    own = Path(__file__).parent
    for path in [*sources, *(own / name for name in ("bridge.py", "symbols.py", "compiled_library.py"))]:
        content = path.read_bytes()
        digest.update(f"\0{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:24]


def _modules(library: Path) -> list[_Module]:
    status = library.stat()
    key = f"{status.st_size} {status.st_mtime_ns}"
    parts: list[tuple[str, str, str, str]] = []
    imported = ""
    for path in library_sources():
        head = f"prelude\nimport {imported}\n" if imported else _said_by("lean_gym.lean.bridge", library)
        head += "\n".join(HEAD) + "\n"
        parts.append((path.stem, head, path.read_text("utf-8"), BESIDE.get(path.name, "")))
        imported = f"{MODULE}.{path.stem}"
    root = _said_by("lean_gym.lean.bridge", library, ROOT)
    parts.append(("", f"prelude\nimport {imported}\n", "", root))
    modules = []
    nameless = True
    for name, head, source, after in parts:
        key = hashlib.sha256(f"{key}\0{head}\0{source}\0{after}".encode()).hexdigest()[:24]
        nameless = nameless and f"{name}.lean" != STRINGS_ARE_FROM
        modules.append(_Module(name, head, source, after, key, nameless))
    return modules


def _said_by(program: str, library: Path, *words: str) -> str:
    """Return the output of a program of this package, which loads Lean's library into its own process."""
    command = [sys.executable, "-m", program, str(library), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BackendUnavailable(done.stderr.strip().rpartition("\n")[2].removeprefix("error: "))
    return done.stdout


class _Compiler:
    """Compiles modules, each in a process of its own, and puts links to them into a folder."""

    def __init__(self, library: Path, cache: Path, folder: Path, report: Report) -> None:
        self._library = library
        self._store = cache / "modules"
        self._folder = folder
        self._report = report

    def run(self, modules: Sequence[_Module]) -> None:
        """Fill the folder; the last file says that it is complete."""
        (self._folder / MODULE).mkdir(parents=True, exist_ok=True)
        self._store.mkdir(exist_ok=True)
        began = time.monotonic()
        for done, module in enumerate(modules):
            target = self._folder / module.path
            if target.exists():
                continue
            kept = self._store / f"{module.key}.olean"
            if not kept.exists():
                self._report(
                    f"compiling minilean's library with Lean: {module.path.stem}, {done} of {len(modules)} files, "
                    f"{time.monotonic() - began:.0f} s (once per version)"
                )
                self._compile(module, kept)
            kept.touch()
            target.unlink(missing_ok=True)
            if not module.name:
                (self._folder / UNEXPANDERS).write_text(module.after, "utf-8")
            os.link(kept, target)

    def _compile(self, module: _Module, kept: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="lean-", dir=self._store) as work:
            made = Path(work, "made.olean")
            errors = self._errors(module.head, module.source, module.after, module, made, Path(work))
            if errors and module.nameless:
                extended = "\n".join([module.head.rstrip("\n"), *STAND_INS, ""])
                errors = self._errors(extended, module.source, "", module, made, Path(work)) or errors
            if errors:
                raise NotCompiled("\n".join(errors))
            os.replace(made, kept)

    def _errors(
        self, head: str, source: str, after: str, module: _Module, made: Path, work: Path
    ) -> list[str]:
        """Run Lean on a text; return its errors, each with the place in the library's file."""
        file = (work / module.path).with_suffix(".lean")
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{head}{source}\n{after}", "utf-8")
        command = [
            sys.executable,
            "-m",
            "lean_gym.lean.lean_main",
            "--json",
            "-DmaxErrors=1000",
            f"--root={work}",
        ]
        done = subprocess.run(
            [*command, "-o", str(made), str(file)],
            capture_output=True,
            text=True,
            env=os.environ | {"LEAN_PATH": str(self._folder), "LEAN_GYM_LEAN_LIBRARY": str(self._library)},
        )
        name = f"{module.name or MODULE}.lean"
        lines = head.count("\n")
        found = []
        for line in done.stdout.splitlines():
            message = json.loads(line)
            if message["severity"] == "error":
                place = f"{name}:{message['pos']['line'] - lines}:{message['pos']['column']}"
                found.append(f"{place}: {' '.join(message['data'].split())}")
        if not found and not made.exists():
            found.append(f"{name}: Lean ended with {done.returncode}: {' '.join(done.stderr.split())[:300]}")
        return found


@contextmanager
def _locked(cache: Path, folder: Path, report: Report) -> Iterator[None]:
    """Hold the lock on the cache; while another process has it, say what that one does."""
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    if cache.stat().st_uid != os.geteuid():
        raise PermissionError(0, f"it belongs to user {cache.stat().st_uid}")
    descriptor = os.open(cache / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        said = time.monotonic()
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() - said >= _SAID_S:
                    said = time.monotonic()
                    count = len(list((folder / MODULE).glob("*.olean")))
                    report(f"waiting for another process that compiles minilean's library: {count} files")
                time.sleep(0.1)
        yield
    finally:
        os.close(descriptor)


def _prune(cache: Path, newest: Path) -> None:
    """Remove old states, and the modules that no state links to."""
    states = [path for path in cache.iterdir() if (path / MODULE).is_dir() and path != newest]
    states.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in states[KEPT - 1 :]:
        shutil.rmtree(path, ignore_errors=True)
    for path in (cache / "modules").iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)  # of a process that was killed
        elif path.stat().st_nlink == 1:
            path.unlink(missing_ok=True)
