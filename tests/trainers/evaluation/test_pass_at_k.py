from __future__ import annotations

from math import comb

import pytest

from lean_gym import Theorem
from trainers.evaluation.pass_at_k import (
    Sampling,
    band_of,
    bootstrap_rate,
    by_difficulty,
    by_domain,
    slice_rates,
)

SAMPLING = Sampling(resamples=20000, confidence=0.95, seed=0)


def theorem(name: str, domain: str = "", difficulty: float | None = None) -> Theorem:
    return Theorem(name, f"theorem {name} : True", domain=domain, difficulty=difficulty)


def test_equal_values_leave_no_doubt() -> None:
    rate = bootstrap_rate([0.25] * 7, SAMPLING)
    assert (rate.value, rate.low, rate.high) == (0.25, 0.25, 0.25)


def test_interval_of_two_values() -> None:
    # Means of two draws from {0, 1}: 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4.
    rate = bootstrap_rate([0.0, 1.0], SAMPLING)
    assert (rate.value, rate.low, rate.high) == (0.5, 0.0, 1.0)
    narrow = bootstrap_rate([0.0, 1.0], Sampling(0, 20000, 0.4))
    assert (narrow.low, narrow.high) == (0.5, 0.5)


def test_interval_of_a_share_is_that_of_the_binomial_distribution() -> None:
    # Resampling 30 ones and 70 zeros draws Binomial(100, 0.3) / 100; its exact quantiles are computed here.
    def quantile(tail: float) -> float:
        total = 0.0
        for count in range(101):
            total += comb(100, count) * 0.3**count * 0.7 ** (100 - count)
            if total >= tail:
                return count / 100
        raise AssertionError

    rate = bootstrap_rate([1.0] * 30 + [0.0] * 70, SAMPLING)
    assert rate.low == pytest.approx(quantile(0.025), abs=0.011)
    assert rate.high == pytest.approx(quantile(0.975), abs=0.011)


def test_the_same_seed_draws_the_same() -> None:
    values = [0.0, 0.2, 0.9, 1.0]
    assert bootstrap_rate(values, SAMPLING) == bootstrap_rate(values, SAMPLING)
    few = [bootstrap_rate(values, Sampling(seed, 50, 0.9)) for seed in (1, 2)]
    assert few[0] != few[1]


def test_draws_in_parts_are_all_made() -> None:
    # More theorems than fit one batch of resamples; an undrawn mean would be arbitrary or 0.
    rate = bootstrap_rate([1.0] * 400_000, Sampling(0, 5, 0.9))
    assert (rate.low, rate.high) == (1.0, 1.0)


def test_pass_at_k_by_hand() -> None:
    # 1 of 4 and 2 of 4 succeeded: pass@2 is 1 - C(3,2)/C(4,2) = 1/2 and 1 - C(2,2)/C(4,2) = 5/6; c was never proved.
    found = slice_rates([theorem("a"), theorem("b"), theorem("c")], {"a": 1, "b": 2}, 4, (1, 2), SAMPLING)
    assert found.theorems == 3
    assert found.rates[1].value == pytest.approx((1 / 4 + 2 / 4) / 3)
    assert found.rates[2].value == pytest.approx((1 / 2 + 5 / 6) / 3)


@pytest.mark.parametrize(
    ("difficulty", "band"),
    [
        (0.0, "0.00-0.25"),
        (0.2499, "0.00-0.25"),
        (0.25, "0.25-0.50"),
        (0.75, "0.75-1.00"),
        (1.0, "0.75-1.00"),
        (None, "unknown"),
    ],
)
def test_bands(difficulty: float | None, band: str) -> None:
    assert band_of(difficulty) == band


def test_groups_hold_every_theorem_once_and_unknown_comes_last() -> None:
    theorems = [theorem("a", "z", 0.9), theorem("b"), theorem("c", "z", 0.1)]
    domains, bands = by_domain(theorems), by_difficulty(theorems)
    assert [(name, [one.name for one in part]) for name, part in domains.items()] == [
        ("z", ["a", "c"]),
        ("unknown", ["b"]),
    ]
    assert list(bands) == ["0.00-0.25", "0.75-1.00", "unknown"]
