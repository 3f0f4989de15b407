"""Progress without a terminal: a line whenever nothing was said for a while."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from trainers.runtime import terminal
from trainers.runtime.terminal import progress_on


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "LONGEST_SILENCE", 0.2)


def lines_of(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def wait_for(console: Console, count: int) -> None:
    deadline = time.monotonic() + 20
    while len(lines_of(console)) < count and time.monotonic() < deadline:
        time.sleep(0.01)


def test_long_work_says_how_far_it_is(soon: None) -> None:
    console = Console(file=io.StringIO())
    with progress_on(console) as bars, bars.doing("training", 80), bars.doing("measuring", 9) as task:
        bars.update(task, completed=4, note="so far so good")
        wait_for(console, 2)
    lines = lines_of(console)
    assert len(lines) >= 2
    assert all(line.startswith("measuring 4/9  so far so good  after 0:00:0") for line in lines)


def test_who_speaks_is_not_interrupted(soon: None) -> None:
    console = Console(file=io.StringIO())
    with progress_on(console) as bars, bars.doing("training", 80):
        for number in range(40):
            bars.say(f"line {number}")
            time.sleep(0.02)
    assert lines_of(console) == [f"line {number}" for number in range(40)]


def test_nothing_is_said_after_the_end(soon: None) -> None:
    console = Console(file=io.StringIO())
    with progress_on(console) as bars, bars.doing("training"):
        pass
    time.sleep(0.5)
    assert lines_of(console) == []


def test_a_terminal_has_bars_and_no_lines(soon: None) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with progress_on(console) as bars, bars.doing("training", 80):
        time.sleep(0.5)
    assert "after 0:00" not in console.file.getvalue()  # type: ignore[attr-defined]
    assert "training" in console.file.getvalue()  # type: ignore[attr-defined]
