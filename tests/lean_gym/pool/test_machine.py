"""Numbers that no machine can hold are refused at once, in a line that names the limit."""

import resource

import psutil
import pytest

from lean_gym import LeanProofVectorEnv
from lean_gym.pool import machine

T = ["theorem t : True"]


def free(monkeypatch, mib):
    monkeypatch.setattr(machine, "free_mib", lambda: mib)
    monkeypatch.setattr(machine, "_counted_limits", list)


def test_more_workers_than_the_memory_holds(monkeypatch):
    free(monkeypatch, 2000)
    limit = r"got 100000, expected 0 \(this process\) to 100 \(there are 2000 MiB of memory free, .*20 MiB\)"
    with pytest.raises(ValueError, match=limit):
        LeanProofVectorEnv(1, T, "fake", num_workers=100_000)
    assert machine.check_workers(100, 2) == 100


def test_a_worker_for_each_core_is_never_too_many(monkeypatch):
    free(monkeypatch, 10)
    assert machine.check_workers(2, 2) == 2
    with pytest.raises(ValueError, match=r"expected 0 \(this process\) to 2 \(there are 10 MiB"):
        machine.check_workers(3, 2)


def test_more_workers_than_files_can_be_open():
    plain = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = psutil.Process().num_fds()
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + machine._SPARE_FILES + 7, plain[1]))
    try:
        with pytest.raises(
            ValueError, match=r"num_workers: got 50, .* to \d+ \(this process may open .*`ulimit -n`"
        ):
            LeanProofVectorEnv(50, T, "fake", num_workers=50)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, plain)


def test_more_workers_than_a_container_may_have_threads(monkeypatch, tmp_path):
    (tmp_path / "pids.max").write_text("100\n")
    (tmp_path / "pids.current").write_text("70\n")
    monkeypatch.setattr(machine, "CONTROL_GROUPS", tmp_path)
    with pytest.raises(ValueError, match=r"to 10 \(this container may have 100 threads"):
        machine.check_workers(11, 2)
    (tmp_path / "pids.max").write_text("max\n")
    assert machine.check_workers(11, 2) == 11


@pytest.mark.parametrize("number", [10**6, 10**9])
def test_more_episodes_than_the_memory_holds(monkeypatch, number):
    free(monkeypatch, 1000)
    with pytest.raises(
        ValueError, match=rf"num_envs: got {number}, expected at most 256000 \(there are 1000 MiB"
    ):
        LeanProofVectorEnv(number, T, "fake", num_workers=0)
