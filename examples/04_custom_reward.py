"""Write your own reward: a verified proof earns 1, each tactic costs a little, a refused one costs more.

Run: python examples/04_custom_reward.py
"""

import gymnasium as gym

from lean_gym.rewards import Transition


def brevity(step: Transition) -> dict[str, float]:
    """Name each term: the environment adds them up and reports them in `info["reward_terms"]`."""
    return {
        "proof": 1.0 if step.proved else 0.0,
        "length": -0.05,
        "refused": -0.1 if step.error else 0.0,
    }


def main() -> None:
    statement = "theorem add_zero_eq (n : Nat) : n + 0 = n"
    env = gym.make("lean_gym:LeanProof-v0", theorems=[statement], reward=brevity)
    env.reset()
    for tactic in ["assumption", "rfl"]:
        _, reward, _, _, info = env.step(tactic)
        print(f"{tactic}: {reward:+.2f} = {info['reward_terms']}")
    env.close()


if __name__ == "__main__":
    main()
