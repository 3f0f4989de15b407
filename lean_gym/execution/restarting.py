"""A backend that is made when it is needed, and made again after it has broken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from lean_gym.errors import BackendError, BackendUnavailable
from lean_gym.execution.failures import CannotOpen
from lean_gym.execution.jobs import COUNTERS
from lean_gym.execution.sessions import KeptStates
from lean_gym.types import ProofBackend

OPEN_TRIES: Final = 3
# A backend may have to start a process before it can start or verify a theorem, and import Mathlib in it.
PROCESS_SECONDS: Final = 600.0
_RELEASE_BATCH: Final = 64

Watch = Callable[[float, bool], None]
"""Told of each call of the backend: (seconds it may take, whether it is the job's own step), then (0, False)."""


class RestartingBackend:
    """One backend, the states that are kept in it, and the counts of what it was asked.

    Args:
        backend: A backend of the caller, which is never restarted or closed, or a factory for an own one.
        cache_size: Most tactic results to keep.
        watch: Told of each call of the backend.
    """

    def __init__(
        self, backend: ProofBackend | Callable[[], ProofBackend], cache_size: int, watch: Watch
    ) -> None:
        # A backend class looks like a backend to isinstance, hence callable first.
        self._factory = backend if callable(backend) else None
        self._backend: ProofBackend | None = None if callable(backend) else backend
        self._watch = watch
        self._counters: dict[str, float] = dict.fromkeys(COUNTERS, 0)
        self.states = KeptStates(cache_size)
        self.own_step = False
        """Whether the calls that follow are the job's own step, not the restoring of its state."""

    @property
    def lent(self) -> bool:
        """Return whether the backend is the caller's."""
        return self._factory is None

    def open(self) -> ProofBackend:
        """Return the backend, made now where there is none.

        Raises:
            CannotOpen: It cannot be made.
        """
        tries = 0
        while self._backend is None:
            assert self._factory is not None, "a backend of the caller's is never closed here"
            tries += 1
            try:
                self._backend = self._factory()
            except BackendError as error:
                # A backend that never started will not start later; one that has worked before may.
                hopeless = self.states.life == 0 and isinstance(error, BackendUnavailable)
                if hopeless or tries == OPEN_TRIES:
                    raise CannotOpen(error) from error
        return self._backend

    def restart(self, error: Exception) -> None:
        """Forget all states of the backend, and close the backend unless it is the caller's or still usable."""
        self.count("backend_restarts")
        lost = self.states.lose_all()
        backend = self._backend
        with suppress(BackendError):
            if backend is not None and isinstance(error, BackendError) and error.backend_usable:
                # A process of the backend that is well would keep them for ever.
                backend.release(lost)
            elif self._factory is not None and backend is not None:
                self._backend = None
                backend.close()

    def release_unused(self, limit_s: float) -> None:
        """Release the states that nothing needs any more, once they are many."""
        unused = self.states.ledger.take_unused(_RELEASE_BATCH)
        if unused and self._backend is not None:
            try:
                with self.call(limit_s):
                    self._backend.release(unused)
            except BackendError as error:
                self.restart(error)

    def close(self) -> None:
        """Close the backend unless it is the caller's."""
        if self._factory is not None and self._backend is not None:
            self._backend.close()
            self._backend = None

    @contextmanager
    def call(self, limit_s: float) -> Iterator[None]:
        """Surround a call of the backend, which may take so many seconds."""
        self._watch(limit_s, self.own_step)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.count("backend_seconds", time.perf_counter() - began)
            self._watch(0.0, False)

    def count(self, name: str, more: float = 1) -> None:
        """Add to one of `COUNTERS`."""
        self._counters[name] += more

    def take_counters(self) -> dict[str, float]:
        """Return the counts since the last call."""
        counts, self._counters = self._counters, dict.fromkeys(COUNTERS, 0)
        return counts
