"""ReplSearch for a REPL: the given command, else that of the installed PyPantograph, else `pantograph-repl` on PATH.

The search imports nothing and starts no process. `lake` is asked for a project's `LEAN_PATH`.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lean_gym.backends.pantograph.facts import shared, stamps
from lean_gym.errors import BackendUnavailable

REPL_NAME: Final = "pantograph-repl"
INSTALL: Final = (
    "install Lean's toolchain manager elan, then: "
    "pip install 'git+https://github.com/stanford-centaur/PyPantograph' (it builds the REPL); "
    "or pass backend_options={'repl_command': [...]}; or use backend='minilean', which needs no Lean"
)

_LAKE_SECONDS: Final = 120.0
TOOLCHAIN_FILE: Final = "lean-toolchain"
_LAKEFILES: Final = ("lakefile.toml", "lakefile.lean")


@dataclass(frozen=True, slots=True)
class FoundRepl:
    """A REPL to run.

    Attributes:
        command: Program and first arguments; modules and options are appended.
        source: How it was found, for messages.
        directory: Where to run it when there is no project: elan picks Lean by the `lean-toolchain` file there.
    """

    command: tuple[str, ...]
    source: str
    directory: str | None = None


@dataclass(frozen=True, slots=True)
class ReplSearch:
    """Result of the search for a REPL.

    Attributes:
        found: The REPL, `None` when there is none.
        notes: The places that were searched, one line each.
    """

    found: FoundRepl | None
    notes: tuple[str, ...]


def search_repl(repl_command: Sequence[str] | str | None = None) -> ReplSearch:
    """Look for a REPL.

    Args:
        repl_command: Program and arguments as given by the user (one string is split as a shell would), or `None`.

    Returns:
        The REPL, if there is one, and the places that were searched.
    """
    if repl_command is not None:
        try:
            command = tuple(shlex.split(repl_command) if isinstance(repl_command, str) else repl_command)
        except ValueError as error:
            return ReplSearch(
                None, (f"repl_command: got {repl_command!r}, which no shell could split: {error}",)
            )
        if not command:
            return ReplSearch(None, ("repl_command: got an empty command, expected program and arguments",))
        return ReplSearch(_found(shutil.which(command[0]) or command[0], command[1:], "repl_command"), ())
    path, note = _in_python_package()
    notes = [note]
    if path is not None:
        return ReplSearch(_found(path, (), "the installed PyPantograph"), tuple(notes))
    path = shutil.which(REPL_NAME)
    if path is not None:
        return ReplSearch(_found(path, (), "PATH"), tuple(notes))
    return ReplSearch(None, (*notes, f"PATH: no program {REPL_NAME!r}"))


def find_repl(repl_command: Sequence[str] | str | None = None) -> FoundRepl:
    """Look for a REPL that must exist.

    Raises:
        BackendUnavailable: There is none; the text names the places that were searched and what to run.
    """
    search = search_repl(repl_command)
    if search.found is None:
        raise BackendUnavailable(f"no Pantograph REPL found ({'; '.join(search.notes)}); {INSTALL}")
    return search.found


def project_lean_path(project_path: str) -> str:
    """Return the `LEAN_PATH` of a Lake project: the folders with its compiled modules and those of its dependencies.

    Args:
        project_path: The folder with the project's lakefile.

    Raises:
        BackendUnavailable: There is no such folder, no lakefile, no `lake`, or `lake` refuses; the text says which.
    """
    if not Path(project_path).is_dir():
        raise BackendUnavailable(f"project_path {project_path!r} is no folder, expected one with a lakefile")
    if not has_lakefile(project_path):
        raise BackendUnavailable(f"project_path {project_path!r} has none of {', '.join(_LAKEFILES)}")
    try:
        run = subprocess.run(
            ["lake", "env", "printenv", "LEAN_PATH"],
            cwd=project_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LAKE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BackendUnavailable(
            f"`lake env printenv LEAN_PATH` in {project_path!r}: {error}; install elan, or pass lean_path"
        ) from None
    # One line; its newline would break the last folder of the list.
    path = run.stdout.strip()
    if run.returncode != 0 or not path:
        said = run.stderr.strip() or f"exit status {run.returncode}"
        raise BackendUnavailable(f"`lake env printenv LEAN_PATH` in {project_path!r} failed: {said}")
    return path


def known_lean_path(project_path: str) -> str:
    """Return the same as `project_lean_path`; `lake` is asked once per machine while the project stays as it is.

    Raises:
        BackendUnavailable: As there.
    """
    files = [Path(project_path, name) for name in (*_LAKEFILES, "lake-manifest.json", TOOLCHAIN_FILE)]
    key = (os.path.realpath(project_path), stamps(files), os.environ.get("ELAN_TOOLCHAIN"))
    path: str = shared("lean_path", key, lambda: project_lean_path(project_path), _LAKE_SECONDS)
    return path


def has_lakefile(folder: str) -> bool:
    """Return whether a folder has a lakefile."""
    return any(Path(folder, name).is_file() for name in _LAKEFILES)


def toolchain(directory: str | None) -> str | None:
    """Return the content of a folder's `lean-toolchain` file, e.g. `leanprover/lean4:v4.29.1`; `None` without one."""
    if directory is None:
        return None
    file = Path(directory) / TOOLCHAIN_FILE
    return file.read_text(encoding="utf-8").strip() if file.is_file() else None


def _in_python_package() -> tuple[str | None, str]:
    """Return PyPantograph's REPL if it is installed, and one line about the Python package `pantograph`."""
    try:
        spec = importlib.util.find_spec("pantograph")
    except (ImportError, ValueError) as error:
        return None, f"Python package 'pantograph': cannot be looked at: {error}"
    if spec is None:
        return None, "Python package 'pantograph': not installed"
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    for folder in folders:
        repl = folder / REPL_NAME
        if repl.is_file():
            if os.access(repl, os.X_OK):
                return str(repl), f"Python package 'pantograph': {repl}"
            return None, f"Python package 'pantograph': {repl} is not executable; run chmod +x on it"
    where = spec.origin or ", ".join(map(str, folders))
    if any((folder / "server.py").is_file() and (folder / "expr.py").is_file() for folder in folders):
        return (
            None,
            f"Python package 'pantograph' ({where}): PyPantograph, but its {REPL_NAME!r} was not built",
        )
    return None, (
        f"Python package 'pantograph' ({where}): this is the unrelated package of that name on PyPI, not PyPantograph; "
        "pip uninstall pantograph"
    )


def _found(program: str, arguments: Sequence[str], source: str) -> FoundRepl:
    folder = str(Path(program).resolve().parent)
    return FoundRepl((program, *arguments), source, folder if toolchain(folder) is not None else None)
