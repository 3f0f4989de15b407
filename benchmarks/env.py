"""Tactic steps per second of the environment, replaying the reference proofs of the theorem sets.

    python -m benchmarks.env                        both sets: one environment, then 64 over 0, 1, 2 workers
    python -m benchmarks.env --sets nat --passes 5

A pass replays every proof once. It includes the resets and the verification of each proof, and leaves out
what happens once: starting the worker processes and loading the library. Every pass has a fresh environment,
since a cache would answer a second replay. The table goes to standard output; a figure worth keeping goes
into docs/log.md together with the command.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import gymnasium as gym

from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.types import Theorem


@dataclass(frozen=True)
class Pass:
    """One replay of all proofs: tactic steps, verified proofs, wall-clock seconds."""

    steps: int
    proved: int
    seconds: float


def replay_single(theorems: Sequence[Theorem]) -> Pass:
    """Replay on one environment, one proof after the other."""
    env = gym.make("LeanProof-v0", theorems=theorems)
    env.reset(options={"theorem": theorems[0].name})
    steps = proved = 0
    began = time.perf_counter()
    for theorem in theorems:
        env.reset(options={"theorem": theorem.name})
        for tactic in proof_steps(theorem.proof):
            _, _, terminated, truncated, info = env.step(tactic)
            steps += 1
            if terminated or truncated:
                proved += bool(info["is_success"])
                break
    seconds = time.perf_counter() - began
    env.close()
    return Pass(steps, proved, seconds)


def replay_vector(theorems: Sequence[Theorem], num_envs: int, num_workers: int) -> Pass:
    """Replay `num_envs` proofs side by side, wave after wave."""
    envs = gym.make_vec("LeanProof-v0", num_envs=num_envs, num_workers=num_workers, theorems=theorems)
    envs.reset(options={"theorem": [theorems[0].name] * num_envs})
    steps = proved = 0
    began = time.perf_counter()
    for at in range(0, len(theorems), num_envs):
        wave = theorems[at : at + num_envs]
        # A short last wave is filled up with a theorem whose episodes are then not counted.
        names = [theorem.name for theorem in wave] + [wave[0].name] * (num_envs - len(wave))
        envs.reset(options={"theorem": names})
        scripts = dict(enumerate(proof_steps(theorem.proof) for theorem in wave))
        while scripts:
            actions = [scripts[slot].pop(0) if slot in scripts else "" for slot in range(num_envs)]
            _, _, terminated, truncated, infos = envs.step(actions)
            steps += len(scripts)
            for slot in list(scripts):
                if terminated[slot] or truncated[slot] or not scripts[slot]:
                    proved += bool(infos["is_success"][slot])
                    del scripts[slot]
    seconds = time.perf_counter() - began
    envs.close()
    return Pass(steps, proved, seconds)


def report(label: str, replay: Callable[[], Pass], passes: int, expected: int) -> str:
    """Run `passes` passes and return one line of the table, the median with the range in brackets."""
    done = [replay() for _ in range(passes)]
    rates = sorted(one.steps / one.seconds for one in done)
    spread = f"({rates[0]:,.0f} to {rates[-1]:,.0f})"
    proved = min(one.proved for one in done)
    middle = statistics.median(rates)
    return f"| {label:<22} | {done[0].steps:>6} | {proved}/{expected} | {middle:>8,.0f} {spread} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--sets", default="logic,nat", help="theorem sets or JSONL paths, by commas [%(default)s]"
    )
    parser.add_argument("--num-envs", type=int, default=64, help="episodes side by side [%(default)s]")
    parser.add_argument("--workers", default="0,1,2", help="worker counts to try, by commas [%(default)s]")
    parser.add_argument("--passes", type=int, default=3, help="passes per line of the table [%(default)s]")
    arguments = parser.parse_args()

    theorems = [one for name in arguments.sets.split(",") for one in load_theorems(name) if one.proof]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {len(theorems)} theorems\n")
    print("| environment            |  steps | proved | steps/s, median of passes |")
    print("|------------------------|--------|--------|---------------------------|")
    print(report("one", lambda: replay_single(theorems), arguments.passes, len(theorems)), flush=True)
    for workers in map(int, arguments.workers.split(",")):

        def vector(workers: int = workers) -> Pass:
            return replay_vector(theorems, arguments.num_envs, workers)

        label = f"{arguments.num_envs}, {workers} workers"
        print(report(label, vector, arguments.passes, len(theorems)), flush=True)


if __name__ == "__main__":
    main()
