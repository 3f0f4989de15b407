"""How much one piece of elaboration may do: heartbeats, time, depth.

Source: Lean 4 `src/Lean/CoreM.lean`, `checkMaxHeartbeats` (4.34).
"""

from __future__ import annotations

import time

from minilean.meta.errors import BudgetError

MAX_HEARTBEATS = 400_000

MAX_DEPTH = 220


class Budget:
    """What one tactic may spend: deterministic steps first, wall clock as the backstop."""

    __slots__ = ("deadline", "left")

    def __init__(self, heartbeats: int = MAX_HEARTBEATS, seconds: float = 10.0) -> None:
        self.left = heartbeats
        self.deadline = time.monotonic() + seconds

    def spend(self, what: str) -> None:
        """Count one step; every 256th one looks at the clock."""
        self.left -= 1
        if self.left < 0:
            raise BudgetError(
                f"(deterministic) timeout at `{what}`, maximum number of heartbeats has been reached"
            )
        if not self.left & 255:
            self._look_at_clock(what)

    def charge(self, steps: int, what: str) -> None:
        """Count many steps at once, then look at the clock."""
        self.left -= steps
        self.spend(what)
        self._look_at_clock(what)

    def _look_at_clock(self, what: str) -> None:
        if time.monotonic() > self.deadline:
            raise BudgetError(f"timeout at `{what}`: the tactic's deadline has passed")
