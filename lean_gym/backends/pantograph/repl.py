"""REPL process that is ready for proofs: options set, abilities known, states accounted for."""

from __future__ import annotations

import heapq
import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.backends.pantograph.admission import record_memory
from lean_gym.backends.pantograph.dialect import Dialect, first_state, probe
from lean_gym.backends.pantograph.discovery import TOOLCHAIN_FILE, FoundRepl
from lean_gym.backends.pantograph.facts import stamps
from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import MAX_LINE_BYTES, Json, ReplProcess
from lean_gym.backends.sandbox import wrap
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
    """Settings of a REPL process.

    Attributes:
        found: The REPL.
        core_options: Arguments for Lean's core, e.g. `--maxHeartbeats=400000`.
        lean_path: Where the compiled modules are; `None` leaves `LEAN_PATH` as it is.
        directory: Its working directory; `None` for the folder that the REPL needs, else that of this process.
        sandbox: One of `lean_gym.backends.sandbox.SANDBOX_MODES`.
        start_seconds: Wall-clock seconds until it must be ready, imports included.
        max_line_bytes: Longest answer to read.
        memory_mib: Most memory of a process, `None` for no limit.
        allow_tactics: Heads of tactics that the filter in front of the process lets pass besides those that it knows.
    """

    found: FoundRepl
    core_options: tuple[str, ...] = ()
    lean_path: str | None = None
    directory: str | None = None
    sandbox: str = "auto"
    start_seconds: float = 300.0
    max_line_bytes: int = MAX_LINE_BYTES
    memory_mib: float | None = None
    allow_tactics: tuple[str, ...] = ()

    @property
    def program(self) -> tuple[object, ...]:
        """Return what tells the REPL and its project from others, and from what they were before: a key of facts."""
        folder = self.directory or self.found.directory
        files: list[str | Path] = [*self.found.command]
        if folder is not None:
            files.append(Path(folder, TOOLCHAIN_FILE))
        return self.found.command, folder, self.lean_path, stamps(files), os.environ.get("ELAN_TOOLCHAIN")

    def kind(self, imports: Sequence[str]) -> tuple[object, ...]:
        """Return what the memory of a process with these imports depends on."""
        return *self.program, self.core_options, tuple(imports)


class Repl:
    """One REPL process with fixed imports. It starts at once, so that several can do so side by side.

    Args:
        settings: How to run it.
        imports: The modules to import.
        dialect: Its abilities as an earlier process of the same settings showed them; `None` to find out.
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
        self._kind = settings.kind(imports)
        command = [*settings.found.command, *imports, *settings.core_options]
        self.process = ReplProcess(
            wrap(command, settings.sandbox),
            settings.directory or settings.found.directory,
            _environment(settings.lean_path),
            settings.max_line_bytes,
            settings.memory_mib,
        )
        self._settings = settings
        self.allow_tactics = settings.allow_tactics
        self._options = {**OPTIONS, **(options or {})}
        self._dialect = dialect
        self._ready = False
        self._timeout_ms = 0
        self._limits_end: list[float] = []
        self._last_state = -1
        self._anchor = -1
        self._adopted: list[int] = []

    def ready(self) -> Repl:
        """Wait until the process answers, set its options and find out its abilities; return at once when that is done.

        Returns:
            This REPL.

        Raises:
            BackendOutdated: It is from before Pantograph 0.2.19.
            BackendUnavailable: It did not get ready, or lacks a necessary ability.
        """
        if self._ready:
            return self
        self.process.await_ready(self._settings.start_seconds)
        try:
            self._require("options.set", self._options, _SYNC_SECONDS)
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
        record_memory(self._kind, self.process.memory)
        return self

    @property
    def dialect(self) -> Dialect:
        """Abilities of the REPL, known once it is ready."""
        assert self._dialect is not None, "ready() comes first"
        return self._dialect

    @property
    def is_ready(self) -> bool:
        """Return whether `ready` has succeeded."""
        return self._ready

    @property
    def alive(self) -> bool:
        """Return whether the process runs and can be asked."""
        return self.process.alive

    def ask(self, command: str, payload: Json, seconds: float) -> Json:
        """Send one command and return its answer, which may be a REPL error. See `ReplProcess.request`."""
        return self.process.request(command, payload, seconds)

    def limited(self, command: str, payload: Json, seconds: float) -> Json:
        """Send one command under Lean's time limit, if a thread is free for it, and a slightly longer wall clock.

        Setting the time limit counts as well, so that no call outlasts `seconds` by more than the grace.
        """
        left = seconds + GRACE_SECONDS
        milliseconds = max(math.ceil(seconds * 1000), 1) if self._has_room(seconds) else 0
        if milliseconds != self._timeout_ms:
            until = time.monotonic() + left
            self._require("options.set", {"timeout": milliseconds}, left)
            self._timeout_ms = milliseconds
            left = max(round(until - time.monotonic(), 1), 0.1)
        return self.process.request(command, payload, left)

    def _has_room(self, seconds: float) -> bool:
        """Return whether Lean has a free thread for one more time limit.

        Pantograph's limit sleeps to its end in Lean's pool of threads, also after the command has finished. More limits
        than threads would delay other work in the pool, such as `exact?`, and the limits of later commands.
        """
        now = time.monotonic()
        while self._limits_end and self._limits_end[0] <= now:
            heapq.heappop(self._limits_end)
        if _SLEEPERS_A_COMMAND * (len(self._limits_end) + 1) > SLEEPERS:
            return False
        heapq.heappush(self._limits_end, now + seconds)
        return True

    def adopt(self, answer: Json) -> None:
        """Record the states that a processed file left, to be deleted at the next `settle`.

        Raises:
            ProtocolError: A state that was seen before; the process is ended.
        """
        for unit in answer["units"]:
            if unit.get("goalStateId") is not None:
                self._adopted.append(self.new_state(unit, "goalStateId"))

    def settle(self) -> None:
        """Return to the environment after the imports, in versions that switch to the environment of the last state."""
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
        """Return the number of the state that an answer announces.

        Numbers only grow, so an answer with a number that was seen before belongs to an earlier request.

        Raises:
            ProtocolError: There is no number, or it is not new; the process is ended.
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

    def free(self, states: Iterable[int], seconds: float = _SYNC_SECONDS) -> None:
        """Delete states."""
        self._require("goal.delete", {"stateIds": list(states)}, seconds)

    def sync(self) -> None:
        """Check that no answer is outstanding, by a question whose answer cannot be confused with another.

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

    def _require(self, command: str, payload: Json, seconds: float) -> None:
        answer = self.ask(command, payload, seconds)
        if answer:
            self.close()
            unknown_shape(command, answer, "an empty object")


def _environment(lean_path: str | None) -> dict[str, str]:
    """Return the process's environment: threads for time limits in addition to Lean's own, and the module path."""
    given = os.environ.get(_THREADS, "")
    threads = int(given) if given.isdecimal() else os.cpu_count() or 1
    paths = {} if lean_path is None else {"LEAN_PATH": lean_path}
    return {**os.environ, _THREADS: str(threads + SLEEPERS), **paths}
