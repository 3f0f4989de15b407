"""Child processes of `benchmarks.minilean`: loading, replaying, holding states.

python -m benchmarks.minilean_jobs '{"kind": "load"}'
"""

from __future__ import annotations

import gc
import json
import re
import sys
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.children import answer
from benchmarks.memory import resident_mib

AUTOMATION = frozenset({"simp", "simp_all", "simp_arith", "simpa", "dsimp", "omega", "decide"})
"""Tactics that search or compute, without a bound on their time."""

_WORD = re.compile(r"[^\W\d][\w.'!?]*")


def head_of(tactic: str) -> str:
    """Return the name that a tactic starts with, after bullets and brackets; the text itself without a name."""
    word = _WORD.search(tactic)
    return word.group() if word else tactic.strip()


def is_automatic(tactic: str) -> bool:
    """Return whether one of `AUTOMATION` occurs anywhere in a tactic."""
    return not AUTOMATION.isdisjoint(_WORD.findall(tactic))


@dataclass(slots=True)
class Replay:
    """One replay of reference proofs.

    Attributes:
        heads: Head of each tactic.
        automatic: Whether it contains one of `AUTOMATION`.
        tactic_s: Seconds of each step, without printing.
        printing_s: Seconds to print the goals after each step, as text and as rows.
        check_s: Seconds to assemble and re-check each finished proof, by the kernel.
        failed: Names of the theorems whose proof was refused.
    """

    heads: list[str] = field(default_factory=list)
    automatic: list[bool] = field(default_factory=list)
    tactic_s: list[float] = field(default_factory=list)
    printing_s: list[float] = field(default_factory=list)
    check_s: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def load_seconds() -> float:
    """Import minilean and load its library, from the cache file if there is one."""
    began = time.perf_counter()
    from minilean.library import library

    library()
    return time.perf_counter() - began


def replay(sets: Sequence[str]) -> Replay:
    """Replay every reference proof of the theorem sets, step by step, and re-check each one.

    Args:
        sets: Names or paths.
    """
    from lean_gym.datasets import load_theorems, proof_steps
    from minilean.library import library
    from minilean.proof import Problem, ProofError

    env = library()
    done = Replay()
    clock = time.perf_counter
    for theorem in (one for name in sets for one in load_theorems(name) if one.proof):
        problem = Problem.from_source(theorem.statement, env, theorem.context)
        state = problem.start()
        for tactic in proof_steps(theorem.proof):
            began = clock()
            step = problem.apply(state, tactic)
            applied = clock()
            if step.state is not None:
                problem.goal_texts(step.state)
                problem.goal_rows(step.state)
            printed = clock()
            done.heads.append(head_of(tactic))
            done.automatic.append(is_automatic(tactic))
            done.tactic_s.append(applied - began)
            done.printing_s.append(printed - applied)
            if step.state is None:
                break
            state = step.state
        began = clock()
        try:
            problem.check(state)
        except ProofError:
            done.failed.append(theorem.name)
        else:
            done.check_s.append(clock() - began)
    return done


def hold_states(sets: Sequence[str], count: int, traced: bool) -> tuple[int, float]:
    """Keep the states of reference proofs alive, with their printed goals, as an environment does.

    Args:
        sets: Names or paths of theorem sets.
        count: Largest number of states to keep.
        traced: Whether to measure Python's allocations, instead of the growth of the process.

    Returns:
        The number of live states, and their MiB.
    """
    from lean_gym.backends.minilean import MinileanBackend
    from lean_gym.datasets import load_theorems, proof_steps
    from lean_gym.types import ProofState
    from minilean.library import library

    library()
    backend = MinileanBackend()
    theorems = [one for name in sets for one in load_theorems(name) if one.proof]
    kept: list[ProofState] = []
    gc.collect()
    if traced:
        tracemalloc.start()
    before = _used_mib(traced)
    for theorem in theorems:
        state: ProofState | None = backend.start(theorem)
        for tactic in ["", *proof_steps(theorem.proof)]:
            state = backend.apply(state, tactic).state if tactic and state is not None else state
            if state is not None and len(kept) < count:
                kept.append(state)
        if len(kept) == count:
            break
    gc.collect()
    used = _used_mib(traced) - before
    if traced:
        tracemalloc.stop()
    return len(kept), used


def _used_mib(traced: bool) -> float:
    return tracemalloc.get_traced_memory()[0] / 2**20 if traced else resident_mib()


def run(job: dict[str, Any]) -> Any:
    """Do a job and return its answer."""
    match job["kind"]:
        case "load":
            return load_seconds()
        case "replay":
            return asdict(replay(job["sets"]))
        case "states":
            return hold_states(job["sets"], job["count"], job["traced"])
        case kind:
            raise ValueError(f"kind: got {kind!r}, expected load, replay or states")


if __name__ == "__main__":
    answer(run(json.loads(sys.argv[1])))
