from __future__ import annotations

import math

import pytest

from benchmarks.figures import Spread, mean_and_deviation, open_console, percentile


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([7.0], 0.99, 7.0),
        ([4.0, 1.0, 3.0, 2.0], 0.0, 1.0),
        ([4.0, 1.0, 3.0, 2.0], 1.0, 4.0),
        ([4.0, 1.0, 3.0, 2.0], 0.5, 2.5),  # position 1.5 of 1 2 3 4
        ([10.0, 20.0, 30.0, 40.0, 50.0], 0.9, 46.0),  # position 3.6: 40 + 0.6 * 10
        ([float(n) for n in range(101)], 0.99, 99.0),
    ],
)
def test_percentiles(values: list[float], share: float, expected: float) -> None:
    assert percentile(values, share) == pytest.approx(expected)


@pytest.mark.parametrize(("values", "share"), [([], 0.5), ([1.0], 1.1), ([1.0], -0.1)])
def test_percentiles_that_do_not_exist(values: list[float], share: float) -> None:
    with pytest.raises(ValueError, match="expected a value and a share"):
        percentile(values, share)


def test_a_spread_is_median_and_range() -> None:
    assert Spread.of([3.0, 1.0, 2.5]).text(1) == "2.5 (1.0 to 3.0)"
    assert Spread.of([1234.4]).text() == "1,234"
    with pytest.raises(ValueError, match="got none"):
        Spread.of([])


def test_ratios_are_those_of_medians() -> None:
    slow, fast = Spread.of([1.0, 6.0, 100.0]), Spread.of([1.0, 3.0])
    assert slow.over(fast) == 3.0
    assert fast.over(slow) == pytest.approx(1 / 3)
    assert math.isinf(fast.over(Spread.of([0.0])))


@pytest.mark.parametrize(
    ("values", "text"),
    [([], "-"), ([0.5], "50.0"), ([0.1, 0.3], "20.0 ± 14.1"), ([0.1, 0.2, 0.3], "20.0 ± 10.0")],
)
def test_mean_and_sample_deviation(values: list[float], text: str) -> None:
    """Of 10 and 30: deviations -10 and 10, divisor 1, so the root of 200."""
    assert mean_and_deviation(values, 1, 100) == text


def test_a_file_gets_wide_tables(capsys: pytest.CaptureFixture[str]) -> None:
    open_console().print("word " * 30)
    assert capsys.readouterr().out == "word " * 30 + "\n"
