"""Difficulty of theorems: as LeanDojo-v2 rates them, by the length of a proof, and as measured, by the solve rate.

Source: `lean_dojo_v2/utils/difficulty.py` and `database/dynamic_database.py` of LeanDojo-v2 1.0.9; Kumarappan et al.
2024, "LeanAgent", arXiv:2410.06209, section 4.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Final, Literal, TypeVar

import numpy as np

from lean_gym.datasets import proof_steps
from lean_gym.types import Theorem

Category = Literal["Easy", "Medium", "Hard"]
CATEGORIES: Final[tuple[Category, ...]] = ("Easy", "Medium", "Hard")
PERCENTILES: Final = (33, 67)
"""Percentiles of the ratings up to which a theorem is easy, and up to which it is of medium difficulty."""
SPLIT_SEED: Final = 3407
HELD_BACK: Final = 0.2
"""Share of the theorems in each of the parts `val` and `test`."""

Item = TypeVar("Item")
Parts = dict[str, list[Item]]
"""`train`, `val` and `test`."""


def rating_of(steps: int, is_sorry: bool) -> float | None:
    """Return LeanDojo-v2's rating: exp of the number of proof steps.

    Args:
        steps: Tactics of the proof; 0 where none is known.
        is_sorry: Whether the proof is a `sorry`.

    Returns:
        The rating; infinite for a `sorry` and for a proof too long for a floating-point number, `None` where no step is
        known, as in a proof by a term.
    """
    if is_sorry:
        return math.inf
    if steps == 0:
        return None
    try:
        return math.exp(steps)
    except OverflowError:
        return math.inf


def ratings_of(theorems: Sequence[Theorem]) -> list[float | None]:
    """Return a rating for each theorem of a set, for comparison within the set.

    It is the field `difficulty` where all theorems have it, else the rating by the steps of the reference proof. A
    theorem without a proof counts as unknown, not as infinitely hard: a set need not hold proofs.
    """
    if all(theorem.difficulty is not None for theorem in theorems):
        return [theorem.difficulty for theorem in theorems]
    steps = [len(proof_steps(theorem.proof)) if theorem.proof.strip() else 0 for theorem in theorems]
    return [rating_of(count, is_sorry=False) for count in steps]


def thresholds(ratings: Sequence[float | None]) -> tuple[float, float]:
    """Return the ratings up to which a theorem is easy and of medium difficulty; infinite where nothing is rated.

    Percentiles between a finite and an infinite rating are infinite, where interpolation would give no number.
    """
    known = sorted(rating for rating in ratings if rating is not None)
    if not known:
        return math.inf, math.inf
    found = []
    for percentile in PERCENTILES:
        place = (len(known) - 1) * percentile / 100
        below, above = known[math.floor(place)], known[math.ceil(place)]
        share = place - math.floor(place)
        infinite = above == math.inf and (share > 0 or below == math.inf)
        found.append(math.inf if infinite else below + share * (above - below if share else 0.0))
    return found[0], found[1]


def categories(ratings: Sequence[float | None], limits: tuple[float, float] | None = None) -> list[Category]:
    """Return the category of each theorem; those without a rating are spread evenly, in their order.

    An infinite rating is hard, whatever the limits.

    Args:
        ratings: Of the theorems of one repository or set.
        limits: Result of `thresholds` over all repositories; that of these ratings if left out.
    """
    easy, medium = thresholds(ratings) if limits is None else limits
    unknown = [place for place, rating in enumerate(ratings) if rating is None]
    third = len(unknown) // 3
    spread = {
        place: CATEGORIES[min(2, number // third) if third else 2] for number, place in enumerate(unknown)
    }
    found: list[Category] = []
    for place, rating in enumerate(ratings):
        if rating is None:
            found.append(spread[place])
        elif rating == math.inf or rating > medium:
            found.append("Hard")
        else:
            found.append("Easy" if rating <= easy else "Medium")
    return found


def ranks(ratings: Sequence[float | None]) -> list[float]:
    """Return the place of each theorem from the easiest (0) to the hardest (1); equal ratings share the middle.

    A theorem without a rating stands in the middle of all.
    """
    known = sorted(rating for rating in ratings if rating is not None)
    if len(known) < 2:
        return [0.5] * len(ratings)
    low = np.searchsorted(known, [rating or 0.0 for rating in ratings], side="left")
    high = np.searchsorted(known, [rating or 0.0 for rating in ratings], side="right")
    places = (low + high - 1) / (2 * (len(known) - 1))
    return [0.5 if rating is None else float(at) for rating, at in zip(ratings, places, strict=True)]


def measured_difficulty(tries: int, solved: int) -> float | None:
    """Return the share of episodes that failed, from 0 to 1; `None` without episodes."""
    return 1.0 - solved / tries if tries else None


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
