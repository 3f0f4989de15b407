"""Figures with their spread: percentiles, medians, ratios, means over seeds, and how they are written and shown."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

WIDTH = 150
"""Columns of a table that goes into a file."""


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, between neighbours in proportion.

    Args:
        values: At least one, in any order.
        share: From 0 (the smallest) to 1 (the largest); 0.5 is the median.

    Raises:
        ValueError: There is no value, or the share is out of range.
    """
    if not values or not 0.0 <= share <= 1.0:
        raise ValueError(f"expected a value and a share from 0 to 1, got {len(values)} values and {share}")
    ranked = sorted(values)
    position = share * (len(ranked) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (position - below) * (ranked[above] - ranked[below])


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure that was measured several times.

    Attributes:
        values: Every measurement, at least one.
    """

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of some measurements.

        Raises:
            ValueError: There is none.
        """
        if not values:
            raise ValueError("expected at least one measurement, got none")
        return cls(tuple(values))

    @property
    def median(self) -> float:
        """The middle measurement."""
        return statistics.median(self.values)

    def over(self, other: Spread) -> float:
        """This median as a multiple of another; infinite over 0."""
        return self.median / other.median if other.median else math.inf

    def text(self, digits: int = 0) -> str:
        """Median and range, e.g. `0.41 (0.38 to 0.52)`; the median alone of a single measurement."""
        middle = f"{self.median:,.{digits}f}"
        if len(self.values) == 1:
            return middle
        return f"{middle} ({min(self.values):,.{digits}f} to {max(self.values):,.{digits}f})"


def mean_and_deviation(values: Sequence[float], digits: int, factor: float = 1.0) -> str:
    """Mean and sample standard deviation, e.g. `12.5 ± 0.7`; the value alone if there is one, `-` if none.

    Args:
        values: One for each seed.
        digits: After the decimal point.
        factor: What each value is multiplied with first, e.g. 100 for percent.
    """
    scaled = [factor * value for value in values]
    if not scaled:
        return "-"
    mean = f"{statistics.fmean(scaled):.{digits}f}"
    return mean if len(scaled) == 1 else f"{mean} ± {statistics.stdev(scaled):.{digits}f}"


def open_console() -> Console:
    """Where tables are printed: as wide as the terminal, or as they need where output goes elsewhere."""
    return Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
