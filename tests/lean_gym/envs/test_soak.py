"""Memory of one environment over very many episodes: what a proof needs goes when the proof does."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

SETTLED = 2_000
SOAK = f"""
import random
import sys

import psutil

from lean_gym import LeanProofEnv
from lean_gym.datasets.proofs import proof_steps
from lean_gym.datasets.sets import load_theorems

theorems = [theorem for name in ("logic", "nat") for theorem in load_theorems(name)]
steps = {{theorem.name: proof_steps(theorem.proof) for theorem in theorems}}
words = "simp,omega,intro x,constructor,rfl,decide,assumption,induction n,trivial,left,intros".split(",")
draw, process = random.Random(0), psutil.Process()
backend, episodes = sys.argv[1], int(sys.argv[2])
with LeanProofEnv(theorems, backend, cache_size=0) as env:
    for number in range(1, episodes + 1):
        theorem = theorems[number % len(theorems)]
        env.reset(options={{"theorem": theorem.name}})
        for at in range(6):
            chance = draw.random()
            if chance < 0.5 and at < len(steps[theorem.name]):
                tactic = steps[theorem.name][at]
            elif chance < 0.9:
                tactic = draw.choice(words)
            else:  # text and terms that no episode had before
                tactic = f"have h{{number}} : {{draw.getrandbits(40)}} + n = {{draw.getrandbits(40)}} := ?_"
            _, _, terminated, truncated, _ = env.step(tactic)
            if terminated or truncated:
                break
        if number % 100 == 0 and number > {SETTLED}:
            everything = (process, *process.children(recursive=True))
            print(sum(one.memory_info().rss for one in everything) / 2**20, flush=True)
"""


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("backend", "episodes", "most_mib"),
    # Processes of real Lean grow by 1 to 12 KiB an episode until they are replaced.
    [("minilean", 20_000, 5.0), ("lean", 10_000, 15.0)],
)
def test_many_episodes_need_no_more_memory_than_two_thousand(
    backend: str, episodes: int, most_mib: float
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SOAK, backend, str(episodes)], stdout=subprocess.PIPE, text=True, check=True
    )
    sizes = [float(line) for line in done.stdout.split()]
    assert len(sizes) == (episodes - SETTLED) // 100
    # Memory rises until a collection, or until a process of real Lean is replaced, so equal parts are compared; the
    # largest tenth has processes that judge a proof just then.
    first, last = (
        statistics.quantiles(half, n=10)[-1] for half in (sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :])
    )
    assert last - first < most_mib, f"{first:.1f} MiB in the first half, {last:.1f} MiB in the second"
