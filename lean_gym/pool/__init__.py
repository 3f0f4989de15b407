"""Where jobs run: in this process, or in worker processes that each own a `Prover`.

A job carries its whole path of tactics, so a worker holds nothing that cannot be had again. One that dies, is
killed or is replaced costs time and nothing else: the next one replays what its episodes need. Jobs wait here
and go to a worker in small batches, two at a time, so that it finds the next when it is done with one. A slow tactic
holds up its own worker only, and what waits behind it for long is taken over by an idle one.

Three guards stand over every tactic: the backend's own limit; a wall-clock deadline, past which the worker is
ended with everything it has started; a limit on memory, watched while it runs, with a limit on address space
behind it. A step that is stopped or kills its worker is tried once more, since a machine has bad moments. The
second time it is refused, or answered with `crashed` and quarantined, and the others never notice.

Workers are started with `spawn` unless told otherwise: it is the only way that exists on every system and is
safe in a process that has threads or a GPU in use, and it costs a fraction of a second once. Workers never
import the program's main module, so scripts need no `if __name__ == "__main__":` guard. They end when they
are told to, when their pipe closes, and when their parent is gone, even while a tactic runs.

    base         what a pool is; the one without processes
    processes    the one with processes: scheduling and recovery
    worker       the parent's end of a process
    serve        the process
    create       which of the two an environment gets
    guards       memory and processes as the system tells them
"""

from lean_gym.pool.base import POOL_COUNTERS, BackendFactory, LocalPool, Pool, PoolOptions, run_all
from lean_gym.pool.create import create_pool, usable_cores
from lean_gym.pool.processes import ProcessPool

__all__ = [
    "POOL_COUNTERS", "BackendFactory", "LocalPool", "Pool", "PoolOptions", "ProcessPool", "create_pool", "run_all",
    "usable_cores",
]  # fmt: skip
