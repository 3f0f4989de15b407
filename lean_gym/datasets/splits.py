"""Rules that decide which theorems are for training, for validation and for tests.

A split is `"train"`, `"valid"`, `"test"` or `""`. What is not of the test split is for training.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from lean_gym.types import Theorem

_WORDS: Final = {
    "train": "train",
    "training": "train",
    "valid": "valid",
    "val": "valid",
    "validation": "valid",
    "dev": "valid",
    "test": "test",
}
_TEST_SHARE: Final = 0.25
"""Share of the test part where a hash of the name decides."""
VALIDATION_SHARE: Final = 0.2
"""Share of the training theorems held out as `validation`, or for sets without a test split."""
SPLIT_SEED: Final = 3407
"""Seed of LeanDojo-v2."""
HELD_BACK: Final = 0.2
"""Share of the theorems in each of the parts `val` and `test` of LeanDojo-v2."""

Item = TypeVar("Item")
Parts = dict[str, list[Item]]
"""`train`, `val` and `test`."""


def split_word(text: str) -> str:
    """The split that a file name, a folder name or a field speaks of: `"train"`, `"valid"`, `"test"` or `""`."""
    words = re.split(r"[^a-z]+", text.lower())
    return next((_WORDS[word] for word in words if word in _WORDS), "")


def cut_split(text: str) -> tuple[str, str | None]:
    """A source as the place and the split that its end names, if it names one."""
    name, colon, split = text.rpartition(":")
    # A colon that is part of the path (a drive letter, a directory) is no split.
    return (name, split) if colon and split and not set(split) & {"/", "\\", "."} else (text, None)


def train_and_test(theorems: Iterable[Theorem]) -> tuple[list[Theorem], list[Theorem]]:
    """Return the theorems for training and those of the test split, each in their order."""
    parts: tuple[list[Theorem], list[Theorem]] = ([], [])
    for theorem in theorems:
        parts[theorem.split == "test"].append(theorem)
    return parts


def split_theorems(
    theorems: Sequence[Theorem], test_fraction: float, seed: int
) -> tuple[list[Theorem], list[Theorem]]:
    """Split a set at random, for sets that come without a split.

    Args:
        theorems: The set.
        test_fraction: Share of the test part, in (0, 1).
        seed: The same seed gives the same split of the same set.

    Returns:
        Train and test theorems, each in the set's order.

    Raises:
        ValueError: The fraction is out of range or leaves one part empty.
    """
    held_out = round(test_fraction * len(theorems)) if 0.0 < test_fraction < 1.0 else 0
    if not 0 < held_out < len(theorems):
        raise ValueError(
            f"test_fraction: got {test_fraction!r} of {len(theorems)} theorems, expected two non-empty parts"
        )
    test = set(np.random.default_rng(seed).permutation(len(theorems))[:held_out].tolist())
    return (
        [theorem for index, theorem in enumerate(theorems) if index not in test],
        [theorem for index, theorem in enumerate(theorems) if index in test],
    )


def with_random_split(theorems: Iterable[Theorem]) -> list[Theorem]:
    """Return the theorems with a split that depends on a hash of the name alone, so that it never changes."""
    return [
        replace(theorem, split="test" if _share(theorem.name) < _TEST_SHARE else "train")
        for theorem in theorems
    ]


def _share(name: str) -> float:
    """Return a number in [0, 1) for a name, evenly distributed."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) / 2**32


def cut_validation(theorems: Sequence[Theorem]) -> tuple[list[Theorem], list[Theorem]]:
    """Split off a part that depends only on the theorems, not on their order or a seed.

    Returns:
        The theorems that stay, and `VALIDATION_SHARE` of them; none of so few that the share is below one.
    """
    ranked = sorted(theorems, key=lambda theorem: hashlib.sha256(theorem.statement.encode()).digest())
    cut = {theorem.name for theorem in ranked[: int(VALIDATION_SHARE * len(ranked))]}
    kept = [theorem for theorem in theorems if theorem.name not in cut]
    return kept, [theorem for theorem in theorems if theorem.name in cut]


def divide(
    items: Sequence[Item], key: Callable[[Item], Hashable], premises: Callable[[Item], Sequence[Hashable]]
) -> tuple[Parts[Item], Parts[Item]]:
    """Divide theorems 60/20/20 as LeanDojo-v2 does: at random, and so that tests need premises not trained on.

    Args:
        items: The theorems; the parts depend on their order.
        key: Identity of a theorem.
        premises: Premises that its proof uses.

    Returns:
        The parts `random` and `novel_premises`. The second holds back theorems premise by premise, those with the
        rarest premises first, and more than 40% where the last premise has many.

    Source: `database/dynamic_database.py` of LeanDojo-v2 1.0.9.
    """
    rng = random.Random(SPLIT_SEED)
    shuffled = list(items)
    rng.shuffle(shuffled)
    val = test = int(HELD_BACK * len(shuffled))
    kept = len(shuffled) - val - test
    at_random = {"train": shuffled[:kept], "val": shuffled[kept : kept + val], "test": shuffled[kept + val :]}

    users: dict[Hashable, list[Item]] = {}
    for item in shuffled:
        for premise in premises(item):
            users.setdefault(premise, []).append(item)
    held_back: dict[Hashable, Item] = {}
    for _, each in sorted(users.items(), key=lambda entry: len(entry[1])):
        if len(held_back) >= val + test:
            break
        held_back |= {key(item): item for item in each if key(item) not in held_back}
    rest = list(held_back.values())
    rng.shuffle(rest)
    train = [item for item in shuffled if key(item) not in held_back]
    return at_random, {"train": train, "val": rest[:val], "test": rest[val:]}
