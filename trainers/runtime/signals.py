"""Ctrl-C and SIGTERM as a request that a run meets at its next safe point."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, Protocol


class Interrupted(Exception):
    """The run was asked to stop; `signal_number` says how."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal.Signals(signal_number).name)
        self.signal_number = signal_number


class Stop(Protocol):
    """Whoever may have been asked to stop."""

    def check(self) -> None:
        """Raise `Interrupted` if so."""


class StopRequest:
    """Turns Ctrl-C and SIGTERM into a request that the run meets at its next safe point.

    A second signal takes effect at once, as it would without this, unless a launcher stands in between: it passes on
    signals that this process has received itself.
    """

    def __init__(self, launched: bool = False) -> None:
        """Note nothing yet.

        Args:
            launched: Whether a launcher started this process.
        """
        self._launched = launched
        self._signal_number: int | None = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> StopRequest:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    @property
    def signal_number(self) -> int | None:
        """The signal that has come, if any."""
        return self._signal_number

    def check(self) -> None:
        """Raise `Interrupted` if a signal has come."""
        if self._signal_number is not None:
            raise Interrupted(self._signal_number)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._signal_number = number
        if not self._launched:
            self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
