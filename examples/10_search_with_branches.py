"""Search for proofs: branch an episode with `save` and `restore`, breadth first over the tactics that Lean accepts.

No learning: the same loop with a policy in place of the menu, and a value in place of the queue, is best-first search.

Run: python examples/10_search_with_branches.py [THEOREMS, 40]
"""

import sys
from collections import deque

import gymnasium as gym

from lean_gym import LeanProofEnv
from lean_gym.wrappers import DEFAULT_MENU

MOST_STATES = 40


def search(env: LeanProofEnv, theorem: str) -> tuple[str, ...] | None:
    """Return the tactics of a proof, `None` if there is none within the budget of states."""
    goals, _ = env.reset(options={"theorem": theorem})
    seen, queue = {goals}, deque([env.save()])
    for _ in range(MOST_STATES):
        if not queue:
            return None
        here = queue.popleft()
        env.restore(here)
        for tactic, accepted in zip(DEFAULT_MENU, env.accepts(DEFAULT_MENU), strict=True):
            if not accepted:
                continue
            env.restore(here)
            goals, _, terminated, truncated, info = env.step(tactic)
            if info["is_success"]:
                return info["tactics"]
            if goals not in seen and not (terminated or truncated):
                seen.add(goals)
                queue.append(env.save())
    return None


def main() -> None:
    env = gym.make("lean_gym:LeanProof-v0", theorems="logic:test", cache_size=100_000).unwrapped
    theorems = env.theorems[: int(sys.argv[1]) if len(sys.argv) > 1 else 40]
    proved = 0
    for theorem in theorems:
        tactics = search(env, theorem.name)
        if tactics is not None:
            proved += 1
            print(f"{theorem.name}: {'; '.join(tactics)}")
    print(f"found proofs of {proved} of {len(theorems)} theorems")
    env.close()


if __name__ == "__main__":
    main()
