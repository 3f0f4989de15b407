"""Pass@k with bootstrap intervals, over all theorems and over parts of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from lean_gym.types import Theorem
from trainers.evaluation.held_out import pass_at_k

UNKNOWN = "unknown"
BANDS = 4
"""Number of difficulty bands, all of equal width."""


@dataclass(frozen=True, slots=True)
class Rate:
    """An estimated rate from 0 to 1 and its bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Slice:
    """Pass@k of a part of the theorems: their number, and the rate for each k."""

    theorems: int
    rates: dict[int, Rate]


@dataclass(frozen=True, slots=True)
class Sampling:
    """Bootstrap settings: seed, number of resamples, nominal coverage from 0 to 1."""

    seed: int
    resamples: int = 10000
    confidence: float = 0.95


def band_of(difficulty: float | None) -> str:
    """Return the name of a difficulty band: half-open intervals, the last one closed, e.g. `0.25-0.50`."""
    if difficulty is None:
        return UNKNOWN
    number = min(int(difficulty * BANDS), BANDS - 1)
    return f"{number / BANDS:.2f}-{(number + 1) / BANDS:.2f}"


def bootstrap_rate(values: Sequence[float], sampling: Sampling) -> Rate:
    """Return the mean of per-theorem estimates with its percentile bootstrap interval over theorems.

    Theorems are resampled with replacement, each with its own estimate. The interval therefore covers the choice of
    the theorems and the sampling noise of their episodes; it does not cover other training seeds. Its width is 0
    where all estimates are equal, and for a single theorem.

    Args:
        values: One estimate per theorem, at least one.
        sampling: Number of resamples, coverage and seed.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3.
    """
    if len(values) == 1:  # scipy asks for two
        return Rate(float(values[0]), float(values[0]), float(values[0]))
    estimates = np.asarray(values, dtype=np.float64)
    interval = stats.bootstrap(
        (estimates,),
        np.mean,
        n_resamples=sampling.resamples,
        confidence_level=sampling.confidence,
        method="percentile",
        batch=max(1, 2**20 // len(values)),  # bounds memory
        rng=np.random.default_rng([sampling.seed, len(values)]),
    ).confidence_interval
    return Rate(float(estimates.mean()), float(interval.low), float(interval.high))


def slice_rates(
    theorems: Sequence[Theorem],
    successes: Mapping[str, int],
    samples: int,
    ks: Sequence[int],
    sampling: Sampling,
) -> Slice:
    """Estimate pass@k over some theorems.

    Args:
        theorems: At least one.
        successes: Name of a theorem -> number of its episodes that proved it; a missing name counts as 0.
        samples: Episodes per theorem.
        ks: Values of k, each at most `samples`.
        sampling: Bootstrap settings.
    """
    counts = [successes.get(theorem.name, 0) for theorem in theorems]
    rates = {k: bootstrap_rate([pass_at_k(samples, count, k) for count in counts], sampling) for k in ks}
    return Slice(len(counts), rates)


def by_domain(theorems: Sequence[Theorem]) -> dict[str, list[Theorem]]:
    """Group theorems by domain, names sorted, `unknown` last."""
    return _grouped(theorems, [theorem.domain or UNKNOWN for theorem in theorems])


def by_difficulty(theorems: Sequence[Theorem]) -> dict[str, list[Theorem]]:
    """Group theorems by difficulty band, easiest first, `unknown` last."""
    return _grouped(theorems, [band_of(theorem.difficulty) for theorem in theorems])


def _grouped(theorems: Sequence[Theorem], names: Sequence[str]) -> dict[str, list[Theorem]]:
    groups: dict[str, list[Theorem]] = {}
    for name in sorted(set(names), key=lambda name: (name == UNKNOWN, name)):
        groups[name] = [theorem for theorem, own in zip(theorems, names, strict=True) if own == name]
    return groups
