"""One backend and the proofs that run on it. An environment has one prover, and each worker process has its own.

A job names its theorem and the whole path of tactics that led to its state, so a prover is a cache in front of
a backend: a state that was dropped, or lost in a crash, is replayed. The caches, all bounded:

1. per slot, the state that the slot's episode is in;
2. start states by theorem: the episodes of a group begin from one shared state;
3. tactic results by theorem and path of tactics, see `ResultCache`;
4. verdicts by (theorem, script). A cached result earns nothing: a finished script is replayed by the
   backend's `verify`, and only the verdict on that very script is used again;
5. steps and theorems that kill provers, see `Quarantine`.
"""

from lean_gym.execution.job_runner import JobRunner
from lean_gym.execution.jobs import COUNTERS, Job, ProverOptions, Reply
from lean_gym.execution.quarantine import STRIKES, Quarantine
from lean_gym.execution.restarting import Watch
from lean_gym.execution.sessions import HeldState

__all__ = [
    "COUNTERS",
    "STRIKES",
    "HeldState",
    "Job",
    "JobRunner",
    "ProverOptions",
    "Quarantine",
    "Reply",
    "Watch",
]
