"""Failure of a worker: how much of it is the fault of the job that ran, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lean_gym.errors import BackendUnavailable
from lean_gym.execution import STRIKES, Reply
from lean_gym.pool.base import PoolOptions
from lean_gym.pool.telemetry import End
from lean_gym.pool.worker_handle import Ticket
from lean_gym.process_state import ended_by_itself

MOST_FAILURES: Final = 8


@dataclass(frozen=True, slots=True)
class Failure:
    """End of one worker process.

    Attributes:
        reason: An `End`, as the telemetry has it.
        exit_code: Status of the process; `None` when the pool ended it.
        own_step: Whether the process was at a job's own step, not at restoring its state.
    """

    reason: float
    exit_code: int | None
    own_step: bool

    def count(self, ticket: Ticket) -> bool:
        """Count the failure for the job that ran, and return whether the job is given up.

        A fault, an exit or a limit on the job's own step is evidence against the step, and twice is enough. A process
        that was killed or stopped from outside says nothing about the tactic that happened to run; only a long row of
        such ends does.
        """
        evidence = self.reason in (End.DEADLINE, End.OUT_OF_MEMORY) or ended_by_itself(self.exit_code)
        ticket.failures += 1
        ticket.own_failures += self.own_step
        ticket.strikes += self.own_step and evidence
        return ticket.strikes >= STRIKES or ticket.failures >= MOST_FAILURES

    def reply(self, ticket: Ticket, memory_mib: int) -> Reply:
        """Return the reply to a job that is given up."""
        job = ticket.job
        if self.reason == End.DEADLINE and job.tactic is not None:
            error = f"stopped after {job.deadline_s:g} s: the prover did not keep the deadline"
            return Reply(error=error, seconds=job.deadline_s)
        if self.reason == End.OUT_OF_MEMORY and job.tactic is not None:
            return Reply(error=f"stopped: the prover needed more than {memory_mib} MiB")
        how = f"exit code {self.exit_code}" if self.exit_code is not None else "stopped by the pool"
        times = "twice" if ticket.strikes >= STRIKES else f"{ticket.failures} times"
        where = "on this step" if is_blamed(ticket) else "when the episode was restored"
        return Reply(crashed=True, error=f"the worker process died {times} {where} ({how})")

    def start_problem(self, limits: PoolOptions) -> BackendUnavailable:
        """Return the error for a worker that does not start."""
        how = f"died while starting (exit code {self.exit_code})"
        if self.reason == End.SLOW_START:
            how = f"did not start within start_s={limits.start_s:g} seconds"
        elif self.reason == End.FROZEN:
            how = "was stopped while starting (SIGSTOP)"
        elif self.reason:
            how = f"died while starting: it needs more than memory_mib={limits.memory_mib:g}, or too long"
        return BackendUnavailable(f"a worker process {how}")


def is_blamed(ticket: Ticket) -> bool:
    """Return whether the failures speak against the job's own step, so that it is not tried again by anyone."""
    return ticket.strikes >= STRIKES or ticket.own_failures >= MOST_FAILURES


def cannot_start(error: OSError) -> BackendUnavailable:
    """Return the error for a process that the system does not give."""
    cause = error.strerror or str(error)
    return BackendUnavailable(
        f"a worker process cannot be started: {cause}; raise the limits of this process (`ulimit -n`, `-u`, `-f`), "
        "or use fewer workers"
    )
