"""Workers that are stopped, killed from outside, or cannot be started: the others go on, and nothing hangs."""

import os
import resource
import signal
import threading
import time
from functools import partial
from pathlib import Path

import psutil
import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector.utils import CloudpickleWrapper

from lean_gym.backends.fake import FakeBackend
from lean_gym.errors import BackendUnavailable
from lean_gym.execution import Job, ProverOptions
from lean_gym.pool import PoolOptions, ProcessPool, run_all
from lean_gym.pool.telemetry import Entry
from lean_gym.types import Theorem

T = Theorem("t", "theorem t : True ∧ True")
U = Theorem("u", "theorem u : True ∨ False")


def make_backend(delay_s=0.0, refuses="", dies="", **options):
    """Make a backend after a delay; while the file `refuses` exists it does not start, with `dies` it kills."""
    time.sleep(delay_s)
    if refuses and Path(refuses).exists():
        raise BackendUnavailable("not today")
    if dies and Path(dies).exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return FakeBackend(**options)


@pytest.fixture
def open_pool():
    pools = []

    def make(num_workers=1, limits=None, **options):
        factory = CloudpickleWrapper(partial(make_backend, **options))
        pools.append(ProcessPool(factory, ProverOptions(), num_workers, "spawn", limits))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def settle(pool):
    """Wait until every worker has started."""
    while not all(worker.backend_name for worker in pool._workers):
        pool._turn()


def starts(count):
    return [Job(slot, (T, U)[slot % 2]) for slot in range(count)]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("num_workers", [1, 2])
def test_a_worker_that_is_stopped_while_idle_is_replaced(open_pool, num_workers):
    pool = open_pool(num_workers)
    run_all(pool, starts(4))
    settle(pool)
    os.kill(pool._workers[0].process.pid, signal.SIGSTOP)
    jobs = [Job(slot, (T, U)[slot % 2], (), ("split", "left")[slot % 2]) for slot in range(4)]
    assert [reply.error for reply in run_all(pool, jobs)] == [None] * 4
    assert pool.stats()["worker_restarts"] <= 1
    assert pool.stats()["quarantined"] == 0


@pytest.mark.timeout(60)
def test_jobs_too_long_for_the_pipe_of_a_stopped_worker_do_not_hang(open_pool):
    pool = open_pool()
    run_all(pool, starts(1))
    os.kill(pool._workers[0].process.pid, signal.SIGSTOP)
    long = "left" + 3_000_000 * " " + "."
    assert run_all(pool, [Job(0, T, (), long)])[0].error.startswith("'left")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("late", [False, True], ids=["at once", "while its backend starts"])
def test_a_worker_that_is_stopped_while_it_starts_is_replaced(open_pool, late):
    pool = open_pool(delay_s=1.0)
    run_all(pool, starts(1))
    settle(pool)
    worker = pool._workers[0]
    worker.process.kill()
    while worker.starts == 1:
        pool._turn()
    while late and not worker.telemetry[Entry.BEAT]:
        time.sleep(0.02)
    os.kill(worker.process.pid, signal.SIGSTOP)
    assert run_all(pool, starts(2))[1].error is None
    assert pool.stats()["worker_restarts"] == 2


@pytest.mark.timeout(60)
def test_all_workers_stopped_at_their_first_start(open_pool):
    pool = open_pool(num_workers=2)
    for worker in pool._workers:
        os.kill(worker.process.pid, signal.SIGSTOP)
    assert [reply.error for reply in run_all(pool, starts(4))] == [None] * 4


def test_a_busy_worker_that_says_nothing_for_a_short_while_is_left_alone(open_pool):
    pool = open_pool()
    run_all(pool, starts(2))
    pid = pool._workers[0].process.pid
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(1.0, os.kill, (pid, signal.SIGCONT)).start()
    assert run_all(pool, [Job(0, T, (), "split")])[0].error is None
    assert pool.stats()["worker_restarts"] == 0


def test_a_parent_that_was_away_does_not_blame_its_workers(open_pool):
    """As after SIGSTOP and SIGCONT for a whole job: the workers were silent while nobody watched."""
    pool = open_pool()
    run_all(pool, starts(1))
    pid = pool._workers[0].process.pid
    os.kill(pid, signal.SIGSTOP)
    pool.submit([Job(0, T, (), "split")])
    time.sleep(6.0)
    threading.Timer(1.0, os.kill, (pid, signal.SIGCONT)).start()
    assert pool.receive(1)[0].error is None
    assert pool.stats()["worker_restarts"] == 0


def test_a_start_that_lasts_too_long_is_one_clear_error(open_pool):
    pool = open_pool(limits=PoolOptions(start_s=1.0), delay_s=600.0)
    with pytest.raises(BackendUnavailable, match=r"did not start within start_s=1"):
        run_all(pool, starts(1))


@pytest.mark.timeout(60)
def test_a_worker_killed_at_its_first_start_is_started_again(open_pool):
    for num_workers in (1, 2):
        pool = open_pool(num_workers)
        pool._workers[0].process.kill()
        assert [reply.error for reply in run_all(pool, starts(4))] == [None] * 4
        assert pool.backend_name == "fake"
        assert pool.stats()["worker_restarts"] == 1


@pytest.mark.timeout(100)
def test_a_worker_killed_many_times_in_a_row_does_not_end_the_pool(open_pool):
    pool = open_pool(num_workers=2)
    run_all(pool, starts(4))
    settle(pool)
    worker = pool._workers[0]
    for _ in range(5):
        if worker.problem is None:
            worker.process.kill()
        before = worker.starts
        until = time.monotonic() + 3.0
        while worker.problem is None and worker.starts == before and time.monotonic() < until:
            pool._turn()
        assert [reply.error for reply in run_all(pool, starts(4))] == [None] * 4
    assert pool.stats()["quarantined"] == 0


@pytest.mark.timeout(100)
def test_a_worker_that_does_not_come_back_leaves_its_episodes_to_the_others(open_pool, tmp_path):
    """And it is tried again later: it comes back when it can."""
    dies = tmp_path / "dies"
    pool = open_pool(num_workers=2, dies=str(dies))
    run_all(pool, starts(4))
    settle(pool)
    dies.touch()
    worker = pool._workers[0]
    worker.process.kill()
    jobs = [Job(slot, (T, U)[slot % 2], (), ("split", "left")[slot % 2]) for slot in range(4)]
    assert [reply.error for reply in run_all(pool, jobs)] == [None] * 4
    until = time.monotonic() + 30
    while worker.problem is None:
        assert time.monotonic() < until
        pool._turn()
    assert [reply.error for reply in run_all(pool, jobs)] == [None] * 4
    # New episodes go where they can run.
    assert [reply.error for reply in run_all(pool, starts(6))] == [None] * 6
    dies.unlink()
    until = time.monotonic() + 30
    while worker.backend_name is None:
        assert time.monotonic() < until
        pool._turn()
    assert [reply.error for reply in run_all(pool, starts(8))] == [None] * 8


@pytest.mark.timeout(100)
def test_when_no_worker_starts_each_call_says_so_and_tries_again(open_pool, tmp_path):
    refuses = tmp_path / "refuses"
    refuses.touch()
    pool = open_pool(num_workers=2, refuses=str(refuses))
    for _ in range(2):
        with pytest.raises(BackendUnavailable, match="not today"):
            run_all(pool, starts(2))
    with pytest.raises(BackendUnavailable, match="not today"):
        _ = pool.backend_name
    refuses.unlink()
    assert [reply.error for reply in run_all(pool, starts(2))] == [None] * 2


@pytest.mark.timeout(60)
def test_without_file_descriptors_a_restart_is_a_clear_error_and_the_next_step_returns(open_pool):
    pool = open_pool()
    run_all(pool, starts(2))
    process = pool._workers[0].process
    plain = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, plain[1]))
    try:
        process.kill()
        for _ in range(2):
            with pytest.raises(BackendUnavailable, match=r"cannot be started: .*Too many open files"):
                run_all(pool, [Job(0, T, (), "split")])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, plain)
    assert run_all(pool, [Job(0, T, (), "split")])[0].error is None
    assert run_all(pool, [Job(1, U, (), "left")])[0].error is None


def test_without_file_descriptors_a_new_pool_is_a_clear_error():
    plain = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, plain[1]))
    try:
        with pytest.raises(BackendUnavailable, match=r"cannot be started: .*Too many open files"):
            ProcessPool(FakeBackend, ProverOptions(), 2)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, plain)


@pytest.mark.timeout(60)
def test_closing_stopped_workers_takes_one_wait_for_all_of_them(open_pool):
    pool = open_pool(num_workers=3)
    run_all(pool, starts(3))
    settle(pool)
    pids = [worker.process.pid for worker in pool._workers]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    pool.close()
    assert time.monotonic() - began < 10
    assert not any(psutil.pid_exists(pid) for pid in pids)


@pytest.mark.timeout(60)
def test_closing_from_another_thread_ends_a_wait(open_pool):
    pool = open_pool(num_workers=2, slow={"skip": 30.0})
    run_all(pool, starts(2))
    pids = [worker.process.pid for worker in pool._workers]
    threading.Timer(0.5, pool.close).start()
    began = time.monotonic()
    with pytest.raises(ClosedEnvironmentError, match="closed"):
        run_all(pool, [Job(0, T, (), "skip", 60.0)])
    assert time.monotonic() - began < 20
    with pytest.raises(ClosedEnvironmentError, match="closed"):
        run_all(pool, starts(1))
    for _ in range(100):
        if not any(psutil.pid_exists(pid) for pid in pids):
            break
        time.sleep(0.1)
    children = psutil.Process().children()
    assert not [child for child in children if child.pid in pids]


def run_killed(pool, times, how=signal.SIGKILL):
    """Run one step and kill its worker that many times while the step runs; return the reply."""
    worker = pool._workers[0]
    pool.submit([Job(0, T, (), "skip", 20.0)])
    for _ in range(times):
        while not (worker.busy and worker.telemetry[Entry.RUNNING] and worker.telemetry[Entry.OWN_STEP]):
            pool.receive(0)
            pool._turn()
        number = worker.starts
        os.kill(worker.process.pid, how)
        while worker.starts == number:
            pool._turn()
    return pool.receive(1)[0]


@pytest.mark.timeout(100)
def test_a_step_whose_worker_was_killed_from_outside_is_not_blamed(open_pool):
    """kill -9 and the kernel's OOM killer leave no evidence against the tactic that happened to run."""
    pool = open_pool(slow={"skip": 0.5})
    run_all(pool, starts(1))
    assert run_killed(pool, 3).error is None
    assert pool.stats()["quarantined"] == 0


@pytest.mark.timeout(100)
def test_a_step_that_faults_twice_is_given_up(open_pool):
    pool = open_pool(slow={"skip": 0.5})
    run_all(pool, starts(1))
    reply = run_killed(pool, 2, signal.SIGSEGV)
    assert reply.crashed
    assert "exit code -11" in reply.error
    assert pool.stats()["quarantined"] == 1
