"""A REPL process that is ready for proofs: options set, abilities known, states accounted for."""

from __future__ import annotations

import heapq
import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.backends.pantograph.dialect import Dialect, first_state, probe
from lean_gym.backends.pantograph.discovery import FoundRepl
from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import MAX_LINE_BYTES, Json, ReplProcess
from lean_gym.backends.pantograph.sandbox import wrap
from lean_gym.errors import BackendError, BackendOutdated, BackendUnavailable, ProtocolError

OPTIONS: Final[Mapping[str, Any]] = {
    "printJsonPretty": False,
    "printExprPretty": True,
    "printExprAST": False,
    "noRepeat": False,
    "automaticMode": True,
}
"""Pantograph options that this client relies on."""

GRACE_SECONDS: Final = 2.0
"""How much longer than Lean's own time limit the process may take before it is killed."""

SLEEPERS: Final = 64
"""How many of Pantograph's time limits may run in a process at a time, each a thread of Lean's that sleeps."""
_SLEEPERS_A_COMMAND: Final = 2
"""A tactic has one, and the display of its goals another."""
_THREADS: Final = "LEAN_NUM_THREADS"

_PROBE_SECONDS: Final = 60.0
_SYNC_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class ReplSettings:
    """How to run a REPL.

    Attributes:
        found: Which one.
        core_options: Arguments for Lean's core, e.g. `--maxHeartbeats=400000`.
        lean_path: Where the compiled modules are; `None` leaves `LEAN_PATH` as it is.
        directory: Where to run it; `None` for the folder that the REPL needs, else ours.
        sandbox: One of `lean_gym.backends.pantograph.sandbox.SANDBOX_MODES`.
        start_seconds: Wall-clock seconds until it must be ready, imports included.
        max_line_bytes: Longest answer to read.
    """

    found: FoundRepl
    core_options: tuple[str, ...] = ()
    lean_path: str | None = None
    directory: str | None = None
    sandbox: str = "auto"
    start_seconds: float = 300.0
    max_line_bytes: int = MAX_LINE_BYTES


class Repl:
    """One REPL process with fixed imports. It starts at once, so that several can do so side by side.

    Args:
        settings: How to run it.
        imports: The modules to import.
        dialect: What it can do, when an earlier process of the same settings has told; `None` to find out.
        options: Pantograph options besides `OPTIONS`.

    Raises:
        BackendUnavailable: It cannot be started.
    """

    def __init__(
        self,
        settings: ReplSettings,
        imports: Sequence[str],
        dialect: Dialect | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.imports = tuple(imports)
        command = [*settings.found.command, *imports, *settings.core_options]
        self.process = ReplProcess(
            wrap(command, settings.sandbox),
            settings.directory or settings.found.directory,
            _environment(settings.lean_path),
            settings.max_line_bytes,
        )
        self._settings = settings
        self._options = {**OPTIONS, **(options or {})}
        self._dialect = dialect
        self._ready = False
        self._timeout_ms = 0
        self._limits_end: list[float] = []
        self._last_state = -1
        self._anchor = -1
        self._adopted: list[int] = []

    def ready(self) -> Repl:
        """Wait until it can be asked, set its options and find out what it can do; at once when that is done.

        Returns:
            This REPL.

        Raises:
            BackendUnavailable: It did not get ready, or cannot do what is needed.
        """
        if self._ready:
            return self
        self.process.await_ready(self._settings.start_seconds)
        try:
            self._require("options.set", self._options)
            if self._dialect is None or self._dialect.leaks:
                self._anchor = first_state(self._probing)
            if self._dialect is None:
                self._dialect = probe(self._probing, self._anchor)
                if not self._dialect.leaks:
                    self.free([self._anchor])
        except BackendError as error:
            self.close()
            kind = BackendOutdated if isinstance(error, BackendOutdated) else BackendUnavailable
            raise kind(f"the REPL {self._settings.found.command[0]!r} cannot be used: {error}") from None
        self._ready = True
        return self

    @property
    def dialect(self) -> Dialect:
        """What it can do, once it is ready."""
        assert self._dialect is not None, "ready() comes first"
        return self._dialect

    @property
    def alive(self) -> bool:
        """Whether the process can be asked."""
        return self.process.alive

    def ask(self, command: str, payload: Json, seconds: float) -> Json:
        """One command and its answer, which may be one of the REPL's errors. See `ReplProcess.request`."""
        return self.process.request(command, payload, seconds)

    def limited(self, command: str, payload: Json, seconds: float) -> Json:
        """One command under Lean's own time limit, where it has room for one, and the wall clock a little behind."""
        milliseconds = max(math.ceil(seconds * 1000), 1) if self._has_room(seconds) else 0
        if milliseconds != self._timeout_ms:
            self._require("options.set", {"timeout": milliseconds})
            self._timeout_ms = milliseconds
        return self.process.request(command, payload, seconds + GRACE_SECONDS)

    def _has_room(self, seconds: float) -> bool:
        """Whether Lean has a thread to spare for one more time limit.

        Pantograph's limit sleeps to its end in Lean's pool of threads, also when the command is long done. More of
        them than threads would hold up what else waits there, `exact?` for one, and the limits of later commands.
        """
        now = time.monotonic()
        while self._limits_end and self._limits_end[0] <= now:
            heapq.heappop(self._limits_end)
        if _SLEEPERS_A_COMMAND * (len(self._limits_end) + 1) > SLEEPERS:
            return False
        heapq.heappush(self._limits_end, now + seconds)
        return True

    def adopt(self, answer: Json) -> None:
        """Take note of the states that a processed file left, and have them deleted at the next `settle`.

        Raises:
            ProtocolError: A state that was seen before; the process is ended.
        """
        for unit in answer["units"]:
            if unit.get("goalStateId") is not None:
                self._adopted.append(self.new_state(unit, "goalStateId"))

    def settle(self) -> None:
        """Back to the environment after the imports, in versions that take on that of the last state."""
        if self._adopted:
            self.free(self._adopted)
            self._adopted = []
        if not self.dialect.leaks:
            return
        answer = self.ask("goal.print", {"stateId": self._anchor}, _SYNC_SECONDS)
        if "error" in answer:
            self.close()
            unknown_shape("goal.print", answer, "a state")

    def new_state(self, answer: Json, key: str) -> int:
        """The number of the state that an answer announces.

        Numbers only grow, so an answer with a number that was seen before belongs to an earlier request.

        Raises:
            ProtocolError: There is no number, or it is no new one; the process is ended.
        """
        number = answer.get(key)
        if type(number) is not int:
            self.close()
            unknown_shape("answer", answer, f"an object with the number {key!r}")
        if number <= self._last_state:
            self.close()
            raise ProtocolError(
                f"the REPL answered with state {number}, which it has given before; it was stopped, as its answers "
                "may belong to earlier requests"
            )
        self._last_state = number
        return number

    def free(self, states: Iterable[int]) -> None:
        """Have states deleted."""
        self._require("goal.delete", {"stateIds": list(states)})

    def sync(self) -> None:
        """Make sure that the last answer was the last: a question whose answer looks like no other.

        Raises:
            ProtocolError: Another answer came.
        """
        answer = self.ask("options.print", {}, _SYNC_SECONDS)
        if answer.get("automaticMode") is not True or "printJsonPretty" not in answer:
            self.close()
            unknown_shape("options.print", answer, "an object with the options")

    def close(self) -> None:
        """End the process; calling it twice is allowed."""
        self.process.close()

    def _probing(self, command: str, payload: Json) -> Json:
        return self.ask(command, payload, _PROBE_SECONDS)

    def _require(self, command: str, payload: Json) -> None:
        answer = self.ask(command, payload, _SYNC_SECONDS)
        if answer:
            self.close()
            unknown_shape(command, answer, "an empty object")


def _environment(lean_path: str | None) -> dict[str, str]:
    """The process's environment: room for time limits among Lean's threads, and where modules are."""
    given = os.environ.get(_THREADS, "")
    threads = int(given) if given.isdecimal() else os.cpu_count() or 1
    paths = {} if lean_path is None else {"LEAN_PATH": lean_path}
    return {**os.environ, _THREADS: str(threads + SLEEPERS), **paths}
