"""Workers on a Ray cluster of three nodes, which all are on this machine: same episodes, and none is lost."""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import cloudpickle
import psutil
import pytest
import ray
from gymnasium.error import ClosedEnvironmentError, DependencyNotInstalled

from lean_gym import LeanProofVectorEnv
from lean_gym.backends.fake import FakeBackend
from lean_gym.errors import BackendUnavailable
from lean_gym.execution import Job, ProverOptions
from lean_gym.pool import PoolOptions, create_pool, run_all
from lean_gym.pool.failures import MOST_FAILURES
from lean_gym.pool.ray_cluster import share_out
from lean_gym.pool.ray_pool import RayPool
from lean_gym.types import Theorem

ROOT = Path(__file__).resolve().parents[3]
T = Theorem("t", "theorem t : True ∧ True")
U = Theorem("u", "theorem u : True ∨ False")
SMALL = {"object_store_memory": 80_000_000, "include_dashboard": False}

# Ray leaves sockets and files to the garbage collector.
pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
# The nodes cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Noted(FakeBackend):
    """Writes down its process, and takes a while for the tactic `nap`."""

    def __init__(self, folder):
        super().__init__()
        Path(folder, str(os.getpid())).touch()

    def apply(self, state, tactic, deadline_s=10.0):
        if tactic == "nap":
            time.sleep(0.3)
            tactic = "split"
        elif tactic == "die":
            os._exit(3)
        return super().apply(state, tactic, deadline_s)


@pytest.fixture
def open_pool(cluster, tmp_path):
    pools = []

    def make(num_workers=4, backend=None):
        # Ray frees the CPUs of an actor a while after its end; shares depend on them.
        for _ in range(200):
            if pools or ray.available_resources().get("CPU", 0) >= 4:
                break
            time.sleep(0.1)
        factory = partial(Noted, str(tmp_path)) if backend is None else backend
        where = {"num_workers": num_workers, "context": "spawn", "theorems": [T], "pool": "ray"}
        pools.append(create_pool(factory, ProverOptions(), PoolOptions(), **where))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def all_started(pool):
    while not all(node.backend_name for node in pool._nodes):
        pool.poll(0.1)


def ends_soon(pid):
    for _ in range(200):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.1)
    return False


def play(**options):
    """Play scripts on theorems of `logic`, two episodes of each; return all that is seen."""
    script = ["intro h", "intro g", "simp_all", "constructor", "exact h"]
    with LeanProofVectorEnv(12, "logic", "minilean", **options) as env:
        names = [theorem.name for theorem in env.theorems[:6]]
        seen = [env.reset(seed=3, options={"theorem": [names[slot // 2] for slot in range(12)]})[0]]
        for tactic in script:
            texts, rewards, ended, cut, _ = env.step([tactic] * 12)
            seen.append((texts, rewards.tolist(), ended.tolist(), cut.tolist()))
    return seen


def test_the_episodes_are_those_of_worker_processes(cluster):
    assert play(num_workers=3, pool="ray") == play(num_workers=1)
    assert ray.is_initialized()  # it is the caller's


def numbered(count):
    return [Theorem(f"t{number}", "theorem t : True ∧ True") for number in range(count)]


def test_512_episodes_over_8_workers_of_which_some_die(open_pool, tmp_path):
    pool, theorems = open_pool(8), numbered(64)
    all_started(pool)
    assert (pool.stats()["workers"], pool.backend_name) == (8, "fake")
    # The group of a theorem is on one node, as long as no node is idle.
    run_all(pool, [Job(slot, theorems[slot // 8]) for slot in range(64)])
    for group in range(8):
        nodes = {id(pool._places[pool._owners[slot]]) for slot in range(8 * group, 8 * group + 8)}
        assert len(nodes) == 1
    replies = run_all(pool, [Job(slot, theorems[slot // 8]) for slot in range(512)])
    assert all(len(reply.goals) == 1 for reply in replies)
    # One tactic ends its worker twice.
    jobs = [Job(slot, theorems[slot // 8], (), "die" if slot == 100 else "split") for slot in range(512)]
    replies = run_all(pool, jobs)
    assert [slot for slot, reply in enumerate(replies) if reply.crashed] == [100]
    assert replies[100].error == "the worker process died twice on this step (exit code 3)"
    assert sum(len(reply.goals or ()) == 2 for reply in replies) == 511
    # Workers that are killed from outside are replaced by their nodes.
    for note in tmp_path.iterdir():
        with suppress(psutil.NoSuchProcess):
            psutil.Process(int(note.name)).kill()
    jobs = [Job(slot, theorems[slot // 8], ("split",), "trivial") for slot in range(64)]
    assert [len(reply.goals) for reply in run_all(pool, jobs)] == [1] * 64
    while (stats := pool.stats())["worker_restarts"] < 3:
        run_all(pool, jobs)
    assert (stats["quarantined"], stats["workers"]) == (1, 8)


def test_no_episode_is_lost_with_a_node(cluster, open_pool):
    pool = open_pool()
    theorems = numbered(16)
    run_all(pool, [Job(slot, theorems[slot]) for slot in range(16)])
    all_started(pool)
    run_all(pool, [Job(slot, theorems[slot], (), "split") for slot in range(16)])
    jobs = [Job(slot, theorems[slot], ("split",), "nap" if slot % 2 else "trivial") for slot in range(16)]
    pool.submit(jobs)
    pool.poll(0.0)
    lost = max(cluster.worker_nodes, key=lambda node: node._ray_params.num_cpus)
    cluster.remove_node(lost, allow_graceful=False)
    replies = pool.receive(16)
    assert len(replies) == 16
    # `nap` is `split`, which does not apply to the goal that is left.
    assert [bool(replies[slot].error) for slot in range(16)] == [bool(slot % 2) for slot in range(16)]
    assert not any(reply.crashed for reply in replies.values())
    last = run_all(
        pool, [Job(slot, theorems[slot], ("split", "trivial"), "trivial") for slot in range(0, 16, 2)]
    )
    assert all(reply.verdict.proved for reply in last)
    # A node that was lost while it was idle is noticed when it is asked for its counters.
    while pool.stats()["workers"] > 2:
        run_all(pool, [Job(0, theorems[0]), Job(1, theorems[1])])
    assert len(pool._nodes) == 2
    # The workers come back with a node that has room.
    cluster.add_node(num_cpus=2, **SMALL)
    while pool.stats()["workers"] < 4:
        run_all(pool, [Job(0, theorems[0]), Job(1, theorems[1])])
    assert run_all(pool, [Job(2, theorems[2], ("split",), "trivial")])[0].error is None


def test_actors_that_are_killed_are_started_again(open_pool):
    pool = open_pool(1)
    run_all(pool, [Job(0, T), Job(1, U)])
    for node in pool._nodes:
        node.actor.kill()
    first, second = run_all(pool, [Job(0, T, ("split",), "trivial"), Job(1, U, ("left",), "trivial")])
    assert len(first.goals) == 1
    assert second.verdict.proved


def test_without_a_node_a_call_fails_in_one_line_and_the_next_one_tries_again(open_pool, monkeypatch):
    pool = open_pool(1)
    run_all(pool, [Job(0, T)])
    pool._nodes[0].actor.kill()
    with monkeypatch.context() as patch:
        patch.setattr("lean_gym.pool.ray_pool.alive_cpus", dict)
        with pytest.raises(BackendUnavailable, match="the Ray cluster has no node alive; start one with"):
            run_all(pool, [Job(0, T, (), "split")])
    assert len(run_all(pool, [Job(0, T, (), "split")])[0].goals) == 2


class LostActor:
    """Starts, and is lost with the first jobs that it gets."""

    def __init__(self, *_):
        self.busy = False

    def submit(self, jobs, dropped):
        self.busy = True

    def ask(self, wait_s):
        return self

    def kill(self):
        pass


def test_a_job_that_saw_many_nodes_go_is_given_up(cluster, monkeypatch):
    def read(actor):
        return BackendUnavailable("gone") if actor.busy else ("fake", None, [], {})

    monkeypatch.setattr("lean_gym.pool.ray_pool.NodeActor", LostActor)
    monkeypatch.setattr("lean_gym.pool.ray_pool.wait_for", lambda references, *_: list(references))
    monkeypatch.setattr("lean_gym.pool.ray_pool.read", read)
    monkeypatch.setattr("lean_gym.pool.ray_pool._MOST_REST_SECONDS", 0.0)
    pool = RayPool(LostActor, 1, 600.0)
    pool.submit([Job(0, T)])
    replies, raised = {}, []
    while not replies:
        try:
            replies = pool.receive(1)
        except BackendUnavailable as error:
            raised.append(str(error))
    assert replies[0].crashed
    assert replies[0].error == f"the node of Ray was lost {MOST_FAILURES} times while it had this step"
    assert raised
    assert all(text.startswith("the nodes of Ray were lost 3 times in a row (gone)") for text in raised)
    pool._nodes.clear()
    pool.close()


def test_workers_are_shared_out_in_proportion():
    assert share_out(4, {"a": 1.0, "b": 1.0, "c": 2.0}) == {"a": 1, "b": 1, "c": 2}
    assert share_out(8, {"a": 1.0, "b": 1.0, "c": 2.0}) == {"a": 2, "b": 2, "c": 4}
    assert share_out(3, {"a": 100.0, "b": 1.0}) == {"a": 3}
    assert share_out(2, {"a": 0.0, "b": 0.0}) == {"a": 1, "b": 1}
    assert share_out(1, {"a": 0.0, "b": 1.0}) == {"b": 1}


def test_a_backend_that_does_not_start_is_one_clear_error_each_time(open_pool):
    pool = open_pool(1, partial(FakeBackend, nonsense=1))
    for _ in range(2):
        with pytest.raises(TypeError, match="nonsense"):
            run_all(pool, [Job(0, T)])


def test_close_leaves_no_process_and_ends_a_wait_of_another_thread(open_pool, tmp_path):
    pool = open_pool(2)
    run_all(pool, [Job(slot, T) for slot in range(2)])
    all_started(pool)
    pool.submit([Job(slot, T, (), "nap") for slot in range(2)])
    closing = threading.Thread(target=pool.close)
    closing.start()
    with pytest.raises(ClosedEnvironmentError):
        while True:
            pool.receive(2)
    closing.join()
    pool.close()
    assert len(list(tmp_path.iterdir())) == 2
    assert all(ends_soon(int(note.name)) for note in tmp_path.iterdir())


def test_a_forgotten_pool_ends_its_processes(cluster, tmp_path):
    where = {"num_workers": 1, "context": "spawn", "theorems": [T], "pool": "ray"}
    pool = create_pool(partial(Noted, str(tmp_path)), ProverOptions(), PoolOptions(), **where)
    run_all(pool, [Job(slot, T) for slot in range(2)])
    del pool
    assert list(tmp_path.iterdir())
    assert all(ends_soon(int(note.name)) for note in tmp_path.iterdir())


def test_numbers_of_workers_are_checked(cluster):
    with pytest.raises(ValueError, match="num_workers: got 0, expected 1 to 4096 with pool='ray'"):
        LeanProofVectorEnv(2, [T], "fake", num_workers=0, pool="ray")
    with pytest.raises(ValueError, match="did you mean 'ray'"):
        LeanProofVectorEnv(2, [T], "fake", pool="rai")


def test_a_missing_package_is_one_line(monkeypatch):
    monkeypatch.setattr("lean_gym.pool.create.find_spec", lambda name: None)
    with pytest.raises(DependencyNotInstalled, match=r"pip install 'lean-gym\[ray\]'"):
        LeanProofVectorEnv(2, [T], "fake", pool="ray")


NOBODY = """
from lean_gym import LeanProofVectorEnv
try:
    LeanProofVectorEnv(2, ["theorem t : True"], "fake", num_workers=1, pool="ray")
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:9", "no Ray cluster answers at RAY_ADDRESS=127.0.0.1:9: "),
        ("ray://127.0.0.1:10001", "got 'ray://127.0.0.1:10001', expected HOST:PORT"),
    ],
)
def test_an_address_without_a_cluster_is_one_line(address, message):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RAY_ADDRESS": address}
    words = [sys.executable, "-c", NOBODY]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.startswith(BackendUnavailable.__name__)
    assert message in done.stdout
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


WITHOUT = """
import sys
from lean_gym import LeanProofVectorEnv
with LeanProofVectorEnv(2, ["theorem t : True"], "fake", num_workers=1) as env:
    env.reset()
print("ray" in sys.modules)
"""


def test_other_pools_do_not_import_ray():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout == "False\n"


LOCAL = """
import psutil
from lean_gym import LeanProofVectorEnv
with LeanProofVectorEnv(2, ["theorem t : True ∧ True"], "fake", num_workers=1, pool="ray") as env:
    env.reset()
    print(env.step(["split", "left"])[4]["outcome"].tolist(), flush=True)
print([child.name() for child in psutil.Process().children(recursive=True)])
"""


@pytest.mark.slow
def test_without_an_address_a_ray_of_this_machine_is_started_and_ended():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("RAY_ADDRESS", None)
    words = [sys.executable, "-c", LOCAL]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=200, check=True)
    assert (done.stdout, done.stderr) == ("['running', 'tactic_error']\n[]\n", "")
