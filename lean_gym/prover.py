"""One backend and the proofs that run on it: what an environment owns once and a worker process owns each.

A job names its theorem and the whole path of tactics that led to its state, so a prover is no more than a
cache in front of a backend: whatever it does not hold any more, or lost in a crash, it replays. What it
keeps, all bounded:

1. per slot, the state that the slot's episode is in;
2. start states by theorem: the episodes of a group begin from one shared state;
3. tactic results by (start state, path of tactics): printed goals do not determine the terms behind them, so
   they are never the key;
4. verdicts by (theorem, script). A cached result earns nothing: a finished script is replayed by the
   backend's `verify`, and only the verdict on that very script is used again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

from lean_gym.backends.base import ProofBackend
from lean_gym.errors import BackendError, BackendTimeout, DataError
from lean_gym.types import Goal, ProofState, TacticResult, Theorem, Verdict
from lean_gym.verify import PERMITTED_AXIOMS, verify_script

_MAX_STARTS: Final = 256
_RELEASE_BATCH: Final = 64

COUNTERS: Final = (
    "starts", "start_hits", "tactics", "tactic_hits", "verifications", "verification_hits",
    "backend_restarts", "backend_seconds",
)  # fmt: skip
"""What a prover counts: requests, those that a cache answered, restarts, seconds inside the backend."""


@dataclass(frozen=True, slots=True)
class Job:
    """One request for one episode.

    Attributes:
        slot: Which episode; a prover keeps one state for each.
        theorem: What it proves.
        tactics: The accepted tactics that led to the episode's state.
        tactic: The tactic to try there, or `None` to start the theorem.
        deadline_s: Wall-clock seconds for the tactic.
    """

    slot: int
    theorem: Theorem
    tactics: tuple[str, ...] = ()
    tactic: str | None = None
    deadline_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a job.

    Attributes:
        goals: All open goals afterwards; `None` when the tactic was refused or the job failed.
        error: Why the tactic was refused, or how the prover was lost.
        messages: The prover's further messages.
        verdict: Set when no goals were left: whether the replayed script is a proof.
        crashed: The prover died on this job twice; the episode cannot go on.
        failure: An exception for the caller: a theorem that does not start, or a bug in the backend.
        seconds: Wall-clock time of the job.
    """

    goals: tuple[Goal, ...] | None = None
    error: str | None = None
    messages: tuple[str, ...] = ()
    verdict: Verdict | None = None
    crashed: bool = False
    failure: Exception | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ProverOptions:
    """How a prover works.

    Attributes:
        permitted_axioms: Axioms a proof may depend on.
        verify_seconds: Wall-clock seconds for the replay of a finished script.
        cache_size: Most tactic results to keep, 0 for none; as many verdicts are kept.
    """

    permitted_axioms: tuple[str, ...] = PERMITTED_AXIOMS
    verify_seconds: float = 60.0
    cache_size: int = 4096


@dataclass(frozen=True, slots=True)
class _Start:
    number: int
    state: ProofState


@dataclass(frozen=True, slots=True)
class _Session:
    theorem: Theorem
    start: _Start
    tactics: tuple[str, ...]
    state: ProofState


@dataclass(frozen=True, slots=True)
class HeldState:
    """A state kept for a snapshot, with its start and the life of the backend that both belong to."""

    start: _Start
    state: ProofState
    life: int


_Path = tuple[int, tuple[str, ...]]


class Prover:
    """Runs jobs on one backend, restarting it when it breaks.

    Args:
        backend: A backend of the caller's, which is never restarted or closed, or a factory for our own.
        options: How to work.
    """

    def __init__(self, backend: ProofBackend | Callable[[], ProofBackend], options: ProverOptions) -> None:
        # A backend class looks like a backend to isinstance, hence callable first.
        self._factory = backend if callable(backend) else None
        self._backend: ProofBackend | None = None if callable(backend) else backend
        self._options = options
        self._life = 0
        self._start_count = 0
        self._ledger = _Ledger()
        self._sessions: dict[int, _Session] = {}
        self._starts: OrderedDict[Theorem, _Start] = OrderedDict()
        self._results: OrderedDict[_Path, TacticResult] = OrderedDict()
        self._verdicts: OrderedDict[tuple[Theorem, tuple[str, ...]], Verdict] = OrderedDict()
        self._counters: dict[str, float] = dict.fromkeys(COUNTERS, 0)

    def open(self) -> str:
        """Make the backend now rather than at the first job.

        Returns:
            The backend's name.

        Raises:
            BackendError: It cannot be made.
        """
        return self._open_backend().name

    def run(self, job: Job) -> Reply:
        """Run one job; a broken backend is restarted and the job tried once more."""
        started = time.perf_counter()
        try:
            reply = self._attempt(job)
        except DataError as error:
            reply = Reply(failure=error)
        except BackendError:
            self._restart()
            reply = self._last_attempt(job)
        self._release_unused()
        return replace(reply, seconds=time.perf_counter() - started)

    def hold(self, slot: int) -> HeldState | None:
        """Keep the slot's present state until `drop`; `None` when it has been lost in a crash."""
        session = self._sessions.get(slot)
        if session is None:
            return None
        self._ledger.keep(session.state)
        return HeldState(session.start, session.state, self._life)

    def drop(self, held: HeldState) -> None:
        """Let go of what `hold` kept."""
        self._ledger.drop(held.state)

    def resume(self, slot: int, theorem: Theorem, tactics: tuple[str, ...], held: HeldState | None) -> None:
        """Put a slot back into a held state; without one, the slot's next job replays its tactics."""
        if held is not None and held.life == self._life:
            self._enter(slot, _Session(theorem, held.start, tactics, held.state))
        else:
            self._leave(slot)

    def take_counters(self) -> dict[str, float]:
        """The counts since the last call, by the names in `COUNTERS`."""
        counts, self._counters = self._counters, dict.fromkeys(COUNTERS, 0)
        return counts

    def close(self) -> None:
        """Close our own backend; a backend of the caller's stays open. Calling it twice is allowed."""
        if self._factory is not None and self._backend is not None:
            self._backend.close()
            self._backend = None

    def _open_backend(self) -> ProofBackend:
        if self._backend is None:
            assert self._factory is not None, "a backend of the caller's is never closed here"
            self._backend = self._factory()
        return self._backend

    def _restart(self) -> None:
        """Forget everything that lived in the backend, and the backend unless it is the caller's."""
        self._counters["backend_restarts"] += 1
        self._life += 1
        self._ledger = _Ledger()
        self._sessions.clear()
        self._starts.clear()
        self._results.clear()
        if self._factory is not None and self._backend is not None:
            broken, self._backend = self._backend, None
            with suppress(BackendError):
                broken.close()

    def _last_attempt(self, job: Job) -> Reply:
        try:
            return self._attempt(job)
        except DataError as error:
            return Reply(failure=error)
        except BackendError as error:
            if self._factory is not None:
                self._restart()
            if job.tactic is None:
                return Reply(failure=error)
            return Reply(crashed=True, error=f"the prover was lost twice on this step: {error}")

    def _attempt(self, job: Job) -> Reply:
        backend = self._open_backend()
        if job.tactic is None:
            self._counters["starts"] += 1
            self._counters["start_hits"] += job.theorem in self._starts
            start = self._start(backend, job.theorem)
            self._enter(job.slot, _Session(job.theorem, start, (), start.state))
            return Reply(goals=start.state.goals)
        session = self._find_session(backend, job)
        script = (*job.tactics, job.tactic)
        self._counters["tactics"] += 1
        try:
            result = self._step(backend, (session.start.number, script), session.state, job.deadline_s)
        except BackendTimeout as error:
            self._restart()
            return Reply(error=f"stopped after {job.deadline_s:g} s: {error}")
        if result.state is None:
            return Reply(error=result.error or "the tactic failed", messages=result.messages)
        self._enter(job.slot, replace(session, tactics=script, state=result.state))
        verdict = self._verify(backend, job.theorem, script) if result.state.is_finished else None
        return Reply(goals=result.state.goals, messages=result.messages, verdict=verdict)

    def _start(self, backend: ProofBackend, theorem: Theorem) -> _Start:
        start = self._starts.get(theorem)
        if start is not None:
            self._starts.move_to_end(theorem)
            return start
        with self._timed():
            state = backend.start(theorem)
        if state.is_finished:
            raise DataError(f"theorem {theorem.name!r}: starts with no goals, expected at least one")
        self._start_count += 1
        start = _Start(self._start_count, state)
        self._ledger.keep(state)
        self._starts[theorem] = start
        if len(self._starts) > _MAX_STARTS:
            self._ledger.drop(self._starts.popitem(last=False)[1].state)
        return start

    def _find_session(self, backend: ProofBackend, job: Job) -> _Session:
        """The slot's session if it is where the job wants to be; otherwise the job's tactics are replayed."""
        session = self._sessions.get(job.slot)
        if session is not None and session.tactics == job.tactics and session.theorem == job.theorem:
            return session
        start = self._start(backend, job.theorem)
        state = start.state
        for length in range(1, len(job.tactics) + 1):
            result = self._step(backend, (start.number, job.tactics[:length]), state, job.deadline_s)
            if result.state is None:
                raise BackendError(
                    f"step {length} of the replay, accepted before, was refused: {result.error}"
                )
            state = result.state
        session = _Session(job.theorem, start, job.tactics, state)
        self._enter(job.slot, session)
        return session

    def _step(self, backend: ProofBackend, path: _Path, state: ProofState, deadline_s: float) -> TacticResult:
        """Apply the path's last tactic, or take the result of the same tactic after the same path."""
        cached = self._results.get(path)
        if cached is not None:
            self._counters["tactic_hits"] += 1
            self._results.move_to_end(path)
            return cached
        started = time.perf_counter()
        with self._timed():
            result = backend.apply(state, path[1][-1], deadline_s)
        # A refusal near the deadline may be the machine's load speaking; it must not become a fact.
        if self._options.cache_size > 0 and (
            result.error is None or time.perf_counter() - started < deadline_s / 2
        ):
            self._results[path] = result
            self._ledger.keep(result.state)
            if len(self._results) > self._options.cache_size:
                self._ledger.drop(self._results.popitem(last=False)[1].state)
        return result

    def _verify(self, backend: ProofBackend, theorem: Theorem, script: tuple[str, ...]) -> Verdict:
        self._counters["verifications"] += 1
        key = (theorem, script)
        if key in self._verdicts:
            self._counters["verification_hits"] += 1
            self._verdicts.move_to_end(key)
            return self._verdicts[key]
        started = time.perf_counter()
        options = self._options
        try:
            with self._timed():
                verdict = verify_script(
                    backend, theorem, script, options.permitted_axioms, options.verify_seconds
                )
        except BackendTimeout as error:
            self._restart()
            return Verdict(proved=False, reason=f"verification was stopped: {error}")
        if verdict.proved or time.perf_counter() - started < options.verify_seconds / 2:
            self._verdicts[key] = verdict
            if len(self._verdicts) > options.cache_size:
                self._verdicts.popitem(last=False)
        return verdict

    def _enter(self, slot: int, session: _Session) -> None:
        self._ledger.keep(session.state)
        self._leave(slot)
        self._sessions[slot] = session

    def _leave(self, slot: int) -> None:
        left = self._sessions.pop(slot, None)
        if left is not None:
            self._ledger.drop(left.state)

    def _release_unused(self) -> None:
        unused = self._ledger.take_unused(_RELEASE_BATCH)
        if unused and self._backend is not None:
            try:
                self._backend.release(unused)
            except BackendError:
                self._restart()

    @contextmanager
    def _timed(self) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self._counters["backend_seconds"] += time.perf_counter() - started


class _Ledger:
    """Who still needs a state: slots, caches, snapshots. What nobody needs is given back in batches."""

    def __init__(self) -> None:
        # States compare by their goals, so identity is the key; each entry holds its state, so ids are not
        # reused.
        self._needed: dict[int, tuple[ProofState, int]] = {}
        self._unused: dict[int, ProofState] = {}

    def keep(self, state: ProofState | None) -> None:
        if state is not None:
            _, count = self._needed.get(id(state), (state, 0))
            self._needed[id(state)] = (state, count + 1)
            self._unused.pop(id(state), None)

    def drop(self, state: ProofState | None) -> None:
        if state is None or id(state) not in self._needed:
            return
        _, count = self._needed[id(state)]
        if count > 1:
            self._needed[id(state)] = (state, count - 1)
        else:
            del self._needed[id(state)]
            self._unused[id(state)] = state

    def take_unused(self, at_least: int) -> list[ProofState]:
        """The states that nobody needs, once there are `at_least` of them."""
        if len(self._unused) < at_least:
            return []
        states, self._unused = list(self._unused.values()), {}
        return states
