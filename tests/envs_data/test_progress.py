"""Progress of a command over a set, where its output is no terminal."""

from __future__ import annotations

import io

import pytest

from envs_data import progress
from envs_data.progress import ProgressLine


def test_a_line_for_every_fifty_theorems_and_the_last_one() -> None:
    out = io.StringIO()
    shown = ProgressLine("nat", 120, out)
    for done in range(1, 121):
        shown.show(done)
    assert out.getvalue().splitlines() == [f"nat: {done}/120 theorems" for done in (50, 100, 120)]


def test_slow_theorems_are_told_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    out, now = io.StringIO(), iter(range(0, 10_000, 15))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(now)))
    shown = ProgressLine("nat", 120, out)
    for done in range(1, 7):
        shown.show(done, "so far")
    assert out.getvalue().splitlines()[0] == "nat: 2/120 theorems, so far"
    assert len(out.getvalue().splitlines()) >= 2
