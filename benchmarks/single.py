"""Proofs replayed by single environments: one environment, or two in separate processes that share nothing.

Two of them are an upper bound for a pool of two workers on this machine, because there is neither scheduling nor
waiting.
"""

from __future__ import annotations

import multiprocessing as mp
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from time import perf_counter
from typing import Any

import gymnasium as gym

from lean_gym.datasets import proof_steps
from lean_gym.types import Theorem


@dataclass(frozen=True)
class Pass:
    """One replay: tactic steps, verified proofs, wall-clock seconds, seconds until the start, memory of children."""

    steps: int
    proved: int
    seconds: float
    start_seconds: float = 0.0
    memory_mib: float = 0.0


def replay_single(
    theorems: Sequence[Theorem], backend: str, wait: Callable[[], object] = lambda: None
) -> Pass:
    """Replay on one environment, one proof after the other, starting when `wait` returns."""
    env = gym.make("LeanProof-v0", theorems=theorems, backend=backend)
    env.reset(options={"theorem": theorems[0].name})
    steps = proved = 0
    wait()
    began = perf_counter()
    for theorem in theorems:
        env.reset(options={"theorem": theorem.name})
        for tactic in proof_steps(theorem.proof):
            _, _, terminated, truncated, info = env.step(tactic)
            steps += 1
            if terminated or truncated:
                proved += bool(info["is_success"])
                break
    seconds = perf_counter() - began
    env.close()
    return Pass(steps, proved, seconds)


def replay_apart(theorems: Sequence[Theorem], backend: str, processes: int = 2) -> Pass:
    """Replay on environments in separate processes, which start together; each has a part of the theorems."""
    context = mp.get_context("spawn")
    barrier, results = context.Barrier(processes), context.SimpleQueue()
    children = [
        context.Process(target=_replay_share, args=(theorems[start::processes], backend, barrier, results))
        for start in range(processes)
    ]
    for child in children:
        child.start()
    done: list[Pass] = [results.get() for _ in children]
    for child in children:
        child.join()
    return Pass(
        sum(one.steps for one in done), sum(one.proved for one in done), max(one.seconds for one in done)
    )


def _replay_share(theorems: Sequence[Theorem], backend: str, barrier: Barrier, results: Any) -> None:
    results.put(replay_single(theorems, backend, barrier.wait))
