"""Lean itself as a backend: its library through ctypes, in processes of its own, behind Pantograph's protocol."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lean_gym.backends.minilean import given_names
from lean_gym.backends.pantograph.client import PantographBackend
from lean_gym.backends.sandbox import wrap
from lean_gym.backends.statement import rooted_name
from lean_gym.errors import DataError
from lean_gym.lean.compiled_library import compiled_library, state_of
from lean_gym.lean.library import find_library
from lean_gym.lean.positions import placed
from lean_gym.types import ProofState, ScriptError, Theorem, Verdict
from lean_gym.verification.independent import LEVEL, Files, independent_judge
from lean_gym.verification.kernels import KernelChoice
from lean_gym.verification.verify import check_level


class LeanBackend(PantographBackend):
    """`ProofBackend` over Lean's own elaborator, tactics and kernel, without an installation of Lean.

    Its library is minilean's, which Lean compiles from source once per version: the same lemmas under Lean's names, not
    Lean's `Init`. A finished script is compiled by one process, and what it declares is judged by another one, which
    elaborates the statement itself and never sees the script.

    Args:
        library: Lean's library `libleanshared.so`; `None` to look for it, see `lean_gym.lean.library`.
        verify: `"full"`; with `"independent"` the proof is then exported, and judged on minilean's library by a process
            that never saw the script, see `lean_gym.verification.independent`.
        kernel: With `"independent"`, the kernels that have to accept: `"minilean"`, `"lean"` or both, with a comma
            between or as a list; `None` for both.
        **options: Those of `PantographBackend`, but `repl_command`.

    Raises:
        BackendUnavailable: There is no library, or it cannot be used.
        ValueError: An unknown value, or the level `"replay"`.
    """

    name = "lean"

    def __init__(
        self, library: str | None = None, *, verify: str = "full", kernel: KernelChoice = None, **options: Any
    ) -> None:
        if check_level(verify) == "replay":
            raise ValueError(
                "verify: got 'replay', expected 'full' or 'independent' with the backend 'lean': it compiles each "
                "script in a process of its own, and another one judges what that declares"
            )
        command = repl_command(library)
        self._folder = Path(command[-1])
        super().__init__(command, **options)
        wrapped = partial(wrap, mode=self._settings.sandbox)
        self._judge_of_exports = independent_judge(verify, kernel, complete=False, wrap=wrapped)

    def start(self, theorem: Theorem) -> ProofState:
        """Elaborate the statement, at its position in minilean's library if it has one. See `ProofBackend.start`."""
        return super().start(placed(theorem, self._folder))

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> Verdict:
        """Judge a finished script. See `ProofBackend.verify`."""
        until = time.monotonic() + deadline_s
        stated = placed(theorem, self._folder)
        verdict = super().verify(stated, tactics, deadline_s)
        if self._judge_of_exports is None or not verdict.proved:
            return verdict
        given = given_names(theorem)
        name = rooted_name(theorem).removeprefix("_root_.")
        try:
            challenge, solution = self.exports(stated, tactics, name, given, until - time.monotonic())
        except DataError as error:
            return Verdict(False, str(error), level=LEVEL)
        return self._judge_of_exports.judge(
            Files(challenge, solution, name, position=theorem.position), until
        )

    def close(self) -> None:
        """End all processes; calling it twice is allowed."""
        super().close()
        if self._judge_of_exports is not None:
            self._judge_of_exports.close()

    def script_errors(self, theorem: Theorem, script: str, deadline_s: float) -> tuple[ScriptError, ...]:
        """Check the theorem with a script as a file. See `ScriptChecker`."""
        return super().script_errors(placed(theorem, self._folder), script, deadline_s)

    @staticmethod
    def sources_key(options: Mapping[str, Any]) -> str:
        """Return a text that names Lean's library and the state of minilean's that it compiles.

        Raises:
            BackendUnavailable: There is none.
        """
        return state_of(find_library(options.get("library")))


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
