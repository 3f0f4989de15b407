"""Theorems of a run: loading, training and held-out parts, and the sampler of the next theorems."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_gym.datasets import load_theorems
from lean_gym.datasets.sets import cut_split
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.config.run import CurriculumConfig
from trainers.errors import ConfigError

VALIDATION_SHARE = 0.2
"""Share of the training theorems held out as `validation`, or for sets without a test split."""


@dataclass(frozen=True, slots=True)
class TheoremSplit:
    """Theorems of a run.

    Attributes:
        train: Theorems for training.
        held_out: Theorems for evaluation only.
        separate: Whether the two parts are disjoint; a set too small to be split is evaluated on itself.
    """

    train: tuple[Theorem, ...]
    held_out: tuple[Theorem, ...]
    separate: bool = True

    @property
    def all(self) -> tuple[Theorem, ...]:
        """Return both parts, each theorem once."""
        return self.train + self.held_out if self.separate else self.train

    @property
    def checksum(self) -> str:
        """Return the SHA-256 over the rows of both parts, independent of file names and order of keys."""
        return _digest({"train": _rows(self.train), "held_out": _rows(self.held_out)})


def checksum(theorems: Sequence[Theorem]) -> str:
    """Return the SHA-256 over the rows, independent of file names and order of keys."""
    return _digest(_rows(theorems))


def _rows(theorems: Sequence[Theorem]) -> list[dict[str, Any]]:
    return [asdict(theorem) for theorem in theorems]


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def load_sets(source: str) -> list[Theorem]:
    """Load theorem sets.

    Args:
        source: Set names (`logic`, `logic:test`) or JSONL paths, separated by commas.

    Raises:
        ConfigError: A set does not exist or cannot be used, or two theorems share a name.
    """
    theorems: list[Theorem] = []
    for name in filter(None, (part.strip() for part in source.split(","))):
        try:
            theorems += load_theorems(name)
        except DataError as error:
            raise ConfigError(f"theorems: {error}") from None
    seen: set[str] = set()
    for theorem in theorems:
        if theorem.name in seen:
            raise ConfigError(
                f"theorems: the name {theorem.name!r} occurs twice in {source!r}; names must be unique"
            )
        seen.add(theorem.name)
    if not theorems:
        raise ConfigError(f"theorems: expected a set name or a path, got {source!r}")
    return theorems


def select_theorems(source: str, held_out: str) -> TheoremSplit:
    """Load the sets of a run and split them.

    Args:
        source: Set names or JSONL paths, separated by commas.
        held_out: `"test"` or `"validation"`, as in `EvaluationConfig.held_out`.

    Returns:
        The training part and the held-out part. Rows of the test split never enter the training part.

    Raises:
        ConfigError: A set does not exist or cannot be used, or no training theorem is left.
    """
    theorems = load_sets(source)
    train = [theorem for theorem in theorems if theorem.split != "test"]
    test = [theorem for theorem in theorems if theorem.split == "test"]
    if not train:
        raise ConfigError(
            f"theorems: no training theorem is left in {source!r} ({len(test)} are of the test split)"
        )
    if held_out == "test" and test:
        return TheoremSplit(tuple(train), tuple(test))
    kept, cut = _cut(train)
    if not cut:
        return TheoremSplit(tuple(train), tuple(train), separate=False)
    return TheoremSplit(tuple(kept), tuple(cut))


def held_out_source(source: str, split: TheoremSplit) -> str | None:
    """Return the text from which `load_sets` loads exactly the held-out part; `None` if there is none.

    Args:
        source: Sets of the run, as for `select_theorems`.
        split: Their parts.
    """
    held_out = {theorem.name for theorem in split.held_out}
    parts = []
    for name in filter(None, (part.strip() for part in source.split(","))):
        part = name if cut_split(name)[1] else f"{name}:test"
        with suppress(ConfigError):  # a set without a test split
            parts += [part] if held_out.issuperset(theorem.name for theorem in load_sets(part)) else []
    # The whole source holds the training part too, unless the set is too small to be split.
    for candidate in [",".join(parts), *([] if split.separate else [source])]:
        with suppress(ConfigError):
            if load_sets(candidate) == list(split.held_out):
                return candidate
    return None


def _cut(theorems: Sequence[Theorem]) -> tuple[list[Theorem], list[Theorem]]:
    """Split off a part that depends only on the theorems, not on their order or a seed."""
    ranked = sorted(theorems, key=lambda theorem: hashlib.sha256(theorem.statement.encode()).digest())
    cut = {theorem.name for theorem in ranked[: int(VALIDATION_SHARE * len(ranked))]}
    kept = [theorem for theorem in theorems if theorem.name not in cut]
    return kept, [theorem for theorem in theorems if theorem.name in cut]


class TheoremSampler:
    """Sampler of the theorems of an iteration.

    Under the `adaptive` curriculum a theorem with solve rate p (running mean over its groups) has weight `4 p (1 - p)`,
    at least `floor`, because groups of mixed outcome give advantages. A theorem not tried yet has weight 1. A theorem
    that was proved in every episode of `retire_after` groups in a row is retired: it has weight `revisit_weight`, so it
    is drawn rarely, until one of its episodes fails. Under `uniform` all weights are equal.

    A share `mixed_share` of each draw is kept for mixed theorems, those known to be sometimes proved: weight above
    `floor`. By weight alone they would hardly be seen again in a large set, where most theorems are not tried yet.

    Attributes:
        names: The theorems to draw from.
        solve_rates: Theorem -> running mean of its solve rate.
        streaks: Theorem -> number of latest groups in a row in which every episode proved it.
    """

    def __init__(
        self,
        names: Sequence[str],
        settings: CurriculumConfig | None = None,
        floor: float = 0.15,
        decay: float = 0.5,
        solve_rates: dict[str, float] | None = None,
        streaks: dict[str, int] | None = None,
    ) -> None:
        """Start with the groups recorded before, if any.

        Args:
            names: The theorems to draw from.
            settings: The curriculum; the default one if left out.
            floor: Smallest weight of a theorem that is not retired.
            decay: Weight of the old running mean when a group is recorded.
            solve_rates: Running means of an earlier sampler; updated in place.
            streaks: Its streaks, likewise.
        """
        self.names = tuple(names)
        self.solve_rates = {} if solve_rates is None else solve_rates
        self.streaks = {} if streaks is None else streaks
        self._settings = settings or CurriculumConfig()
        self._floor = floor
        self._decay = decay
        self._places = {name: place for place, name in enumerate(self.names)}
        self._weights = np.ones(len(self.names))
        self._mixed = np.zeros(len(self.names), dtype=np.bool_)
        for name in self.solve_rates.keys() & self._places.keys():
            self._update(name)

    @property
    def retired(self) -> list[str]:
        """Return the retired theorems, which are drawn rarely because they are proved every time."""
        return [name for name in self.names if self._is_retired(name)]

    def draw(self, count: int, rng: np.random.Generator) -> list[str]:
        """Draw distinct theorems; all of them if `count` is larger."""
        count = min(count, len(self.names))
        mixed = np.flatnonzero(self._mixed)
        kept = min(len(mixed), int(self._settings.mixed_share * count))
        first = _choose(mixed, self._weights[mixed], kept, rng)
        weights = self._weights.copy()
        weights[first] = 0.0
        others = _choose(np.arange(len(weights)), weights, count - kept, rng)
        return [self.names[place] for place in (*first, *others)]

    def record(self, name: str, solve_rate: float) -> None:
        """Record the share of a group's episodes that proved the theorem."""
        before = self.solve_rates.get(name, solve_rate)
        self.solve_rates[name] = self._decay * before + (1.0 - self._decay) * solve_rate
        self.streaks[name] = self.streaks.get(name, 0) + 1 if solve_rate == 1.0 else 0
        self._update(name)

    def _is_retired(self, name: str) -> bool:
        after = self._settings.retire_after
        return 0 < after <= self.streaks.get(name, 0)

    def _update(self, name: str) -> None:
        """Update the weight of a theorem with a known solve rate."""
        if self._settings.curriculum == "uniform":
            return
        place, rate = self._places[name], self.solve_rates[name]
        weight, retired = 4.0 * rate * (1.0 - rate), self._is_retired(name)
        self._weights[place] = self._settings.revisit_weight if retired else max(self._floor, weight)
        self._mixed[place] = weight > self._floor and not retired


def _choose(
    places: npt.NDArray[np.int64], weights: npt.NDArray[np.float64], count: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw distinct places by weight."""
    if count == 0:
        return places[:0]
    return rng.choice(places, size=count, replace=False, p=weights / weights.sum())
