"""One REPL process and its line protocol: a request line out, an answer line in, under a deadline.

The protocol has no request ids, so an answer belongs to a request by order alone. Everything that could shift the
order by one, a deadline, a second answer, a line that is no JSON, therefore ends the process: its successor starts
from a known point. The call that waits for an answer reads both output streams, without threads: standard error is
kept in a ring buffer and shown when something goes wrong.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from lean_gym.backends.pantograph.launch import launch
from lean_gym.errors import (
    BackendCrashed,
    BackendKilled,
    BackendOutOfMemory,
    BackendTimeout,
    BackendUnavailable,
    ProtocolError,
    refuse_fork,
)
from lean_gym.process_state import STOPPED_SECONDS, MemoryGauge, killed_from_outside

Json = dict[str, Any]

READY: Final = "ready."
MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest answer that is read; Pantograph itself sets no limit."""

# Made once: `json.dumps` makes one for each call that is not in plain ASCII.
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
_CHUNK: Final = 1 << 16
_STDERR_KEPT: Final = 16 * 1024
_STDERR_SHOWN: Final = 2000
_EXIT_SECONDS: Final = 0.5
_LEAST_WAIT_SECONDS: Final = 1.0
_TICK_SECONDS: Final = 0.2
_RECEIVED_SHOWN: Final = 300


class ReplProcess:
    """A running REPL. It starts at once and can be asked after `await_ready`.

    Args:
        command: Program and arguments.
        cwd: Its working directory, `None` for ours.
        environment: Its whole environment, `None` for ours.
        max_line_bytes: Longest answer to read.
        memory_mib: Most memory, pages of files not counted; a request that needs more ends the process. `None` sets no
            limit.

    Raises:
        BackendUnavailable: It cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        max_line_bytes: int = MAX_LINE_BYTES,
        memory_mib: float | None = None,
    ) -> None:
        self.command = tuple(command)
        self._memory_mib = memory_mib
        self.alive = False
        self._max_line_bytes = max_line_bytes
        self._answers = bytearray()
        self._searched = 0
        self._errors = bytearray()
        self._silent_since = 0.0
        self._ended_alone = False
        self._started = time.monotonic()
        self._owner = os.getpid()
        try:
            # Its own session: a kill reaches the processes that the REPL started.
            self._child = launch(self.command, cwd, environment)
        except OSError as error:
            raise BackendUnavailable(f"the REPL {self.command[0]!r} cannot be started: {error}") from None
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._stdin = self._child.stdin.fileno()
        self._stdout = self._child.stdout.fileno()
        self._stderr = self._child.stderr.fileno()
        for fd in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(fd, False)
        self.memory = MemoryGauge(self._child.pid)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self.alive = True

    @property
    def pid(self) -> int:
        """Process id, which is also that of its process group."""
        return self._child.pid

    @property
    def exit_status(self) -> int | None:
        """Return the exit status of a process that was not ended from here, negative for a signal; else `None`."""
        return self._child.returncode if self._ended_alone else None

    @property
    def stderr_tail(self) -> str:
        """Return the last lines of its standard error."""
        return self._errors[-_STDERR_SHOWN:].decode("utf-8", "replace").strip()

    def first_line(self, seconds: float) -> str:
        """Wait for the first line, which the process prints unasked.

        Args:
            seconds: Wall-clock seconds from the start of the process; past them it is killed. One that was started long
                before gets a moment, as its line may be waiting to be read.

        Raises:
            BackendCrashed: It ended without one.
            BackendTimeout: There is none in time.
            ProtocolError: It is too long.
        """
        until = max(self._started + seconds, time.monotonic() + min(seconds, _LEAST_WAIT_SECONDS))
        line = self._exchange(b"", until, f"not ready within {seconds:g} s")
        return line.decode("utf-8", "replace").strip()

    def await_ready(self, seconds: float) -> None:
        """Wait until it has said `ready.`, which it does after its imports.

        Args:
            seconds: Wall-clock seconds from its start; importing Mathlib can take minutes.

        Raises:
            BackendUnavailable: It died, said something else, or nothing in time; the text has its standard error.
        """
        try:
            line = self.first_line(seconds)
        except (BackendCrashed, BackendTimeout, ProtocolError) as error:
            self.close()
            raise BackendUnavailable(f"the REPL {' '.join(self.command)!r} did not start: {error}") from None
        if line != READY:
            errors = self._stderr_note()
            self.close()
            raise BackendUnavailable(
                f"the REPL {' '.join(self.command)!r} began with {_excerpt(line.encode())}, expected {READY!r}{errors}"
            )

    def request(self, command: str, payload: Json, seconds: float) -> Json:
        """Send one command and wait for its answer.

        Args:
            command: E.g. `goal.tactic`.
            payload: Its fields.
            seconds: Wall-clock seconds to wait; past them the process is killed.

        Returns:
            The answer, which may be one of the REPL's own errors (`{"error": ..., "desc": ...}`).

        Raises:
            BackendCrashed: The process is gone.
            BackendOutOfMemory: The process needs more memory than it may have.
            BackendTimeout: No answer in time.
            ProtocolError: The answer is no JSON object, is too long, or came unasked.
            RuntimeError: This process is a fork of the one that started the REPL.
            ValueError: `payload` holds text that no UTF-8 can carry.
        """
        refuse_fork(self._owner)
        if not self.alive:
            raise BackendCrashed("the REPL has ended; start the theorem again")
        line = f"{command} {_encode(payload)}\n".encode()
        if self._poll.poll(0):
            self._read_stdout()
        if self._answers:
            self._break_off(f"the REPL spoke unasked: {_excerpt(bytes(self._answers))}")
        answer = self._exchange(
            line, time.monotonic() + seconds, f"{command}: no answer within {seconds:g} s"
        )
        if self._answers:
            self._break_off(f"the REPL answered {command} more than once: {_excerpt(bytes(self._answers))}")
        try:
            value = json.loads(answer.decode())
            if b"\\u" in answer:
                _encode(value).encode()  # half a surrogate pair is no text
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self._break_off(
                f"{command}: the REPL answered {_excerpt(answer)}, expected one line with a JSON object"
            )
        return value

    def close(self) -> None:
        """Kill the process and all that it started; calling it twice is allowed."""
        self.alive = False
        # A forked copy of the program must not end the process of the original.
        if self._child.returncode is None and os.getpid() == self._owner:
            self._kill()
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()

    def _exchange(self, unsent: bytes, deadline: float, late: str) -> bytes:
        """Write `unsent` while reading, and return the first whole line."""
        self._silent_since = time.monotonic()
        unsent = self._write(unsent)
        if unsent:
            self._poll.register(self._stdin, select.POLLOUT)
        try:
            while True:
                line = self._take_line()
                if line is not None:
                    return line
                left = deadline - time.monotonic()
                if left <= 0:
                    self._give_up(late)
                events = self._poll.poll(min(left, _TICK_SECONDS) * 1000 + 1)
                if not events:
                    self._limit_memory()
                    self._limit_stop(late)
                for fd, _ in events:
                    if fd == self._stdout:
                        self._read_stdout()
                    elif fd == self._stderr:
                        self._read_stderr()
                    elif unsent:
                        unsent = self._write(unsent)
                        if not unsent:
                            self._poll.unregister(self._stdin)
        finally:
            if unsent:
                with contextlib.suppress(KeyError):
                    self._poll.unregister(self._stdin)

    def _give_up(self, late: str) -> NoReturn:
        """End a process that did not keep its time; one that somebody stopped could not keep it."""
        if self.memory.is_stopped():
            self._give_up_stopped(late)
        note = self._stderr_note()
        self.close()
        raise BackendTimeout(f"{late}; it was killed{note}")

    def _limit_stop(self, late: str) -> None:
        """End a process that somebody has stopped, long before its deadline, which may be minutes away."""
        if not self.memory.is_stopped():
            self._silent_since = time.monotonic()
        elif time.monotonic() - self._silent_since > STOPPED_SECONDS:
            self._give_up_stopped(late)

    def _give_up_stopped(self, late: str) -> NoReturn:
        note = self._stderr_note()
        self.close()
        raise BackendKilled(f"{late}: the process was stopped by a signal (SIGSTOP); it was killed{note}")

    def _limit_memory(self) -> None:
        used = None if self._memory_mib is None else self.memory.read().own
        if used is not None and self._memory_mib is not None and used > self._memory_mib:
            note = self._stderr_note()
            self.close()
            raise BackendOutOfMemory(
                f"the REPL has {used:.0f} MiB, more than memory_mib={self._memory_mib:g}; it was killed{note}"
            )

    def _take_line(self) -> bytes | None:
        end = self._answers.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._answers)
            if self._searched > self._max_line_bytes:
                self._break_off(f"the answer has more than {self._max_line_bytes} bytes, which is the limit")
            return None
        line = bytes(self._answers[:end])
        del self._answers[: end + 1]
        self._searched = 0
        return line

    def _write(self, data: bytes) -> bytes:
        while data:
            try:
                data = data[os.write(self._stdin, data) :]
            except BlockingIOError:
                break
            except OSError:
                self._ended()
        return data

    def _read_stdout(self) -> None:
        try:
            chunk = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._ended()
        self._answers += chunk

    def _read_stderr(self) -> None:
        try:
            chunk = os.read(self._stderr, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._stderr)
        self._errors += chunk
        if len(self._errors) > 2 * _STDERR_KEPT:
            del self._errors[:-_STDERR_KEPT]

    def _ended(self) -> NoReturn:
        self._ended_alone = self._linger()
        note = self._stderr_note()
        self.close()
        # Killed from here because it did not end: its status says nothing.
        outside = self._ended_alone and killed_from_outside(self._child.returncode)
        kind = BackendKilled if outside else BackendCrashed
        raise kind(f"the REPL {_how_it_ended(self._child.returncode)}{note}")

    def _linger(self) -> bool:
        """Give an ending process the time to end by itself, so that its exit status is its own.

        It is not reaped here: its process group could not be killed safely after that.

        Returns:
            Whether it has ended.
        """
        until = time.monotonic() + _EXIT_SECONDS
        while time.monotonic() < until:
            if os.waitid(os.P_PID, self._child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
                return True
            time.sleep(0.005)
        return False

    def _break_off(self, problem: str) -> NoReturn:
        note = self._stderr_note()
        self.close()
        raise ProtocolError(f"{problem}{note}")

    def _stderr_note(self) -> str:
        self._read_stderr()
        tail = self.stderr_tail
        return f"; its standard error ends with: {tail}" if tail else ""

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            self._child.kill()
        self._child.wait()


def _how_it_ended(status: int) -> str:
    return f"was killed by signal {-status}" if status < 0 else f"ended with exit status {status}"


def _excerpt(data: bytes) -> str:
    text = data[:_RECEIVED_SHOWN].decode("utf-8", "replace").strip()
    return repr(text) + (
        f" and {len(data) - _RECEIVED_SHOWN} bytes more" if len(data) > _RECEIVED_SHOWN else ""
    )
