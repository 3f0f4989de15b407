"""The pool of worker processes: scheduling, guards, recovery."""

from __future__ import annotations

import itertools
import multiprocessing as mp
import pickle
import selectors
import time
import weakref
from collections.abc import Collection, Sequence
from typing import Final

from lean_gym.backends.registry import BackendFactory
from lean_gym.errors import BackendError, BackendUnavailable
from lean_gym.execution import COUNTERS, Job, ProverOptions, Quarantine, Reply
from lean_gym.pool.assignment import Assignment
from lean_gym.pool.base import POOL_COUNTERS, TICK_SECONDS, PoolOptions, RemotePool, add_counts
from lean_gym.pool.failures import MOST_FAILURES, Failure, cannot_start, is_blamed
from lean_gym.pool.serialization import unpack_reply
from lean_gym.pool.telemetry import End, Entry
from lean_gym.pool.worker_handle import Ticket, Worker, close_all
from lean_gym.process_state import STOPPED_SECONDS
from lean_gym.types import Theorem

_PATIENCE_SECONDS: Final = 0.1
_START_ATTEMPTS: Final = 3
_GROWTH_SHARE: Final = 0.75
_MOST_PARKED_SECONDS: Final = 60.0


class ProcessPool(RemotePool[int]):
    """Distributes jobs over worker processes.

    A worker that cannot be started is parked: its jobs go to the others, and it is tried again after 1, 2, 4, ... 60
    seconds. When all are parked, the call under way raises, and the next call tries all of them again.

    Args:
        factory: Makes a backend inside a worker; must be picklable.
        options: How each prover works.
        num_workers: How many processes, at least 1.
        context: How to start them: `"spawn"`, `"fork"` or `"forkserver"`.
        limits: Bounds of each worker.
        warm: Theorems that every worker starts at once, to have libraries and imports loaded.
        preload: Module that the fork server imports, if there is one and it does not run yet: the workers share its
            memory.
    """

    def __init__(
        self,
        factory: BackendFactory,
        options: ProverOptions,
        num_workers: int,
        context: str = "spawn",
        limits: PoolOptions | None = None,
        warm: Sequence[Theorem] = (),
        preload: str | None = None,
    ) -> None:
        super().__init__()
        self._limits = limits or PoolOptions()
        # Pickled here, not by multiprocessing, so that the worker can report an object that does not unpickle.
        payload = pickle.dumps((factory, options, self._limits, tuple(warm)))
        self._counts = dict.fromkeys((*COUNTERS, *POOL_COUNTERS), 0.0)
        self._quarantine = Quarantine()
        self._numbers = itertools.count(1)
        self._assignment = Assignment()
        self._owners = self._assignment.owners
        # The last moment at which this object looked after its workers, and the moment since when it always did.
        self._seen = self._watched = time.monotonic()
        launch = mp.get_context(context)
        if context == "forkserver" and preload is not None:
            launch.set_forkserver_preload(["lean_gym.pool.worker_main", preload])
        self._workers = [Worker(launch, payload, index) for index in range(num_workers)]
        # Also runs at interpreter exit and when the pool is collected, so that no process remains.
        self._close = weakref.finalize(self, close_all, self._workers, self._owner)
        try:
            self._selector = selectors.DefaultSelector()
        except OSError as error:
            raise cannot_start(error) from None
        for worker in self._workers:
            self._start(worker)
        try:
            self._check_hope()
        except BackendUnavailable:
            self._selector.close()
            raise

    @property
    def backend_name(self) -> str:
        """Name of the backend, which every worker has.

        Raises:
            BackendUnavailable: No worker starts.
            ClosedEnvironmentError: The pool is closed.
        """
        while True:
            with self._lock:
                self._check_open()
                for worker in self._workers:
                    if worker.backend_name is not None:
                        return worker.backend_name
                self._turn()

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue the jobs and send what the workers can take.

        Raises:
            ClosedEnvironmentError: The pool is closed.
        """
        with self._lock:
            self._check_open()
            self._submit(jobs)

    def _submit(self, jobs: Sequence[Job]) -> None:
        starts = [job for job in jobs if job.tactic is None]
        # An episode may also continue from a saved point of another without a start of its own.
        self._assign([job for job in jobs if job.tactic is None or not self._has_worker(job.slot)])
        now = time.monotonic()
        for job in (*reversed(starts), *(job for job in jobs if job.tactic is not None)):
            self._replies.pop(job.slot, None)
            known = self._quarantine.reply(job)
            if known is not None:
                self._current.pop(job.slot, None)
                self._replies[job.slot] = known
                continue
            ticket = Ticket(next(self._numbers), job, now)
            self._current[job.slot] = ticket.number
            queue = self._workers[self._owners[job.slot]].queue
            if job.tactic is None:
                # A reset waits for the starts alone.
                queue.appendleft(ticket)
            else:
                queue.append(ticket)
        self._dispatch()

    def _assign(self, jobs: Sequence[Job]) -> None:
        able = [worker.index for worker in self._workers if worker.problem is None]
        self._assignment.assign(jobs, able or range(len(self._workers)))

    def _has_worker(self, slot: int) -> bool:
        return slot in self._owners and self._workers[self._owners[slot]].problem is None

    def cancel(self, slots: Collection[int]) -> None:
        """Forget the jobs of these slots."""
        with self._lock:
            for slot in slots:
                self._current.pop(slot, None)
                self._replies.pop(slot, None)

    def stats(self) -> dict[str, float]:
        """All counters, summed over the workers."""
        crashes = float(self._quarantine.crashes)
        return {**self._counts, "workers": float(len(self._workers)), "quarantined": crashes}

    def close(self) -> None:
        """Stop the workers; a thread that waits for replies gets `ClosedEnvironmentError`."""
        self._closing = True
        with self._lock:
            self._close()
            self._selector.close()

    def _check_hope(self) -> None:
        """Raise the problem if no worker can be started; the next turn tries all of them again."""
        problem = self._workers[0].problem
        if problem is not None and all(worker.problem is not None for worker in self._workers):
            for worker in self._workers:
                worker.retry_at = 0.0
            raise problem.with_traceback(None)

    def _turn(self, wait_s: float = TICK_SECONDS) -> None:
        """Wait briefly for messages, act on them, and send jobs."""
        now = self._look()
        for worker in self._workers:
            if worker.problem is not None and worker.retry_at <= now:
                # One attempt; it has had the others.
                worker.fruitless = _START_ATTEMPTS - 1
                self._start(worker)
        self._check_hope()
        for key, _ in self._selector.select(wait_s):
            self._read(key.data)
        self._look()
        for worker in self._workers:
            reason = worker.reason_to_end(self._watched, self._limits.start_s)
            if reason:
                worker.telemetry[Entry.REASON] = reason
                self._after_end(worker)
        self._dispatch()

    def _look(self) -> float:
        """Record that the workers are watched now, and return the time."""
        now = time.monotonic()
        if now - self._seen > STOPPED_SECONDS:
            self._watched = now
        self._seen = now
        return now

    def _read(self, worker: Worker) -> None:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            self._after_end(worker)
            return
        if worker.backend_name is None:
            self._after_start(worker, *message)
            return
        replies, done = message
        for number, packed in replies:
            ticket, reply = worker.flying.pop(number), unpack_reply(packed)
            if reply.crashed:
                self._quarantine.record(ticket.job, reply)
            self._settle(ticket, reply)
        if done is not None:
            counts, seconds_each = done
            worker.fruitless = worker.parked = 0
            worker.finish(seconds_each)
            worker.served += counts["starts"] - counts["start_hits"]
            add_counts(self._counts, counts)
            self._recycle_if_due(worker)

    def _after_start(self, worker: Worker, problem: Exception | None, backend_name: str | None) -> None:
        """Handle the first message of a worker."""
        worker.backend_name = backend_name
        if problem is None:
            return
        worker.fruitless += 1
        # What has started before may start again; a first start that is refused will be refused again.
        transient = isinstance(problem, BackendError) and worker.starts > 1
        if transient and worker.fruitless < _START_ATTEMPTS:
            self._replace(worker)
        else:
            self._remove(worker)
            self._park(worker, problem)

    def _settle(self, ticket: Ticket, reply: Reply) -> None:
        if self._current.get(ticket.job.slot) != ticket.number:
            return
        del self._current[ticket.job.slot]
        self._replies[ticket.job.slot] = reply
        waited = time.monotonic() - ticket.submitted - reply.seconds
        self._counts["queue_seconds"] += max(0.0, waited)

    def _after_end(self, worker: Worker) -> None:
        """Replace a worker that died or was killed; its jobs run on its successor, except a job that is given up."""
        self._counts["worker_restarts"] += 1
        reason = worker.telemetry[Entry.REASON]
        code = worker.exit_code() if reason == End.UNKNOWN else None
        failure = Failure(reason, code, bool(worker.telemetry[Entry.OWN_STEP]))
        running = worker.flying.get(int(worker.telemetry[Entry.RUNNING]))
        self._counts["deadline_kills"] += reason == End.DEADLINE
        self._counts["memory_kills"] += reason == End.OUT_OF_MEMORY
        waiting = list(worker.flying.values())
        if running is None:
            worker.fruitless += 1
        elif failure.count(running):
            waiting.remove(running)
            reply = failure.reply(running, self._limits.memory_mib)
            if is_blamed(running):
                self._quarantine.record(running.job, reply)
            self._settle(running, reply)
        worker.queue.extendleft(reversed(waiting))
        worker.flying = {}
        # One that had started died of something else than its start.
        if worker.fruitless >= (_START_ATTEMPTS if worker.backend_name is None else MOST_FAILURES):
            self._remove(worker)
            self._park(worker, failure.start_problem(self._limits))
        else:
            self._replace(worker)

    def _recycle_if_due(self, worker: Worker) -> None:
        memory = worker.telemetry[Entry.MEMORY]
        if worker.first_memory is None:
            worker.first_memory = memory
        grown = memory - worker.first_memory
        full = grown > _GROWTH_SHARE * (self._limits.memory_mib - worker.first_memory)
        # One at a time, so that the other workers continue.
        alone = all(other.backend_name is not None or other.problem for other in self._workers)
        worker.due = alone and (full or worker.served >= self._limits.recycle_after)
        if worker.due and not worker.busy:
            self._counts["worker_recycles"] += 1
            self._replace(worker)

    def _replace(self, worker: Worker) -> None:
        self._remove(worker)
        self._start(worker)

    def _remove(self, worker: Worker) -> None:
        self._selector.unregister(worker.connection)
        worker.kill()

    def _start(self, worker: Worker) -> None:
        try:
            worker.start()
            self._selector.register(worker.connection, selectors.EVENT_READ, worker)
        except OSError as error:
            worker.kill()
            self._park(worker, cannot_start(error))

    def _park(self, worker: Worker, problem: Exception) -> None:
        """Do without a worker for a while; its jobs go to the others."""
        left = worker.park(problem, min(_MOST_PARKED_SECONDS, 2.0**worker.parked))
        left = [ticket for ticket in left if self._current.get(ticket.job.slot) == ticket.number]
        self._assign([ticket.job for ticket in left])
        for ticket in left:
            self._workers[self._owners[ticket.job.slot]].queue.append(ticket)

    def _dispatch(self) -> None:
        """Send every worker that has room its next batch; an idle worker also takes jobs that wait for a slow one."""
        for worker in self._workers:
            if worker.backend_name is not None and not worker.busy and not worker.queue:
                self._take_over(worker)
            while worker.queue and worker.has_room:
                batch = self._next_batch(worker)
                if batch and not worker.send(batch):
                    worker.queue.extendleft(reversed(batch))
                    break

    def _next_batch(self, worker: Worker) -> list[Ticket]:
        batch: list[Ticket] = []
        most = worker.batch_size
        while worker.queue and len(batch) < most:
            ticket = worker.queue.popleft()
            if self._current.get(ticket.job.slot) != ticket.number:
                continue
            # A job of another episode may have been quarantined while this one waited.
            known = self._quarantine.reply(ticket.job)
            if known is None:
                batch.append(ticket)
            else:
                self._settle(ticket, known)
        return batch

    def _take_over(self, idle: Worker) -> None:
        """Move half of the longest queue behind one slow tactic to an idle worker.

        Jobs that the slow worker already holds run twice, and the first reply counts.
        """
        slow = [worker for worker in self._workers if worker.holds_up(_PATIENCE_SECONDS)]
        waiting = max((self._waiting_at(worker) for worker in slow), key=len, default=[])
        for ticket in waiting[len(waiting) // 2 :]:
            self._workers[self._owners[ticket.job.slot]].drop(ticket)
            self._owners[ticket.job.slot] = idle.index
            idle.queue.append(ticket)
            self._counts["moved_jobs"] += 1

    def _waiting_at(self, worker: Worker) -> list[Ticket]:
        running = int(worker.telemetry[Entry.RUNNING])
        return [
            ticket
            for ticket in (*worker.flying.values(), *worker.queue)
            if ticket.number != running
            and self._current.get(ticket.job.slot) == ticket.number
            and self._owners[ticket.job.slot] == worker.index
        ]
