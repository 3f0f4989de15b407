"""Record of the steps and theorems that kill provers, so that they are not tried again and again."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import replace
from typing import Final

from lean_gym.execution.jobs import Job, Reply
from lean_gym.types import Theorem

STRIKES: Final = 2
"""A step that kills this often is given up; a theorem with this many such steps is never tried again."""

_MAX_STEPS: Final = 4096

_log = logging.getLogger(__name__)


class Quarantine:
    """Remembers the replies to jobs that were given up.

    1. A step that killed its prover twice is answered with that reply from then on.
    2. A theorem whose start was given up, or two different steps of it, is answered with `crashed`.
    3. A step that had to be stopped twice is answered with that refusal, unless a job grants more time.
    """

    def __init__(self) -> None:
        self._steps: OrderedDict[tuple[Theorem, tuple[str, ...]], tuple[float, Reply]] = OrderedDict()
        self._strikes: dict[Theorem, int] = {}
        self.crashes = 0
        """Jobs given up as crashed."""

    def reply(self, job: Job) -> Reply | None:
        """The reply to a job that is known to kill, else `None`."""
        if not self._steps and not self._strikes:
            return None
        if self._strikes.get(job.theorem, 0) >= STRIKES:
            return Reply(crashed=True, error=f"theorem {job.theorem.name!r} is quarantined: it kills provers")
        if job.tactic is None:
            return None
        deadline_s, reply = self._steps.get((job.theorem, (*job.tactics, job.tactic)), (0.0, None))
        if reply is None or not (reply.crashed or job.deadline_s <= deadline_s):
            return None
        return replace(reply, seconds=0.0)

    def record(self, job: Job, reply: Reply) -> None:
        """Remember the reply to a job that was given up; a second one to the same job changes nothing."""
        if self.reply(job) is not None:
            return
        theorem = job.theorem
        if reply.crashed:
            self.crashes += 1
            self._strikes[theorem] = self._strikes.get(theorem, 0) + (STRIKES if job.tactic is None else 1)
            what = "" if self._strikes[theorem] >= STRIKES else f" after {job.tactics!r}, {job.tactic!r}"
            _log.warning("quarantined: theorem %r%s: %s", theorem.name, what, reply.error)
        if job.tactic is not None:
            self._steps[theorem, (*job.tactics, job.tactic)] = (job.deadline_s, reply)
            if len(self._steps) > _MAX_STEPS:
                self._steps.popitem(last=False)
