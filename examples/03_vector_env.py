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
    envs = gym.make_vec("LeanProof-v0", num_envs=NUM_ENVS, num_workers=2, theorems="logic:train")
    envs.reset(seed=0)
    running = np.ones(NUM_ENVS, dtype=bool)
    total = np.zeros(NUM_ENVS)
    while running.any():
        # Episodes that are over stay over, and cost nothing, until a reset mask names them.
        _, rewards, terminated, truncated, _ = envs.step([choose(TACTICS) for _ in range(NUM_ENVS)])
        total += np.where(running, rewards, 0.0)
        running &= ~(terminated | truncated)
    print("rewards:", total.round(2).tolist())

    again = total < 1.0
    goals, _ = envs.reset(options={"reset_mask": again})
    print(f"started {again.sum()} of {NUM_ENVS} episodes again; one of them:\n{goals[int(again.argmax())]}")
    envs.close()


if __name__ == "__main__":
    main()
