"""Where jobs run: in this process, or in worker processes that each own a `Prover`.

One message per worker and step carries all of its jobs, one answer all replies. A job carries its whole path
of tactics, so a worker holds nothing that cannot be had again: one that dies is replaced, and its jobs are
run once more on the new one, one by one, which replays what they need and tells which of them kills. That one
is answered with `crashed`; the others never notice.

Workers are started with `spawn` unless told otherwise: it is the only way that exists on every system and is
safe in a process that has threads or a GPU in use, and it costs a fraction of a second once. Workers never
import the program's main module, so scripts need no `if __name__ == "__main__":` guard. They end when they
are told to, when their pipe closes, and when their parent is gone, even while a tactic runs.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import pickle
import signal
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Final, Protocol

from lean_gym.backends.base import ProofBackend
from lean_gym.errors import BackendUnavailable
from lean_gym.prover import COUNTERS, Job, Prover, ProverOptions, Reply
from lean_gym.types import Theorem
from lean_gym.wire import pack_reply, unpack_reply

_CLOSE_SECONDS: Final = 5.0

BackendFactory = Callable[[], ProofBackend]


class Pool(Protocol):
    """Runs jobs of many episodes at once."""

    @property
    def backend_name(self) -> str:
        """Name of the backend that proves; starts it if need be."""

    def run(self, jobs: Sequence[Job]) -> list[Reply]:
        """Run jobs of different slots and return their replies in the same order."""

    def stats(self) -> dict[str, float]:
        """Counts since the pool was made."""

    def close(self) -> None:
        """Free every resource; calling it twice is allowed."""


class LocalPool:
    """All jobs one after the other in this process.

    Args:
        factory: Makes the backend.
        options: How the prover works.
    """

    def __init__(self, factory: BackendFactory, options: ProverOptions) -> None:
        self._prover = Prover(factory, options)
        self._counts = dict.fromkeys(COUNTERS, 0.0)

    @property
    def backend_name(self) -> str:
        """Name of the backend."""
        return self._prover.open()

    def run(self, jobs: Sequence[Job]) -> list[Reply]:
        """Run the jobs in order."""
        return [self._prover.run(job) for job in jobs]

    def stats(self) -> dict[str, float]:
        """The prover's counters."""
        _add(self._counts, self._prover.take_counters())
        return {**self._counts, "workers": 0.0, "worker_restarts": 0.0}

    def close(self) -> None:
        """Close the backend."""
        self._prover.close()


class ProcessPool:
    """Jobs shared out over worker processes.

    Args:
        factory: Makes a backend inside a worker; must be picklable.
        options: How each prover works.
        num_workers: How many processes, at least 1.
        context: How to start them: `"spawn"`, `"fork"` or `"forkserver"`.
    """

    def __init__(
        self, factory: BackendFactory, options: ProverOptions, num_workers: int, context: str = "spawn"
    ) -> None:
        # Pickled here, not by multiprocessing, so that the worker can report what does not unpickle.
        launch = _Launch(mp.get_context(context), pickle.dumps((factory, options)))
        self._counts = dict.fromkeys(COUNTERS, 0.0)
        self._restarts = 0
        self._owners: dict[int, int] = {}
        self._workers = [_Worker(launch, index) for index in range(num_workers)]
        # Also runs at interpreter exit and when the pool is garbage, so that no process is left behind.
        self._close = weakref.finalize(self, _close_all, self._workers, os.getpid())

    @property
    def backend_name(self) -> str:
        """Name of the backend, which every worker has.

        Raises:
            BackendUnavailable: A worker does not start.
        """
        return self._workers[0].await_ready()

    def run(self, jobs: Sequence[Job]) -> list[Reply]:
        """Run the jobs on all workers at once; dead workers are replaced.

        Raises:
            BackendUnavailable: A worker does not start.
        """
        self._assign([job for job in jobs if job.tactic is None])
        batches: dict[int, list[Job]] = {}
        for job in jobs:
            batches.setdefault(self._owners[job.slot], []).append(job)
        for index in batches:
            self._workers[index].await_ready()
        replies: dict[int, Reply] = {}
        dead = [index for index, batch in batches.items() if not self._workers[index].send(batch)]
        waiting = {index for index in batches if index not in dead}
        while waiting:
            answered = wait([self._workers[index].connection for index in waiting])
            for index in [index for index in waiting if self._workers[index].connection in answered]:
                waiting.remove(index)
                if not self._receive(index, batches[index], replies):
                    dead.append(index)
        for index in dead:
            self._rerun(index, batches[index], replies)
        return [replies[job.slot] for job in jobs]

    def stats(self) -> dict[str, float]:
        """The provers' counters, summed, with the number of workers and of their restarts."""
        return {
            **self._counts,
            "workers": float(len(self._workers)),
            "worker_restarts": float(self._restarts),
        }

    def close(self) -> None:
        """Stop the workers."""
        self._close()

    def _receive(self, index: int, batch: Sequence[Job], replies: dict[int, Reply]) -> bool:
        answer = self._workers[index].receive()
        if answer is None:
            return False
        answers, counts = answer
        replies.update({job.slot: reply for job, reply in zip(batch, answers, strict=True)})
        _add(self._counts, counts)
        return True

    def _rerun(self, index: int, batch: Sequence[Job], replies: dict[int, Reply]) -> None:
        """Replace a dead worker and run its jobs one by one, so that the one that kills is found."""
        worker = self._workers[index]
        self._restart(worker)
        for job in batch:
            worker.await_ready()
            if worker.send([job]) and self._receive(index, [job], replies):
                continue
            error = f"the worker process died twice on this step (exit code {worker.exit_code()})"
            lost = Reply(failure=BackendUnavailable(f"theorem {job.theorem.name!r}: {error}"))
            replies[job.slot] = lost if job.tactic is None else Reply(crashed=True, error=error)
            self._restart(worker)

    def _restart(self, worker: _Worker) -> None:
        self._restarts += 1
        worker.restart()

    def _assign(self, starts: Sequence[Job]) -> None:
        """Give the slots that start to workers: a theorem's slots together, as far as the load stays even.

        Siblings on one worker share its caches. Which worker runs a job never changes its reply.
        """
        for job in starts:
            self._owners.pop(job.slot, None)
        load = [0] * len(self._workers)
        for owner in self._owners.values():
            load[owner] += 1
        share = -(-(len(self._owners) + len(starts)) // len(load))
        groups: dict[Theorem, list[int]] = {}
        for job in starts:
            groups.setdefault(job.theorem, []).append(job.slot)
        for slots in sorted(groups.values(), key=len, reverse=True):
            while slots:
                index = min(range(len(load)), key=load.__getitem__)
                taken, slots = slots[: max(1, share - load[index])], slots[max(1, share - load[index]) :]
                load[index] += len(taken)
                self._owners.update(dict.fromkeys(taken, index))


class _Launch:
    """What it takes to start a worker."""

    def __init__(self, context: BaseContext, payload: bytes) -> None:
        self.context = context
        self.payload = payload

    def start(self, index: int) -> tuple[BaseProcess, Connection]:
        ours, theirs = self.context.Pipe()
        process: BaseProcess = self.context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(theirs, self.payload), name=f"lean-gym-worker-{index}", daemon=True
        )
        with _hidden_main():
            process.start()
        theirs.close()
        return process, ours


class _Worker:
    """Our end of one worker process."""

    def __init__(self, launch: _Launch, index: int) -> None:
        self._launch = launch
        self._index = index
        self._batch = 0
        self._backend_name: str | None = None
        self.process, self.connection = launch.start(index)

    def send(self, jobs: Sequence[Job]) -> bool:
        """Send a batch of jobs; False when the worker is dead."""
        self._batch += 1
        try:
            self.connection.send((self._batch, jobs))
        except OSError:
            return False
        return True

    def receive(self) -> tuple[list[Reply], dict[str, float]] | None:
        """The answer to the last batch; `None` when the worker died instead."""
        try:
            # An interrupted caller may have left the answer to an earlier batch in the pipe.
            while (answer := self.connection.recv())[0] != self._batch:
                pass
        except (EOFError, OSError):
            return None
        _, replies, counts = answer
        return [unpack_reply(reply) for reply in replies], counts

    def restart(self) -> None:
        """Replace the process."""
        self.stop(0.0)
        self._backend_name = None
        self.process, self.connection = self._launch.start(self._index)

    def exit_code(self) -> int | None:
        """How the process ended; negative for a signal."""
        self.process.join(_CLOSE_SECONDS)
        return self.process.exitcode

    def ask_to_stop(self) -> None:
        """Let the worker finish by itself; `stop` makes sure."""
        with suppress(OSError):
            self.connection.send(None)

    def stop(self, patience_s: float) -> None:
        """End the process, by force after `patience_s` seconds."""
        self.process.join(patience_s)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()

    def await_ready(self) -> str:
        """Wait for the worker's first word, so that a backend that cannot start is one clear error.

        Returns:
            The name of the worker's backend.
        """
        if self._backend_name is None:
            try:
                problem, name = self.connection.recv()
            except (EOFError, OSError):
                reason = f"a worker process died while starting (exit code {self.exit_code()})"
                raise BackendUnavailable(reason) from None
            if problem is not None:
                raise problem
            self._backend_name = name
        return self._backend_name


def _close_all(workers: Sequence[_Worker], owner: int) -> None:
    # A forked copy of the program must not stop the workers of the original.
    if os.getpid() != owner:
        return
    for worker in workers:
        worker.ask_to_stop()
    for worker in workers:
        worker.stop(_CLOSE_SECONDS)


def _add(total: dict[str, float], more: dict[str, float]) -> None:
    for name, count in more.items():
        total[name] += count


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


def _serve(connection: Connection, payload: bytes) -> None:
    """A worker's life: say whether the backend started, then answer batches until told to stop."""
    # Ctrl-C reaches the whole process group; ending is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    try:
        factory, options = pickle.loads(payload)
        prover = Prover(factory, options)
        connection.send((None, prover.open()))
    except Exception as error:
        connection.send((_portable(error), None))
        return
    with suppress(EOFError, OSError):
        while (message := connection.recv()) is not None:
            number, jobs = message
            replies = [pack_reply(_run(prover, job)) for job in jobs]
            connection.send((number, replies, prover.take_counters()))
    prover.close()


def _run(prover: Prover, job: Job) -> Reply:
    try:
        reply = prover.run(job)
    except Exception as error:
        return Reply(failure=_portable(error))
    return reply if reply.failure is None else replace(reply, failure=_portable(reply.failure))


def _portable(error: Exception) -> Exception:
    """The exception itself if it survives the trip to the parent, otherwise its traceback as text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)).strip())
    return error


def _exit_with_parent() -> None:
    parent: Any = mp.parent_process()
    parent.join()
    os._exit(1)
