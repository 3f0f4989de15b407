"""REPL processes of a backend: one for the episodes of each set of imports, and a judge.

A process starts when a theorem needs its imports, and its judge once it is ready: two processes that import the same
modules at the same time take longer than one after the other. Where there are more processes than may be kept, the one
that was not used for longest ends, and one with an open episode only where all have one. The same happens where the
memory that is left does not hold one more.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from lean_gym.backends.pantograph.admission import await_memory, fits, turn
from lean_gym.backends.pantograph.dialect import Dialect
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.backends.pantograph.verdicts import Judge
from lean_gym.errors import BackendOutdated, BackendUnavailable, DataError, NoMemoryLeft
from lean_gym.process_state import killed_from_outside

Imports = tuple[str, ...]

CONTROL: Final[Imports] = ("Init",)
"""Modules that every Lean has: a REPL that does not start with them does not start at all."""

ROLES: Final = ("both", "episodes", "judge")
"""Roles of a fleet in an environment: it plays episodes and judges, or leaves the other part to another fleet."""

_STARTS: Final = max(1, (os.cpu_count() or 1) // 2)
"""Processes of this user that may import modules at a time, before others wait."""


@dataclass(slots=True)
class Member:
    """Process for episodes.

    Attributes:
        repl: The process.
        open_episodes: First states of the episodes whose latest state has goals.
        used: Number of its last use, counted over all processes.
    """

    repl: Repl
    open_episodes: set[int] = field(default_factory=set)
    used: int = 0


class _NotStarted(BackendUnavailable):
    """A process that did not get ready; `status` is its exit status where it was not ended from here."""

    status: int | None = None

    @property
    def lasting(self) -> bool:
        """Return whether the process ended by itself, as the next one will."""
        return self.status is not None and self.status >= 0 and not killed_from_outside(self.status)


class Fleet:
    """Starts, finds and ends the processes.

    Args:
        settings: How to run a REPL.
        verify: `"full"` or `"replay"`, see `PantographBackend`.
        most: Most processes to keep, judges included.
        role: One of `ROLES`: which processes start before they are asked something.
    """

    def __init__(self, settings: ReplSettings, verify: str, most: int, role: str = "both") -> None:
        self.dialect: Dialect | None = None
        self._settings = settings
        self._verify = verify
        self._most = most
        self._role = role
        self._clock = itertools.count(1)
        self._members: dict[Imports, Member] = {}
        self._judges: dict[Imports, Judge] = {}
        # Imports with which a process has started, and those with which none can.
        self._loaded: set[Imports] = set()
        self._unloadable: dict[Imports, str] = {}
        self._spare: Imports | None = None

    def start(self, imports: Imports, spare: bool = False) -> Member:
        """Start the process for episodes with these imports and wait until it is ready.

        Args:
            imports: The modules.
            spare: Whether it ends when the first theorem needs other imports.

        Raises:
            BackendUnavailable: It does not start, or was killed twice while it started.
            NoMemoryLeft: The memory that is left does not hold a first process with these imports.
        """
        try:
            repl = self._started(imports)
        except _NotStarted as error:
            # One that does not keep its time is not tried again: that would take as long once more.
            if error.status is None or error.lasting:
                raise
            repl = self._started(imports)
        self.dialect = repl.dialect
        self._loaded.add(imports)
        self._spare = imports if spare else None
        member = self._members[imports] = Member(repl, used=next(self._clock))
        return member

    def begin(self, imports: Imports) -> None:
        """Start the process for episodes with these imports, unless it runs, and its judge, as the role says.

        Raises:
            BackendUnavailable: As `start`.
        """
        if self._role != "judge" and imports not in self._members:
            self.start(imports)
        if self._role != "episodes":
            self.judge(imports).start_ahead()

    def member(self, imports: Imports, theorem: str) -> Member:
        """Return the process for episodes with these imports, ready.

        Args:
            imports: The modules.
            theorem: Who needs them, for messages.

        Raises:
            DataError: These imports cannot be loaded, while others can.
            BackendUnavailable: No process starts.
        """
        if self._spare not in (None, imports):
            self._end(self._spare)
        self._spare = None
        member = self._members.get(imports)
        if member is None or not member.repl.alive:
            return self._load(imports, theorem)
        self.touch(member)
        return member

    def touch(self, member: Member) -> None:
        """Record a use of a process."""
        member.used = next(self._clock)

    def judge(self, imports: Imports) -> Judge:
        """Return the judge for these imports; it starts its process when it needs one."""
        judge = self._judges.get(imports)
        if judge is None:
            judge = self._judges[imports] = Judge(self._settings, self._verify, imports, self.dialect)
        judge.used = next(self._clock)
        if not judge.processes:
            self._make_room(imports)
        return judge

    def end_members(self) -> None:
        """End the processes for episodes."""
        for imports in list(self._members):
            self._end(imports)

    def close(self) -> None:
        """End all processes; calling it twice is allowed."""
        self.end_members()
        for judge in self._judges.values():
            judge.close()

    def _load(self, imports: Imports, theorem: str) -> Member:
        """Start a process and its judge, and find out whether imports that fail are to blame for it."""
        problem = self._unloadable.get(imports)
        if problem is None:
            try:
                member = self.start(imports)
            except (BackendOutdated, NoMemoryLeft):
                raise
            except BackendUnavailable as error:
                if imports in self._loaded or not self._others_load(imports):
                    raise
                problem = str(error)
                # A time limit or a kill may be due to the load of the machine: the next theorem tries again.
                if isinstance(error, _NotStarted) and error.lasting:
                    self._unloadable[imports] = problem
            else:
                self.begin(imports)
                return member
        raise DataError(f"theorem {theorem!r}: its imports {' '.join(imports)} cannot be loaded: {problem}")

    def _started(self, imports: Imports) -> Repl:
        self._make_room(imports)
        kind = self._settings.kind(imports)
        with turn(kind, _STARTS):
            if imports not in self._loaded:
                await_memory(kind, imports)
            return self._ready(Repl(self._settings, imports, self.dialect))

    def _ready(self, repl: Repl) -> Repl:
        try:
            return repl.ready()
        except BackendOutdated:
            raise
        except BackendUnavailable as error:
            failed = _NotStarted(str(error))
            failed.status = repl.process.exit_status
            raise failed from None
        finally:
            if not repl.is_ready:
                repl.close()

    def _others_load(self, imports: Imports) -> bool:
        if imports == CONTROL:
            return False
        if not self._loaded:
            try:
                self.start(CONTROL)
            except BackendUnavailable:
                return False
            self._end(CONTROL)
        return True

    def _end(self, imports: Imports | None) -> None:
        member = self._members.pop(imports, None) if imports is not None else None
        if member is not None:
            member.repl.close()

    @property
    def _running(self) -> int:
        return len(self._members) + sum(judge.processes for judge in self._judges.values())

    def _make_room(self, imports: Imports) -> None:
        """End processes with other imports until one more can be started and the memory holds it."""
        kind = self._settings.kind(imports)
        while self._running >= self._most or fits(kind) == 0:
            rows: list[tuple[bool, int, Callable[[], None]]] = []
            for key, member in self._members.items():
                if key != imports:
                    live = member.repl.alive and bool(member.open_episodes)
                    rows.append((live, member.used, partial(self._end, key)))
            for key, judge in self._judges.items():
                if key != imports and judge.processes:
                    rows.append((False, judge.used, judge.close))
            if not rows:
                return
            min(rows, key=lambda row: row[:2])[2]()
