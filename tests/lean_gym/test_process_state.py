"""Memory of processes, and evidence of their end."""

import os
import signal
import subprocess
import time

import pytest

from lean_gym import process_state
from lean_gym.process_state import MemoryGauge, ended_by_itself, is_stopped, killed_from_outside

HOARD = "import sys; kept = bytearray(b'x' * (60 << 20)); print(flush=True); sys.stdin.read()"
NESTED = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOARD!r}])"


@pytest.mark.parametrize("program", [HOARD, NESTED], ids=["child", "grandchild"])
def test_memory_of_descendants_counts(start, program):
    before = MemoryGauge(os.getpid()).read().own
    child = start(program)
    assert 55 < MemoryGauge(os.getpid()).read().own - before < 200
    child.communicate()
    assert MemoryGauge(os.getpid()).read().own - before < 55


def test_a_gauge_finds_new_descendants_in_time_and_known_ones_at_once(start, monkeypatch):
    gauge = MemoryGauge(os.getpid())
    before = gauge.read().own
    child = start(HOARD)
    until = time.monotonic() + 60
    while gauge.read().own - before < 55:
        assert time.monotonic() < until
        time.sleep(0.05)
    # Without another search, what is known is still read, and what has ended counts for nothing.
    monkeypatch.setattr(gauge, "_next_search", float("inf"))
    assert gauge.read().own - before > 55
    child.communicate()
    assert gauge.read().own - before < 55


def test_the_search_for_descendants_keeps_its_share_of_the_time(monkeypatch):
    now, searches = [100.0], []

    def search(pid):
        searches.append(now[0])
        now[0] += 0.01
        return []

    monkeypatch.setattr(process_state, "_groups", search)
    monkeypatch.setattr(process_state.time, "monotonic", lambda: now[0])
    gauge = MemoryGauge(1)
    for _ in range(1000):
        gauge.read()
        now[0] += 0.1
    assert len(searches) * 0.01 == pytest.approx(0.005 * (now[0] - 100.0), rel=0.1)


def test_a_process_that_has_ended_uses_nothing():
    child = subprocess.Popen(["true"])
    child.wait()
    assert MemoryGauge(child.pid).read().own == 0.0


def test_children_are_counted_one_by_one_each_with_its_descendants(start):
    _, *before = MemoryGauge(os.getpid()).read_each()
    start(HOARD)
    start(NESTED)
    own, *children = MemoryGauge(os.getpid()).read_each()
    large = [child.own for child in children if child.own > 55]
    assert len(large) == sum(child.own > 55 for child in before) + 2
    assert len(children) == len(before) + 2
    assert own.own + sum(child.own for child in children) == pytest.approx(
        MemoryGauge(os.getpid()).read().own, rel=0.1
    )


def test_a_stopped_process_is_told_from_one_that_waits(start):
    child = start(HOARD)
    assert not is_stopped(child.pid)
    child.send_signal(signal.SIGSTOP)
    until = time.monotonic() + 20
    while not is_stopped(child.pid):
        assert time.monotonic() < until
        time.sleep(0.01)
    child.kill()
    child.wait()
    assert not is_stopped(child.pid)


@pytest.mark.parametrize(
    ("status", "itself", "outside"),
    [
        (0, True, False),
        (3, True, False),
        (-signal.SIGSEGV, True, False),
        (-signal.SIGKILL, False, True),
        (-signal.SIGTERM, False, True),
        (128 + signal.SIGKILL, True, True),
        (128 + signal.SIGSEGV, True, False),
        (255, True, False),
        (None, False, False),
    ],
)
def test_evidence_of_an_end(status, itself, outside):
    assert (ended_by_itself(status), killed_from_outside(status)) == (itself, outside)
