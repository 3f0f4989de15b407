from benchmarks.layer import row, seconds_of


def test_a_row_has_mean_median_and_the_worst_but_one_percent() -> None:
    """1, 2, .., 100 microseconds, out of order."""
    seconds = [number * 1e-6 for number in range(100, 0, -1)]
    assert row("client", seconds) == "| client      |    100 |      50 |      50 |     100 |"


def test_what_waits_takes_no_time() -> None:
    result, seconds = seconds_of(lambda: "done")
    assert result == "done"
    assert seconds >= 0.0
