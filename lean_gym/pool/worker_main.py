"""Main program of a worker process.

The main thread runs jobs. A second one, the guard, ends the process with everything it has started when the
parent has ended, when a call of the backend outlasts its limit, and when it uses too much memory; the telemetry, which
the parent can read, then shows the job and the reason. A third thread sends the replies that wait for a slow job;
it may have to wait for the parent, which the guard must not.
"""

from __future__ import annotations

import logging
import multiprocessing as mp
import os
import pickle
import shutil
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from lean_gym.execution import Job, JobRunner, Reply
from lean_gym.pool.limits import MARK, kill_started, limit_address_space
from lean_gym.pool.serialization import pack_reply, unpack_job
from lean_gym.pool.telemetry import End, Entry, Telemetry
from lean_gym.process_state import MemoryGauge
from lean_gym.types import Theorem

_TICK_SECONDS: Final = 0.1
_FLUSH_SECONDS: Final = 0.01
_LEAVING_SECONDS: Final = 1.0
# A backend that limits its processes itself comes first.
_CHILD_SHARE: Final = 1.25


@dataclass(frozen=True, slots=True)
class Orders:
    """Instructions for a worker at its start.

    Attributes:
        payload: Pickled backend factory, `ProverOptions`, `PoolOptions`, and theorems to start at once.
        mark: Marks the processes it starts.
        leftover: A folder that the parent removes when it ends, and cannot remove when it is killed.
        first: Whether it replaces no other; then it starts the theorems.
        loud: Whether its first life shows warnings; one worker speaks for all.
    """

    payload: bytes
    mark: str
    leftover: str | None
    first: bool
    loud: bool


def serve(connection: Connection, telemetry: Telemetry, orders: Orders) -> None:
    """Say whether the backend started, then answer batches of jobs until told to stop."""
    # A process group of its own, to be ended as one; the parent alone handles Ctrl-C.
    if sys.platform != "win32":
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ[MARK] = orders.mark
    # The parent reports what was quarantined; the other workers would only repeat the first one's warnings.
    logging.getLogger("lean_gym.execution" if orders.first and orders.loud else "lean_gym").setLevel(
        logging.ERROR
    )
    telemetry[Entry.BEAT] = time.monotonic()
    outbox = _Outbox(connection)
    try:
        factory, options, limits, warm = pickle.loads(orders.payload)
        limit_address_space(limits.memory_mib)
        guard = (telemetry, orders, outbox, limits.memory_mib)
        threading.Thread(target=_guard, args=guard, daemon=True).start()
        threading.Thread(target=outbox.keep_flushing, daemon=True).start()
        prover = JobRunner(factory, options, _Watch(telemetry, limits.grace_s))
        connection.send((None, prover.open()))
    except Exception as error:
        _clean_up(orders, parent_left=False)
        connection.send((_portable(error), None))
        return
    for theorem in warm if orders.first else ():
        _warm_up(prover, theorem)
    prover.take_counters()
    telemetry[Entry.READS] = 1
    told = False
    with suppress(EOFError, OSError):
        while (batch := connection.recv()) is not None:
            began = time.monotonic()
            for number, packed in batch:
                telemetry[Entry.SINCE] = time.monotonic()
                telemetry[Entry.RUNNING] = number
                outbox.add(number, _run(prover, unpack_job(packed)))
                telemetry[Entry.RUNNING] = 0
            outbox.finish(prover.take_counters(), (time.monotonic() - began) / len(batch))
        told = True
    try:
        prover.close()
    finally:
        _clean_up(orders, parent_left=not told)


def _warm_up(prover: JobRunner, theorem: Theorem) -> None:
    """Do the work that is slow the first time: imports, and the tables of `simp` lemmas."""
    trial = Theorem("warm_up", "theorem warm_up (p : Prop) : p ∧ True", imports=theorem.imports)
    # A theorem that does not start is reported when a job asks for it.
    for job in (Job(-1, theorem), Job(-1, trial), Job(-1, trial, (), "simp")):
        with suppress(Exception):
            prover.run(job)


class _Watch:
    """Writes each call of the backend to the telemetry."""

    def __init__(self, telemetry: Telemetry, grace_s: float) -> None:
        self._telemetry = telemetry
        self._grace_s = grace_s

    def __call__(self, limit_s: float, own: bool) -> None:
        self._telemetry[Entry.UNTIL] = time.monotonic() + limit_s + self._grace_s if limit_s else 0.0
        self._telemetry[Entry.OWN_STEP] = own


class _Outbox:
    """Collects small replies into one message, since a message costs more than the reply that it carries."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._replies: list[tuple[int, Any]] = []
        self._oldest = 0.0

    def add(self, number: int, reply: Reply) -> None:
        """Add a reply; send all waiting replies when the oldest has waited long enough."""
        packed = pack_reply(reply)
        with self._lock:
            if not self._replies:
                self._oldest = time.monotonic()
            self._replies.append((number, packed))
            if time.monotonic() - self._oldest > _FLUSH_SECONDS:
                self._send(None)

    def keep_flushing(self) -> None:
        """Send the replies that wait for a slow job, until the pipe closes."""
        with suppress(OSError):
            while True:
                time.sleep(_TICK_SECONDS)
                with self._lock:
                    if self._replies and time.monotonic() - self._oldest > _FLUSH_SECONDS:
                        self._send(None)

    def finish(self, counts: dict[str, float], seconds_each: float) -> None:
        """Send the remaining replies of a batch, and its end."""
        with self._lock:
            self._send((counts, seconds_each))

    def shut(self) -> None:
        """Let nothing more out: a job whose processes are killed must not be answered as if they had ended."""
        # A sender that waits for a parent that reads nothing holds the lock.
        self._lock.acquire(timeout=_LEAVING_SECONDS)

    def _send(self, done: tuple[dict[str, float], float] | None) -> None:
        self._connection.send((self._replies, done))
        self._replies = []


def _guard(telemetry: Telemetry, orders: Orders, outbox: _Outbox, memory_mib: int) -> None:
    parent: Any = mp.parent_process()
    gauge = MemoryGauge(os.getpid())
    reason = End.UNKNOWN
    while not reason and not wait([parent.sentinel], _TICK_SECONDS):
        telemetry[Entry.BEAT] = time.monotonic()
        own, *children = [memory.own for memory in gauge.read_each()] or [0.0]
        telemetry[Entry.MEMORY] = max([own, *children])
        until = telemetry[Entry.UNTIL]
        if own > memory_mib or max(children, default=0.0) > _CHILD_SHARE * memory_mib:
            reason = End.OUT_OF_MEMORY
        elif until and time.monotonic() > until:
            reason = End.DEADLINE
    telemetry[Entry.REASON] = reason
    outbox.shut()
    _clean_up(orders, parent_left=not reason)
    os._exit(1)


def _clean_up(orders: Orders, parent_left: bool) -> None:
    """End all processes that were started; the main thread may come here before the guard, when the pipe closes."""
    # Without file descriptors the parent has to find them.
    with suppress(OSError):
        kill_started(orders.mark, os.getpid())
    parent: Any = mp.parent_process()
    # The pipe of a parent that is being killed may close before the parent is gone.
    if parent_left and orders.leftover is not None and wait([parent.sentinel], _LEAVING_SECONDS):
        shutil.rmtree(orders.leftover, ignore_errors=True)


def _run(prover: JobRunner, job: Job) -> Reply:
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
