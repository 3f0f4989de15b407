"""Pass@k with bootstrap intervals, over all theorems and over parts of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lean_gym.types import Theorem
from trainers.evaluation.held_out import pass_at_k

UNKNOWN = "unknown"
BANDS = 4
"""Difficulty is cut into this many bands of equal width."""


@dataclass(frozen=True, slots=True)
class Rate:
    """An estimated rate from 0 to 1 and its bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Slice:
    """Some of the theorems: how many, and pass@k for each k."""

    theorems: int
    rates: dict[int, Rate]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How intervals are drawn: number of resamples, aimed-at coverage, seed."""

    resamples: int
    confidence: float
    seed: int


def band_of(difficulty: float | None) -> str:
    """Name of the difficulty band: half-open intervals, the last one closed, e.g. `0.25-0.50`."""
    if difficulty is None:
        return UNKNOWN
    number = min(int(difficulty * BANDS), BANDS - 1)
    return f"{number / BANDS:.2f}-{(number + 1) / BANDS:.2f}"


def bootstrap_rate(values: Sequence[float], sampling: Sampling) -> Rate:
    """Mean of per-theorem estimates with a percentile bootstrap interval over theorems.

    Theorems are drawn with replacement, each with its own estimate, so the interval holds both the choice of the
    theorems and, as the estimates scatter with it, the luck of the episodes. It says nothing about other seeds of
    the training, and nothing at all where every estimate is the same: its width is 0 then.

    Args:
        values: One estimate per theorem, at least one.
        sampling: How the interval is drawn.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3.
    """
    estimates = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng([sampling.seed, len(values)])
    means = np.empty(sampling.resamples)
    rows = max(1, 2**20 // len(values))  # a bound on memory
    for start in range(0, sampling.resamples, rows):
        count = min(rows, sampling.resamples - start)
        drawn = generator.integers(len(values), size=(count, len(values)))
        means[start : start + count] = estimates[drawn].mean(axis=1)
    tail = (1.0 - sampling.confidence) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Rate(float(estimates.mean()), float(low), float(high))


def slice_rates(
    theorems: Sequence[Theorem],
    successes: Mapping[str, int],
    samples: int,
    ks: Sequence[int],
    sampling: Sampling,
) -> Slice:
    """Pass@k over some theorems.

    Args:
        theorems: At least one.
        successes: How many of a theorem's episodes proved it, by name; 0 for a name that is missing.
        samples: Episodes per theorem.
        ks: The k, each at most `samples`.
        sampling: How intervals are drawn.
    """
    counts = [successes.get(theorem.name, 0) for theorem in theorems]
    rates = {k: bootstrap_rate([pass_at_k(samples, count, k) for count in counts], sampling) for k in ks}
    return Slice(len(counts), rates)


def by_domain(theorems: Sequence[Theorem]) -> dict[str, list[Theorem]]:
    """Theorems by domain, names sorted, `unknown` last."""
    return _grouped(theorems, [theorem.domain or UNKNOWN for theorem in theorems])


def by_difficulty(theorems: Sequence[Theorem]) -> dict[str, list[Theorem]]:
    """Theorems by difficulty band, easiest first, `unknown` last."""
    return _grouped(theorems, [band_of(theorem.difficulty) for theorem in theorems])


def _grouped(theorems: Sequence[Theorem], names: Sequence[str]) -> dict[str, list[Theorem]]:
    groups: dict[str, list[Theorem]] = {}
    for name in sorted(set(names), key=lambda name: (name == UNKNOWN, name)):
        groups[name] = [theorem for theorem, own in zip(theorems, names, strict=True) if own == name]
    return groups
