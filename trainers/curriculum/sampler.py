"""Sampler of the theorems of an iteration, by the curriculum of the settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from trainers.config.run import CurriculumConfig
from trainers.curriculum.difficulty import CATEGORIES, categories, ranks, ratings_of
from trainers.curriculum.theorems import TheoremSplit

_OUTSIDE: Final = 1e-9
"""Weight of a theorem that the curriculum leaves out: drawn where the others are not enough."""


class TheoremSampler:
    """Sampler of the theorems of an iteration.

    | curriculum | weight of a theorem |
    |---|---|
    | `adaptive` | by its solve rate, see below |
    | `half` | the same; one not tried yet has the mean solve rate of the tried ones of its category |
    | `easy_first` | 1 among the easiest, from `easy_share` of all to all as the run goes on |
    | `percentile` | 1 in one category: easy in the first third of the run, then medium, then hard |
    | `uniform` | 1 |

    Under the `adaptive` curriculum a theorem with solve rate p (running mean over its groups) has weight `4 p (1 - p)`,
    at least `floor`, because groups of mixed outcome give advantages. A theorem not tried yet has weight 1.

    The weight of a theorem of a mixture is divided by the square root of the number of theorems in its set: a set is
    drawn by the root of its size, so that a small one is not lost beside a large one.

    A share `mixed_share` of each draw is kept for mixed theorems, those known to be sometimes proved: weight above
    `floor`. By weight alone they would hardly be seen again in a large set, where most theorems are not tried yet.

    Attributes:
        names: The theorems to draw from.
        solve_rates: Theorem -> running mean of its solve rate.
        completed: Completed share of the run, from 0 to 1; set before each draw.
    """

    def __init__(
        self,
        names: Sequence[str],
        settings: CurriculumConfig | None = None,
        floor: float = 0.15,
        decay: float = 0.5,
        solve_rates: dict[str, float] | None = None,
        ratings: Sequence[float | None] | None = None,
        sets: Sequence[str] | None = None,
    ) -> None:
        """Start with the groups recorded before, if any.

        Args:
            names: The theorems to draw from.
            settings: The curriculum; the default one if left out.
            floor: Smallest weight of a theorem.
            decay: Weight of the old running mean when a group is recorded.
            solve_rates: Running means of an earlier sampler; updated in place.
            ratings: Difficulty of each theorem, `None` where it is unknown; all alike if left out.
            sets: The set that each theorem comes from; one for all if left out.
        """
        self.names = tuple(names)
        self.solve_rates = {} if solve_rates is None else solve_rates
        self._settings = settings or CurriculumConfig()
        self._floor = floor
        self._decay = decay
        self._places = {name: place for place, name in enumerate(self.names)}
        self._weights = np.ones(len(self.names))
        self._mixed = np.zeros(len(self.names), dtype=np.bool_)
        self.completed = 0.0
        sizes = Counter(sets or ())
        self._balance = np.array([sizes[each] ** -0.5 for each in sets or ()] or np.ones(len(self.names)))
        ratings = [None] * len(self.names) if ratings is None else ratings
        self._order = np.argsort(ranks(ratings), kind="stable")
        found = categories(ratings)
        self._categories = np.array([CATEGORIES.index(each) for each in found], dtype=np.int64)
        self._rates = np.full(len(self.names), np.nan)
        for name in self.solve_rates.keys() & self._places.keys():
            self._update(name)
        if self._settings.curriculum == "half":
            for category in range(len(CATEGORIES)):
                self._estimate(category)

    @classmethod
    def over(cls, split: TheoremSplit, settings: CurriculumConfig, solve_rates: dict[str, float]) -> Self:
        """Return a sampler of training theorems with their difficulties and sets; for the others see `__init__`."""
        names = [theorem.name for theorem in split.train]
        ratings = ratings_of(split.train)
        sets = [split.sets.get(name, "") for name in names]
        return cls(names, settings, solve_rates=solve_rates, ratings=ratings, sets=sets)

    def draw(self, count: int, rng: np.random.Generator) -> list[str]:
        """Draw distinct theorems; all of them if `count` is larger."""
        count = min(count, len(self.names))
        mixed = np.flatnonzero(self._mixed)
        kept = min(len(mixed), int(self._settings.mixed_share * count))
        balanced = self._weights * self._balance
        first = _choose(mixed, balanced[mixed], kept, rng)
        weights = balanced * self._pool()
        weights[first] = 0.0
        others = _choose(np.arange(len(weights)), weights, count - kept, rng)
        return [self.names[place] for place in (*first, *others)]

    def record(self, name: str, solve_rate: float) -> None:
        """Record the share of a group's episodes that proved the theorem."""
        before = self.solve_rates.get(name, solve_rate)
        self.solve_rates[name] = self._decay * before + (1.0 - self._decay) * solve_rate
        self._update(name)
        if self._settings.curriculum == "half":
            self._estimate(self._categories[self._places[name]])

    def _update(self, name: str) -> None:
        """Update the weight of a theorem with a known solve rate."""
        if self._settings.curriculum not in ("adaptive", "half"):
            return
        place, rate = self._places[name], self.solve_rates[name]
        weight = 4.0 * rate * (1.0 - rate)
        self._weights[place] = max(self._floor, weight)
        self._mixed[place] = weight > self._floor
        self._rates[place] = rate

    def _estimate(self, category: int) -> None:
        """Weigh the theorems of a category that were not tried yet by the mean solve rate of those that were."""
        members = self._categories == category
        tried = members & ~np.isnan(self._rates)
        if tried.any():
            rate = float(self._rates[tried].mean())
            self._weights[members & ~tried] = max(self._floor, 4.0 * rate * (1.0 - rate))

    def _pool(self) -> npt.NDArray[np.float64]:
        """Return a factor on the weight of each theorem: 1 for those that the curriculum allows now."""
        allowed = np.ones(len(self.names), dtype=np.bool_)
        if self._settings.curriculum == "easy_first":
            share = self._settings.easy_share
            count = round(len(self.names) * (share + (1.0 - share) * min(1.0, self.completed)))
            allowed[self._order[max(1, count) :]] = False
        elif self._settings.curriculum == "percentile":
            allowed = self._categories == min(len(CATEGORIES) - 1, int(len(CATEGORIES) * self.completed))
        return np.where(allowed, 1.0, _OUTSIDE)


def _choose(
    places: npt.NDArray[np.int64], weights: npt.NDArray[np.float64], count: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw distinct places by weight."""
    if count == 0:
        return places[:0]
    return rng.choice(places, size=count, replace=False, p=weights / weights.sum())
