"""Limits of the search for one proof, and their use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits for one theorem. A search ends when one of them is reached.

    Attributes:
        tactics: Tactics given to the prover, refused ones included.
        model_calls: Completions asked of the policy; `None` for no limit.
        seconds: Wall-clock seconds since the start of the search of the theorem, its share of model and prover and the
            time for theorems beside it included; `None` for no limit. A tactic under way at the end is waited for.
        patience: Expansions of a state in a row that give no new tactic, after which it is left alone.

    Raises:
        ValueError: A limit that is not positive.
    """

    tactics: int = 256
    model_calls: int | None = None
    seconds: float | None = None
    patience: int = 1

    def __post_init__(self) -> None:
        for name in ("tactics", "model_calls", "seconds", "patience"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name}: got {value!r}, expected a positive number")


@dataclass(slots=True)
class Spent:
    """Use of a budget by the search of one theorem; the fields are limits of `Budget`."""

    tactics: int = 0
    model_calls: int = 0
    seconds: float = 0.0

    def as_row(self) -> dict[str, float]:
        """Return the use as a JSON object has it."""
        return {
            "tactics": self.tactics,
            "model_calls": self.model_calls,
            "seconds": round(self.seconds, 3),
        }

    def tactics_left(self, budget: Budget) -> int:
        """Return how many more tactics may be tried."""
        return budget.tactics - self.tactics

    def calls_left(self, budget: Budget, wanted: int) -> int:
        """Return how many of the wanted completions may be asked for."""
        return wanted if budget.model_calls is None else min(wanted, budget.model_calls - self.model_calls)

    def is_over(self, budget: Budget) -> bool:
        """Return whether one of the limits is reached."""
        calls = budget.model_calls
        return self.tries_are_over(budget) or (calls is not None and self.model_calls >= calls)

    def tries_are_over(self, budget: Budget) -> bool:
        """Return whether no further tactic may be tried; those of the last completions still may."""
        return self.tactics >= budget.tactics or (
            budget.seconds is not None and self.seconds >= budget.seconds
        )
