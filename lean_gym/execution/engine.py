"""Prover that answers every job with a reply, also when its backend breaks."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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
from lean_gym.execution.attempts import Attempts, whole_error
from lean_gym.execution.cache import Path
from lean_gym.execution.failures import CannotOpen, ReplayRefused, final_reply
from lean_gym.execution.jobs import COUNTERS, Job, ProverOptions, Reply
from lean_gym.execution.probe import closes, closing_tactic, probes
from lean_gym.execution.quarantine import STRIKES, Quarantine
from lean_gym.execution.sessions import HeldState, KeptStates, Session, Start
from lean_gym.types import ProofBackend, ProofState, ScriptError, TacticResult, Theorem, Verdict
from lean_gym.verification.verify import verify_script

_RELEASE_BATCH: Final = 64
_OPEN_ATTEMPTS: Final = 3
# A job whose replay breaks is tried again; a backend that is lost this often in a row is given up.
_ATTEMPTS: Final = 8
PROBE_SECONDS: Final = 5.0
"""Most seconds for the probe of one goal; Lean's own limit of heartbeats comes first as a rule."""
# A backend may have to start a process before it can start or verify a theorem, and import Mathlib in it.
_PROCESS_SECONDS: Final = 600.0
_NO_STRIKE: Final = (BackendUnavailable, BackendKilled, StateLost)
"""Errors that say nothing about the step on which they came."""

Watch = Callable[[float, bool], None]
"""Told of each call of the backend: (seconds it may take, whether it is the job's own step), then (0, False)."""


class Prover:
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
        # A backend class looks like a backend to isinstance, hence callable first.
        self._factory = backend if callable(backend) else None
        self._backend: ProofBackend | None = None if callable(backend) else backend
        self._options = options
        self._watch = watch
        self._lock = threading.RLock()
        self._closed = False
        self._own_step = False
        self._quarantine = Quarantine()
        self._states = KeptStates(options.cache_size)
        self._closing = closing_tactic(options.forbid)
        self._verdicts: OrderedDict[tuple[Theorem, Path], Verdict] = OrderedDict()
        self._attempts = Attempts(options.cache_size)
        self._counters: dict[str, float] = dict.fromkeys(COUNTERS, 0)

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
                return self._open_backend().name
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
            self._release_unused()
            return reply

    def hold(self, slot: int) -> HeldState | None:
        """Keep the slot's present state until `drop`; `None` when it has been lost in a crash."""
        return self._states.hold(slot)

    def drop(self, held: HeldState) -> None:
        """Let go of what `hold` kept."""
        self._states.ledger.drop(held.state)

    def resume(self, slot: int, theorem: Theorem, tactics: tuple[str, ...], held: HeldState | None) -> None:
        """Put a slot back into a held state; without one, the slot's next job replays its tactics."""
        self._states.resume(slot, theorem, tactics, held)

    @property
    def quarantined(self) -> int:
        """Number of jobs that were given up as `crashed`."""
        return self._quarantine.crashes

    def take_counters(self) -> dict[str, float]:
        """The counts since the last call, by the names in `COUNTERS`."""
        counts, self._counters = self._counters, dict.fromkeys(COUNTERS, 0)
        return counts

    def close(self) -> None:
        """Close the backend unless it is the caller's, after another thread's job. Calling it twice is allowed."""
        with self._lock:
            self._closed = True
            if self._factory is not None and self._backend is not None:
                self._backend.close()
                self._backend = None

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise ClosedEnvironmentError("the environment was closed; make a new one")
            yield

    def _open_backend(self) -> ProofBackend:
        attempts = 0
        while self._backend is None:
            assert self._factory is not None, "a backend of the caller's is never closed here"
            attempts += 1
            try:
                self._backend = self._factory()
            except BackendError as error:
                # A backend that never started will not start later; one that has worked before may.
                hopeless = self._states.life == 0 and isinstance(error, BackendUnavailable)
                if hopeless or attempts == _OPEN_ATTEMPTS:
                    raise CannotOpen(error) from error
        return self._backend

    def _persist(self, job: Job) -> Reply:
        strikes = unstarted = 0
        for attempt in range(1, _ATTEMPTS + 1):
            self._own_step = False
            try:
                return self._attempt(job)
            except DataError as error:
                return Reply(failure=error)
            except CannotOpen as error:
                return Reply(failure=error.reason)
            except (BackendError, MemoryError) as error:
                # A process that does not start does not count against the step that needed it.
                unstarted += isinstance(error, BackendUnavailable)
                strikes += isinstance(error, ReplayRefused) or (
                    self._own_step and not isinstance(error, _NO_STRIKE)
                )
                self._counters["deadline_kills"] += isinstance(error, BackendTimeout)
                self._restart(error)
                stopped = isinstance(error, BackendTimeout) and self._own_step and self._factory is None
                if strikes == STRIKES or unstarted == _OPEN_ATTEMPTS or attempt == _ATTEMPTS or stopped:
                    return self._give_up(job, error, attempt)
        raise AssertionError("the last attempt returns")

    def _give_up(self, job: Job, error: Exception, attempts: int) -> Reply:
        reply = final_reply(job, error, attempts, self._own_step, lent=self._factory is None)
        if reply.failure is None and self._factory is not None:
            self._quarantine.record(job, reply)
        return reply

    def _restart(self, error: Exception) -> None:
        """Forget all states of the backend, and close the backend unless it is the caller's or still usable."""
        self._counters["backend_restarts"] += 1
        lost = self._states.lose_all()
        backend = self._backend
        with suppress(BackendError):
            if backend is not None and isinstance(error, BackendError) and error.backend_usable:
                # A process of the backend that is well would keep them for ever.
                backend.release(lost)
            elif self._factory is not None and backend is not None:
                self._backend = None
                backend.close()

    def _attempt(self, job: Job) -> Reply:
        backend = self._open_backend()
        if job.judge:
            return self._judge(backend, job)
        if job.tactic is None:
            self._counters["starts"] += 1
            self._counters["start_hits"] += self._states.has_start(job.theorem)
            began = time.perf_counter()
            self._own_step = True
            start = self._start(backend, job.theorem)
            self._states.enter(job.slot, Session(job.theorem, start, (), start.state))
            seconds = time.perf_counter() - began
            return Reply(goals=start.state.goals, seconds=seconds, redefined=start.state.redefined)
        session = self._find_session(backend, job)
        began = time.perf_counter()
        script = (*job.tactics, job.tactic)
        self._counters["tactics"] += 1
        result = self._states.results.get(session.start.number, script)
        self._counters["tactic_misses" if result is None else "tactic_hits"] += 1
        self._own_step = True
        if result is None:
            result = self._step(backend, session.start, script, session.state, job.deadline_s)
        if job.whole and (result.state is None or result.state.goals):
            errors = self._explain(backend, session.start, job, result, began + job.deadline_s)
            seconds = time.perf_counter() - began
            return Reply(error=str(errors[0]), messages=result.messages, errors=errors, seconds=seconds)
        if result.state is None:
            error = result.error or "the tactic failed"
            return Reply(error=error, messages=result.messages, seconds=time.perf_counter() - began)
        most = self._options.max_goal_chars
        if most is not None and not job.whole and result.state.goals and len(result.state.text) > most:
            error = f"the goals after it have {len(result.state.text)} characters, at most {most} allowed"
            return Reply(error=error, messages=result.messages, seconds=time.perf_counter() - began)
        self._states.enter(job.slot, replace(session, tactics=script, state=result.state))
        judges = self._options.judges and result.state.is_finished
        verdict = self._verify(backend, job.theorem, script) if judges else None
        seconds = time.perf_counter() - began
        automatic = None
        if job.probe and len(result.state.goals) > len(session.state.goals):
            automatic = self._probe(backend, session, script, result.state, job.deadline_s)
        return Reply(
            goals=result.state.goals,
            messages=result.messages,
            verdict=verdict,
            seconds=seconds,
            automatic=automatic,
        )

    def _explain(
        self, backend: ProofBackend, start: Start, job: Job, result: TacticResult, until: float
    ) -> tuple[ScriptError, ...]:
        """Return the errors of a whole proof that failed, at least one; a loss of the backend costs details only."""

        def run(path: Path) -> TacticResult | None:
            left = until - time.perf_counter()
            length, last = self._walk(backend, start, path, left) if left > 0 else (0, None)
            return last if length == len(path) else None

        try:
            return self._attempts.explain(backend, job, result, until, run, self._call)
        except (BackendError, MemoryError) as error:
            self._restart(error)
            return (whole_error(job, result),)

    def _judge(self, backend: ProofBackend, job: Job) -> Reply:
        began = time.perf_counter()
        if job.tactic is None:
            verify_script(backend, job.theorem, ())
            return Reply(goals=())
        self._own_step = True
        verdict = self._verify(backend, job.theorem, (*job.tactics, job.tactic))
        return Reply(goals=(), verdict=verdict, seconds=time.perf_counter() - began)

    def _probe(
        self, backend: ProofBackend, session: Session, script: Path, state: ProofState, deadline_s: float
    ) -> tuple[bool, ...]:
        """Return which goals automation closes at once; goals that the last tactic left alone are not tried."""
        found = [False] * len(state.goals)
        self._own_step = False
        for at, tactic in probes(session.state, state, self._closing):
            path = (*script, tactic)
            result = self._states.results.get(session.start.number, path)
            try:
                if result is None:
                    limit_s = min(deadline_s, PROBE_SECONDS)
                    result = self._step(backend, session.start, path, state, limit_s)
            except (BackendError, MemoryError) as error:
                # The step itself is done; the episode's next job restores its state.
                self._restart(error)
                break
            found[at] = closes(state, result)
        return tuple(found)

    def _start(self, backend: ProofBackend, theorem: Theorem) -> Start:
        start = self._states.find_start(theorem)
        if start is not None:
            return start
        with self._call(self._options.verify_seconds + _PROCESS_SECONDS):
            state = backend.start(theorem)
        if state.is_finished:
            raise DataError(f"theorem {theorem.name!r}: starts with no goals, expected at least one")
        return self._states.add_start(theorem, state)

    def _find_session(self, backend: ProofBackend, job: Job) -> Session:
        """The slot's session if it is where the job wants to be; otherwise the job's tactics are replayed."""
        session = self._states.session(job.slot)
        if session is not None and session.tactics == job.tactics and session.theorem == job.theorem:
            return session
        start = self._start(backend, job.theorem)
        # Accepted before within the step's deadline; a loaded machine may need longer this time.
        length, result = self._walk(backend, start, job.tactics, 2 * job.deadline_s, "replayed_tactics")
        if result.state is None:
            raise ReplayRefused(f"step {length} of the replay, accepted before, was refused: {result.error}")
        session = Session(job.theorem, start, job.tactics, result.state)
        self._states.enter(job.slot, session)
        return session

    def _walk(
        self, backend: ProofBackend, start: Start, path: Path, seconds: float, counter: str | None = None
    ) -> tuple[int, TacticResult]:
        """Run a path up to its end or its first refusal; return the number of tactics and the last one's result."""
        result = TacticResult(state=start.state)
        for length in range(1, len(path) + 1):
            known = self._states.results.get(start.number, path[:length])
            if known is None and counter is not None:
                self._counters[counter] += 1
            assert result.state is not None, "a refusal ends the walk"
            result = known or self._step(backend, start, path[:length], result.state, seconds)
            if result.state is None:
                return length, result
        return len(path), result

    def _step(
        self, backend: ProofBackend, start: Start, path: Path, state: ProofState, deadline_s: float
    ) -> TacticResult:
        """Apply the path's last tactic and remember what it did."""
        began = time.perf_counter()
        with self._call(deadline_s):
            result = backend.apply(state, path[-1], deadline_s)
        # A refusal near the deadline may be due to the load of the machine; it must not be cached.
        if result.error is None or time.perf_counter() - began < deadline_s / 2:
            self._states.results.put(start.number, path, result)
        # A state that nobody keeps is released with the others.
        self._states.ledger.keep(result.state)
        self._states.ledger.drop(result.state)
        return result

    def _verify(self, backend: ProofBackend, theorem: Theorem, script: tuple[str, ...]) -> Verdict:
        self._counters["verifications"] += 1
        key = (theorem, script)
        if key in self._verdicts:
            self._counters["verification_hits"] += 1
            self._verdicts.move_to_end(key)
            return self._verdicts[key]
        options = self._options
        for attempt in range(1, STRIKES + 1):
            began = time.perf_counter()
            try:
                with self._call(options.verify_seconds + _PROCESS_SECONDS):
                    verdict = verify_script(
                        backend,
                        theorem,
                        script,
                        options.permitted_axioms,
                        options.verify_seconds,
                        options.verify,
                    )
                break
            except BackendTimeout as error:
                self._counters["deadline_kills"] += 1
                self._restart(error)
                if attempt == STRIKES or self._factory is None:
                    return Verdict(proved=False, reason=f"verification was stopped: {error}")
                backend = self._open_backend()
        if verdict.proved or time.perf_counter() - began < options.verify_seconds / 2:
            self._verdicts[key] = verdict
            if len(self._verdicts) > options.cache_size:
                self._verdicts.popitem(last=False)
        return verdict

    def _release_unused(self) -> None:
        unused = self._states.ledger.take_unused(_RELEASE_BATCH)
        if unused and self._backend is not None:
            try:
                with self._call(self._options.verify_seconds):
                    self._backend.release(unused)
            except BackendError as error:
                self._restart(error)

    @contextmanager
    def _call(self, limit_s: float) -> Iterator[None]:
        self._watch(limit_s, self._own_step)
        began = time.perf_counter()
        try:
            yield
        finally:
            self._counters["backend_seconds"] += time.perf_counter() - began
            self._watch(0.0, False)
