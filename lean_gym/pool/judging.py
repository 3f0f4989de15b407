"""Two pools in one: workers that try tactics, and few workers that judge finished scripts for all of them.

Real Lean judges in a process of its own, which with Mathlib takes several GiB and up to a minute to start. Here such
processes belong to workers that do nothing else, one for every `WORKERS_PER_JUDGE` workers, and a worker that has
finished a script goes on with its other episodes meanwhile.

The statement and the script to judge are those of the job that the caller submitted. What a worker adds is one bit,
that no goals are left; a judge runs the script again from the statement, so a wrong bit earns nothing. Workers and
judges have no connection but the pipes to their parent, so the judges of two pools cannot meet.

A judge that dies, is killed or is stopped is replaced as any worker is. While none can be started, the workers judge
themselves.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from lean_gym.errors import BackendUnavailable
from lean_gym.execution import Job, Reply
from lean_gym.pool.base import TICK_SECONDS
from lean_gym.pool.processes import ProcessPool
from lean_gym.types import Theorem

WORKERS_PER_JUDGE: Final = 4
# How long one of the two pools is waited for while the other has work as well.
_SLICE_SECONDS: Final = 0.01
_MOST_READY: Final = 8
_REST_SECONDS: Final = 60.0


class JudgingPool:
    """`Pool` whose finished scripts are judged by other workers than those that found them.

    Args:
        provers: Tries tactics; its `ProverOptions.judges` is False.
        judges: Judges scripts.
    """

    def __init__(self, provers: ProcessPool, judges: ProcessPool) -> None:
        self._provers = provers
        self._judges = judges
        self._under_way: dict[int, Job] = {}
        self._tried: dict[int, Reply] = {}
        self._replies: dict[int, Reply] = {}
        # Imports that the judges were told of, the last ones at the end, with the slot of that message.
        self._told: OrderedDict[tuple[str, ...], int] = OrderedDict()
        self._rests = 0
        self._rests_until = 0.0

    @property
    def backend_name(self) -> str:
        """Name of the backend. See `ProcessPool.backend_name`."""
        return self._provers.backend_name

    def get_ready(self, theorems: Sequence[Theorem]) -> None:
        """Have the judges load what these theorems import, before the first script is finished."""
        for theorem in theorems:
            if theorem.imports in self._told:
                self._told.move_to_end(theorem.imports)
            elif time.monotonic() >= self._rests_until:
                slot = self._told[theorem.imports] = min(self._told.values(), default=0) - 1
                self._judges.submit([Job(slot, theorem, judge=True)])
                if len(self._told) > _MOST_READY:
                    self._judges.cancel({self._told.popitem(last=False)[1]})

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue the jobs. See `Pool.submit`."""
        self.cancel({job.slot for job in jobs})
        self._under_way.update((job.slot, job) for job in jobs)
        self._provers.submit(jobs)
        self.get_ready([job.theorem for job in jobs if job.tactic is None])

    def poll(self, wait_s: float = 0.0) -> None:
        """Take the replies that have come, or come within this time. See `Pool.poll`."""
        self._wait(wait_s)
        self._collect()

    def receive(self, at_least: int, slots: Collection[int] | None = None) -> dict[int, Reply]:
        """Wait for replies. See `Pool.receive`."""
        while True:
            self._collect()
            ready = [slot for slot in self._replies if slots is None or slot in slots]
            waiting = self._under_way if slots is None else self._under_way.keys() & slots
            if len(ready) >= at_least or not waiting:
                return {slot: self._replies.pop(slot) for slot in ready}
            self._wait(TICK_SECONDS)

    def cancel(self, slots: Collection[int]) -> None:
        """Forget the jobs of these slots."""
        self._provers.cancel(slots)
        self._judges.cancel(slots)
        for slot in slots:
            for kept in (self._under_way, self._tried, self._replies):
                kept.pop(slot, None)

    def stats(self) -> dict[str, float]:
        """All counters, summed over both pools."""
        more = self._judges.stats()
        return {name: count + more[name] for name, count in self._provers.stats().items()}

    def close(self) -> None:
        """Stop all workers. See `Pool.close`."""
        try:
            self._judges.close()
        finally:
            self._provers.close()

    def _wait(self, most_s: float) -> None:
        if not self._judges.pending:
            self._provers.poll(most_s)
            return
        if self._provers.pending:
            self._provers.poll(min(_SLICE_SECONDS, most_s))
        try:
            self._judges.poll(0.0 if self._provers.pending else most_s)
        except BackendUnavailable:
            self._do_without()

    def _collect(self) -> None:
        """Take what both pools have, and hand finished scripts over to be judged."""
        finished = []
        for slot, reply in (*self._provers.receive(0).items(), *self._judges.receive(0).items()):
            if slot < 0:
                continue
            tried = self._tried.pop(slot, None)
            if tried is not None:
                self._replies[slot] = _judged(tried, reply)
                del self._under_way[slot]
            elif reply.goals == () and self._under_way[slot].tactic is not None:
                self._tried[slot] = reply
                finished.append(slot)
            else:
                self._replies[slot] = reply
                del self._under_way[slot]
        if finished:
            self._ask(finished)

    def _ask(self, slots: Sequence[int]) -> None:
        """Have the scripts of these slots judged."""
        jobs = [replace(self._under_way[slot], judge=True) for slot in slots]
        able = self._judges if time.monotonic() >= self._rests_until else self._provers
        able.submit(jobs)

    def _do_without(self) -> None:
        """Leave the judging to the workers for a while, at each such failure for twice as long."""
        self._judges.cancel({*self._told.values(), *self._tried})
        self._told.clear()
        self._rests_until = time.monotonic() + _REST_SECONDS * 2.0**self._rests
        self._rests += 1
        self._ask([*self._tried])


def _judged(tried: Reply, judged: Reply) -> Reply:
    """Return the reply to a tactic that left no goals, with what became of the script."""
    seconds = tried.seconds + judged.seconds
    if judged.verdict is None:
        return replace(judged, seconds=seconds)
    return replace(tried, verdict=judged.verdict, seconds=seconds)
