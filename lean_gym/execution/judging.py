"""Verdicts on finished scripts, each kept for its theorem and script."""

from __future__ import annotations

import time
from collections import OrderedDict

from lean_gym.errors import BackendTimeout
from lean_gym.execution.cache import Path
from lean_gym.execution.jobs import ProverOptions
from lean_gym.execution.quarantine import STRIKES
from lean_gym.execution.restarting import PROCESS_SECONDS, RestartingBackend
from lean_gym.types import Theorem, Verdict
from lean_gym.verification.verify import verify_script


class KeptVerdicts:
    """Verdicts of a backend on finished scripts.

    Args:
        backend: The backend, which is restarted when it misses a deadline.
        options: Deadline, axioms and way of judging, and how many verdicts are kept.
    """

    def __init__(self, backend: RestartingBackend, options: ProverOptions) -> None:
        self._backend = backend
        self._options = options
        self._verdicts: OrderedDict[tuple[Theorem, Path], Verdict] = OrderedDict()

    def judge(self, theorem: Theorem, script: Path) -> Verdict:
        """Return the verdict on a script; one that misses its deadline twice is refused."""
        self._backend.count("verifications")
        key = (theorem, script)
        if key in self._verdicts:
            self._backend.count("verification_hits")
            self._verdicts.move_to_end(key)
            return self._verdicts[key]
        options = self._options
        for tried in range(1, STRIKES + 1):
            backend = self._backend.open()
            began = time.perf_counter()
            try:
                with self._backend.call(options.verify_seconds + PROCESS_SECONDS):
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
                self._backend.count("deadline_kills")
                self._backend.restart(error)
                if tried == STRIKES or self._backend.lent:
                    return Verdict(proved=False, reason=f"verification was stopped: {error}")
        # A refusal near the deadline may be due to the load of the machine; it must not be cached.
        if verdict.proved or time.perf_counter() - began < options.verify_seconds / 2:
            self._verdicts[key] = verdict
            if len(self._verdicts) > options.cache_size:
                self._verdicts.popitem(last=False)
        return verdict
