"""Lean itself as a backend: its library through ctypes, in processes of its own, behind Pantograph's protocol."""

from __future__ import annotations

import sys
from typing import Any

from lean_gym.backends.pantograph.client import PantographBackend
from lean_gym.lean.compiled_library import compiled_library
from lean_gym.lean.library import find_library


class LeanBackend(PantographBackend):
    """`ProofBackend` over Lean's own elaborator, tactics and kernel, without an installation of Lean.

    Args:
        library: Lean's library `libleanshared.so`; `None` to look for it, see `lean_gym.lean.library`.
        **options: Those of `PantographBackend`, but `repl_command`.

    Raises:
        BackendUnavailable: There is no library, or it cannot be used.
        ValueError: An unknown value.
    """

    name = "lean"

    def __init__(self, library: str | None = None, **options: Any) -> None:
        super().__init__(repl_command(library), **options)


def repl_command(library: str | None = None) -> list[str]:
    """Return the command line of the REPL, to which the modules are appended.

    Args:
        library: Lean's library; `None` to look for it.

    Raises:
        BackendUnavailable: There is none.
    """
    file = find_library(library)
    folder = compiled_library(file, _say)
    return [sys.executable, "-m", "lean_gym.lean.repl", "--library", str(file), "--folder", str(folder)]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
