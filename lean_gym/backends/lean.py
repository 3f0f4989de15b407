"""Lean itself as a backend: its library through ctypes, in processes of its own, behind Pantograph's protocol."""

from __future__ import annotations

import sys
from typing import Any

from lean_gym.backends.pantograph.client import PantographBackend
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
        command = [sys.executable, "-m", "lean_gym.lean.repl", "--library", str(find_library(library))]
        super().__init__(command, **options)
