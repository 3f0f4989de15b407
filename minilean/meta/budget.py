"""Bounds of one piece of elaboration: heartbeats, time, depth.

Source: Lean 4 `src/Lean/CoreM.lean`, `checkMaxHeartbeats` (4.34).
"""

from __future__ import annotations

import time

from minilean.meta.errors import BudgetError

MAX_HEARTBEATS = 400_000

MAX_DEPTH = 220


class Budget:
    """Budget of one tactic: deterministic steps first, and wall-clock time as a second bound."""

    __slots__ = ("deadline", "left")

    def __init__(self, heartbeats: int = MAX_HEARTBEATS, seconds: float = 10.0) -> None:
        self.left = heartbeats
        self.deadline = time.monotonic() + seconds

    def spend(self, what: str) -> None:
        """Count one step; every 256th step also checks the clock.

        Raises:
            BudgetError: The steps or the time are spent.
        """
        self.left -= 1
        if self.left < 0:
            raise BudgetError(
                f"(deterministic) timeout at `{what}`, maximum number of heartbeats has been reached"
            )
        if not self.left & 255:
            self._check_clock(what)

    def charge(self, steps: int, what: str) -> None:
        """Count many steps at once, then check the clock. Raises as `spend` does."""
        self.left -= steps
        self.spend(what)
        self._check_clock(what)

    def _check_clock(self, what: str) -> None:
        if time.monotonic() > self.deadline:
            raise BudgetError(f"timeout at `{what}`: the tactic's deadline has passed")
