from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.contest.settings import Contest, child_environment, draw_names
from trainers.errors import ConfigError


def small(game: Path, **options: Any) -> Contest:
    return Contest(
        theorems=str(game), **({"theorems_per_update": 3, "group_size": 4, "stock_rows": 2} | options)
    )


def test_each_update_has_different_theorems_and_none_comes_back_early(game: Path) -> None:
    contest = small(game, updates=3)
    training = {theorem.name for theorem in contest.split.train}
    assert len(training) == 6
    drawn = draw_names(contest)
    assert len(drawn) == 1 + 3 + 1  # a warm-up, three updates, the recorded batch
    assert all(len(set(names)) == 3 and set(names) <= training for names in drawn)
    assert set(drawn[0] + drawn[1]) == set(drawn[2] + drawn[3]) == training
    assert draw_names(contest) == drawn
    assert draw_names(small(game, updates=3, seed=1)) != drawn


def test_a_number_that_does_not_fill_the_set(game: Path) -> None:
    drawn = draw_names(small(game, theorems_per_update=4, updates=2))
    assert all(len(set(names)) == 4 for names in drawn)


def test_more_theorems_than_there_are(game: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"theorems_per_update: expected at most 6 \(training theorems\), got 7"
    ):
        draw_names(small(game, theorems_per_update=7))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stock_rows": 5}, "stock_rows: expected a number that, times optimizer_steps"),
        ({"stock_rows": 4, "optimizer_steps": 2}, "divides the 12 episodes of an update, got 4"),
        ({"warm_ups": 0}, "warm_ups: expected at least 1, got 0"),
        ({"group_size": 1}, "group_size: expected at least 2, got 1"),
    ],
)
def test_settings_out_of_range(game: Path, options: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        small(game, **options)


def test_threads_are_those_that_were_asked_for(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    assert child_environment(small(game)) == {"OMP_WAIT_POLICY": "PASSIVE"}
    assert child_environment(small(game, threads=3))["OMP_NUM_THREADS"] == "3"


@pytest.mark.parametrize(("visible", "one"), [(None, "0"), ("2,3", "2")])
def test_both_sides_see_one_gpu(
    visible: str | None, one: str, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert child_environment(small(game, device="cuda"))["CUDA_VISIBLE_DEVICES"] == one
    assert "CUDA_VISIBLE_DEVICES" not in child_environment(small(game))
