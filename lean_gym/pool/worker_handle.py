"""The parent's end of one worker process."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from multiprocessing.util import get_temp_dir
from types import ModuleType
from typing import Final

from lean_gym.execution import Job
from lean_gym.pool.limits import kill_started
from lean_gym.pool.liveness import SILENT_SECONDS, limit_waits
from lean_gym.pool.serialization import pack_job
from lean_gym.pool.telemetry import End, Entry
from lean_gym.pool.worker_main import Orders, serve
from lean_gym.process_state import STOPPED_SECONDS, is_stopped

CLOSE_SECONDS: Final = 5.0
_EXIT_SECONDS: Final = 5.0
# The worker's own guard acts first; it cannot run while its process is stuck outside of Python.
_GUARD_SECONDS: Final = 2.0
# Jobs behind a worker that was silent for so long may move to another one.
_SILENCE_SECONDS: Final = 1.0
# A batch is what a worker does in about this time.
_BATCH_SECONDS: Final = 0.01
_LEAST_BATCH: Final = 2
_MOST_BATCH: Final = 64
# Unread messages must fit into the buffer of a pipe, at least 8 KiB, or both ends could wait for each other.
_AHEAD_BYTES: Final = 4096


@dataclass(slots=True)
class Ticket:
    """A job on its way.

    Attributes:
        number: Unique within the pool.
        job: What is asked.
        submitted: `time.monotonic()` when it was handed over.
        strikes: How often a worker ended on the job's own step by a fault, an exit or a limit.
        failures: How often a worker was lost while it ran this job, for any reason.
        own_failures: How many of them on the job's own step.
    """

    number: int
    job: Job
    submitted: float
    strikes: int = 0
    failures: int = 0
    own_failures: int = 0


class Worker:
    """One worker process, and the jobs that are meant for it.

    The worker holds up to two batches: the second is in its pipe when the first is done, so that the worker need not
    wait for its parent. A worker with a `problem` is parked: it has no process and no jobs until it is tried again.

    Args:
        context: How to start it.
        payload: For `Orders`.
        index: Its place in the pool.
    """

    def __init__(self, context: BaseContext, payload: bytes, index: int) -> None:
        self._context = context
        self._payload = payload
        self.index = index
        self.queue: deque[Ticket] = deque()
        self.flying: dict[int, Ticket] = {}
        self.starts = 0
        self.fruitless = 0
        """Processes in a row that ended before they finished a batch."""
        self.problem: Exception | None = None
        self.parked = 0
        """How often in a row it was parked."""
        self.retry_at = 0.0
        """`time.monotonic()` when a parked worker is tried again."""
        self.process: BaseProcess | None = None
        self._unswept: list[str] = []
        self._reset()

    def _reset(self) -> None:
        self.backend_name: str | None = None
        self.batches = 0
        self.due = False
        self.served = 0.0
        self._paced = _LEAST_BATCH
        self._too_long = False
        self._clogged = False
        self.first_memory: float | None = None

    def start(self) -> None:
        """Start a process; an earlier one must have been ended.

        Raises:
            OSError: The system has no more file descriptors, processes or memory.
        """
        self._sweep()
        self._reset()
        mark = uuid.uuid4().hex
        telemetry = self._context.RawArray("d", len(Entry))
        connection, theirs = self._context.Pipe()
        orders = Orders(
            self._payload,
            mark,
            # Where the fork server has its socket.
            leftover=get_temp_dir() if self._context.get_start_method() == "forkserver" else None,
            first=self.starts == 0,
            loud=self.index == 0,
        )
        process: BaseProcess = self._context.Process(  # type: ignore[attr-defined]
            target=serve,
            args=(theirs, telemetry, orders),
            name=f"lean-gym-worker-{self.index}",
            daemon=True,
        )
        try:
            limit_waits(connection)
            with _hidden_main():
                process.start()
        except BaseException:
            connection.close()
            raise
        finally:
            theirs.close()
        self.starts += 1
        self.problem = None
        self._started = self._given = time.monotonic()
        self._mark, self.telemetry, self.connection, self.process = mark, telemetry, connection, process

    def park(self, problem: Exception, seconds: float) -> list[Ticket]:
        """Record why no process can be had for this worker, and return the jobs that it leaves."""
        self._reset()
        self.problem = problem
        self.parked += 1
        self.retry_at = time.monotonic() + seconds
        left = [*self.flying.values(), *self.queue]
        self.flying, self.queue = {}, deque()
        return left

    @property
    def busy(self) -> bool:
        """Return whether the worker holds jobs."""
        return self.batches > 0

    def holds_up(self, patience_s: float) -> bool:
        """Return whether one job, silence, or a restart has delayed other jobs for over `patience_s` seconds."""
        now = time.monotonic()
        late = now - patience_s
        if self.busy:
            silent = now - max(self.telemetry[Entry.BEAT], self._given) > _SILENCE_SECONDS
            return silent or (bool(self.telemetry[Entry.RUNNING]) and self.telemetry[Entry.SINCE] < late)
        # All workers start together: one that starts for the first time keeps its jobs.
        return self.backend_name is None and self.starts > 1 and self._started < late

    def reason_to_end(self, watched: float, start_s: float) -> float:
        """Return the reason for which the process must be replaced, 0 for a healthy one.

        An idle process owes no sign of life; one that starts or holds jobs does.

        Args:
            watched: `time.monotonic()` since when the parent has watched without a break. Before that, the parent may
                have been stopped together with its workers.
            start_s: Most seconds for a start.
        """
        now = time.monotonic()
        if self._clogged:
            return End.FROZEN
        if self.problem is not None or not (self.busy or self.backend_name is None):
            return 0.0
        assert self.process is not None
        silent = now - max(self.telemetry[Entry.BEAT], self._given, watched)
        if silent > STOPPED_SECONDS and is_stopped(self.process.pid):
            return End.FROZEN
        if self.backend_name is None:
            return End.SLOW_START if now - max(self._started, watched) > start_s else 0.0
        until = self.telemetry[Entry.UNTIL]
        if until:
            return End.DEADLINE if now > until + _GUARD_SECONDS else 0.0
        return End.FROZEN if silent > SILENT_SECONDS else 0.0

    @property
    def has_room(self) -> bool:
        """Return whether the worker takes another batch: it holds at most two, and none more before a replacement."""
        return (
            self.backend_name is not None
            and self.batches < 2
            and not (self.busy and (self.due or self._too_long))
        )

    @property
    def batch_size(self) -> int:
        """Largest size of the next batch. An idle worker takes half of its queue, so that a second batch can follow."""
        return max(_LEAST_BATCH, min(self._paced, len(self.queue) if self.busy else -(-len(self.queue) // 2)))

    def send(self, tickets: list[Ticket]) -> bool:
        """Send a batch. The pipe of a dead worker is closed, which the caller notices.

        Returns:
            False when the batch is too long to lie in the pipe of a worker that does not read now; nothing was sent
            then.
        """
        message = pickle.dumps([(ticket.number, pack_job(ticket.job)) for ticket in tickets])
        reads = self.telemetry[Entry.READS] and not self.busy
        if not reads and len(message) > _AHEAD_BYTES:
            self._too_long = self.busy
            return False
        self._given = time.monotonic()
        self.batches += 1
        self.flying.update((ticket.number, ticket) for ticket in tickets)
        try:
            self.connection.send_bytes(message)
        except BlockingIOError:
            # It read nothing for a while, and a part of the message is lost.
            self._clogged = True
        except OSError:
            pass
        return True

    def drop(self, ticket: Ticket) -> None:
        """Remove a job from the queue if it is there; a job that was sent cannot be recalled."""
        self.queue = deque(one for one in self.queue if one is not ticket)

    def finish(self, seconds_each: float) -> None:
        """Record the end of a batch whose jobs took `seconds_each` on average."""
        self.batches -= 1
        self._too_long = False
        self._paced = int(_BATCH_SECONDS / max(seconds_each, _BATCH_SECONDS / _MOST_BATCH))

    def exit_code(self) -> int | None:
        """Return the exit status of the process; negative for a signal, `None` if it does not end."""
        assert self.process is not None
        self.process.join(_EXIT_SECONDS)
        return self.process.exitcode

    def ask_to_stop(self) -> None:
        """Ask an idle worker to end; `kill` ends it if it does not."""
        with suppress(OSError):
            self.connection.send(None)

    def kill(self, patience_s: float = 0.0) -> None:
        """End the process, by force after `patience_s` seconds, and everything that it started."""
        if self.process is None:
            return
        self.process.join(patience_s)
        pid = self.process.pid
        self._unswept.append(self._mark)
        if pid is not None and self.process.is_alive():
            with suppress(OSError):
                kill_started(self._mark, pid)
            with suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
            self.process.kill()
            self.process.join(_EXIT_SECONDS)
        with suppress(OSError):
            self._sweep()
        self.connection.close()

    def _sweep(self) -> None:
        """Kill what earlier processes started; `OSError` when it cannot be found, then the next start tries again."""
        while self._unswept:
            kill_started(self._unswept[-1], None)
            self._unswept.pop()


def close_all(workers: list[Worker], owner: int) -> None:
    """Stop the workers, the busy ones by force; they have `CLOSE_SECONDS` together."""
    # A forked copy of the program must not stop the workers of the original.
    if os.getpid() != owner:
        return
    idle = [worker for worker in workers if not worker.busy and worker.backend_name is not None]
    for worker in idle:
        worker.ask_to_stop()
    until = time.monotonic() + CLOSE_SECONDS
    for worker in workers:
        worker.kill(max(0.0, until - time.monotonic()) if worker in idle else 0.0)


@contextmanager
def _hidden_main() -> Iterator[None]:
    """Hide the main module while processes are started.

    `spawn` and `forkserver` have the child import the parent's main module, which runs a script without a
    guard a second time. Workers need nothing from it.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
