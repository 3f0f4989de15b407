"""The kernels that `verify="independent"` asks: their choice, and the process in which Lean's own one runs."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from lean_gym.errors import BackendCrashed, BackendUnavailable, unknown_name
from lean_gym.lean.library import find_library
from lean_gym.verification.processes import LineProgram

Wrap = Callable[[Sequence[str]], list[str]]
"""Puts a command line into a sandbox."""
KernelChoice = str | Sequence[str] | None
"""Names of kernels, with commas between or as a list; `None` for all that are here."""

KERNELS: Final = ("minilean", "nanoda", "lean")
"""Names of the kernels, in the order in which they are asked."""
NANODA: Final = "nanoda_bin"
"""The program of the kernel nanoda."""
MEMORY_MIB: Final = 8192
"""Address space of each process that reads or judges an export, MiB."""
_MOST_SECONDS: Final = 3600
"""Processor seconds of one judgement where nobody is left to end it at its deadline."""
_TRIES: Final = 2


def chosen_kernels(kernel: KernelChoice, complete: bool) -> tuple[str, ...] | None:
    """Return the kernels that an option names, in the order in which they are asked.

    Args:
        kernel: The option.
        complete: The exports hold all down to the axioms, which nanoda needs.

    Returns:
        `None` for all that are here.

    Raises:
        ValueError: No name, an unknown one, or nanoda for exports that are not complete.
        BackendUnavailable: A kernel is not installed.
    """
    if kernel is None:
        return None
    names = kernel.split(",") if isinstance(kernel, str) else kernel
    if not isinstance(names, list | tuple) or not names:
        raise ValueError(f"kernel: got {kernel!r}, expected names among {', '.join(KERNELS)}")
    given = [name.strip() if isinstance(name, str) else name for name in names]
    for name in given:
        if name not in KERNELS:
            raise ValueError(unknown_name("kernel", str(name), KERNELS))
    if "lean" in given:
        try:
            find_library()
        except BackendUnavailable as error:
            raise BackendUnavailable(f"kernel 'lean': {error}") from None
    if "nanoda" in given and not complete:
        raise ValueError(
            "kernel 'nanoda' reads complete exports only: set the backend's option deep, or leave this kernel out"
        )
    if "nanoda" in given and shutil.which(NANODA) is None:
        raise BackendUnavailable(
            f"kernel 'nanoda': the program {NANODA!r} is not on PATH; build github.com/ammkrn/nanoda_lib, or leave "
            "this kernel out"
        )
    return tuple(name for name in KERNELS if name in given)


def kernels_here(complete: bool) -> tuple[str, ...]:
    """Return the kernels that can judge on this machine; `complete` is that of `chosen_kernels`."""
    here = {
        "minilean": True,
        "nanoda": complete and shutil.which(NANODA) is not None,
        "lean": _has_lean(),
    }
    return tuple(name for name in KERNELS if here[name])


def _has_lean() -> bool:
    try:
        find_library()
    except BackendUnavailable:
        return False
    return True


class LeanKernelProcess:
    """Lean's own kernel, `python -m lean_gym.lean`, in a process that starts when it is asked first.

    The process loads Lean's library once and reads exports only. Each judgement runs in a child of it, so none can
    change another. A process that died is replaced, and asked again once. Close it after use.

    Args:
        wrap: The sandbox.
    """

    def __init__(self, wrap: Wrap = list) -> None:
        self._wrap = wrap
        self._program: LineProgram | None = None
        self._library: Path | None = None
        self._owner = os.getpid()
        self._lock = threading.Lock()

    def answer(self, files: Sequence[str], deadline: float) -> dict[str, Any]:
        """Return the answer of `python -m lean_gym.lean` about the last file, which rests on those before it.

        Args:
            files: Paths of exports.
            deadline: `time.monotonic()` at which the process is killed.

        Raises:
            BackendTimeout: No answer in time.
            BackendUnavailable: There is no library, or the process cannot be started.
            BackendCrashed: The process died, twice, or answered something else.
        """
        library = find_library()
        said = ""
        with self._lock:
            for _ in range(_TRIES):
                program = self._running(library)
                try:
                    said = program.ask("\t".join(files), deadline - time.monotonic())
                except BackendCrashed as error:
                    self._program = None
                    said = str(error)
                    continue
                except BaseException:  # an answer that comes later would be taken for that to another file
                    self.close()
                    raise
                found = _answer_to(files[-1], said)
                if found is not None:
                    return found
                self.close()
        raise BackendCrashed(f"no answer: {said.strip()}")

    def _running(self, library: Path) -> LineProgram:
        if self._program is not None and self._owner != os.getpid():
            self._program.forget()  # that of the process from which this one was forked
            self._program = None
        if self._program is not None and self._library != library:
            self.close()
        if self._program is None:
            limits = ["--seconds", str(_MOST_SECONDS), "--memory-mib", str(MEMORY_MIB)]
            command = [sys.executable, "-m", "lean_gym.lean", "--library", str(library), *limits, "-"]
            self._program = LineProgram(self._wrap(command))
            self._library, self._owner = library, os.getpid()
        return self._program

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._program is not None and self._owner == os.getpid():
            self._program.close()
        self._program = None


def _answer_to(file: str, line: str) -> dict[str, Any] | None:
    """Return an answer, if it is one about this file."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    if type(found) is not dict or found.get("file") != file or type(found.get("accepted")) is not bool:
        return None
    return found
