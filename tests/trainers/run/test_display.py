from __future__ import annotations

import io

import pytest
from rich.console import Console

from trainers.run.display import News, sparkline
from trainers.run.monitor import Monitor


def console(terminal: bool, encoding: str = "utf-8") -> tuple[Console, io.BytesIO]:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    return Console(file=file, force_terminal=terminal, width=150, color_system=None), raw


def test_a_sparkline_rises_with_the_shares() -> None:
    assert sparkline([0.0, 0.1, 0.3, 0.7, 0.5]) == "▁▂▄█▆"
    assert sparkline([0.02, 0.0, 0.04]) == "▅▁█"  # small shares are told apart
    assert sparkline([0.0, 0.0]) == "▁▁"
    assert sparkline([]) == ""


def test_the_note_tells_rates_the_last_proof_and_the_speed() -> None:
    news = News()
    assert news.note(0.25, 0, 199.6) == "solved 25% █  new proofs 0  200 tactics/s"
    news.found(["first", "second"])
    assert news.note(1.0, 2, 10.0) == "solved 100% ▃█  new proofs 2 (last second)  10 tactics/s"
    news.found(["a" * 100])
    note = news.note(0.0, 3, 10.0)
    assert f"(last {'a' * 27}…)" in note
    for _ in range(100):
        note = news.note(0.0, 3, 10.0)
    assert note.count("▁") == 16


def test_lines_of_a_pipe() -> None:
    out, raw = console(terminal=False)
    monitor = Monitor(out, [])
    with monitor.bar("training", 40) as training:
        for done in range(1, 3):
            training.show(done, "solved 50% ▅")
        with monitor.bar("measuring held-out theorems", 10, lines=4) as measuring:
            for done in range(1, 11):
                measuring.show(done, "")
        training.show(40, "solved 75% ▇")
    lines = [line.partition("  left")[0] for line in raw.getvalue().decode().splitlines()]
    assert lines == [
        "training 2/40  solved 50% ▅",
        "measuring held-out theorems 3/10",
        "measuring held-out theorems 6/10",
        "measuring held-out theorems 9/10",
        "measuring held-out theorems 10/10",
        "training 40/40  solved 75% ▇",
    ]
    assert "left 0:00:0" in raw.getvalue().decode()


def test_bars_of_a_terminal_stand_below_each_other() -> None:
    out, raw = console(terminal=True)
    monitor = Monitor(out, [])
    with monitor.bar("training", 4, 1) as training:
        training.show(2, "solved 50% ▅")
        with monitor.bar("measuring held-out theorems", 8) as measuring:
            measuring.show(3, "")
            assert monitor._progress is not None
            monitor._progress.refresh()  # which happens ten times a second otherwise
            monitor.say("a line between")
    shown = raw.getvalue().decode()
    assert "a line between" in shown
    assert "measuring held-out theorems" in shown
    assert "3/8" in shown
    last = shown[shown.rindex("training") :]
    assert "2/4  solved 50% ▅" in last
    assert "measuring" not in last  # it is taken away with the end of its block
    with monitor.bar("again", 1) as bar:
        bar.show(1, "")
    assert "again" in raw.getvalue().decode()


@pytest.mark.parametrize("terminal", [True, False])
def test_a_console_without_blocks(terminal: bool) -> None:
    out, raw = console(terminal, "ascii")
    with Monitor(out, []).bar("training", 1) as bar:
        bar.show(1, "solved 50% ▅ (last or_comm')")
    assert "solved 50% ? (last or_comm')" in raw.getvalue().decode("ascii")
