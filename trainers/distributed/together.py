"""Start of the processes of a run on this machine.

They find each other as those of `torchrun --standalone` do. Unlike torchrun, one line about a mistake stays one line,
and Ctrl-C leaves the command that resumes as the last one.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Any, Final, Protocol

import psutil

from trainers.config.cli import NOTES_TOLD
from trainers.distributed import stopped
from trainers.errors import ConfigError

GRACE_S: Final = 60.0
"""Time that the others have to end by themselves after one has failed, in seconds."""
_SET_PARENT_DEATH_SIGNAL: Final = 1


def run_together(count: int, words: Sequence[str]) -> int:
    """Run a Python program in several processes, and wait for all of them.

    Only the first one writes to standard error while they run. What another one wrote there is shown at the end, if it
    ended in another way than the first; then follows which of them a signal ended, e.g. for want of memory. A process
    that is stopped and does not go on is killed. The first Ctrl-C or SIGTERM is passed on to all, the second one kills
    them. If this process is killed, the others get a SIGTERM.

    Args:
        count: Number of processes.
        words: Arguments of Python, e.g. `-m trainers.grpo`.

    Returns:
        The exit code of the first process if it failed, else that of another one that did, else 0.

    Raises:
        ConfigError: There would be more than two processes for each core.
    """
    cores = os.cpu_count() or 1
    if count > 2 * cores:
        raise ConfigError(
            f"processes: expected at most {2 * cores}, two for each core of this machine, got {count}"
        )
    shared = {
        "WORLD_SIZE": str(count),
        "LOCAL_WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port("127.0.0.1")),
        NOTES_TOLD: "1",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(max(1, cores // count))),
    }
    with_parent = end_with(os.getpid())
    with ExitStack() as closing:
        errors = [closing.enter_context(tempfile.TemporaryFile()) for _ in range(1, count)]
        started: list[psutil.Popen] = []
        closing.enter_context(passing_on_signals(started))
        for rank in range(count):
            place = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
            started.append(
                psutil.Popen(
                    [sys.executable, *words],
                    env={**os.environ, **shared, **place},
                    stderr=errors[rank - 1] if rank else None,
                    preexec_fn=with_parent,
                )
            )
        codes = _wait(started)
        return told_end(codes, [_text(file) for file in errors])


def told_end(codes: Sequence[int | None], errors: Sequence[str]) -> int:
    """Say how the processes ended that ended unlike the first one, and return the exit code of all.

    Args:
        codes: Exit codes; `None` for one that was killed since another had failed.
        errors: What all but the first wrote to standard error.
    """
    for code, text in zip(codes[1:], errors, strict=True):
        if code not in (codes[0], None):
            sys.stderr.write(text)
    for rank, code in enumerate(codes):
        if code is not None and code < 0:
            name = signal.Signals(-code).name
            sys.stderr.write(f"process {rank + 1} of {len(codes)} was ended by {name}\n")
    return next((_exit_code(code) for code in codes if code), 0)


def free_port(address: str) -> int:
    """Return a port that is free at an address of this machine; an empty one means all of them."""
    with socket.socket() as found:
        found.bind((address, 0))
        return int(found.getsockname()[1])


def end_with(parent: int) -> Callable[[], None] | None:
    """Return what a new process calls to get a SIGTERM at the death of its parent; `None` where Linux does not run.

    Without it the processes of a run whose parent is killed would go on, and write into the folder that a user resumes.
    """
    if sys.platform != "linux":
        return None
    control = ctypes.CDLL(None).prctl  # loaded before the fork

    def end_with_parent() -> None:
        control(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(128 + signal.SIGTERM)

    return end_with_parent


def _wait(processes: Sequence[psutil.Popen]) -> list[int | None]:
    """Wait until all have ended, and return their codes.

    The others of a failed one would wait for it in vain, so they are killed; their codes are `None`.
    """
    alive, deadline, killed = list(processes), None, []
    named = {f"{at} of {len(processes)}": process for at, process in enumerate(processes, 1)}
    watch = stopped.Watch(named, stopped.STOPPED_S)
    while alive:
        _, alive = psutil.wait_procs(alive, timeout=stopped.LOOK_S)
        watch.look()
        if deadline is None and any(process.returncode for process in processes if process not in alive):
            deadline = time.monotonic() + GRACE_S
        if deadline is not None and time.monotonic() > deadline:
            killed += alive
            for process in alive:
                process.kill()
            psutil.wait_procs(alive)
            alive = []
    return [None if process in killed else process.returncode for process in processes]


class Signalled(Protocol):
    """A process that can be sent a signal."""

    def is_running(self) -> bool:
        """Return whether it has not ended."""

    def send_signal(self, number: int, /) -> None:
        """Send it a signal."""


@contextmanager
def passing_on_signals(processes: Sequence[Signalled]) -> Iterator[None]:
    """Pass the first Ctrl-C or SIGTERM on to processes, and kill them at the second one, within the block."""
    received = 0

    def pass_on(number: int, _: Any) -> None:
        nonlocal received
        received += 1
        for process in processes:
            if process.is_running():
                process.send_signal(number if received == 1 else signal.SIGKILL)

    previous = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _exit_code(code: int) -> int:
    """Return the exit code of a process as shells give it: 128 plus the signal's number for one that was killed."""
    return code if code >= 0 else 128 - code


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
