"""Ctrl-C in each phase of a run, and files that cannot be written: one line, and a run that goes on."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from trainers.grpo import main
from trainers.learning.learner import Learner
from trainers.run import checkpoint, loop, session
from trainers.run.folder import RunFolder
from trainers.run.monitor import Monitor


def before(
    monkeypatch: pytest.MonkeyPatch, place: Any, name: str, call: int, act: Callable[[], None]
) -> None:
    """Have `act` called before one call of a function, counted from 1."""
    plain = getattr(place, name)
    calls: list[None] = []

    def with_act(*arguments: Any, **options: Any) -> Any:
        calls.append(None)
        if len(calls) == call:
            act()
        return plain(*arguments, **options)

    monkeypatch.setattr(place, name, with_act)


def interrupt(number: signal.Signals = signal.SIGINT) -> None:
    """Send what Ctrl-C sends, or another signal."""
    os.kill(os.getpid(), number)


@pytest.fixture(autouse=True)
def _hears_ctrl_c() -> Iterator[None]:
    """A process that a shell started in the background ignores Ctrl-C, these tests do not."""
    plain = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, plain)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("place", "name", "call", "number"),
    [
        (Learner, "_step", 5, signal.SIGINT),
        (loop, "gather_groups", 2, signal.SIGTERM),
        (Learner, "update", 2, signal.SIGINT),
        (loop, "evaluate", 2, signal.SIGINT),
        (checkpoint, "save_checkpoint", 3, signal.SIGTERM),
    ],
    ids=["warm start", "sampling", "updating", "evaluating", "saving"],
)
def test_a_signal_in_a_phase_leaves_a_run_that_ends_as_if_nothing_had_been(
    start: Callable[..., int],
    whole: dict[str, Any],
    outcome: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: Any,
    name: str,
    call: int,
    number: signal.Signals,
) -> None:
    with monkeypatch.context() as patched:
        before(patched, place, name, call, partial(interrupt, number))
        assert start("broken") == 128 + number
    shown = capsys.readouterr()
    assert (
        f"interrupted by {number.name}; to resume: python -m trainers.grpo --resume {tmp_path / 'broken'}"
        in shown.out.replace("\n", "")
    )
    assert shown.err == ""
    assert main(["--resume", str(tmp_path / "broken")]) == 0
    assert outcome(tmp_path / "broken") == whole


@pytest.mark.timeout(300)
def test_ctrl_c_while_a_run_starts(
    start: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the settings are checked, and while the environment opens: there is nothing to resume."""
    with monkeypatch.context() as patched:
        before(patched, session, "select_theorems", 1, interrupt)
        with pytest.raises(SystemExit, match="130"):
            start("early")
    assert capsys.readouterr().err == "interrupted\n"
    with monkeypatch.context() as patched:
        before(patched, session, "make_player", 1, interrupt)
        assert start("later") == 128 + signal.SIGINT
    assert "interrupted by SIGINT before anything was done" in capsys.readouterr().out


@pytest.fixture
def full_disk() -> Iterator[Callable[[], None]]:
    """Yields a function after which no file of this process can have more than 100 bytes, until the test ends."""
    plain = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, plain[1]))

    yield fill
    resource.setrlimit(resource.RLIMIT_FSIZE, plain)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("place", "name", "call", "file"),
    [
        (RunFolder, "append_trajectories", 2, "trajectories.jsonl"),
        (Monitor, "scalars", 15, "events.out.tfevents.*"),
        (checkpoint, "save_checkpoint", 4, "checkpoint.pt"),
    ],
    ids=["trajectories", "events", "checkpoint"],
)
def test_a_file_that_cannot_be_written_is_one_line_and_the_run_goes_on_later(
    start: Callable[..., int],
    whole: dict[str, Any],
    outcome: Callable[[Path], dict[str, Any]],
    full_disk: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: Any,
    name: str,
    call: int,
    file: str,
) -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    with monkeypatch.context() as patched:
        before(patched, place, name, call, full_disk)
        with pytest.raises(SystemExit, match="2"):
            start("broken", "--save-trajectories")
    resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    folder = tmp_path / "broken"
    shown = capsys.readouterr()
    assert shown.err == f"error: cannot write {folder / file}: File too large\n"
    assert (
        f"to resume from its last checkpoint: python -m trainers.grpo --resume {folder}"
        in shown.out.replace("\n", "")
    )
    assert main(["--resume", str(folder)]) == 0
    assert outcome(folder) == whole
