"""The pool of worker processes: scheduling, guards, recovery."""

from __future__ import annotations

import itertools
import multiprocessing as mp
import os
import pickle
import selectors
import time
import weakref
from collections.abc import Collection, Sequence
from typing import Final

from lean_gym.errors import BackendError, BackendUnavailable
from lean_gym.execution import COUNTERS, STRIKES, Job, ProverOptions, Quarantine, Reply
from lean_gym.pool.base import POOL_COUNTERS, BackendFactory, PoolOptions, add_counts
from lean_gym.pool.codec import unpack_reply
from lean_gym.pool.worker_handle import Ticket, Worker, close_all
from lean_gym.pool.worker_main import DEADLINE, MEMORY, OUT_OF_MEMORY, OWN_STEP, REASON, RUNNING, UNTIL
from lean_gym.types import Theorem

_PATIENCE_SECONDS: Final = 0.1
_TICK_SECONDS: Final = 0.1
# The worker's own guard acts first; it cannot run while its process is stuck outside of Python.
_GUARD_SECONDS: Final = 2.0
_START_ATTEMPTS: Final = 3
_LOSSES: Final = 8
_GROWTH_SHARE: Final = 0.75


class ProcessPool:
    """Distributes jobs over worker processes.

    Args:
        factory: Makes a backend inside a worker; must be picklable.
        options: How each prover works.
        num_workers: How many processes, at least 1.
        context: How to start them: `"spawn"`, `"fork"` or `"forkserver"`.
        limits: Bounds of each worker.
        warm: Theorems that every worker starts at once, to have libraries and imports loaded.
    """

    def __init__(
        self,
        factory: BackendFactory,
        options: ProverOptions,
        num_workers: int,
        context: str = "spawn",
        limits: PoolOptions | None = None,
        warm: Sequence[Theorem] = (),
    ) -> None:
        self._limits = limits or PoolOptions()
        # Pickled here, not by multiprocessing, so that the worker can report an object that does not unpickle.
        payload = pickle.dumps((factory, options, self._limits, tuple(warm)))
        self._counts = dict.fromkeys((*COUNTERS, *POOL_COUNTERS), 0.0)
        self._quarantine = Quarantine()
        self._numbers = itertools.count(1)
        # The worker that a slot was assigned to at its start, and its present worker after a takeover.
        self._homes: dict[int, int] = {}
        self._owners: dict[int, int] = {}
        self._current: dict[int, int] = {}
        self._replies: dict[int, Reply] = {}
        launch = mp.get_context(context)
        self._workers = [Worker(launch, payload, index) for index in range(num_workers)]
        # Also runs at interpreter exit and when the pool is collected, so that no process remains.
        self._close = weakref.finalize(self, close_all, self._workers, os.getpid())
        self._selector = selectors.DefaultSelector()
        for worker in self._workers:
            self._selector.register(worker.connection, selectors.EVENT_READ, worker)

    @property
    def backend_name(self) -> str:
        """Name of the backend, which every worker has.

        Raises:
            BackendUnavailable: A worker does not start.
        """
        worker = self._workers[0]
        while worker.backend_name is None:
            if worker.problem is not None:
                raise worker.problem
            self._turn()
        return worker.backend_name

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue the jobs and send what the workers can take."""
        starts = [job for job in jobs if job.tactic is None]
        # An episode may also continue from a saved point of another without a start of its own.
        self._assign([job for job in jobs if job.tactic is None or job.slot not in self._owners])
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

    def receive(self, at_least: int, slots: Collection[int] | None = None) -> dict[int, Reply]:
        """Wait for replies; see `Pool.receive`."""
        while True:
            ready = [slot for slot in self._replies if slots is None or slot in slots]
            waiting = self._current if slots is None else self._current.keys() & slots
            if len(ready) >= at_least or not waiting:
                return {slot: self._replies.pop(slot) for slot in ready}
            self._turn()

    def cancel(self, slots: Collection[int]) -> None:
        """Forget the jobs of these slots."""
        for slot in slots:
            self._current.pop(slot, None)
            self._replies.pop(slot, None)

    def stats(self) -> dict[str, float]:
        """All counters, summed over the workers."""
        crashes = float(self._quarantine.crashes)
        return {**self._counts, "workers": float(len(self._workers)), "quarantined": crashes}

    def close(self) -> None:
        """Stop the workers."""
        self._close()
        self._selector.close()

    def _turn(self) -> None:
        """Wait briefly for messages, act on them, and send jobs."""
        for worker in self._workers:
            if worker.problem is not None and (worker.queue or worker.index == 0):
                raise worker.problem
        for key, _ in self._selector.select(_TICK_SECONDS):
            self._read(key.data)
        now = time.monotonic()
        for worker in self._workers:
            until = worker.board[UNTIL]
            if worker.busy and until and now > until + _GUARD_SECONDS:
                worker.board[REASON] = DEADLINE
                self._bury(worker)
        self._dispatch()

    def _read(self, worker: Worker) -> None:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if worker.backend_name is None:
            self._greet(worker, *message)
            return
        replies, done = message
        for number, packed in replies:
            ticket = worker.flying.pop(number)
            self._settle(ticket, unpack_reply(packed))
        if done is not None:
            counts, seconds_each = done
            worker.fruitless = 0
            worker.finish(seconds_each)
            worker.served += counts["starts"] - counts["start_hits"]
            add_counts(self._counts, counts)
            self._recycle_if_due(worker)

    def _greet(self, worker: Worker, problem: Exception | None, backend_name: str | None) -> None:
        """Handle the first message of a worker."""
        worker.backend_name = backend_name
        if problem is None:
            return
        worker.fruitless += 1
        if isinstance(problem, BackendError) and worker.starts > 1 and worker.fruitless < _START_ATTEMPTS:
            # Its predecessor has started, so a retry may succeed.
            self._replace(worker)
        else:
            worker.problem = problem
            self._selector.unregister(worker.connection)

    def _settle(self, ticket: Ticket, reply: Reply) -> None:
        if reply.crashed:
            self._quarantine.record(ticket.job, reply)
        if self._current.get(ticket.job.slot) != ticket.number:
            return
        del self._current[ticket.job.slot]
        self._replies[ticket.job.slot] = reply
        waited = time.monotonic() - ticket.submitted - reply.seconds
        self._counts["queue_seconds"] += max(0.0, waited)

    def _bury(self, worker: Worker) -> None:
        """Replace a worker that died or was killed; its jobs run on its successor, except a job that is given up."""
        self._counts["worker_restarts"] += 1
        code = worker.exit_code() if worker.board[REASON] == 0 else None
        running = worker.flying.get(int(worker.board[RUNNING]))
        reason, own = worker.board[REASON], bool(worker.board[OWN_STEP])
        self._counts["deadline_kills"] += reason == DEADLINE
        self._counts["memory_kills"] += reason == OUT_OF_MEMORY
        if running is None:
            self._note_fruitless(worker, code)
        waiting = list(worker.flying.values())
        if running is not None:
            running.losses += 1
            running.strikes += own
            if running.strikes == STRIKES or running.losses == _LOSSES:
                waiting.remove(running)
                self._settle(running, self._give_up(running, reason, code))
        worker.queue.extendleft(reversed(waiting))
        worker.flying = {}
        self._replace(worker)

    def _note_fruitless(self, worker: Worker, code: int | None) -> None:
        """Count a worker that ended without running a job; give up when it never started, or fails repeatedly."""
        worker.fruitless += 1
        never = worker.starts == 1 and worker.backend_name is None
        if never or worker.fruitless >= _START_ATTEMPTS:
            how = f"exit code {code}"
            if code is None:
                how = f"it needs more than memory_mib={self._limits.memory_mib:g}, or too long, to start"
            worker.problem = BackendUnavailable(f"a worker process died while starting ({how})")

    def _give_up(self, ticket: Ticket, reason: float, code: int | None) -> Reply:
        job = ticket.job
        if reason == DEADLINE and job.tactic is not None:
            error = f"stopped after {job.deadline_s:g} s: the prover did not keep the deadline"
            reply = Reply(error=error, seconds=job.deadline_s)
        elif reason == OUT_OF_MEMORY and job.tactic is not None:
            error = f"stopped: the prover needed more than {self._limits.memory_mib} MiB"
            reply = Reply(error=error)
        else:
            how = f"exit code {code}" if code is not None else "stopped by the pool"
            return Reply(crashed=True, error=f"the worker process died twice on this step ({how})")
        self._quarantine.record(job, reply)
        return reply

    def _recycle_if_due(self, worker: Worker) -> None:
        memory = worker.board[MEMORY]
        if worker.first_memory is None:
            worker.first_memory = memory
        grown = memory - worker.first_memory
        full = grown > _GROWTH_SHARE * (self._limits.memory_mib - worker.first_memory)
        # One at a time, so that the other workers continue.
        alone = all(other.backend_name is not None for other in self._workers)
        worker.due = alone and (full or worker.served >= self._limits.recycle_after)
        if worker.due and not worker.busy:
            self._counts["worker_recycles"] += 1
            self._replace(worker)

    def _replace(self, worker: Worker) -> None:
        self._selector.unregister(worker.connection)
        worker.kill()
        if worker.problem is None:
            worker.start()
            self._selector.register(worker.connection, selectors.EVENT_READ, worker)

    def _dispatch(self) -> None:
        """Send every worker that has room its next batch; an idle worker also takes jobs that wait for a slow one."""
        for worker in self._workers:
            if worker.backend_name is not None and not worker.busy and not worker.queue:
                self._take_over(worker)
            while worker.queue and worker.has_room:
                batch = self._next_batch(worker)
                if batch and not worker.send(batch):
                    worker.queue.extendleft(reversed(batch))

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
        running = int(worker.board[RUNNING])
        return [
            ticket
            for ticket in (*worker.flying.values(), *worker.queue)
            if ticket.number != running
            and self._current.get(ticket.job.slot) == ticket.number
            and self._owners[ticket.job.slot] == worker.index
        ]

    def _assign(self, jobs: Sequence[Job]) -> None:
        """Assign the slots of these jobs to workers: the slots of a theorem together, as far as the load stays even.

        Slots of one theorem on one worker share its caches. A job's reply does not depend on its worker. A slot that
        was taken over counts for its first worker, where it returns with its next theorem; otherwise a group that was
        divided would cause the next one to be divided.
        """
        if not jobs:
            return
        for job in jobs:
            self._homes.pop(job.slot, None)
        load = [0] * len(self._workers)
        for home in self._homes.values():
            load[home] += 1
        share = -(-(len(self._homes) + len(jobs)) // len(load))
        groups: dict[Theorem, list[int]] = {}
        for job in jobs:
            groups.setdefault(job.theorem, []).append(job.slot)
        for slots in sorted(groups.values(), key=len, reverse=True):
            while slots:
                index = min(range(len(load)), key=load.__getitem__)
                taken, slots = slots[: max(1, share - load[index])], slots[max(1, share - load[index]) :]
                load[index] += len(taken)
                self._homes.update(dict.fromkeys(taken, index))
        self._owners.update((job.slot, self._homes[job.slot]) for job in jobs)
