"""Step many proofs at once: eight episodes over two worker processes.

Run: python examples/03_vector_env.py
"""

import random

import gymnasium as gym
import numpy as np

TACTICS = ["intro h", "assumption", "constructor", "left", "right", "cases h", "rfl", "simp", "exact h.1"]
NUM_ENVS = 8


def main() -> None:
    choose = random.Random(0).choice
    envs = gym.make_vec(
        "lean_gym:LeanProof-v0", num_envs=NUM_ENVS, num_workers=2, theorems="logic:train", reward="binary"
    )
    envs.reset(seed=0)
    total, over = np.zeros(NUM_ENVS), np.zeros(NUM_ENVS, dtype=bool)
    while not over.all():
        # A finished episode ignores actions and earns 0 until a reset mask selects it.
        _, rewards, terminated, truncated, _ = envs.step([choose(TACTICS) for _ in range(NUM_ENVS)])
        total += rewards
        over = terminated | truncated
    print("rewards:", total.tolist())

    again = total < 1.0
    goals, _ = envs.reset(options={"reset_mask": again})
    print(f"started {again.sum()} of {NUM_ENVS} episodes again; one of them:\n{goals[int(again.argmax())]}")
    envs.close()


if __name__ == "__main__":
    main()
