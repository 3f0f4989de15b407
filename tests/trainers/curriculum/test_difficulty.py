"""Difficulty against values computed by hand from LeanDojo-v2's rules."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lean_gym import Theorem
from trainers.curriculum.difficulty import (
    categories,
    measured_difficulty,
    ranks,
    rating_of,
    ratings_of,
    thresholds,
)


def test_the_rating_is_exp_of_the_steps() -> None:
    assert rating_of(3, is_sorry=False) == pytest.approx(20.0855, abs=1e-4)
    assert rating_of(0, is_sorry=False) is None
    assert rating_of(1, is_sorry=True) == math.inf
    assert rating_of(5000, is_sorry=False) == math.inf  # beyond a float


def test_ratings_of_a_set() -> None:
    def made(proof: str, difficulty: float | None = None) -> Theorem:
        return Theorem("t", "theorem t : True", proof=proof, difficulty=difficulty)

    by_steps = [made("trivial"), made("intro h\nexact h"), made("")]
    assert ratings_of(by_steps) == [math.exp(1), math.exp(2), None]
    assert ratings_of([made("trivial", 0.75), made("", 0.25)]) == [0.75, 0.25]
    assert ratings_of([made("trivial", 0.75), made("")]) == [math.exp(1), None]  # two scales do not mix


def test_thresholds_are_numpys_percentiles() -> None:
    ratings = [1.0, 7.0, 2.0, 30.0, 4.0, 9.0, 9.5]
    assert thresholds(ratings) == pytest.approx(tuple(np.percentile(ratings, [33, 67])))
    assert thresholds([1.0, None, 3.0]) == pytest.approx((1.66, 2.34))
    assert thresholds([None]) == (math.inf, math.inf)
    # numpy's interpolation gives nan between a number and an infinity.
    assert thresholds([1.0, 2.0, math.inf, math.inf]) == pytest.approx((1.99, math.inf))


def test_categories() -> None:
    ratings = [1.0, 2.0, 3.0, None, None, None, math.inf, None]
    found = categories(ratings, limits=(1.0, 2.0))
    assert found[:3] == ["Easy", "Medium", "Hard"]
    assert [found[3], found[4], found[5], found[7]] == ["Easy", "Medium", "Hard", "Hard"]
    assert found[6] == "Hard"
    # A `sorry` is hard even where the limit is infinite.
    assert categories([math.inf, 1.0], limits=(5.0, math.inf)) == ["Hard", "Easy"]


def test_ranks() -> None:
    assert ranks([4.0, 1.0, math.inf, None]) == [0.5, 0.0, 1.0, 0.5]
    assert ranks([2.0, 2.0, 2.0]) == [0.5, 0.5, 0.5]
    assert ranks([None, 3.0]) == [0.5, 0.5]


def test_measured() -> None:
    assert measured_difficulty(8, 2) == 0.75
    assert measured_difficulty(0, 0) is None
