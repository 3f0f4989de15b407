"""Memory and processes of a worker, found by psutil."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from lean_gym.pool import limits
from lean_gym.pool.limits import MARK, MemoryGauge, kill_started, own_memory_mib

HOARD = "import sys; kept = bytearray(b'x' * (60 << 20)); print(flush=True); sys.stdin.read()"
NESTED = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOARD!r}])"


@pytest.fixture
def start():
    """Starts Python programs that end with the test."""
    started = []

    def run(program, **environment):
        child = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        started.append(child)
        child.stdout.readline()
        return child

    yield run
    for child in started:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("program", [HOARD, NESTED], ids=["child", "grandchild"])
def test_memory_of_descendants_counts(start, program):
    before = own_memory_mib(os.getpid())
    child = start(program)
    assert 55 < own_memory_mib(os.getpid()) - before < 200
    child.communicate()
    assert own_memory_mib(os.getpid()) - before < 55


def test_a_gauge_finds_new_descendants_in_time_and_known_ones_at_once(start, monkeypatch):
    gauge = MemoryGauge(os.getpid())
    before = gauge.read_mib()
    child = start(HOARD)
    until = time.monotonic() + 60
    while gauge.read_mib() - before < 55:
        assert time.monotonic() < until
        time.sleep(0.05)
    # Without another search, what is known is still read, and what has ended counts for nothing.
    monkeypatch.setattr(gauge, "_next_search", float("inf"))
    assert gauge.read_mib() - before > 55
    child.communicate()
    assert gauge.read_mib() - before < 55


def test_the_search_for_descendants_keeps_its_share_of_the_time(monkeypatch):
    now, searches = [100.0], []

    def search(pid):
        searches.append(now[0])
        now[0] += 0.01
        return []

    monkeypatch.setattr(limits, "_family", search)
    monkeypatch.setattr(limits.time, "monotonic", lambda: now[0])
    gauge = MemoryGauge(1)
    for _ in range(1000):
        gauge.read_mib()
        now[0] += 0.1
    assert len(searches) * 0.01 == pytest.approx(0.005 * (now[0] - 100.0), rel=0.1)


def test_a_process_that_has_ended_uses_nothing():
    child = subprocess.Popen(["true"])
    child.wait()
    assert own_memory_mib(child.pid) == 0.0


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
