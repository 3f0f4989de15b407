"""The pool of one node of a Ray cluster, as the actor there runs it.

A thread of its own drives the pool, so deadlines are kept and replies collected while the parent is busy elsewhere.
This module does not import Ray: the actor class is made of it in `lean_gym.pool.ray_cluster`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Final

from lean_gym.pool.base import Pool
from lean_gym.pool.serialization import Packed, pack_reply, unpack_job

PoolMaker = Callable[[int], Pool]
"""Makes the pool of a node for a number of workers."""
Numbered = list[tuple[int, Packed]]
"""Packed jobs or replies with the numbers of their tickets."""
Report = tuple[str | None, Exception | None, Numbered, dict[str, float]]
"""Name of the backend once it has started, problem that ended the pool, replies, counters of the pool."""

# Time between two looks at the workers: short while new jobs may come in behind those under way.
_BUSY_SECONDS: Final = 0.005
_IDLE_SECONDS: Final = 0.1
_JOIN_SECONDS: Final = 5.0


class RayNode:
    """Runs the jobs that the parent submits, and keeps the replies until they are fetched.

    Args:
        make_pool: Makes the pool, on this node.
        num_workers: How many workers.
    """

    def __init__(self, make_pool: PoolMaker, num_workers: int) -> None:
        self._make_pool = make_pool
        self._num_workers = num_workers
        self._inbox: queue.SimpleQueue[tuple[Numbered, list[tuple[int, int]]]] = queue.SimpleQueue()
        self._news = threading.Condition()
        self._name: str | None = None
        self._name_told = False
        self._problem: Exception | None = None
        self._replies: Numbered = []
        # The newest number of each slot, and those of the jobs under way: Ray may deliver calls in another order.
        self._newest: dict[int, int] = {}
        self._under_way: dict[int, int] = {}
        self._pool: Pool | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def submit(self, jobs: Numbered, dropped: list[tuple[int, int]]) -> None:
        """Take jobs, and forget others.

        Args:
            jobs: With their numbers, which grow.
            dropped: Slots and numbers of jobs whose replies nobody wants any more.
        """
        self._inbox.put((jobs, dropped))

    def receive(self, wait_s: float) -> Report:
        """Return what is new, waiting for it at most so many seconds."""
        with self._news:
            self._news.wait_for(self._has_news, wait_s)
            replies, self._replies = self._replies, []
            self._name_told = self._name is not None
            return self._name, self._problem, replies, self._counts()

    def close(self) -> None:
        """End the workers."""
        self._closing = True
        if self._pool is not None:
            self._pool.close()
        self._thread.join(_JOIN_SECONDS)

    def _counts(self) -> dict[str, float]:
        return {} if self._pool is None else self._pool.stats()

    def _has_news(self) -> bool:
        return bool(self._replies) or self._problem is not None or self._name_told != (self._name is not None)

    def _serve(self) -> None:
        try:
            self._pool = self._make_pool(self._num_workers)
            name = self._pool.backend_name
            with self._news:
                self._name = name
                self._news.notify_all()
            while not self._closing:
                self._turn(self._pool)
        except Exception as error:
            if self._pool is not None:
                self._pool.close()
            with self._news:
                self._problem = error
                self._news.notify_all()

    def _turn(self, pool: Pool) -> None:
        """Take new jobs, and what the workers have answered."""
        try:
            while True:
                self._take(pool, *self._inbox.get(not self._under_way, _IDLE_SECONDS))
        except queue.Empty:
            pass
        pool.poll(_BUSY_SECONDS if self._under_way else 0.0)
        replies = pool.receive(0)
        if replies:
            packed = [(self._under_way.pop(slot), pack_reply(reply)) for slot, reply in replies.items()]
            with self._news:
                self._replies += packed
                self._news.notify_all()

    def _take(self, pool: Pool, jobs: Numbered, dropped: list[tuple[int, int]]) -> None:
        gone = [slot for slot, number in dropped if self._under_way.get(slot) == number]
        for slot in gone:
            del self._under_way[slot]
        pool.cancel(gone)
        new = []
        for number, packed in jobs:
            job = unpack_job(packed)
            if number > self._newest.get(job.slot, 0):
                self._newest[job.slot] = self._under_way[job.slot] = number
                new.append(job)
        pool.submit(new)
