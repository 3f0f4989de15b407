"""Locks between processes: one holder, a holder that ends or is stopped, one process that speaks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from minilean.library import lock
from minilean.library.lock import is_first_process, locked
from minilean.library.progress import Progress, write_line

HOLD = """
import sys, time
from pathlib import Path
from minilean.library.lock import locked
with locked(Path(sys.argv[1]), 0) as held:
    print(held, flush=True)
    time.sleep(600)
"""
ASK = """
import sys, time
from minilean.library.lock import is_first_process
print(is_first_process(sys.argv[1]), flush=True)
time.sleep(600)
"""


@contextmanager
def running(program: str, argument: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process and the first line that it prints; it may run on."""
    command = [sys.executable, "-c", program, argument]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            yield child, child.stdout.readline().strip()
        finally:
            child.kill()


def test_a_lock_has_one_holder_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "new" / "library.lock"
    with locked(path, 0) as held, locked(path, 0) as second:
        assert (held, second) == (True, False)
        assert path.read_text("utf-8") == str(os.getpid())
    with locked(path, 0) as again:
        assert again


def test_a_stopped_holder_is_waited_for_no_longer_than_asked(tmp_path: Path) -> None:
    path = tmp_path / "library.lock"
    with running(HOLD, str(path)) as (holder, said):
        assert said == "True"
        holder.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        with locked(path, 0.3) as held:
            assert not held
        assert time.monotonic() - began >= 0.3


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "library.lock"
    with running(HOLD, str(path)) as (holder, said):
        assert said == "True"
        holder.kill()
        holder.wait()
        with locked(path, 0) as held:
            assert held


def test_a_long_wait_says_once_for_whom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lock, "_QUIET_S", 0.1)
    path = tmp_path / "library.lock"
    with locked(path, 0), locked(path, 0.5) as second:
        assert not second
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert f"waiting for process {os.getpid()}, which is proving the library" in err


def test_a_directory_that_cannot_be_made_locks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with locked(tmp_path / "file" / "library.lock", 5) as held:
        assert not held


def test_one_living_process_speaks_for_a_topic(tmp_path: Path) -> None:
    topic = str(tmp_path)
    with running(ASK, topic) as (_, said):
        assert said == "True"
        assert not is_first_process(topic)
        with running(ASK, topic + " other") as (_, other):
            assert other == "True"
    with running(ASK, topic) as (_, later):
        assert later == "True"


def test_without_a_temporary_directory_each_process_speaks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lock.tempfile, "gettempdir", lambda: str(tmp_path / "absent"))
    assert is_first_process("topic")
    assert is_first_process("topic")


def test_progress_needs_no_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard output is the REPL's protocol: nothing may go there instead."""
    monkeypatch.setattr(sys, "stderr", None)
    write_line("minilean: waiting")
    progress = Progress(2)
    progress.show(1)
    progress.end()
    assert capsys.readouterr().out == ""


def test_a_path_that_is_no_utf_8_has_its_first_process() -> None:
    assert is_first_process(f"/nowhere/{os.urandom(8).hex()}/\udcff")
