import multiprocessing as mp
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from lean_gym.backends.fake import FakeBackend
from lean_gym.errors import BackendUnavailable, DataError
from lean_gym.pool import LocalPool, ProcessPool
from lean_gym.prover import Job, ProverOptions
from lean_gym.types import Theorem

ROOT = Path(__file__).resolve().parents[2]
T = Theorem("t", "theorem t : True ∧ True")
U = Theorem("u", "theorem u : True ∨ False")


@pytest.fixture
def open_pool():
    pools = []

    def make(num_workers=1, context="spawn", **options):
        pools.append(ProcessPool(partial(FakeBackend, **options), ProverOptions(), num_workers, context))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def processes(pool):
    return [worker.process for worker in pool._workers]


def ends_soon(pid):
    """Whether a process ends, given time; a zombie has ended."""
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


def test_jobs_come_back_in_order(open_pool):
    pool = open_pool(num_workers=2)
    starts = pool.run([Job(slot, (T, U)[slot % 2]) for slot in range(6)])
    assert [reply.goals[0].target for reply in starts] == ["True ∧ True", "True ∨ False"] * 3
    steps = pool.run([Job(slot, (T, U)[slot % 2], (), "split") for slot in (5, 0, 3)])
    assert [reply.error is None for reply in steps] == [False, True, False]
    assert pool.backend_name == "fake"


def test_a_group_lands_on_one_worker_as_far_as_the_load_stays_even(open_pool):
    pool = open_pool(num_workers=2)
    theorems = [Theorem(name, f"theorem {name} : True") for name in "abcd"]
    pool._assign([Job(slot, theorems[slot % 4]) for slot in range(16)])
    owners = [{pool._owners[slot] for slot in range(start, 16, 4)} for start in range(4)]
    assert all(len(group) == 1 for group in owners)
    assert sorted(pool._owners.values()) == [0] * 8 + [1] * 8
    # One large group does not wait for one worker.
    pool._assign([Job(slot, T) for slot in range(16)])
    assert sorted(pool._owners.values()) == [0] * 8 + [1] * 8


def test_siblings_share_a_workers_cache(open_pool):
    pool = open_pool()
    pool.run([Job(slot, T) for slot in range(4)])
    pool.run([Job(slot, T, (), "split") for slot in range(4)])
    stats = pool.stats()
    assert (stats["start_hits"], stats["tactic_hits"], stats["workers"]) == (3, 3, 1)


def test_a_killed_worker_is_replaced_and_nobody_notices(open_pool):
    pool = open_pool()
    pool.run([Job(0, T), Job(1, U)])
    pool.run([Job(0, T, (), "split"), Job(1, U, (), "left")])
    processes(pool)[0].kill()
    processes(pool)[0].join()
    first, second = pool.run([Job(0, T, ("split",), "trivial"), Job(1, U, ("left",), "trivial")])
    assert [goal.target for goal in first.goals] == ["True"]
    assert second.verdict.proved
    assert pool.stats()["worker_restarts"] == 1


def test_the_tactic_that_kills_is_found_and_the_others_go_on(open_pool):
    pool = open_pool(exit_on=["boom"])
    pool.run([Job(slot, T) for slot in range(4)])
    replies = pool.run([Job(slot, T, (), "boom" if slot == 2 else "split") for slot in range(4)])
    assert [reply.crashed for reply in replies] == [False, False, True, False]
    assert [reply.error for reply in replies if not reply.crashed] == [None] * 3
    assert replies[2].error == "the worker process died twice on this step (exit code 70)"
    # Once for the batch, once more for the tactic alone.
    assert pool.stats()["worker_restarts"] == 2
    assert pool.run([Job(0, T, ("split",), "trivial")])[0].error is None


def test_a_crash_inside_the_worker_is_handled_there(open_pool):
    pool = open_pool(crash_on=["boom"])
    pool.run([Job(0, T)])
    assert pool.run([Job(0, T, (), "boom")])[0].crashed
    assert pool.stats()["worker_restarts"] == 0
    assert pool.stats()["backend_restarts"] == 2


def test_a_bad_theorem_is_reported(open_pool):
    reply = open_pool().run([Job(0, Theorem("bad", "theorem bad"))])[0]
    assert isinstance(reply.failure, DataError)
    assert "theorem 'bad'" in str(reply.failure)


def test_a_bug_in_the_backend_arrives_as_an_exception(open_pool):
    pool = open_pool(rules=7)
    pool.run([Job(0, T)])
    failure = pool.run([Job(0, T, (), "skip")])[0].failure
    assert isinstance(failure, AttributeError)


def test_a_backend_that_does_not_start_is_one_clear_error():
    pool = ProcessPool(partial(FakeBackend, nonsense=1), ProverOptions(), 1)
    with pytest.raises(TypeError, match="nonsense"):
        pool.run([Job(0, T)])
    pool.close()


def test_a_worker_that_dies_while_starting_is_one_clear_error():
    pool = ProcessPool(partial(os._exit, 3), ProverOptions(), 1)
    with pytest.raises(BackendUnavailable, match=r"died while starting \(exit code 3\)"):
        pool.run([Job(0, T)])
    pool.close()


def test_an_answer_nobody_waited_for_is_not_taken_for_the_next(open_pool):
    """As after Ctrl-C between sending and receiving."""
    pool = open_pool()
    pool.run([Job(0, T), Job(1, U)])
    pool._workers[0].send([Job(1, U, (), "left")])
    reply = pool.run([Job(0, T, (), "split")])[0]
    assert [goal.target for goal in reply.goals] == ["True", "True"]


def test_close_ends_the_processes_and_may_be_repeated(open_pool):
    pool = open_pool(num_workers=2)
    pool.run([Job(0, T)])
    pids = [process.pid for process in processes(pool)]
    pool.close()
    pool.close()
    assert not any(psutil.pid_exists(pid) for pid in pids)


def test_a_forgotten_pool_ends_its_processes(open_pool):
    pool = ProcessPool(FakeBackend, ProverOptions(), 1)
    pid = processes(pool)[0].pid
    del pool
    assert ends_soon(pid)


def test_workers_leave_ctrl_c_to_the_parent(open_pool):
    pool = open_pool()
    pool.run([Job(0, T)])
    os.kill(processes(pool)[0].pid, signal.SIGINT)
    assert pool.run([Job(0, T, (), "split")])[0].error is None
    assert pool.stats()["worker_restarts"] == 0


SCRIPT = """
import gymnasium, os, multiprocessing
import lean_gym
from lean_gym.backends.fake import FakeBackend

def make_backend():  # defined in the main module, which workers do not import
    return FakeBackend(cheats=["magic"])

print("ran", flush=True)
vec = gymnasium.make_vec("LeanProof-v0", num_envs=3, num_workers=2, context={context!r},
                         theorems=["theorem t : True ∧ True"], backend=make_backend)
vec.reset(seed=0)
print(vec.step(["split", "magic", "left"])[4]["outcome"].tolist(), flush=True)
print(*[child.pid for child in multiprocessing.active_children()], flush=True)
{end}
"""


def script(tmp_path, context, end):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(context=context, end=end), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("context", mp.get_all_start_methods())
def test_a_script_without_a_guard_runs_once_and_leaves_nothing(tmp_path, context):
    process = script(tmp_path, context, end="")
    output, errors = process.communicate(timeout=100)
    assert (process.returncode, errors) == (0, "")
    ran, outcomes, pids = output.splitlines()
    assert (ran, outcomes) == ("ran", "['running', 'rejected', 'tactic_error']")
    assert len(pids.split()) == 2
    assert all(ends_soon(int(pid)) for pid in pids.split())


@pytest.mark.parametrize("context", mp.get_all_start_methods())
def test_workers_do_not_outlive_a_killed_parent(tmp_path, context):
    process = script(tmp_path, context, end="import time; time.sleep(1000)")
    lines = [process.stdout.readline() for _ in range(3)]
    pids = [int(pid) for pid in lines[2].split()]
    assert len(pids) == 2
    process.kill()
    process.communicate()
    assert all(ends_soon(pid) for pid in pids)


def test_local_pool():
    pool = LocalPool(FakeBackend, ProverOptions())
    assert pool.backend_name == "fake"
    assert pool.run([Job(0, T), Job(1, U)])[1].goals[0].target == "True ∨ False"
    assert pool.stats()["starts"] == 2
    assert pool.stats()["workers"] == 0
    pool.close()
    pool.close()
