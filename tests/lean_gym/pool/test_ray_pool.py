"""Workers on a Ray cluster of three nodes, which all are on this machine: same episodes, and none is lost."""

import os
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import cloudpickle
import psutil
import pytest
from gymnasium.error import ClosedEnvironmentError, DependencyNotInstalled

from lean_gym import LeanProofVectorEnv
from lean_gym.backends.fake import FakeBackend
from lean_gym.errors import BackendUnavailable
from lean_gym.execution import Job, ProverOptions
from lean_gym.pool import PoolOptions, create_pool, run_all
from lean_gym.types import Theorem

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

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


@pytest.fixture(scope="module")
def cluster():
    """Three nodes with 1, 1 and 2 CPUs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Their processes would wait for everything else that runs on this machine.
        patch.setenv("RAY_worker_niceness", "0")
        made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **SMALL})
        made.add_node(num_cpus=1, wait=False, **SMALL)
        made.add_node(num_cpus=2, wait=False, **SMALL)
        made.wait_for_nodes()
        patch.setenv("RAY_ADDRESS", made.address)
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
        yield made
        ray.shutdown()
        made.shutdown()


@pytest.fixture
def open_pool(cluster, tmp_path):
    pools = []

    def make(num_workers=4, backend=None):
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
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
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


def test_workers_are_shared_out_by_cpus_and_groups_stay_on_one_node(open_pool):
    pool = open_pool()
    assert sorted(len(node.workers) for node in pool._nodes) == [1, 1, 2]
    theorems = [Theorem(name, f"theorem {name} : True ∧ True") for name in "abcd"]
    all_started(pool)
    run_all(pool, [Job(slot, theorems[slot // 8]) for slot in range(32)])
    places = [
        {id(pool._places[pool._owners[slot]]) for slot in range(8 * group, 8 * group + 8)}
        for group in range(4)
    ]
    assert [len(nodes) for nodes in places] == [1] * 4
    while (stats := pool.stats())["starts"] < 32:
        time.sleep(0.1)
    assert (stats["starts"], stats["start_hits"], stats["workers"]) == (32, 28, 4)
    assert pool.backend_name == "fake"


def test_512_episodes_over_8_workers_and_a_tactic_that_kills(open_pool):
    pool = open_pool(8)
    theorems = [Theorem(f"t{number}", "theorem t : True ∧ True") for number in range(64)]
    assert all(
        reply.goals for reply in run_all(pool, [Job(slot, theorems[slot // 8]) for slot in range(512)])
    )
    jobs = [Job(slot, theorems[slot // 8], (), "die" if slot == 100 else "split") for slot in range(512)]
    replies = run_all(pool, jobs)
    assert [slot for slot, reply in enumerate(replies) if reply.crashed] == [100]
    assert replies[100].error == "the worker process died twice on this step (exit code 3)"
    assert sum(len(reply.goals or ()) == 2 for reply in replies) == 511
    assert (pool.stats()["workers"], pool.stats()["quarantined"]) == (8, 1)


def test_a_killed_worker_is_replaced_by_its_node(open_pool, tmp_path):
    pool = open_pool()
    run_all(pool, [Job(slot, (T, U)[slot % 2]) for slot in range(8)])
    all_started(pool)
    for note in tmp_path.iterdir():
        psutil.Process(int(note.name)).kill()
    jobs = [Job(slot, (T, U)[slot % 2], (), ("split", "left")[slot % 2]) for slot in range(8)]
    assert [reply.error for reply in run_all(pool, jobs)] == [None] * 8
    assert len(pool._nodes) == 3


def test_no_episode_is_lost_with_a_node(cluster, open_pool):
    pool = open_pool()
    theorems = [Theorem(f"t{number}", "theorem t : True ∧ True") for number in range(16)]
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
    while len(pool._nodes) == 3:
        run_all(pool, [Job(0, theorems[0]), Job(1, theorems[1])])
    assert pool.stats()["workers"] == 2
    # The workers come back with a node that has room.
    cluster.add_node(num_cpus=2, **SMALL)
    while pool.stats()["workers"] < 4:
        run_all(pool, [Job(0, theorems[0]), Job(1, theorems[1])])
    assert run_all(pool, [Job(2, theorems[2], ("split",), "trivial")])[0].error is None


def test_actors_that_are_killed_are_started_again(open_pool):
    pool = open_pool(2)
    run_all(pool, [Job(0, T), Job(1, U)])
    for node in pool._nodes:
        node.actor.kill()
    first, second = run_all(pool, [Job(0, T, ("split",), "trivial"), Job(1, U, ("left",), "trivial")])
    assert len(first.goals) == 1
    assert second.verdict.proved


def test_a_backend_that_does_not_start_is_one_clear_error_each_time(open_pool):
    pool = open_pool(2, partial(FakeBackend, nonsense=1))
    for _ in range(2):
        with pytest.raises(TypeError, match="nonsense"):
            run_all(pool, [Job(0, T)])


def test_close_leaves_no_process_and_ends_a_wait_of_another_thread(open_pool, tmp_path):
    pool = open_pool(3)
    run_all(pool, [Job(slot, T) for slot in range(3)])
    all_started(pool)
    pool.submit([Job(slot, T, (), "nap") for slot in range(3)])
    closing = threading.Thread(target=pool.close)
    closing.start()
    with pytest.raises(ClosedEnvironmentError):
        while True:
            pool.receive(3)
    closing.join()
    pool.close()
    assert len(list(tmp_path.iterdir())) == 3
    assert all(ends_soon(int(note.name)) for note in tmp_path.iterdir())


def test_a_forgotten_pool_ends_its_processes(cluster, tmp_path):
    where = {"num_workers": 2, "context": "spawn", "theorems": [T], "pool": "ray"}
    pool = create_pool(partial(Noted, str(tmp_path)), ProverOptions(), PoolOptions(), **where)
    run_all(pool, [Job(slot, T) for slot in range(2)])
    all_started(pool)
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


def test_without_an_address_a_ray_of_this_machine_is_started_and_ended():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("RAY_ADDRESS", None)
    words = [sys.executable, "-c", LOCAL]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=200, check=True)
    assert (done.stdout, done.stderr) == ("['running', 'tactic_error']\n[]\n", "")
