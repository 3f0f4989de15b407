"""Prove a theorem by hand: one tactic per step, printing the goals after each.

Run: python examples/01_prove_by_hand.py
"""

import gymnasium as gym

STATEMENT = "theorem and_swap (p q : Prop) : p ∧ q → q ∧ p"
TACTICS = [
    "exact h",  # refused, because there is no h yet; the goals do not change
    "intro h",
    "constructor",
    "exact h.2",
    "exact h.1",
]


def main() -> None:
    env = gym.make("lean_gym:LeanProof-v0", theorems=[STATEMENT])
    goals, _ = env.reset()
    print(goals)
    for tactic in TACTICS:
        goals, reward, terminated, _, info = env.step(tactic)
        print(f"\n> {tactic}        reward {reward:+.2f}, {info['outcome']}")
        print(info["error"] or goals)
        if terminated:
            break
    print(f"\nproved: {info['is_success']}")
    env.close()


if __name__ == "__main__":
    main()
