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
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from multiprocessing.util import get_temp_dir
from types import ModuleType
from typing import Any, Final

from lean_gym.execution import Job
from lean_gym.pool.codec import pack_job
from lean_gym.pool.limits import kill_started
from lean_gym.pool.worker_main import BOARD_SIZE, RUNNING, SINCE, Orders, serve

CLOSE_SECONDS: Final = 5.0
_EXIT_SECONDS: Final = 5.0
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
        strikes: How often a worker was lost on the job's own step.
        losses: How often a worker was lost while it ran this job.
    """

    number: int
    job: Job
    submitted: float
    strikes: int = 0
    losses: int = 0


class Worker:
    """One worker process, started at once, and the jobs that are meant for it.

    The worker holds up to two batches: the second is in its pipe when the first is done, so that the worker need not
    wait for its parent.

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
        self.problem: Exception | None = None
        self.start()

    def start(self) -> None:
        """Start a process; an earlier one must have been ended."""
        self.starts += 1
        self.backend_name: str | None = None
        self.batches = 0
        self.due = False
        self.served = 0.0
        self._paced = _LEAST_BATCH
        self._too_long = False
        self.first_memory: float | None = None
        self._started = time.monotonic()
        self._mark = uuid.uuid4().hex
        self.board: Any = self._context.RawArray("d", BOARD_SIZE)
        self.connection: Connection
        self.connection, theirs = self._context.Pipe()
        orders = Orders(
            self._payload,
            self._mark,
            # Where the fork server has its socket.
            leftover=get_temp_dir() if self._context.get_start_method() == "forkserver" else None,
            first=self.starts == 1,
            loud=self.index == 0,
        )
        self.process: BaseProcess = self._context.Process(  # type: ignore[attr-defined]
            target=serve,
            args=(theirs, self.board, orders),
            name=f"lean-gym-worker-{self.index}",
            daemon=True,
        )
        with _hidden_main():
            self.process.start()
        theirs.close()

    @property
    def busy(self) -> bool:
        """Return whether the worker holds jobs."""
        return self.batches > 0

    def holds_up(self, patience_s: float) -> bool:
        """Return whether one job, or the restart of the worker, has delayed others for over `patience_s` seconds."""
        late = time.monotonic() - patience_s
        if self.busy:
            return bool(self.board[RUNNING]) and self.board[SINCE] < late
        # All workers start together: one that starts for the first time keeps its jobs.
        return self.backend_name is None and self.starts > 1 and self._started < late

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
            False when the batch is too long to lie in the pipe of a busy worker; nothing was sent then.
        """
        message = pickle.dumps([(ticket.number, pack_job(ticket.job)) for ticket in tickets])
        if self.busy and len(message) > _AHEAD_BYTES:
            self._too_long = True
            return False
        self.batches += 1
        self.flying.update((ticket.number, ticket) for ticket in tickets)
        with suppress(OSError):
            self.connection.send_bytes(message)
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
        """Return the exit status of the process; negative for a signal."""
        self.process.join(_EXIT_SECONDS)
        return self.process.exitcode

    def ask_to_stop(self) -> None:
        """Ask an idle worker to end; `kill` ends it if it does not."""
        with suppress(OSError):
            self.connection.send(None)

    def kill(self, patience_s: float = 0.0) -> None:
        """End the process, by force after `patience_s` seconds, and everything that it started."""
        self.process.join(patience_s)
        pid = self.process.pid
        if pid is not None and self.process.is_alive():
            kill_started(self._mark, pid)
            with suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
            self.process.kill()
            self.process.join()
        kill_started(self._mark, None)
        self.connection.close()


def close_all(workers: list[Worker], owner: int) -> None:
    """Stop the workers, the busy ones by force."""
    # A forked copy of the program must not stop the workers of the original.
    if os.getpid() != owner:
        return
    idle = [worker for worker in workers if not worker.busy and worker.backend_name is not None]
    for worker in idle:
        worker.ask_to_stop()
    for worker in workers:
        worker.kill(CLOSE_SECONDS if worker in idle else 0.0)


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
