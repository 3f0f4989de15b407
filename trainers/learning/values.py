"""Potentials of proof states: numbers from 0 to 1 that say how little is left to prove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from trainers.config.credit import ValueKind

Goals = tuple[str, ...]
"""All open goals of a state as Lean prints them, the main goal first; never cut."""

HALF_SIZE = 100
"""Characters of goals at which `goal_size` is one half."""


class ValueSource(Protocol):
    """Potential of proof states."""

    def __call__(self, states: Sequence[Goals]) -> Sequence[float]:
        """Return one number from 0 to 1 per state, larger where less is left to prove; equal for equal states."""
        ...


def goals_left(states: Sequence[Goals]) -> list[float]:
    """Return 1 / n for n open goals, and 1 for none."""
    return [1.0 / max(1, len(goals)) for goals in states]


def goal_size(states: Sequence[Goals]) -> list[float]:
    """Return c / (c + n) for goals of n characters in all, with c = `HALF_SIZE`."""
    return [HALF_SIZE / (HALF_SIZE + sum(map(len, goals))) for goals in states]


VALUE_SOURCES: Final[dict[ValueKind, ValueSource]] = {
    "goals": goals_left,
    "goal_size": goal_size,
}
"""Potential of each choice of the setting `value`."""


def check_potentials(values: Sequence[float], count: int) -> list[float]:
    """Return the numbers of a `ValueSource` as a list.

    Raises:
        ValueError: There are not `count` of them, or one is outside of 0 to 1.
    """
    found = [float(value) for value in values]
    if len(found) != count:
        raise ValueError(f"expected one potential for each of {count} states, got {len(found)}")
    wrong = [value for value in found if not 0.0 <= value <= 1.0]
    if wrong:
        raise ValueError(f"expected potentials from 0 to 1, got {wrong[0]}")
    return found
