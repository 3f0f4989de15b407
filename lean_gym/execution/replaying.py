"""Tactics on the states that a backend keeps; a state that was dropped, or lost in a crash, is replayed."""

from __future__ import annotations

import time

from lean_gym.errors import DataError
from lean_gym.execution.cache import Path
from lean_gym.execution.failures import ReplayRefused
from lean_gym.execution.jobs import Job
from lean_gym.execution.restarting import PROCESS_SECONDS, RestartingBackend
from lean_gym.execution.sessions import Session, Start
from lean_gym.types import ProofState, TacticResult, Theorem


class PathRunner:
    """Starts theorems and applies tactics, each once while its result is kept.

    Args:
        backend: The backend with its states.
        start_seconds: Most seconds that the start of a theorem takes, without that of a process.
    """

    def __init__(self, backend: RestartingBackend, start_seconds: float) -> None:
        self._backend = backend
        self._start_seconds = start_seconds

    def start(self, theorem: Theorem) -> Start:
        """Return the start of a theorem.

        Raises:
            DataError: The theorem does not start, or has no goal.
        """
        start = self._backend.states.find_start(theorem)
        if start is not None:
            return start
        backend = self._backend.open()
        with self._backend.call(self._start_seconds + PROCESS_SECONDS):
            state = backend.start(theorem)
        if state.is_finished:
            raise DataError(f"theorem {theorem.name!r}: starts with no goals, expected at least one")
        return self._backend.states.add_start(theorem, state)

    def session(self, job: Job) -> Session:
        """Return the slot's session if it is where the job wants to be; otherwise the job's tactics are replayed.

        Raises:
            ReplayRefused: A tactic that was accepted before is refused.
        """
        states = self._backend.states
        session = states.session(job.slot)
        if session is not None and session.tactics == job.tactics and session.theorem == job.theorem:
            return session
        start = self.start(job.theorem)
        # Accepted before within the step's deadline; a loaded machine may need longer this time.
        length, result = self.walk(start, job.tactics, 2 * job.deadline_s, "replayed_tactics")
        if result.state is None:
            raise ReplayRefused(f"step {length} of the replay, accepted before, was refused: {result.error}")
        session = Session(job.theorem, start, job.tactics, result.state)
        states.enter(job.slot, session)
        return session

    def walk(
        self, start: Start, path: Path, seconds: float, counter: str | None = None
    ) -> tuple[int, TacticResult]:
        """Run a path up to its end or its first refusal.

        Args:
            start: Where it begins.
            path: The tactics.
            seconds: Deadline of each.
            counter: Name of the counter of tactics whose result is not kept, if any.

        Returns:
            The number of tactics that were run, and the last one's result.
        """
        result = TacticResult(state=start.state)
        for length in range(1, len(path) + 1):
            known = self.known(start, path[:length])
            if known is None and counter is not None:
                self._backend.count(counter)
            assert result.state is not None, "a refusal ends the walk"
            result = known or self.step(start, path[:length], result.state, seconds)
            if result.state is None:
                return length, result
        return len(path), result

    def known(self, start: Start, path: Path) -> TacticResult | None:
        """Return the kept result of a path's last tactic."""
        return self._backend.states.results.get(start.number, path)

    def step(self, start: Start, path: Path, state: ProofState, deadline_s: float) -> TacticResult:
        """Apply the last tactic of a path to the state before it, and keep the result."""
        backend, states = self._backend.open(), self._backend.states
        began = time.perf_counter()
        with self._backend.call(deadline_s):
            result = backend.apply(state, path[-1], deadline_s)
        # A refusal near the deadline may be due to the load of the machine; it must not be cached.
        if result.error is None or time.perf_counter() - began < deadline_s / 2:
            states.results.put(start.number, path, result)
        # A state that nobody keeps is released with the others.
        states.ledger.keep(result.state)
        states.ledger.drop(result.state)
        return result
