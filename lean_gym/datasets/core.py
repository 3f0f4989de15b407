"""The set `core` under a second split: `core_random` holds out a quarter of its theorems at random."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from lean_gym.types import Theorem

CORE: Final = "core"
CORE_RANDOM: Final = "core_random"
_TEST_SHARE: Final = 0.25


def with_random_split(theorems: Iterable[Theorem]) -> list[Theorem]:
    """Return the theorems with a split that depends on a hash of the name alone, so that it never changes."""
    return [
        replace(theorem, split="test" if _share(theorem.name) < _TEST_SHARE else "train")
        for theorem in theorems
    ]


def _share(name: str) -> float:
    """Return a number in [0, 1) for a name, evenly distributed."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) / 2**32
