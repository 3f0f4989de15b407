import contextlib
import logging
import multiprocessing as mp
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import cloudpickle
import psutil
import pytest
from gymnasium.vector.utils import CloudpickleWrapper

from lean_gym.backends.fake import FakeBackend
from lean_gym.errors import BackendUnavailable, DataError
from lean_gym.execution import Job, ProverOptions
from lean_gym.pool import LocalPool, PoolOptions, ProcessPool, run_all, worker_main
from lean_gym.types import Theorem

ROOT = Path(__file__).resolve().parents[3]
T = Theorem("t", "theorem t : True ∧ True")
U = Theorem("u", "theorem u : True ∨ False")


# Workers cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Unruly(FakeBackend):
    """Does what a prover must not do, on the tactics named; with `once`, a file to be made, the first time only."""

    def __init__(self, *args, once=None, **options):
        super().__init__(*args, **options)
        self.once = once
        self.kept = []

    def start(self, theorem):
        if theorem.name == "deadly":
            os._exit(9)
        return super().start(theorem)

    def apply(self, state, tactic, deadline_s=10.0):
        if tactic.startswith("!"):
            if self.once is None or not os.path.exists(self.once):
                if self.once is not None:
                    Path(self.once).touch()
                self.misbehave(tactic[1:])
            tactic = "split"
        return super().apply(state, tactic, deadline_s)

    def misbehave(self, how):
        if how == "hang":
            time.sleep(1000)
        elif how.startswith("nap"):
            time.sleep(float(how.removeprefix("nap ")))
        elif how == "stuck":  # Holds the interpreter's lock for longer than anyone waits.
            10 ** (10**9)
        elif how == "leak":
            while True:
                self.kept.append(b"x" * 2**24)
                time.sleep(0.005)
        elif how == "hoard":
            self.kept.append(b"x" * 2**27)
            time.sleep(0.3)
        elif how == "map":
            bytearray(2**37)
        elif how.startswith("hire"):  # Two processes, each with so many MiB, for so many seconds.
            _, size, seconds = how.split()
            program = f"import time; kept = b'x' * ({size} << 20); time.sleep({seconds})"
            hired = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
            for child in hired:
                child.wait()
        elif how == "outlive":  # Its processes are killed a while before it is.
            kill = worker_main.kill_started
            worker_main.kill_started = lambda *given: (kill(*given), time.sleep(0.5))
            self.misbehave("hire 450 60")
        elif how.startswith("child"):  # Out of the worker's session and, for the second, with no parent.
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
            Path(how.removeprefix("child ")).write_text(str(child.pid))
            time.sleep(1000)


@pytest.fixture
def open_pool():
    pools = []

    def make(num_workers=1, context="spawn", limits=None, **options):
        pools.append(
            ProcessPool(partial(FakeBackend, **options), ProverOptions(), num_workers, context, limits)
        )
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


@pytest.fixture
def unruly():
    pools = []

    def make(num_workers=1, limits=PoolOptions(), **options):  # noqa: B008
        factory = CloudpickleWrapper(partial(Unruly, **options))
        limits = replace(limits, grace_s=0.5)
        pools.append(ProcessPool(factory, ProverOptions(), num_workers, "spawn", limits))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def processes(pool):
    return [worker.process for worker in pool._workers]


def ends_soon(pid):
    """Return whether a process ends within 20 s; a zombie has ended."""
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


def test_jobs_come_back_in_order(open_pool):
    pool = open_pool(num_workers=2)
    starts = run_all(pool, [Job(slot, (T, U)[slot % 2]) for slot in range(6)])
    assert [reply.goals[0].target for reply in starts] == ["True ∧ True", "True ∨ False"] * 3
    steps = run_all(pool, [Job(slot, (T, U)[slot % 2], (), "split") for slot in (5, 0, 3)])
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
    run_all(pool, [Job(slot, T) for slot in range(4)])
    run_all(pool, [Job(slot, T, (), "split") for slot in range(4)])
    stats = pool.stats()
    assert (stats["start_hits"], stats["tactic_hits"], stats["workers"]) == (3, 3, 1)


def test_a_killed_worker_is_replaced_and_nobody_notices(open_pool):
    pool = open_pool()
    run_all(pool, [Job(0, T), Job(1, U)])
    run_all(pool, [Job(0, T, (), "split"), Job(1, U, (), "left")])
    processes(pool)[0].kill()
    processes(pool)[0].join()
    first, second = run_all(pool, [Job(0, T, ("split",), "trivial"), Job(1, U, ("left",), "trivial")])
    assert [goal.target for goal in first.goals] == ["True"]
    assert second.verdict.proved
    assert pool.stats()["worker_restarts"] == 1


def test_the_tactic_that_kills_is_found_and_the_others_go_on(open_pool):
    pool = open_pool(exit_on=["boom"])
    run_all(pool, [Job(slot, T) for slot in range(4)])
    replies = run_all(pool, [Job(slot, T, (), "boom" if slot == 2 else "split") for slot in range(4)])
    assert [reply.crashed for reply in replies] == [False, False, True, False]
    assert [reply.error for reply in replies if not reply.crashed] == [None] * 3
    assert replies[2].error == "the worker process died twice on this step (exit code 70)"
    # Once for the batch, once more for the tactic alone.
    assert pool.stats()["worker_restarts"] == 2
    assert run_all(pool, [Job(0, T, ("split",), "trivial")])[0].error is None


def test_a_crash_inside_the_worker_is_handled_there(open_pool):
    pool = open_pool(crash_on=["boom"])
    run_all(pool, [Job(0, T)])
    assert run_all(pool, [Job(0, T, (), "boom")])[0].crashed
    assert pool.stats()["worker_restarts"] == 0
    assert pool.stats()["backend_restarts"] == 2


def test_a_bad_theorem_is_reported(open_pool):
    reply = run_all(open_pool(), [Job(0, Theorem("bad", "theorem bad"))])[0]
    assert isinstance(reply.failure, DataError)
    assert "theorem 'bad'" in str(reply.failure)


def test_a_bug_in_the_backend_arrives_as_an_exception(open_pool):
    pool = open_pool(rules=7)
    run_all(pool, [Job(0, T)])
    failure = run_all(pool, [Job(0, T, (), "skip")])[0].failure
    assert isinstance(failure, AttributeError)


def test_a_backend_that_does_not_start_is_one_clear_error():
    pool = ProcessPool(partial(FakeBackend, nonsense=1), ProverOptions(), 1)
    with pytest.raises(TypeError, match="nonsense"):
        run_all(pool, [Job(0, T)])
    pool.close()


def test_a_worker_that_dies_while_starting_is_one_clear_error():
    pool = ProcessPool(partial(os._exit, 3), ProverOptions(), 1)
    with pytest.raises(BackendUnavailable, match=r"died while starting \(exit code 3\)"):
        run_all(pool, [Job(0, T)])
    pool.close()


def test_an_answer_nobody_waited_for_is_not_taken_for_the_next(open_pool):
    """As after Ctrl-C between sending and receiving."""
    pool = open_pool()
    run_all(pool, [Job(0, T), Job(1, U)])
    pool.submit([Job(1, U, (), "left")])
    pool.cancel([1])
    reply = run_all(pool, [Job(0, T, (), "split")])[0]
    assert [goal.target for goal in reply.goals] == ["True", "True"]


def test_close_ends_the_processes_and_may_be_repeated(open_pool):
    pool = open_pool(num_workers=2)
    run_all(pool, [Job(0, T)])
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
    run_all(pool, [Job(0, T)])
    os.kill(processes(pool)[0].pid, signal.SIGINT)
    assert run_all(pool, [Job(0, T, (), "split")])[0].error is None
    assert pool.stats()["worker_restarts"] == 0


SCRIPT = """
import gymnasium, os, multiprocessing, pathlib, subprocess, sys, time
import lean_gym
from lean_gym.backends.fake import FakeBackend

class Backend(FakeBackend):  # defined in the main module, which workers do not import
    def apply(self, state, tactic, deadline_s=10.0):
        if tactic.startswith("child"):
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
            pathlib.Path(tactic.split()[1]).write_text(str(child.pid))
            time.sleep(1000 if "hang" in tactic else 0)
        return super().apply(state, tactic, deadline_s)

def make_backend():
    return Backend(cheats=["magic"])

print("ran", flush=True)
vec = gymnasium.make_vec("lean_gym:LeanProof-v0", num_envs=3, num_workers=2, context={context!r},
                         theorems=["theorem t : True ∧ True"], backend=make_backend)
vec.reset(seed=0)
print(vec.step(["split", "magic", "left"])[4]["outcome"].tolist(), flush=True)
print(*[child.pid for child in multiprocessing.active_children()], flush=True)
{end}
"""


BUSY = """
folder = pathlib.Path(sys.argv[0]).parent
vec.step_async([f"child {{folder / 'pid0'}} hang", f"child {{folder / 'pid1'}}"], env_ids=[0, 2])
time.sleep(1000)
"""


@pytest.fixture
def temporary():
    """A folder with a short path: the forkserver's socket lies in it, and no system takes more than 100 letters."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def script(tmp_path, temporary, context, end):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(context=context, end=end.format()), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(temporary),
            "TESTED": str(tmp_path),
        },
    )


def left_behind(tmp_path, temporary):
    """Return what remains of a script after a while: processes that inherited its environment, temporary files."""

    def belongs(process):
        try:
            return process.environ().get("TESTED") == str(tmp_path)
        except psutil.Error:
            return False

    for _ in range(100):
        processes = [process.info for process in psutil.process_iter(["pid", "cmdline"]) if belongs(process)]
        if not processes:
            break
        time.sleep(0.1)
    return processes, [path.name for path in temporary.iterdir()]


@pytest.mark.parametrize("context", mp.get_all_start_methods())
def test_a_script_without_a_guard_runs_once_and_leaves_nothing(tmp_path, temporary, context):
    process = script(tmp_path, temporary, context, end="")
    output, errors = process.communicate(timeout=100)
    assert (process.returncode, errors) == (0, "")
    ran, outcomes, pids = output.splitlines()
    assert (ran, outcomes) == ("ran", "['running', 'rejected', 'tactic_error']")
    assert len(pids.split()) == 2
    assert left_behind(tmp_path, temporary) == ([], [])


@pytest.mark.parametrize("context", mp.get_all_start_methods())
def test_nothing_outlives_a_killed_parent(tmp_path, temporary, context):
    """Neither the workers nor the programs that their provers have started, one busy and one idle."""
    process = script(tmp_path, temporary, context, end=BUSY)
    lines = [process.stdout.readline() for _ in range(3)]
    workers = [int(pid) for pid in lines[2].split()]
    assert len(workers) == 2
    notes = [tmp_path / f"pid{slot}" for slot in range(2)]
    while not all(note.exists() and note.read_text() for note in notes):
        time.sleep(0.05)
    pids = [*workers, *(int(note.read_text()) for note in notes)]
    assert all(psutil.pid_exists(pid) for pid in pids)
    process.kill()
    process.communicate()
    assert left_behind(tmp_path, temporary) == ([], [])
    assert all(ends_soon(pid) for pid in pids)


UNDER_XDIST = """
import multiprocessing, os, pathlib, gymnasium

def test_forgets_to_close():
    options = dict(theorems=["theorem t : True"], backend="fake")
    vec = gymnasium.make_vec("lean_gym:LeanProof-v0", num_envs=2, num_workers=2, **options)
    vec.reset()
    pids = [str(child.pid) for child in multiprocessing.active_children()]
    pathlib.Path({note!r}).write_text(" ".join(pids))
    {end}
"""


@pytest.mark.parametrize("end", ["", "os._exit(1)"])
def test_nothing_is_left_behind_under_xdist(tmp_path, end):
    """Also when xdist's own worker, the pool's parent, goes down."""
    note = tmp_path / "pids"
    (tmp_path / "test_inner.py").write_text(UNDER_XDIST.format(note=str(note), end=end), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "1",
        "--max-worker-restart=0",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [*command, str(tmp_path)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100
    )
    assert run.returncode == (1 if end else 0), run.stdout
    pids = [int(pid) for pid in note.read_text().split()]
    assert len(pids) == 2
    assert all(ends_soon(pid) for pid in pids)


def test_what_is_ready_comes_back_while_a_slow_tactic_runs(unruly):
    pool = unruly(num_workers=2)
    run_all(pool, [Job(0, T), Job(1, U)])
    pool.submit([Job(0, T, (), "!nap 2"), Job(1, U, (), "left")])
    assert pool.receive(1).keys() == {1}
    assert run_all(pool, [Job(1, U, ("left",), "trivial")])[0].verdict.proved
    # The slow one is still under way, and arrives.
    assert pool.receive(5)[0].error is None
    assert pool.receive(5) == {}


def test_jobs_behind_a_slow_tactic_are_taken_over(unruly):
    """Those that wait for the slow worker, and those that it holds already."""
    pool = unruly(num_workers=2)
    run_all(pool, [Job(slot, (T, U)[slot % 2]) for slot in range(16)])
    slow = next(slot for slot, owner in sorted(pool._owners.items()) if owner == 0)
    jobs = [Job(slot, (T, U)[slot % 2], (), "split" if slot % 2 == 0 else "left") for slot in range(16)]
    jobs[slow] = Job(slow, jobs[slow].theorem, (), "!nap 3")
    pool.submit(jobs)
    early = pool.receive(15)
    assert early.keys() == set(range(16)) - {slow}
    assert all(reply.error is None for reply in early.values())
    assert pool.stats()["moved_jobs"] > 0
    # They belong to the other worker and go on there, although the slow one does its share late.
    assert run_all(pool, [Job(3, U, ("left",), "trivial")])[0].verdict.proved
    assert pool.receive(1)[slow].error is None
    assert run_all(pool, [Job(5, U, ("left",), "trivial")])[0].verdict.proved
    # The next group is not divided to make up for it.
    group = [Job(slot, Theorem("v", T.statement)) for slot in range(16) if jobs[slot].theorem == U]
    run_all(pool, group)
    assert len({pool._owners[job.slot] for job in group}) == 1


def test_a_worker_that_was_replaced_keeps_the_jobs_that_it_is_just_given(open_pool):
    pool = open_pool(num_workers=2)
    run_all(pool, [Job(0, T), Job(1, U)])
    worker = pool._workers[1]
    worker.process.kill()
    while worker.starts == 1 or worker.backend_name is None:
        pool._turn()
    time.sleep(0.2)
    # The first worker is idle as well, and looks first.
    run_all(pool, [Job(slot, (T, U)[slot], (), "skip") for slot in range(2) if pool._owners[slot] == 1])
    assert pool.stats()["moved_jobs"] == 0


def test_a_job_may_be_replaced_and_cancelled(unruly):
    pool = unruly()
    run_all(pool, [Job(0, T), Job(1, U)])
    pool.submit([Job(0, T, (), "!nap 0.2"), Job(1, U, (), "left")])
    pool.submit([Job(0, T, (), "left")])
    pool.cancel([1])
    assert [(slot, reply.error) for slot, reply in pool.receive(2).items()] == [
        (0, "'left' does not apply to 'True ∧ True'")
    ]


@pytest.mark.parametrize("how", ["hang", "stuck"])
def test_a_tactic_that_ignores_its_deadline_is_stopped_and_refused(unruly, how):
    pool = unruly(num_workers=2)
    run_all(pool, [Job(0, T), Job(1, U)])
    first, second = run_all(pool, [Job(0, T, (), f"!{how}", 0.2), Job(1, U, (), "left", 0.2)])
    assert first.error == "stopped after 0.2 s: the prover did not keep the deadline"
    assert not first.crashed
    assert second.error is None
    stats = pool.stats()
    assert (stats["deadline_kills"], stats["worker_restarts"], stats["quarantined"]) == (2, 2, 0)
    # The episode goes on, and nobody has to try this step again unless it is given more time.
    assert run_all(pool, [Job(0, T, (), "split")])[0].error is None
    assert run_all(pool, [Job(0, T, (), f"!{how}", 0.1)])[0].error == first.error
    assert pool.stats()["deadline_kills"] == 2


@pytest.mark.parametrize("how", ["hang", "leak"])
def test_an_accident_that_does_not_repeat_is_not_noticed(unruly, tmp_path, how):
    pool = unruly(once=str(tmp_path / "happened"), limits=PoolOptions(memory_mib=500))
    run_all(pool, [Job(0, T), Job(1, U)])
    run_all(pool, [Job(1, U, (), "left")])
    first, second = run_all(pool, [Job(0, T, (), f"!{how}", 0.4), Job(1, U, ("left",), "trivial")])
    assert (first.error, len(first.goals)) == (None, 2)
    assert second.verdict.proved
    stats = pool.stats()
    assert stats["worker_restarts"] == stats["deadline_kills"] + stats["memory_kills"] == 1
    assert stats["replayed_tactics"] == 1


def test_a_tactic_that_needs_too_much_memory_is_stopped_and_refused(unruly):
    pool = unruly(limits=PoolOptions(memory_mib=300))
    run_all(pool, [Job(0, T)])
    assert run_all(pool, [Job(0, T, (), "!leak")])[0].error == "stopped: the prover needed more than 300 MiB"
    assert pool.stats()["memory_kills"] == 2
    assert run_all(pool, [Job(0, T, (), "split")])[0].error is None


def test_the_limit_of_memory_holds_for_each_process_and_not_for_their_sum(unruly):
    pool = unruly(limits=PoolOptions(memory_mib=300))
    run_all(pool, [Job(0, T)])
    assert run_all(pool, [Job(0, T, (), "!hire 250 5", 90.0)])[0].error is None
    assert (pool.stats()["memory_kills"], pool.stats()["worker_restarts"]) == (0, 0)
    refused = run_all(pool, [Job(0, T, (), "!hire 450 60", 90.0)])[0]
    assert refused.error == "stopped: the prover needed more than 300 MiB"


def test_a_worker_whose_processes_are_killed_first_answers_nothing(unruly):
    pool = unruly(limits=PoolOptions(memory_mib=300))
    run_all(pool, [Job(0, T)])
    refused = run_all(pool, [Job(0, T, (), "!outlive", 90.0)])[0]
    assert refused.error == "stopped: the prover needed more than 300 MiB"


def test_address_space_is_limited(unruly):
    pool = unruly(limits=PoolOptions(memory_mib=300))
    run_all(pool, [Job(0, T)])
    assert run_all(pool, [Job(0, T, (), "!map")])[0].error == "stopped: out of memory"
    assert pool.stats()["worker_restarts"] == 0


def test_a_worker_is_replaced_when_it_has_served_enough(open_pool):
    pool = open_pool(limits=PoolOptions(recycle_after=3))
    theorems = [Theorem(f"t{index}", f"theorem t{index} : True ∧ True") for index in range(7)]
    for theorem in theorems:
        assert run_all(pool, [Job(0, theorem)])[0].error is None
        assert run_all(pool, [Job(0, theorem, (), "split")])[0].error is None
    assert run_all(pool, [Job(0, theorems[6], ("split",), "trivial")])[0].error is None
    stats = pool.stats()
    assert (stats["worker_recycles"], stats["worker_restarts"]) == (2, 0)
    assert stats["replayed_tactics"] == 0


def test_a_worker_is_replaced_when_it_has_grown_and_its_episodes_go_on(unruly):
    pool = unruly(limits=PoolOptions(memory_mib=600))
    run_all(pool, [Job(0, T)])
    run_all(pool, [Job(0, T, (), "skip")])
    for number in range(6):
        theorem = Theorem(f"t{number}", T.statement)
        run_all(pool, [Job(1, theorem)])
        assert run_all(pool, [Job(1, theorem, (), "!hoard")])[0].error is None
    assert run_all(pool, [Job(0, T, ("skip",), "split")])[0].error is None
    stats = pool.stats()
    assert (stats["worker_recycles"], stats["worker_restarts"], stats["memory_kills"]) == (1, 0, 0)
    assert stats["replayed_tactics"] == 1


def test_a_theorem_that_kills_at_its_start_is_quarantined_and_the_others_go_on(unruly, caplog):
    pool = unruly()
    deadly = Theorem("deadly", "theorem deadly : True")
    with caplog.at_level(logging.WARNING):
        first, second = run_all(pool, [Job(0, deadly), Job(1, T)])
    assert first.crashed
    assert first.failure is None
    assert first.error == "the worker process died twice on this step (exit code 9)"
    assert second.goals is not None
    assert [record.message for record in caplog.records] == [f"quarantined: theorem 'deadly': {first.error}"]
    assert run_all(pool, [Job(2, deadly)])[0].crashed
    assert run_all(pool, [Job(0, deadly, (), "trivial")])[0].crashed
    assert pool.stats()["worker_restarts"] == 2
    assert pool.stats()["quarantined"] == 1


def test_siblings_that_try_the_same_deadly_step_count_once(open_pool, caplog):
    for how in ("exit_on", "crash_on"):
        pool = open_pool(**{how: ["boom"]})
        run_all(pool, [Job(slot, T) for slot in range(12)])
        replies = run_all(pool, [Job(slot, T, (), "boom") for slot in range(12)])
        assert all(reply.crashed for reply in replies)
        assert run_all(pool, [Job(0, T, (), "split")])[0].error is None
        stats = pool.stats()
        assert (stats["quarantined"], stats["backend_restarts"] + stats["worker_restarts"]) == (1, 2)
        assert len(caplog.records) == 1
        caplog.clear()


def test_a_theorem_of_two_deadly_steps_is_quarantined(open_pool):
    pool = open_pool(exit_on=["boom", "bang"])
    run_all(pool, [Job(0, T), Job(1, T), Job(2, U)])
    assert run_all(pool, [Job(0, T, (), "boom")])[0].crashed
    assert run_all(pool, [Job(1, T, (), "split")])[0].error is None
    assert run_all(pool, [Job(1, T, ("split",), "bang")])[0].crashed
    assert run_all(pool, [Job(0, T)])[0].error == "theorem 't' is quarantined: it kills provers"
    assert run_all(pool, [Job(2, U, (), "left")])[0].error is None
    assert pool.stats()["worker_restarts"] == 4


@pytest.mark.parametrize("how", ["close", "stop"])
def test_what_a_worker_has_started_ends_with_it(unruly, tmp_path, how):
    pool = unruly()
    run_all(pool, [Job(0, T)])
    note = tmp_path / "pid"
    if how == "close":
        pool.submit([Job(0, T, (), f"!child {note}")])
        while not (note.exists() and note.read_text()):
            pool.receive(0)
            time.sleep(0.05)
        pool.close()
    else:
        assert run_all(pool, [Job(0, T, (), f"!child {note}", 0.5)])[0].error.startswith("stopped after")
    assert ends_soon(int(note.read_text()))


def test_what_a_worker_has_started_does_not_outlive_a_killed_worker(unruly, tmp_path):
    pool = unruly(once=str(tmp_path / "happened"))
    run_all(pool, [Job(0, T)])
    note = tmp_path / "pid"
    pool.submit([Job(0, T, (), f"!child {note}")])
    while not (note.exists() and note.read_text()):
        time.sleep(0.05)
    processes(pool)[0].kill()
    assert pool.receive(1)[0].error is None
    assert ends_soon(int(note.read_text()))


def test_workers_start_theorems_ahead():
    pool = ProcessPool(partial(FakeBackend, crash_on=[]), ProverOptions(), 2, warm=[T, Theorem("bad", "")])
    with contextlib.closing(pool):
        run_all(pool, [Job(slot, (T, U)[slot % 2]) for slot in range(4)])
        stats = pool.stats()
    # The theorem started ahead is there already; what it took is not counted.
    assert (stats["starts"], stats["start_hits"]) == (4, 3)


def test_a_worker_that_dies_while_it_warms_up_is_replaced_by_one_that_does_not():
    pool = ProcessPool(partial(FakeBackend, exit_on=["simp"]), ProverOptions(), 1, warm=[T])
    with contextlib.closing(pool):
        assert run_all(pool, [Job(0, T)])[0].goals[0].target == "True ∧ True"
        assert (pool.stats()["worker_restarts"], pool.stats()["quarantined"]) == (1, 0)


def test_a_worker_holds_its_next_batch_while_it_works(unruly):
    pool = unruly()
    run_all(pool, [Job(slot, T) for slot in range(7)])
    pool.submit([Job(slot, T, (), "!nap 0.5" if slot == 0 else "split") for slot in range(6)])
    worker = pool._workers[0]
    assert (worker.batches, [ticket.job.slot for ticket in worker.flying.values()]) == (2, [0, 1, 2, 3, 4, 5])
    # Two batches are enough; what comes later waits here, starts before the others.
    pool.submit([Job(6, T, (), "split")])
    pool.submit([Job(7, T), Job(8, U)])
    assert [ticket.job.slot for ticket in worker.queue] == [7, 8, 6]
    assert all(reply.error is None for reply in pool.receive(9).values())


@pytest.mark.timeout(60)
def test_long_jobs_and_long_replies_do_not_meet_in_the_pipe(open_pool):
    """Neither end may wait for the other to read while the other waits for it: a pipe holds some 200 KB."""
    pool = open_pool()
    run_all(pool, [Job(slot, T) for slot in range(12)])
    long = "left" + 300_000 * " " + "."
    for _ in range(2):
        pool.submit([Job(slot, T, (), f"{slot}{long}") for slot in range(12)])
        assert pool._workers[0].batches == 1
        replies = pool.receive(12)
        assert all(reply.error.startswith(f"'{slot}left") for slot, reply in replies.items())
        assert all(len(reply.error) > 300_000 for reply in replies.values())


def test_local_pool():
    pool = LocalPool(FakeBackend, ProverOptions())
    assert pool.backend_name == "fake"
    assert run_all(pool, [Job(0, T), Job(1, U)])[1].goals[0].target == "True ∨ False"
    assert pool.stats()["starts"] == 2
    assert pool.stats()["workers"] == 0
    pool.close()
    pool.close()


MEMORY = """
import re, sys, psutil
from pathlib import Path
from lean_gym import LeanProofVectorEnv

with LeanProofVectorEnv(2, "logic", "minilean", num_workers=2, context=sys.argv[1]) as vec:
    seen = [vec.reset(seed=0)[0]]
    seen += [vec.step(["intro h", "simp_all"])[0] for _ in range(2)]
    private = []
    for child in psutil.Process().children(recursive=True):
        rollup = Path(f"/proc/{child.pid}/smaps_rollup").read_text()
        private.append(sum(int(kib) for kib in re.findall(r"Private_\\w+: +(\\d+)", rollup)) / 1024)
    print(seen, max(private))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads smaps")
def test_workers_of_a_fork_server_share_the_library():
    def run(context):
        words = [sys.executable, "-c", MEMORY, context]
        output = subprocess.run(words, check=True, capture_output=True, text=True, timeout=100).stdout
        seen, mib = output.rsplit(" ", 1)
        return seen, float(mib)

    (spawned, alone), (forked, shared) = run("spawn"), run("forkserver")
    assert forked == spawned
    assert shared < 0.7 * alone


def test_a_library_that_does_not_load_is_left_to_the_workers(monkeypatch):
    monkeypatch.setattr("lean_gym.backends.minilean.load_library", lambda: 1 / 0)
    monkeypatch.setattr("gc.freeze", lambda: None)
    runpy.run_module("lean_gym.backends.preloaded")
