"""Reply to a job on which the prover was lost for good, and the failures that the engine tells apart."""

from __future__ import annotations

from lean_gym.errors import BackendError, BackendTimeout, BackendUnavailable
from lean_gym.execution.jobs import Job, Reply
from lean_gym.execution.quarantine import STRIKES


class ReplayRefused(BackendError):
    """The backend refuses what it has accepted before."""


class CannotOpen(Exception):
    """No backend can be made; `reason` says why."""

    def __init__(self, reason: BackendError) -> None:
        super().__init__(str(reason))
        self.reason = reason


def final_reply(job: Job, error: Exception, tries: int, own_step: bool, lent: bool) -> Reply:
    """Return the reply to a job that is given up.

    Args:
        job: What was asked.
        error: The last failure.
        tries: How many there were.
        own_step: Whether it came on the job's own step, not while its state was restored.
        lent: Whether the backend is the caller's, which is never replaced.
    """
    if isinstance(error, BackendTimeout) and own_step and job.tactic is not None:
        return Reply(error=f"stopped after {job.deadline_s:g} s: {error}", seconds=job.deadline_s)
    if isinstance(error, MemoryError) and own_step and job.tactic is not None:
        return Reply(error="stopped: out of memory")
    if isinstance(error, BackendUnavailable) or (job.tactic is None and lent):
        return Reply(failure=error)
    cause = str(error) or type(error).__name__
    when = "on this step" if own_step else "when the episode was restored"
    times = "twice" if tries == STRIKES else f"{tries} times"
    return Reply(crashed=True, error=f"the prover was lost {times} {when}: {cause}")
