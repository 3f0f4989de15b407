"""Difficulty of theorems: as LeanDojo-v2 rates them, by the length of a proof, and as measured, by the solve rate.

Source: `lean_dojo_v2/utils/difficulty.py` and `database/dynamic_database.py` of LeanDojo-v2 1.0.9; Kumarappan et al.
2024, "LeanAgent", arXiv:2410.06209, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from lean_gym.datasets import proof_steps
from lean_gym.types import Theorem

Category = Literal["Easy", "Medium", "Hard"]
CATEGORIES: Final[tuple[Category, ...]] = ("Easy", "Medium", "Hard")
PERCENTILES: Final = (33, 67)
"""Percentiles of the ratings up to which a theorem is easy, and up to which it is of medium difficulty."""


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
