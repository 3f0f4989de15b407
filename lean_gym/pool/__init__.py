"""Pools that run jobs: in this process, or in worker processes that each own a `Prover`.

A job carries its whole path of tactics, so a worker holds no state that cannot be computed again. A worker that
dies, is killed or is replaced costs time and nothing else: its successor replays the tactics of its episodes. Jobs
wait in the pool and go to a worker in small batches, two at a time, so that the second is ready when the first is
done. A slow tactic delays its own worker only; jobs that wait long for that worker move to an idle one.

Every tactic has three limits: the backend's own; a wall-clock deadline, past which the worker is ended with all
processes that it has started; and memory, watched while the tactic runs, on Linux with a limit on address space as
the last resort. A step that is stopped or kills its worker is tried once more, since failures may be transient. The
second time it is refused, or answered with `crashed` and quarantined; other episodes are not affected. Only what the
process did itself counts: a fault, an exit, a limit that it passed. A worker that was killed from outside (kill -9,
the kernel short of memory) or stopped (SIGSTOP) is no evidence against the tactic that happened to run.

A worker gives a sign of life ten times a second. One that is stopped for 5 s while it starts or has work is replaced,
and so is one that does not start within `PoolOptions.start_s`. One that cannot be started leaves its episodes to the
others and is tried again later.

Workers are started with `spawn` by default: it is the only method that exists on every system and is safe in a
process that has threads or a GPU in use, and it costs a fraction of a second once. Workers never import the
program's main module, so scripts need no `if __name__ == "__main__":` guard. They end when they are told to, when
their pipe closes, and when their parent has ended, even while a tactic runs.

    base           the protocol of a pool, and the pool without processes
    processes      the pool with processes: scheduling and recovery
    judging        workers that judge finished scripts for the others
    assignment     the worker of each episode
    failures       whose fault the end of a worker is
    telemetry      what a worker shows its parent
    liveness       signs of life of a worker, and evidence of its end
    worker_handle  the parent's end of a worker process
    worker_main    the worker process
    create         choice of a pool for an environment
    ray_pool       the pool whose workers are on the nodes of a Ray cluster
    ray_node       the part of it that runs on a node
    ray_cluster    connection to Ray, CPUs of its nodes, actors
    machine        numbers of workers and episodes that this machine can hold
    serialization  jobs and replies as plain tuples
    limits         memory and processes of a worker
"""

from lean_gym.backends.registry import BackendFactory
from lean_gym.pool.base import POOL_COUNTERS, LocalPool, Pool, PoolOptions, run_all
from lean_gym.pool.create import POOLS, create_pool, default_workers, usable_cores
from lean_gym.pool.machine import check_episodes
from lean_gym.pool.processes import ProcessPool

__all__ = [
    "POOLS", "POOL_COUNTERS", "BackendFactory", "LocalPool", "Pool", "PoolOptions", "ProcessPool", "check_episodes",
    "create_pool", "default_workers", "run_all", "usable_cores",
]  # fmt: skip
