"""Lean itself as a backend: its library through ctypes, in processes of its own, behind Pantograph's protocol."""

from __future__ import annotations

import sys
from typing import Any

from lean_gym.backends.pantograph.client import PantographBackend
from lean_gym.lean.compiled_library import compiled_library, state_of
from lean_gym.lean.library import find_library
from lean_gym.verification.verify import check_level


class LeanBackend(PantographBackend):
    """`ProofBackend` over Lean's own elaborator, tactics and kernel, without an installation of Lean.

    Its library is minilean's, which Lean compiles from source once per version: the same lemmas under Lean's names, not
    Lean's `Init`. A finished script is compiled by one process, and what it declares is judged by another one, which
    elaborates the statement itself and never sees the script.

    Args:
        library: Lean's library `libleanshared.so`; `None` to look for it, see `lean_gym.lean.library`.
        verify: `"full"`.
        **options: Those of `PantographBackend`, but `repl_command`.

    Raises:
        BackendUnavailable: There is no library, or it cannot be used.
        ValueError: An unknown value, or another level of verification.
    """

    name = "lean"

    def __init__(self, library: str | None = None, *, verify: str = "full", **options: Any) -> None:
        if check_level(verify) != "full":
            raise ValueError(
                f"verify: got {verify!r}, expected 'full' with the backend 'lean': two processes and Lean's kernel; "
                "other kernels judge proofs of the backends 'minilean' and 'pantograph'"
            )
        super().__init__(repl_command(library), **options)

    @staticmethod
    def sources_key(library: str | None = None) -> str:
        """Return a text that names Lean's library and the state of minilean's that it compiles.

        Raises:
            BackendUnavailable: There is none.
        """
        return state_of(find_library(library))


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
