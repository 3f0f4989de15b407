"""Baseline without learning for the set `algebra`: rewriting with laws drawn at random.

    python -m benchmarks.random_laws algebra:test
    python -m benchmarks.random_laws algebra:test --attempts 64 --steps 12

Each tactic of an episode is `rw [law]` or `rw [← law]`, drawn uniformly among the laws of the structure in the context,
with arguments left to unification. The estimates are those of pass@1 and pass@8 in the tables of the trainers.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence

import gymnasium as gym

import lean_gym  # noqa: F401  (registers the environment)
from envs_data.automation.scripts import definitions
from lean_gym.datasets import load_theorems
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.evaluation.held_out import pass_at_k


def menu(theorem: Theorem) -> list[str]:
    """Return the tactics to draw from: each law of the context in both directions."""
    return [f"rw [{arrow}{law}]" for law in definitions(theorem.context) for arrow in ("", "← ")]


def count_proofs(theorems: Sequence[Theorem], attempts: int, steps: int, seed: int) -> list[int]:
    """Return for each theorem the number of episodes that prove it.

    Args:
        theorems: Theorems with laws in their context; one without is never proved.
        attempts: Episodes per theorem.
        steps: Tactics per episode.
        seed: Seed of the draws.
    """
    rng = random.Random(seed)
    env = gym.make("LeanProof-v0", theorems=list(theorems), backend="minilean", max_steps=steps)
    proofs = []
    for theorem in theorems:
        tactics = menu(theorem)
        proved = 0
        for _ in range(attempts if tactics else 0):
            _, info = env.reset(options={"theorem": theorem.name})
            done = False
            while not done:
                _, _, terminated, truncated, info = env.step(rng.choice(tactics))
                done = terminated or truncated
            proved += bool(info["is_success"])
        proofs.append(proved)
    env.close()
    return proofs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.random_laws", description="Rewrite with laws drawn at random."
    )
    parser.add_argument("theorems", help="theorem set or JSONL file")
    parser.add_argument(
        "--attempts", type=int, default=8, help="episodes per theorem, at least 8 [%(default)s]"
    )
    parser.add_argument("--steps", type=int, default=12, help="tactics per episode [%(default)s]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draws [%(default)s]")
    options = parser.parse_args(arguments)
    if options.attempts < 8:
        parser.error(f"--attempts: got {options.attempts}, expected at least 8")
    if options.steps < 1:
        parser.error(f"--steps: got {options.steps}, expected at least 1")
    try:
        theorems = load_theorems(options.theorems)
    except DataError as error:
        parser.error(str(error))
    proofs = count_proofs(theorems, options.attempts, options.steps, options.seed)
    for k in (1, 8):
        rate = sum(pass_at_k(options.attempts, count, k) for count in proofs) / len(proofs)
        print(f"pass@{k} {rate:.1%}")
    print(f"{len(theorems)} theorems, {options.attempts} episodes each, at most {options.steps} tactics")
    return 0


if __name__ == "__main__":
    sys.exit(main())
