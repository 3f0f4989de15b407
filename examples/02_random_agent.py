"""Random agent: picks tactics at random from a fixed list, on the `logic` set.

Run: python examples/02_random_agent.py
"""

import gymnasium as gym

from lean_gym.wrappers import TacticMenu

EPISODES = 50


def main() -> None:
    env = TacticMenu(gym.make("lean_gym:LeanProof-v0", theorems="logic:train", max_steps=16))
    env.reset(seed=0)
    env.action_space.seed(0)
    solved = 0
    for _ in range(EPISODES):
        _, info = env.reset()
        terminated = truncated = False
        while not (terminated or truncated):
            _, _, terminated, truncated, info = env.step(env.action_space.sample())
        if info["is_success"]:
            solved += 1
            print(f"{info['theorem']}: {'; '.join(info['tactics'])}")
    print(f"solved {solved} of {EPISODES} episodes")
    env.close()


if __name__ == "__main__":
    main()
