"""Protocol of a pool, and the pool without processes."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from gymnasium.error import ClosedEnvironmentError

from lean_gym.backends.registry import BackendFactory
from lean_gym.errors import refuse_fork
from lean_gym.execution import COUNTERS, Job, JobRunner, ProverOptions, Reply

POOL_COUNTERS: Final = (
    "workers", "worker_restarts", "worker_recycles", "memory_kills", "moved_jobs", "quarantined", "queue_seconds",
)  # fmt: skip
"""Counters of a pool besides its provers' `COUNTERS`: processes; those that died or were killed, and those
replaced because they had served or grown enough; kills for memory; waiting jobs given to an idle worker; jobs
given up as `crashed`; seconds that jobs spent waiting for a worker and on the way."""


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """Limits of worker processes.

    Attributes:
        memory_mib: Most memory of one process, MiB, pages of files not counted: of the worker alone, and of each
            process of its prover with those that it started. Past it the worker is killed, unless the backend ended
            that process alone. A worker that has used up three quarters of what it may grow is replaced between jobs.
        recycle_after: Theorems that a worker starts before it is replaced.
        grace_s: Seconds that a call of the backend may outlast its limit before the worker is killed. Backends
            keep deadlines themselves, and may need a moment for it.
        start_s: Most seconds from the start of a worker until its backend is ready.
    """

    memory_mib: int = 8192
    recycle_after: int = 10_000
    grace_s: float = 5.0
    start_s: float = 600.0


class Pool(Protocol):
    """Runs jobs of many episodes at once, at most one for each slot."""

    @property
    def backend_name(self) -> str:
        """Name of the backend that proves; starts it if need be."""

    def submit(self, jobs: Sequence[Job]) -> None:
        """Hand over jobs; one for a slot that has a job under way replaces that job."""

    def poll(self, wait_s: float = 0.0) -> None:
        """Take the replies that have come, or come within this time; without processes, run all jobs.

        Raises:
            BackendUnavailable: No worker starts; the next call tries again.
            ClosedEnvironmentError: The pool is closed.
        """

    def receive(self, at_least: int, slots: Collection[int] | None = None) -> dict[int, Reply]:
        """Wait for replies and hand them over, each once.

        Args:
            at_least: How many to wait for; never waits for more than are under way.
            slots: The slots that count; `None` for all.

        Returns:
            Every reply that was taken, by slot.

        Raises:
            BackendUnavailable: No worker starts; the next call tries again.
            ClosedEnvironmentError: The pool was closed, perhaps by another thread meanwhile.
        """

    def cancel(self, slots: Collection[int]) -> None:
        """Forget the jobs of these slots; a reply that comes later is dropped."""

    def stats(self) -> dict[str, float]:
        """Counts since the pool was made, by the names in `COUNTERS` and `POOL_COUNTERS`."""

    def close(self) -> None:
        """Free every resource, also while another thread waits; calling it twice is allowed."""


TICK_SECONDS: Final = 0.1
"""Seconds of a turn of a pool without replies."""
T = TypeVar("T")


class RemotePool(ABC, Generic[T]):
    """Part of a pool whose jobs run in other processes, which it looks after in turns.

    Any thread may call `close`, also while another one waits for replies. The other methods belong to one thread.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._closing = False
        self._owner = os.getpid()
        self._current: dict[int, T] = {}
        """Slot -> its job under way."""
        self._replies: dict[int, Reply] = {}

    @property
    def pending(self) -> bool:
        """Return whether a job is under way."""
        return bool(self._current)

    def poll(self, wait_s: float = 0.0) -> None:
        """Wait for replies for a while, act on them, and send jobs; see `Pool.poll`."""
        with self._lock:
            self._check_open()
            self._turn(wait_s)

    def receive(self, at_least: int, slots: Collection[int] | None = None) -> dict[int, Reply]:
        """Wait for replies; see `Pool.receive`."""
        while True:
            # Released between two turns, so that another thread can close the pool.
            with self._lock:
                self._check_open()
                ready = [slot for slot in self._replies if slots is None or slot in slots]
                waiting = self._current if slots is None else self._current.keys() & slots
                if len(ready) >= at_least or not waiting:
                    return {slot: self._replies.pop(slot) for slot in ready}
                self._turn()

    def _check_open(self) -> None:
        refuse_fork(self._owner)
        if self._closing:
            raise ClosedEnvironmentError(
                "the environment is closed, perhaps by another thread; make a new one"
            )

    @abstractmethod
    def _turn(self, wait_s: float = TICK_SECONDS) -> None:
        """Wait briefly for replies, act on them, and send jobs."""


def run_all(pool: Pool, jobs: Sequence[Job]) -> list[Reply]:
    """Run jobs of different slots and return their replies in the same order.

    Raises:
        BackendUnavailable: No worker starts.
    """
    slots = {job.slot for job in jobs}
    pool.submit(jobs)
    try:
        replies = pool.receive(len(jobs), slots)
    except BaseException:
        # Also after Ctrl-C: the reply to an abandoned job must not answer the next call.
        pool.cancel(slots)
        raise
    return [replies[job.slot] for job in jobs]


class LocalPool:
    """All jobs one after the other in this process.

    Args:
        factory: Makes the backend.
        options: How the prover works.
    """

    def __init__(self, factory: BackendFactory, options: ProverOptions) -> None:
        self._prover = JobRunner(factory, options)
        self._counts = dict.fromkeys((*COUNTERS, *POOL_COUNTERS), 0.0)
        self._waiting: deque[Job] = deque()
        self._replies: dict[int, Reply] = {}

    @property
    def backend_name(self) -> str:
        """Name of the backend."""
        return self._prover.open()

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue the jobs; they run when `receive` waits for them."""
        self.cancel({job.slot for job in jobs})
        self._waiting.extend(jobs)

    def poll(self, wait_s: float = 0.0) -> None:
        """Run all jobs."""
        while self._waiting:
            job = self._waiting.popleft()
            self._replies[job.slot] = self._run(job)

    def receive(self, at_least: int, slots: Collection[int] | None = None) -> dict[int, Reply]:
        """Run jobs in order until enough are done."""
        ready = [slot for slot in self._replies if slots is None or slot in slots]
        replies = {slot: self._replies.pop(slot) for slot in ready}
        others: list[Job] = []
        while self._waiting and len(replies) < at_least:
            job = self._waiting.popleft()
            if slots is not None and job.slot not in slots:
                others.append(job)
                continue
            replies[job.slot] = self._run(job)
        self._waiting.extendleft(reversed(others))
        return replies

    def cancel(self, slots: Collection[int]) -> None:
        """Take the slots' jobs out of the queue, and forget their replies."""
        for slot in slots:
            self._replies.pop(slot, None)
        if self._waiting:
            self._waiting = deque(job for job in self._waiting if job.slot not in slots)

    def stats(self) -> dict[str, float]:
        """The prover's counters; there are no workers."""
        add_counts(self._counts, self._prover.take_counters())
        return {**self._counts, "quarantined": float(self._prover.quarantined)}

    def close(self) -> None:
        """Close the backend."""
        self._waiting.clear()
        self._replies.clear()
        self._prover.close()

    def _run(self, job: Job) -> Reply:
        try:
            return self._prover.run(job)
        except Exception as error:
            return Reply(failure=error)


def add_counts(total: dict[str, float], more: dict[str, float]) -> None:
    """Add `more` to `total`, name by name."""
    for name, count in more.items():
        total[name] += count
