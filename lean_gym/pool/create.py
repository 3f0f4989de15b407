"""Choice of a pool for an environment."""

from __future__ import annotations

import multiprocessing as mp
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gymnasium.vector.utils import CloudpickleWrapper

from lean_gym.backends.registry import BackendFactory, judge_apart, preload_of
from lean_gym.errors import unknown_name
from lean_gym.execution import ProverOptions
from lean_gym.pool.base import LocalPool, Pool, PoolOptions
from lean_gym.pool.judging import WORKERS_PER_JUDGE, JudgingPool
from lean_gym.pool.machine import check_workers
from lean_gym.pool.processes import ProcessPool
from lean_gym.types import Theorem

_MAX_WARM: Final = 8


def create_pool(
    factory: BackendFactory,
    options: ProverOptions,
    limits: PoolOptions,
    *,
    num_workers: int,
    context: str,
    theorems: Sequence[Theorem],
) -> Pool:
    """Make a pool; its workers, if any, start and load what the theorems import while the caller goes on.

    Args:
        factory: Makes a backend; sent to workers by cloudpickle.
        options: How each prover works.
        limits: Bounds of each worker.
        num_workers: How many processes, 0 for this one.
        context: How to start them.
        theorems: The theorems of the environment.

    Returns:
        The pool, which the caller closes.

    Raises:
        ValueError: `num_workers` below 0 or more than this machine can hold, or an unknown `context`.
    """
    check_workers(num_workers, usable_cores())
    if context not in mp.get_all_start_methods():
        raise ValueError(unknown_name("context", str(context), mp.get_all_start_methods()))
    if num_workers == 0:
        return LocalPool(factory, options)
    # One theorem for each set of imports, so that libraries are loaded before the first step.
    warm = list({theorem.imports: theorem for theorem in reversed(theorems)}.values())[:_MAX_WARM]
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
