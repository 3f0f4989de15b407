"""Programs that run on text for a limited time, with limited output, in a process group of their own.

`run_program` is for a text and an end, `LineProgram` for answers line by line.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Final

from lean_gym.errors import BackendCrashed, BackendTimeout, BackendUnavailable

MAX_OUTPUT: Final = 1 << 28
"""Greatest output that is read, in bytes."""
MAX_ANSWER: Final = 1 << 20
"""Greatest length of an answer of a `LineProgram`, in bytes."""
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
        return _last_line(self.errors, self.status)


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
        output = out.read(MAX_OUTPUT).decode("utf-8", "replace")
        return Finished(status, output, _end_of(err))


class LineProgram:
    """A running program that answers each line with a line; close it after use.

    Args:
        command: Program and arguments.

    Raises:
        BackendUnavailable: It cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._name = command[0]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the program
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise BackendUnavailable(f"{self._name!r} cannot be started: {error}") from None

    @property
    def pid(self) -> int:
        """Id of its process and of its process group."""
        return self._process.pid

    def ask(self, line: str, seconds: float) -> str:
        """Return the answer to a line.

        Args:
            line: Without its end; shorter than what a pipe holds, 4096 bytes.
            seconds: Wall-clock seconds; then the program is killed.

        Raises:
            BackendTimeout: There is no answer in time.
            BackendCrashed: It has ended, or answers at too great a length; the text has the end of its errors.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        deadline = time.monotonic() + seconds
        answer = b""
        with suppress(BrokenPipeError):
            self._process.stdin.write(os.fsencode(line) + b"\n")
        while not answer.endswith(b"\n"):
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self._process.stdout], [], [], left)[0]:
                self.close()
                raise BackendTimeout(f"{self._name!r} did not answer within {seconds:.0f} s")
            part = self._process.stdout.read(1 << 16)
            answer += part
            if not part or len(answer) > MAX_ANSWER:
                _kill(self._process)
                said = _last_line(_end_of(self._errors), self._process.returncode)
                self.close()
                raise BackendCrashed(said)
        return answer.decode("utf-8", "replace")

    def close(self) -> None:
        """End the program with all that it started."""
        _kill(self._process)
        self.forget()

    def forget(self) -> None:
        """Close this end of its streams, in a process that was forked off the one that started it."""
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()


def _end_of(file: IO[bytes]) -> str:
    file.seek(max(0, file.seek(0, os.SEEK_END) - _SHOWN))
    return file.read().decode("utf-8", "replace")


def _last_line(errors: str, status: int) -> str:
    lines = errors.strip().splitlines()
    return lines[-1] if lines else f"exit status {status}"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the process group."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(OSError):
        process.kill()
    process.wait()
