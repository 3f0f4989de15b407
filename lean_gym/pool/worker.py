"""The parent's end of one worker process."""

from __future__ import annotations

import os
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

from lean_gym.pool.guards import kill_started
from lean_gym.pool.serve import BOARD_SIZE, Orders, serve
from lean_gym.prover import Job
from lean_gym.wire import pack_job

CLOSE_SECONDS: Final = 5.0
_EXIT_SECONDS: Final = 5.0
_LEAST_BATCH: Final = 2
_MOST_BATCH: Final = 64


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
        self.busy = False
        self.served = 0.0
        self.batch_size = _LEAST_BATCH
        self._sent = 0.0
        self._sent_count = 0
        self.first_memory: float | None = None
        self.progress = time.monotonic()
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

    def send(self, tickets: list[Ticket]) -> None:
        """Hand over a batch. A worker that is dead says so by closing its pipe, which the caller watches."""
        self.busy = True
        self.progress = self._sent = time.monotonic()
        self._sent_count = len(tickets)
        self.flying = {ticket.number: ticket for ticket in tickets}
        with suppress(OSError):
            self.connection.send([(ticket.number, pack_job(ticket.job)) for ticket in tickets])

    def drop(self, ticket: Ticket) -> None:
        """Take a job out of the queue if it is there; what has been sent cannot be called back."""
        self.queue = deque(one for one in self.queue if one is not ticket)

    def note_pace(self, seconds: float) -> None:
        """A batch is done: the next is as large as what this worker does in `seconds`, within bounds."""
        each = (time.monotonic() - self._sent) / self._sent_count
        self.batch_size = int(min(max(seconds / each, _LEAST_BATCH), _MOST_BATCH))

    def exit_code(self) -> int | None:
        """How the process ended; negative for a signal."""
        self.process.join(_EXIT_SECONDS)
        return self.process.exitcode

    def ask_to_stop(self) -> None:
        """Let an idle worker finish by itself; `kill` makes sure."""
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
    """Start processes as if there were no main module.

    `spawn` and `forkserver` have the child import the parent's main module, which runs a script without a
    guard a second time. Workers need nothing from it.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
