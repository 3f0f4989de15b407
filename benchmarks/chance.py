"""Episodes of policies without learning, which choose at random: the command line that they share."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

import gymnasium as gym

import lean_gym  # noqa: F401  (registers the environment)
from lean_gym.command_line import Parser
from lean_gym.datasets import load_theorems
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.evaluation.held_out import pass_at_k


class Policy(Protocol):
    """Tactics of one episode."""

    def __call__(self, goal: str, refused: bool) -> str:
        """Return the next tactic.

        Args:
            goal: All goals as the environment shows them, the main goal first.
            refused: Whether the tactic before was refused; `False` at the start.
        """
        ...


NewPolicy = Callable[[random.Random, Theorem], Policy]
"""Makes the policy of an episode on a theorem."""


def count_proofs(
    new_policy: NewPolicy, theorems: Sequence[Theorem], attempts: int, steps: int, seed: int
) -> list[int]:
    """Return for each theorem the number of episodes that prove it.

    Args:
        new_policy: Makes the policy of each episode.
        theorems: The theorems.
        attempts: Episodes per theorem.
        steps: Tactics per episode.
        seed: Seed of the draws.
    """
    rng = random.Random(seed)
    env = gym.make("LeanProof-v0", theorems=list(theorems), backend="minilean", max_steps=steps)
    proofs = []
    for theorem in theorems:
        proved = 0
        for _ in range(attempts):
            policy = new_policy(rng, theorem)
            goal, info = env.reset(options={"theorem": theorem.name})
            done, refused = False, False
            while not done:
                goal, _, terminated, truncated, info = env.step(policy(goal, refused))
                done, refused = terminated or truncated, info["error"] is not None
            proved += bool(info["is_success"])
        proofs.append(proved)
    env.close()
    return proofs


def run(program: str, description: str, new_policy: NewPolicy, arguments: Sequence[str] | None) -> int:
    """Run the command line of a policy; return its exit status."""
    parser = Parser(prog=program, description=description)
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
        proofs = count_proofs(new_policy, theorems, options.attempts, options.steps, options.seed)
    except DataError as error:
        parser.error(str(error))
    for k in (1, 8):
        rate = sum(pass_at_k(options.attempts, count, k) for count in proofs) / len(proofs)
        print(f"pass@{k} {rate:.1%}")
    print(f"{len(theorems)} theorems, {options.attempts} episodes each, at most {options.steps} tactics")
    return 0
