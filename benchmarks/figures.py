"""Statistics of measurements (percentiles, medians, ratios, means over seeds) and their text in tables."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console

WIDTH = 150
"""Width in characters of a table that is not printed to a terminal."""


def percentile(values: Sequence[float], share: float) -> float:
    """Return a quantile, interpolated linearly between neighbours.

    Args:
        values: At least one, in any order.
        share: From 0 (the smallest) to 1 (the largest); 0.5 is the median.

    Raises:
        ValueError: There is no value, or the share is out of range.
    """
    if not values or not 0.0 <= share <= 1.0:
        raise ValueError(f"expected a value and a share from 0 to 1, got {len(values)} values and {share}")
    return float(np.quantile(values, share))


@dataclass(frozen=True, slots=True)
class Spread:
    """Repeated measurements of one quantity.

    Attributes:
        values: Every measurement, at least one.
    """

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Build it from measurements.

        Raises:
            ValueError: There is none.
        """
        if not values:
            raise ValueError("expected at least one measurement, got none")
        return cls(tuple(values))

    @property
    def median(self) -> float:
        """Median of the measurements."""
        return statistics.median(self.values)

    def over(self, other: Spread) -> float:
        """Return this median divided by another; infinity where the other is 0."""
        return self.median / other.median if other.median else math.inf

    def text(self, digits: int = 0) -> str:
        """Return median and range, e.g. `0.41 (0.38 to 0.52)`; only the median of a single measurement."""
        middle = f"{self.median:,.{digits}f}"
        if len(self.values) == 1:
            return middle
        return f"{middle} ({min(self.values):,.{digits}f} to {max(self.values):,.{digits}f})"


def mean_and_deviation(values: Sequence[float], digits: int, factor: float = 1.0) -> str:
    """Return mean and sample standard deviation, e.g. `12.5 ± 0.7`; one value as it is, `-` for none.

    Args:
        values: One for each seed.
        digits: Number of digits after the decimal point.
        factor: Multiplies each value first, e.g. 100 for percent.
    """
    scaled = [factor * value for value in values]
    if not scaled:
        return "-"
    mean = f"{statistics.fmean(scaled):.{digits}f}"
    return mean if len(scaled) == 1 else f"{mean} ± {statistics.stdev(scaled):.{digits}f}"


def open_console() -> Console:
    """Open the console for tables: as wide as the terminal, or `WIDTH` where the output is not a terminal."""
    return Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
