"""Agents that choose tactics from a menu: random, PPO of Stable-Baselines3, MaskablePPO of sb3-contrib.

    python -m benchmarks.menu_agents logic
    python -m benchmarks.menu_agents logic --steps 20000 --seeds 0 --agents random,masked_ppo

Goals are hashed vectors (`HashedGoals`) and actions the entries of `DEFAULT_MENU` (`TacticMenu`). Training draws
theorems of SET:train; then each theorem of SET:test gets one episode, in which the agent draws from its policy.
`masked_random` draws uniformly among the entries that Lean accepts, which is what masks are worth without learning.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import gymnasium as gym
import numpy as np

import lean_gym  # noqa: F401  registers the environment
from lean_gym.command_line import Parser
from lean_gym.datasets import load_theorems
from lean_gym.errors import unknown_name
from lean_gym.wrappers import DEFAULT_MENU, HashedGoals, TacticMenu

MENU = DEFAULT_MENU
Policy = Callable[[Any, Any], int]
"""Observation of shape `(size,)` and mask of shape `(entries,)` to the number of an entry."""


@dataclass(frozen=True)
class Settings:
    """Settings that all agents of a table share.

    Attributes:
        theorems: The set, by name or path; its parts `train` and `test` are used.
        steps: Environment steps of training.
        max_steps: Tactics per episode.
        size: Length of an observation.
        backend: The prover.
    """

    theorems: str = "logic"
    steps: int = 50_000
    max_steps: int = 12
    size: int = 256
    backend: str = "minilean"

    def make(self, split: str) -> gym.Env[Any, Any]:
        """Make the environment of a part of the set."""
        env = gym.make(
            "LeanProof-v0",
            theorems=f"{self.theorems}:{split}",
            backend=self.backend,
            max_steps=self.max_steps,
            cache_size=100_000,
        )
        return HashedGoals(TacticMenu(env, MENU), self.size)


def random_agent(settings: Settings, seed: int) -> Policy:
    """Return the policy that draws uniformly from the menu."""
    rng = np.random.default_rng(seed)
    return lambda observation, mask: int(rng.integers(len(mask)))


def masked_random(settings: Settings, seed: int) -> Policy:
    """Return the policy that draws uniformly among the entries that Lean accepts."""
    rng = np.random.default_rng(seed)
    return lambda observation, mask: int(rng.choice(np.flatnonzero(mask)))


def ppo(settings: Settings, seed: int) -> Policy:
    """Train PPO without masks."""
    from stable_baselines3 import PPO

    env = settings.make("train")
    model = PPO("MlpPolicy", env, seed=seed, device="cpu", **PPO_OPTIONS)
    model.learn(settings.steps)
    env.close()
    return lambda observation, mask: int(model.predict(observation)[0])


def masked_ppo(settings: Settings, seed: int) -> Policy:
    """Train PPO with the masks of the menu, which the policy has at the measurement too."""
    from sb3_contrib import MaskablePPO

    env = settings.make("train")
    model = MaskablePPO("MlpPolicy", env, seed=seed, device="cpu", **PPO_OPTIONS)
    model.learn(settings.steps)
    env.close()
    return lambda observation, mask: int(model.predict(observation, action_masks=mask)[0])


PPO_OPTIONS: Final[dict[str, Any]] = {
    "n_steps": 1024,
    "batch_size": 256,
    "ent_coef": 0.01,
    "learning_rate": 1e-3,
}
AGENTS: Final[dict[str, Callable[[Settings, int], Policy]]] = {
    "random": random_agent,
    "masked_random": masked_random,
    "ppo": ppo,
    "masked_ppo": masked_ppo,
}


def proved(settings: Settings, policy: Policy, masked: bool, seed: int) -> int:
    """Return how many theorems of the test part a policy proves, with one episode each."""
    env = settings.make("test")
    env.reset(seed=seed)
    free = np.ones(env.action_space.n, dtype=np.bool_)  # type: ignore[attr-defined]
    found = 0
    for theorem in load_theorems(f"{settings.theorems}:test"):
        observation, info = env.reset(options={"theorem": theorem.name})
        over = False
        while not over:
            mask = env.get_wrapper_attr("action_masks")() if masked else free
            observation, _, terminated, truncated, info = env.step(policy(observation, mask))
            over = terminated or truncated
        found += info["is_success"]
    env.close()
    return found


def measure(settings: Settings, agents: Sequence[str], seeds: Sequence[int]) -> list[str]:
    """Run every agent with every seed, one after the other, and return the rows of the table."""
    import torch

    torch.set_num_threads(1)
    total = len(load_theorems(f"{settings.theorems}:test"))
    rows = [
        f"| agent | {settings.theorems}:test, of {total} | per seed | minutes a seed |",
        "|---|---|---|---|",
    ]
    for name in agents:
        counts = []
        began = time.perf_counter()
        for seed in seeds:
            torch.manual_seed(seed)
            policy = AGENTS[name](settings, seed)
            counts.append(proved(settings, policy, name.startswith("masked"), seed))
            print(f"{name} seed {seed}: {counts[-1]} of {total}", file=sys.stderr, flush=True)
        minutes = (time.perf_counter() - began) / 60 / len(seeds)
        each = ", ".join(map(str, counts))
        rows.append(f"| {name} | {statistics.mean(counts):.1f} | {each} | {minutes:.1f} |")
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    parser = Parser(prog="python -m benchmarks.menu_agents", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("set", help="a set with the parts train and test")
    parser.add_argument("--steps", type=int, default=Settings.steps, help="environment steps of training")
    parser.add_argument("--max-steps", type=int, default=Settings.max_steps, help="tactics per episode")
    parser.add_argument("--seeds", default="0,1,2", help="seeds, with commas (0,1,2)")
    parser.add_argument("--agents", default=",".join(AGENTS), help=f"some of {', '.join(AGENTS)}")
    parser.add_argument("--backend", default=Settings.backend, help="the prover (minilean)")
    given = parser.parse_args(argv)
    agents = given.agents.split(",")
    for name in agents:
        if name not in AGENTS:
            parser.error(unknown_name("agent", name, AGENTS))
    settings = Settings(given.set, given.steps, given.max_steps, backend=given.backend)
    print("\n".join(measure(settings, agents, [int(seed) for seed in given.seeds.split(",")])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
