"""Wrappers for agents whose actions or observations are not text.

    tactic_menu.py   actions by number from a menu of tactics
    hashed_goals.py  observations as fixed-size vectors

Both together make LeanProof-v0 an environment for Stable-Baselines3:

    env = HashedGoals(TacticMenu(gym.make("LeanProof-v0", theorems="logic:train")))
    PPO("MlpPolicy", env).learn(10_000)
"""

from lean_gym.wrappers.hashed_goals import HashedGoals
from lean_gym.wrappers.tactic_menu import DEFAULT_MENU, TacticMenu

__all__ = ["DEFAULT_MENU", "HashedGoals", "TacticMenu"]
