"""Choice of a pool for an environment."""

from __future__ import annotations

import multiprocessing as mp
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any, Final

from gymnasium.error import DependencyNotInstalled
from gymnasium.vector.utils import CloudpickleWrapper

from lean_gym.backends.registry import BackendFactory, judge_apart, preload_of
from lean_gym.errors import unknown_name
from lean_gym.execution import ProverOptions
from lean_gym.pool.base import LocalPool, Pool, PoolOptions
from lean_gym.pool.judging import WORKERS_PER_JUDGE, JudgingPool
from lean_gym.pool.machine import check_workers
from lean_gym.pool.processes import ProcessPool
from lean_gym.types import Theorem

POOLS: Final = ("processes", "ray")
"""Places of the workers: this machine, or the nodes of a Ray cluster."""
_MAX_WARM: Final = 8


def default_workers(pool: str, num_envs: int) -> int:
    """Return the number of workers where none was asked for: one per core of this machine or free CPU of the cluster.

    Args:
        pool: One of `POOLS`.
        num_envs: How many episodes; no more workers than these.

    Raises:
        ValueError: An unknown `pool`.
        DependencyNotInstalled: The pool is `"ray"`, and that package is not installed.
        BackendUnavailable: The Ray cluster cannot be reached.
    """
    _check_pool(pool)
    if pool == "processes":
        return min(num_envs, usable_cores())
    from lean_gym.pool.ray_pool import cluster_cpus

    return min(num_envs, cluster_cpus())


def _check_pool(pool: str) -> None:
    if pool not in POOLS:
        raise ValueError(unknown_name("pool", str(pool), POOLS))
    if pool == "ray" and find_spec("ray") is None:
        raise DependencyNotInstalled(
            "pool='ray' needs the package ray; install it with: pip install 'lean-gym[ray]'"
        )


def create_pool(
    factory: BackendFactory,
    options: ProverOptions,
    limits: PoolOptions,
    *,
    num_workers: int,
    context: str,
    theorems: Sequence[Theorem],
    pool: str = "processes",
) -> Pool:
    """Make a pool; its workers, if any, start and load what the theorems import while the caller goes on.

    Args:
        factory: Makes a backend; sent to workers by cloudpickle.
        options: How each prover works.
        limits: Bounds of each worker.
        num_workers: How many processes, 0 for this one.
        context: How to start them.
        theorems: The theorems of the environment.
        pool: `"processes"` for workers on this machine, `"ray"` for workers on the nodes of a Ray cluster.

    Returns:
        The pool, which the caller closes.

    Raises:
        ValueError: `num_workers` below 0 or more than this machine can hold, or an unknown `context` or `pool`.
        DependencyNotInstalled: The pool is `"ray"`, and that package is not installed.
        BackendUnavailable: The Ray cluster cannot be reached.
    """
    _check_pool(pool)
    if context not in mp.get_all_start_methods():
        raise ValueError(unknown_name("context", str(context), mp.get_all_start_methods()))
    # One theorem for each set of imports, so that libraries are loaded before the first step.
    warm = list({theorem.imports: theorem for theorem in reversed(theorems)}.values())[:_MAX_WARM]
    if pool == "ray":
        # Ray is an extra, and takes seconds to import.
        from lean_gym.pool.ray_pool import RayPool

        make_pool = partial(_make_node, _portable(factory), options, limits, context, warm)
        return RayPool(make_pool, num_workers, limits.start_s)
    check_workers(num_workers, usable_cores())
    if num_workers == 0:
        return LocalPool(factory, options)
    return _make_workers(factory, options, limits, context, warm, num_workers)


def _make_node(
    factory: Any,
    options: ProverOptions,
    limits: PoolOptions,
    context: str,
    warm: Sequence[Theorem],
    num_workers: int,
) -> Pool:
    """Make the workers of a node of a cluster, there: it resolves `"auto"` and checks that it can hold them.

    The factory comes from `_portable`.
    """
    check_workers(num_workers, usable_cores())
    return _make_workers(factory.fn, options, limits, context, warm, num_workers)


def _make_workers(
    factory: BackendFactory,
    options: ProverOptions,
    limits: PoolOptions,
    context: str,
    warm: Sequence[Theorem],
    num_workers: int,
) -> Pool:
    """Make worker processes on this machine, at least one."""
    apart = judge_apart(factory) if num_workers > 1 else None
    if apart is None:
        preload = preload_of(factory)
        return ProcessPool(_portable(factory), options, num_workers, context, limits, warm, preload)
    episodes, judge = (_portable(one) for one in apart)
    provers = ProcessPool(episodes, replace(options, judges=False), num_workers, context, limits, warm)
    try:
        judges = ProcessPool(judge, options, -(-num_workers // WORKERS_PER_JUDGE), context, limits)
    except BaseException:
        provers.close()
        raise
    pool = JudgingPool(provers, judges)
    pool.get_ready(warm)
    return pool


def _portable(factory: BackendFactory) -> BackendFactory:
    """Return a factory that is pickled by value where it comes from the main module, which workers do not import."""
    return CloudpickleWrapper(factory)  # type: ignore[type-var]


def usable_cores() -> int:
    """Return the number of cores that this process may use, where the system tells; containers often restrict it."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
