"""Prover that answers every job with a reply, also when its backend breaks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from gymnasium.error import ClosedEnvironmentError

from lean_gym.errors import (
    BackendError,
    BackendKilled,
    BackendTimeout,
    BackendUnavailable,
    DataError,
    StateLost,
)
from lean_gym.execution.cache import Path
from lean_gym.execution.failures import CannotOpen, ReplayRefused, final_reply
from lean_gym.execution.jobs import Job, ProverOptions, Reply
from lean_gym.execution.judging import KeptVerdicts
from lean_gym.execution.quarantine import STRIKES, Quarantine
from lean_gym.execution.replaying import PathRunner
from lean_gym.execution.restarting import OPEN_TRIES, RestartingBackend, Watch
from lean_gym.execution.script_errors import ScriptErrors, whole_error
from lean_gym.execution.sessions import HeldState, Session, Start
from lean_gym.types import ProofBackend, ScriptError, TacticResult, Theorem
from lean_gym.verification.verify import verify_script

# A job whose replay breaks is tried again; a backend that is lost this often in a row is given up.
_TRIES: Final = 8
_NO_STRIKE: Final = (BackendUnavailable, BackendKilled, StateLost)
"""Errors that say nothing about the step on which they came."""


class JobRunner:
    """Runs jobs on one backend, restarting it when it breaks.

    Args:
        backend: A backend of the caller, which is never restarted or closed, or a factory for an own one.
        options: How to work.
        watch: Told of each call of the backend, so that another thread can notice one that never returns.
    """

    def __init__(
        self,
        backend: ProofBackend | Callable[[], ProofBackend],
        options: ProverOptions,
        watch: Watch = lambda limit_s, own: None,
    ) -> None:
        self._options = options
        self._lock = threading.RLock()
        self._closed = False
        self._quarantine = Quarantine()
        self._backend = RestartingBackend(backend, options.cache_size, watch)
        self._paths = PathRunner(self._backend, options.verify_seconds)
        self._verdicts = KeptVerdicts(self._backend, options)
        self._script_errors = ScriptErrors(options.cache_size)

    def open(self) -> str:
        """Make the backend now instead of at the first job.

        Returns:
            The backend's name.

        Raises:
            BackendError: It cannot be made.
            ClosedEnvironmentError: The prover is closed.
        """
        with self._in_use():
            try:
                return self._backend.open().name
            except CannotOpen as error:
                raise error.reason from None

    def run(self, job: Job) -> Reply:
        """Run one job; a broken backend is restarted, and what the job needs replayed.

        A step on which the backend is lost twice is given up. Losses while a state is restored do not count, nor those
        from outside (`BackendKilled`), unless they come eight times in a row.

        Raises:
            ClosedEnvironmentError: The prover is closed.
        """
        with self._in_use():
            known = self._quarantine.reply(job)
            if known is not None:
                return known
            reply = self._persist(job)
            self._backend.release_unused(self._options.verify_seconds)
            return reply

    def hold(self, slot: int) -> HeldState | None:
        """Keep the slot's present state until `drop`; `None` when it has been lost in a crash."""
        return self._backend.states.hold(slot)

    def drop(self, held: HeldState) -> None:
        """Let go of what `hold` kept."""
        self._backend.states.ledger.drop(held.state)

    def resume(self, slot: int, theorem: Theorem, tactics: tuple[str, ...], held: HeldState | None) -> None:
        """Put a slot back into a held state; without one, the slot's next job replays its tactics."""
        self._backend.states.resume(slot, theorem, tactics, held)

    @property
    def quarantined(self) -> int:
        """Number of jobs that were given up as `crashed`."""
        return self._quarantine.crashes

    def take_counters(self) -> dict[str, float]:
        """The counts since the last call, by the names in `COUNTERS`."""
        return self._backend.take_counters()

    def close(self) -> None:
        """Close the backend unless it is the caller's, after another thread's job. Calling it twice is allowed."""
        with self._lock:
            self._closed = True
            self._backend.close()

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise ClosedEnvironmentError("the environment was closed; make a new one")
            yield

    def _persist(self, job: Job) -> Reply:
        strikes = unstarted = 0
        for tried in range(1, _TRIES + 1):
            self._backend.own_step = False
            try:
                return self._reply(job)
            except DataError as error:
                return Reply(failure=error)
            except CannotOpen as error:
                return Reply(failure=error.reason)
            except (BackendError, MemoryError) as error:
                # A process that does not start does not count against the step that needed it.
                unstarted += isinstance(error, BackendUnavailable)
                strikes += isinstance(error, ReplayRefused) or (
                    self._backend.own_step and not isinstance(error, _NO_STRIKE)
                )
                self._backend.count("deadline_kills", isinstance(error, BackendTimeout))
                self._backend.restart(error)
                stopped = isinstance(error, BackendTimeout) and self._backend.own_step and self._backend.lent
                if strikes == STRIKES or unstarted == OPEN_TRIES or tried == _TRIES or stopped:
                    return self._give_up(job, error, tried)
        raise AssertionError("the last try returns")

    def _give_up(self, job: Job, error: Exception, tries: int) -> Reply:
        reply = final_reply(job, error, tries, self._backend.own_step, lent=self._backend.lent)
        if reply.failure is None and not self._backend.lent:
            self._quarantine.record(job, reply)
        return reply

    def _reply(self, job: Job) -> Reply:
        self._backend.open()
        if job.judge:
            return self._verdict(job)
        return self._start(job) if job.tactic is None else self._apply(job, job.tactic)

    def _start(self, job: Job) -> Reply:
        """Start the theorem of a job."""
        states = self._backend.states
        self._backend.count("starts")
        self._backend.count("start_hits", states.has_start(job.theorem))
        began = time.perf_counter()
        self._backend.own_step = True
        start = self._paths.start(job.theorem)
        states.enter(job.slot, Session(job.theorem, start, (), start.state))
        seconds = time.perf_counter() - began
        return Reply(goals=start.state.goals, seconds=seconds, redefined=start.state.redefined)

    def _apply(self, job: Job, tactic: str) -> Reply:
        """Apply the tactic of a job, and have a script judged that it finishes."""
        session = self._paths.session(job)
        began = time.perf_counter()
        script = (*job.tactics, tactic)
        self._backend.count("tactics")
        result = self._paths.known(session.start, script)
        self._backend.count("tactic_misses" if result is None else "tactic_hits")
        self._backend.own_step = True
        if result is None:
            result = self._paths.step(session.start, script, session.state, job.deadline_s)
        if job.whole and (result.state is None or result.state.goals):
            errors = self._explain(session.start, job, result, began + job.deadline_s)
            seconds = time.perf_counter() - began
            return Reply(error=str(errors[0]), messages=result.messages, errors=errors, seconds=seconds)
        if result.state is None:
            error = result.error or "the tactic failed"
            return Reply(error=error, messages=result.messages, seconds=time.perf_counter() - began)
        most = self._options.max_goal_chars
        if most is not None and not job.whole and result.state.goals and len(result.state.text) > most:
            error = f"the goals after it have {len(result.state.text)} characters, at most {most} allowed"
            return Reply(error=error, messages=result.messages, seconds=time.perf_counter() - began)
        self._backend.states.enter(job.slot, replace(session, tactics=script, state=result.state))
        judges = self._options.judges and result.state.is_finished
        verdict = self._verdicts.judge(job.theorem, script) if judges else None
        seconds = time.perf_counter() - began
        return Reply(goals=result.state.goals, messages=result.messages, verdict=verdict, seconds=seconds)

    def _explain(self, start: Start, job: Job, result: TacticResult, until: float) -> tuple[ScriptError, ...]:
        """Return the errors of a whole proof that failed, at least one; a loss of the backend costs details only."""

        def run(path: Path) -> TacticResult | None:
            left = until - time.perf_counter()
            length, last = self._paths.walk(start, path, left) if left > 0 else (0, None)
            return last if length == len(path) else None

        try:
            return self._script_errors.explain(
                self._backend.open(), job, result, until, run, self._backend.call
            )
        except (BackendError, MemoryError) as error:
            self._backend.restart(error)
            return (whole_error(job, result),)

    def _verdict(self, job: Job) -> Reply:
        """Judge the script of a job; without a tactic the backend gets ready for scripts of its theorem."""
        began = time.perf_counter()
        if job.tactic is None:
            verify_script(self._backend.open(), job.theorem, ())
            return Reply(goals=())
        self._backend.own_step = True
        verdict = self._verdicts.judge(job.theorem, (*job.tactics, job.tactic))
        return Reply(goals=(), verdict=verdict, seconds=time.perf_counter() - began)
