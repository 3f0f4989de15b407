"""Programs that run for a limited time on text, with limited output, in a process group of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from lean_gym.errors import BackendTimeout, BackendUnavailable

MAX_OUTPUT: Final = 1 << 28
"""Greatest output that is read, in bytes."""
_SHOWN: Final = 2000


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that has ended.

    Attributes:
        status: Its exit status; negative for a signal.
        output: What it wrote on standard output.
        errors: The end of what it wrote on standard error.
    """

    status: int
    output: str
    errors: str

    @property
    def last_line(self) -> str:
        """The last line of the errors, or the exit status where there is none."""
        lines = self.errors.strip().splitlines()
        return lines[-1] if lines else f"exit status {self.status}"


def run_program(
    command: Sequence[str], text: str, seconds: float, environment: Mapping[str, str] | None = None
) -> Finished:
    """Run a program to its end.

    Args:
        command: Program and arguments.
        text: Its standard input.
        seconds: Wall-clock seconds; then the program and all that it started in its group are killed.
        environment: Variables in addition to those of this process.

    Raises:
        BackendTimeout: It did not end in time.
        BackendUnavailable: It cannot be started.
    """
    # Files, so that a program that neither reads nor stops writing blocks nothing.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(text.encode())
        given.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=given,
                stdout=out,
                stderr=err,
                start_new_session=True,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise BackendUnavailable(f"{command[0]!r} cannot be started: {error}") from None
        try:
            status = process.wait(max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            raise BackendTimeout(f"{command[0]!r} did not end within {seconds:.0f} s") from None
        finally:
            _kill(process)
        out.seek(0)
        err.seek(max(0, err.seek(0, os.SEEK_END) - _SHOWN))
        output = out.read(MAX_OUTPUT).decode("utf-8", "replace")
        return Finished(status, output, err.read().decode("utf-8", "replace"))


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the process group."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(OSError):
        process.kill()
    process.wait()
