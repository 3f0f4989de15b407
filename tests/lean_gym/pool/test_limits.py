"""Processes that a worker started, found by psutil."""

import psutil

from lean_gym.pool.limits import MARK, kill_started

HOARD = "import sys; kept = bytearray(b'x' * (60 << 20)); print(flush=True); sys.stdin.read()"
NESTED = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOARD!r}])"


def test_marked_processes_are_killed_and_no_others(start):
    marked, other = start(HOARD, **{MARK: "mine"}), start(HOARD, **{MARK: "other"})
    kill_started("mine", None)
    assert marked.wait(20) < 0
    assert psutil.Process(other.pid).is_running()
    assert other.poll() is None


def test_descendants_are_killed_without_a_mark_and_the_process_itself_is_not(start):
    parent = start(NESTED)
    (child,) = psutil.Process(parent.pid).children()
    kill_started("none has this mark", parent.pid)
    child.wait(20)
    assert parent.wait(20) == 0
