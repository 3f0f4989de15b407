"""Learn to choose tactics from a menu with MaskablePPO, on one core; needs pip install 'lean-gym[rl]'.

The masks leave only tactics that Lean accepts. Printed is how many theorems of the test part the policy proves, with
one episode each, before and after training.

Run: python examples/08_masked_ppo.py [STEPS, 20000]
"""

import sys

import gymnasium as gym
import torch
from sb3_contrib import MaskablePPO

from lean_gym.wrappers import HashedGoals, TacticMenu


def make(theorems: str) -> gym.Env:
    env = gym.make("lean_gym:LeanProof-v0", theorems=theorems, max_steps=12, cache_size=100_000)
    return HashedGoals(TacticMenu(env))


def solved(model: MaskablePPO, env: gym.Env) -> int:
    count = 0
    for theorem in env.unwrapped.theorems:
        goals, info = env.reset(options={"theorem": theorem.name})
        terminated = truncated = False
        while not (terminated or truncated):
            masks = env.get_wrapper_attr("action_masks")()
            action, _ = model.predict(goals, action_masks=masks)
            goals, _, terminated, truncated, info = env.step(action)
        count += info["is_success"]
    return count


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    torch.set_num_threads(1)
    train, test = make("logic:train"), make("logic:test")
    options = {"n_steps": 1024, "batch_size": 256, "learning_rate": 1e-3, "ent_coef": 0.01, "device": "cpu"}
    model = MaskablePPO("MlpPolicy", train, seed=0, **options)
    total = len(test.unwrapped.theorems)
    print(f"before: {solved(model, test)} of {total} theorems", flush=True)
    model.learn(steps)
    print(f"after:  {solved(model, test)} of {total} theorems")
    train.close()
    test.close()


if __name__ == "__main__":
    main()
