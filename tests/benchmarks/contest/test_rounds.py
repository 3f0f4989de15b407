from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from benchmarks.contest.rounds import (
    Line,
    Outcome,
    compare,
    hold_contest,
    learning_lines,
    memory_lines,
    per_thousand_tactics,
)
from benchmarks.contest.settings import Contest, Measurement
from benchmarks.figures import Spread
from trainers.errors import ConfigError


def scripted(rows: int = 5) -> tuple[list[tuple[str, str]], Any]:
    """A runner that records its jobs and answers with fixed figures: the stock side takes twice the time."""
    jobs: list[tuple[str, str]] = []

    def run(job: dict[str, Any]) -> dict[str, Any]:
        jobs.append((job["side"], job.get("phase", "")))
        if job["side"] == "preparation":
            return {"episodes": 8.0}
        slow = 2.0 if job["side"] == "stock" else 1.0
        return asdict(Measurement(learning_s=[slow, slow], tokens=[100, 100], rows=rows))

    return jobs, run


def test_sides_begin_in_turns() -> None:
    jobs, run = scripted()
    outcome = hold_contest(Contest(), 2, lambda _: None, run)
    learning, iteration = (
        [("ours", "learning"), ("stock", "learning")],
        [("ours", "iteration"), ("stock", "iteration")],
    )
    assert jobs == [("preparation", ""), *learning, *iteration, *learning[::-1], *iteration[::-1]]
    assert {len(runs) for runs in outcome.runs.values()} == {2}
    line = learning_lines(outcome)[0]
    assert line.ours == Spread((1.0,) * 4)
    assert line.ratio == "2.00x as fast"
    assert learning_lines(outcome)[1].stock.median == 50.0  # 100 tokens in 2 s


def test_a_batch_without_advantages_is_refused() -> None:
    with pytest.raises(ConfigError, match="--warm-start-epochs"):
        hold_contest(Contest(), 1, lambda _: None, scripted(rows=0)[1])


@pytest.mark.parametrize(
    ("kind", "text"),
    [("seconds", "0.50x as fast"), ("rate", "2.00x as fast"), ("memory", "2.00x the memory"), ("fact", "")],
)
def test_ratios_are_ours_to_theirs(kind: Any, text: str) -> None:
    assert Line("", Spread.of([4.0]), Spread.of([2.0]), kind).ratio == text


def test_no_memory_at_all_gives_no_ratio() -> None:
    assert Line("", Spread.of([4.0]), Spread.of([0.0]), "memory").ratio == "-"


def test_memory_above_what_was_loaded() -> None:
    runs = {
        (side, "learning"): [Measurement(loaded_mib=loaded, peak_mib=500.0)]
        for side, loaded in (("ours", 400.0), ("stock", 500.2))
    }
    whole, above = memory_lines(Outcome({}, runs), "learning", "x")  # type: ignore[arg-type]
    assert (whole.ours.median, whole.stock.median) == (500.0, 500.0)
    assert (above.ours.median, above.stock.median) == (100.0, 0.0)


def test_figures_of_all_rounds_are_put_together() -> None:
    runs = {
        (side, "iteration"): [Measurement(tactics=[10, 20]), Measurement(tactics=[30])]
        for side in ("ours", "stock")
    }
    line = compare(Outcome({}, runs), "", "iteration", lambda run: run.tactics, "fact")  # type: ignore[arg-type]
    assert line.ours.values == (10, 20, 30)


def test_seconds_for_a_thousand_tactics() -> None:
    assert per_thousand_tactics([1.0, 3.0], [500, 1000]) == [2.0, 3.0]
