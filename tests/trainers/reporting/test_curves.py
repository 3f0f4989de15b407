"""Scalars and the charts of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from trainers.reporting.curves import ALL_RUNS, Chart, Series, automation_of, figures, read_curves
from trainers.reporting.gather import gather
from trainers.reporting.rows import AutomationRow
from trainers.reporting.run_folder import read_run

PASS = Chart("eval/pass_at_1", "pass@1", share=True, automation=True)
CURVE = ((0, 0.25), (4, 0.5))


def test_scalars_are_read(write_run: Any) -> None:
    points = {1: 0.25, 2: math.nan, 3: math.inf, 4: 0.5}
    folder = write_run(scalars={"proof/solve_rate": points, "policy/kl": {1: math.nan}})
    assert read_curves(folder) == ({"proof/solve_rate": ((1, 0.25), (4, 0.5))}, [])


def test_no_folder_has_no_scalars(tmp_path: Path) -> None:
    assert read_curves(tmp_path / "none") == ({}, [])


def test_an_event_file_is_read_up_to_a_broken_record(write_run: Any) -> None:
    folder = write_run(scalars={"proof/solve_rate": {1: 0.25, 2: 0.5}})
    [file] = folder.glob("events.out.tfevents.*")
    whole = file.read_bytes()
    file.write_bytes(whole[:-5])
    assert read_curves(folder) == ({"proof/solve_rate": ((1, 0.25),)}, [file.name])
    file.write_bytes(whole[:-20] + b"\xff" * 20)
    assert read_curves(folder) == ({"proof/solve_rate": ((1, 0.25),)}, [file.name])


def test_a_broken_record_is_a_note(write_run: Any) -> None:
    run = write_run()
    [file] = run.glob("events.out.tfevents.*")
    file.write_bytes(file.read_bytes()[:-5])
    notes = gather(read_run(run, "run")).record.notes
    assert notes == [f"{file.name}: a record is broken; the curves end there"]


def test_automation_is_that_of_the_summary_or_of_the_scalars() -> None:
    curves = {"eval/automation_best": ((0, 0.25), (2, 0.5))}
    assert automation_of(curves, AutomationRow(best=0.75, any=1.0)) == {"best": 0.75, "any": 1.0}
    assert automation_of(curves, None) == {"best": 0.5}


def test_a_chart_has_a_line_for_each_run_and_one_for_their_automation() -> None:
    runs = [
        Series(0, [("a", {"eval/pass_at_1": CURVE}, {"best": 0.75})]),
        Series(1, [("b", {"eval/pass_at_1": CURVE}, {"best": 0.75})]),
    ]
    [chart] = figures([PASS, Chart("policy/kl", "KL")], runs)
    assert [(line["name"], line["run"], line["dash"]) for line in chart["lines"]] == [
        ("a", 0, "solid"),
        ("b", 1, "solid"),
        ("automation, best script", ALL_RUNS, "dash"),
    ]
    assert (chart["lines"][2]["x"], chart["lines"][2]["y"]) == ([0, 4], [0.75, 0.75])


def test_runs_with_other_held_out_theorems_have_their_own_automation() -> None:
    runs = [
        Series(0, [("a", {"eval/pass_at_1": CURVE}, {"any": 0.5})]),
        Series(1, [("b", {"eval/pass_at_1": CURVE}, {"any": 0.75})]),
    ]
    [chart] = figures([PASS], runs)
    assert [line["name"] for line in chart["lines"][2:]] == [
        "a: automation, any script",
        "b: automation, any script",
    ]


def test_runs_of_the_same_settings_are_a_mean_and_a_range() -> None:
    curves = [((0, 0.25), (2, 0.5), (4, 0.5)), ((0, 0.75), (4, 0.75)), ((0, 0.5), (4, 0.25), (6, 1.0))]
    runs = [(f"r{at}", {"eval/pass_at_1": each}, {}) for at, each in enumerate(curves)]
    [chart] = figures([PASS], [Series(3, [*runs, ("r3", {}, {})])])
    assert chart["lines"] == [
        {
            "name": "mean and range of 3 runs: r0, r1, r2",
            "run": 3,
            "dash": "solid",
            "x": [0, 4],
            "y": [0.5, 0.5],
            "low": [0.25, 0.25],
            "high": [0.75, 0.75],
        }
    ]


def test_runs_without_a_common_step_have_no_line() -> None:
    runs = [("a", {"eval/pass_at_1": ((0, 0.25),)}, {}), ("b", {"eval/pass_at_1": ((1, 0.25),)}, {})]
    assert figures([PASS], [Series(0, runs)]) == []
