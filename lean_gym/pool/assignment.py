"""Assignment of episodes to workers."""

from __future__ import annotations

from collections.abc import Sequence

from lean_gym.execution import Job
from lean_gym.types import Theorem


class Assignment:
    """The worker of each slot, by its place in the pool.

    Slots of one theorem on one worker share its caches. A job's reply does not depend on its worker. A slot that was
    taken over counts for its first worker, where it returns with its next theorem; otherwise a group that was divided
    would cause the next one to be divided.
    """

    def __init__(self) -> None:
        # The worker that a slot was assigned to at its start, and its present worker after a takeover.
        self._homes: dict[int, int] = {}
        self.owners: dict[int, int] = {}

    def assign(self, jobs: Sequence[Job], able: Sequence[int]) -> None:
        """Assign the slots of these jobs: the slots of a theorem together, as far as the load stays even.

        Args:
            jobs: One for each slot.
            able: The workers to choose from, at least one.
        """
        if not jobs:
            return
        for job in jobs:
            self._homes.pop(job.slot, None)
        load = dict.fromkeys(able, 0)
        for home in self._homes.values():
            if home in load:
                load[home] += 1
        share = -(-(sum(load.values()) + len(jobs)) // len(load))
        groups: dict[Theorem, list[int]] = {}
        for job in jobs:
            groups.setdefault(job.theorem, []).append(job.slot)
        for slots in sorted(groups.values(), key=len, reverse=True):
            while slots:
                index = min(load, key=load.__getitem__)
                taken, slots = slots[: max(1, share - load[index])], slots[max(1, share - load[index]) :]
                load[index] += len(taken)
                self._homes.update(dict.fromkeys(taken, index))
        self.owners.update((job.slot, self._homes[job.slot]) for job in jobs)
