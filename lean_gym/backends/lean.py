"""Lean itself as a backend: its library through ctypes, in processes of its own, behind Pantograph's protocol."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lean_gym.backends.pantograph.client import PantographBackend
from lean_gym.lean.compiled_library import compiled_library, state_of
from lean_gym.lean.library import find_library
from lean_gym.lean.positions import placed
from lean_gym.types import ProofState, ScriptError, Theorem, Verdict
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
        command = repl_command(library)
        self._folder = Path(command[-1])
        super().__init__(command, **options)

    def start(self, theorem: Theorem) -> ProofState:
        """Elaborate the statement, at its position in minilean's library if it has one. See `ProofBackend.start`."""
        return super().start(placed(theorem, self._folder))

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> Verdict:
        """Judge a finished script. See `ProofBackend.verify`."""
        return super().verify(placed(theorem, self._folder), tactics, deadline_s)

    def script_errors(self, theorem: Theorem, script: str, deadline_s: float) -> tuple[ScriptError, ...]:
        """Check the theorem with a script as a file. See `ScriptChecker`."""
        return super().script_errors(placed(theorem, self._folder), script, deadline_s)

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
