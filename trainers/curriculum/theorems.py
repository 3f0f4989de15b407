"""Theorems of a run: loading, training and held-out parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from lean_gym.datasets import load_theorems
from lean_gym.datasets.splits import cut_split, cut_validation, train_and_test
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.errors import ConfigError


@dataclass(frozen=True, slots=True)
class TheoremSplit:
    """Theorems of a run.

    Attributes:
        train: Theorems for training.
        held_out: Theorems for evaluation only.
        separate: Whether the two parts are disjoint; a set too small to be split is evaluated on itself.
        sets: Name of a theorem -> the set that it comes from, as the source names it; empty where that is not known.
    """

    train: tuple[Theorem, ...]
    held_out: tuple[Theorem, ...]
    separate: bool = True
    sets: Mapping[str, str] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Theorem, ...]:
        """Return both parts, each theorem once."""
        return self.train + self.held_out if self.separate else self.train

    def by_set(self, theorems: Sequence[Theorem]) -> dict[str, list[Theorem]]:
        """Return set -> those of the theorems that come from it, in their order; sets in the order of their first."""
        found: dict[str, list[Theorem]] = {}
        for theorem in theorems:
            found.setdefault(self.sets.get(theorem.name, ""), []).append(theorem)
        return found

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
    return _load_with_sets(source)[0]


def _load_with_sets(source: str) -> tuple[list[Theorem], dict[str, str]]:
    """Return the theorems of `load_sets`, and name -> set."""
    theorems: list[Theorem] = []
    sets: dict[str, str] = {}
    for name in _parts(source):
        try:
            loaded = load_theorems(name)
        except DataError as error:
            raise ConfigError(f"theorems: {error}") from None
        for theorem in loaded:
            if theorem.name in sets:
                raise ConfigError(
                    f"theorems: the name {theorem.name!r} occurs twice in {source!r}; names must be unique"
                )
            sets[theorem.name] = cut_split(name)[0]
        theorems += loaded
    if not theorems:
        raise ConfigError(f"theorems: expected a set name or a path, got {source!r}")
    return theorems, sets


def _parts(source: str) -> list[str]:
    return [part.strip() for part in source.split(",") if part.strip()]


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
    theorems, sets = _load_with_sets(source)
    train, test = train_and_test(theorems)
    if not train:
        raise ConfigError(
            f"theorems: no training theorem is left in {source!r} ({len(test)} are of the test split)"
        )
    if held_out == "test" and test:
        return TheoremSplit(tuple(train), tuple(test), sets=sets)
    kept, cut = cut_validation(train)
    if not cut:
        return TheoremSplit(tuple(train), tuple(train), separate=False, sets=sets)
    return TheoremSplit(tuple(kept), tuple(cut), sets=sets)


def held_out_source(source: str, split: TheoremSplit) -> str | None:
    """Return the text from which `load_sets` loads exactly the held-out part; `None` if there is none.

    Args:
        source: Sets of the run, as for `select_theorems`.
        split: Their parts.
    """
    held_out = {theorem.name for theorem in split.held_out}
    parts = []
    for name in _parts(source):
        part = name if cut_split(name)[1] else f"{name}:test"
        with suppress(ConfigError):  # a set without a test split
            parts += [part] if held_out.issuperset(theorem.name for theorem in load_sets(part)) else []
    # The whole source holds the training part too, unless the set is too small to be split.
    for candidate in [",".join(parts), *([] if split.separate else [source])]:
        with suppress(ConfigError):
            if load_sets(candidate) == list(split.held_out):
                return candidate
    return None
