"""Theorems of a run: loading, training and held-out parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from lean_gym.datasets import load_theorems
from lean_gym.datasets.sets import cut_split
from lean_gym.errors import DataError
from lean_gym.types import Theorem
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
