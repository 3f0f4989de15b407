"""Ctrl-C and SIGTERM as a request to stop at the next safe point."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, Protocol


class Interrupted(Exception):
    """The run was asked to stop by the signal `signal_number`."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal.Signals(signal_number).name)
        self.signal_number = signal_number


class Stop(Protocol):
    """A source of requests to stop."""

    def check(self) -> None:
        """Raise `Interrupted` after a request."""


class StopRequest:
    """Handler of Ctrl-C and SIGTERM: the first signal is a request to stop at the next safe point.

    A second signal has its usual effect at once, except under a launcher, which forwards signals that this process has
    already received itself.
    """

    def __init__(self, launched: bool = False) -> None:
        """Start without a request; the handlers are installed by `with`.

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
        """Return the number of the received signal, or `None`."""
        return self._signal_number

    def check(self) -> None:
        """Raise `Interrupted` if a signal was received."""
        if self._signal_number is not None:
            raise Interrupted(self._signal_number)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._signal_number = number
        if not self._launched:
            self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
