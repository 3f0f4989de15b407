"""Batches of concurrent requests: what waits while one batch is computed makes the next one."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class QueueFull(Exception):
    """As many requests wait as may."""


@dataclass(slots=True)
class Counts:
    """Numbers since the start, for `/metrics`."""

    batches: int = 0
    answered: int = 0
    refused: int = 0
    timed_out: int = 0
    dropped: int = 0
    failed: int = 0
    busy_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[Asked, Answer]):
    asked: Asked
    answer: asyncio.Future[Answer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Batcher(Generic[Asked, Answer]):
    """Runs a function on batches of requests, one batch at a time.

    Args:
        run: Answers a batch, in order; an exception is raised for the request that it answers. Where it fails for a
            batch, it is asked about each request alone, so that no request fails by another one.
        most_waiting: Requests that may wait; the next one is refused.
        most_together: Requests in one batch.
        executor: Thread that computes; several batchers may share it, as they would share the cores otherwise. `None`
            takes any thread.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Asked]], Sequence[Answer | Exception]],
        most_waiting: int,
        most_together: int,
        executor: Executor | None = None,
    ) -> None:
        self.counts = Counts()
        self._run = run
        self._executor = executor
        self._most_waiting = most_waiting
        self._most_together = most_together
        self._waiting: deque[_Waiting[Asked, Answer]] = deque()
        self._came = asyncio.Event()

    @property
    def waiting(self) -> int:
        """Requests that wait."""
        return len(self._waiting)

    async def ask(self, asked: Asked, timeout_s: float | None) -> Answer:
        """Return the answer to a request.

        Args:
            asked: The request. It is dropped before it is computed when the caller is cancelled.
            timeout_s: Seconds until the answer must be there; `None` for a request of the server's own, which has no
                limit and is not refused when many wait.

        Raises:
            QueueFull: Too many requests wait.
            TimeoutError: The time is up.
            Exception: What `run` raised for the batch, or gave for the request.
        """
        self._drop_cancelled()
        if timeout_s is not None and len(self._waiting) >= self._most_waiting:
            self.counts.refused += 1
            raise QueueFull(f"{len(self._waiting)} requests are waiting; try again later")
        one: _Waiting[Asked, Answer] = _Waiting(asked)
        self._waiting.append(one)
        self._came.set()
        try:
            answer = await asyncio.wait_for(one.answer, timeout_s)
        except TimeoutError:
            self.counts.timed_out += 1
            raise
        except asyncio.CancelledError:
            self.counts.dropped += 1
            raise
        self.counts.answered += 1
        return answer

    async def work(self) -> None:
        """Answer requests until the task is cancelled."""
        while True:
            await self._came.wait()
            self._drop_cancelled()
            count = min(len(self._waiting), self._most_together)
            batch = [self._waiting.popleft() for _ in range(count)]
            if not self._waiting:
                self._came.clear()
            if batch:
                await self._answer(batch)

    async def _answer(self, batch: Sequence[_Waiting[Asked, Answer]]) -> None:
        began = time.monotonic()
        for one, answer in zip(batch, await self._answers(batch), strict=True):
            if one.answer.done():
                continue
            if isinstance(answer, Exception):
                one.answer.set_exception(answer)
            else:
                one.answer.set_result(answer)
        self.counts.batches += 1
        self.counts.busy_seconds += time.monotonic() - began

    async def _answers(self, batch: Sequence[_Waiting[Asked, Answer]]) -> Sequence[Answer | Exception]:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._executor, self._run, [one.asked for one in batch])
        except Exception as error:  # belongs to a request of this batch; the server goes on
            if len(batch) == 1:
                self.counts.failed += 1
                return [error]
        return [answer for one in batch for answer in await self._answers([one])]

    def _drop_cancelled(self) -> None:
        self._waiting = deque(one for one in self._waiting if not one.answer.done())
