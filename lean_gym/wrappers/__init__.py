"""Wrappers for agents whose actions or observations are not text.

    tactic_menu.py   actions by number from a menu of tactics, with masks of those that Lean accepts
    hashed_goals.py  observations as fixed-size vectors

Both together make LeanProof-v0 an environment for Stable-Baselines3:

    env = HashedGoals(TacticMenu(gym.make("LeanProof-v0", theorems="logic:train")))
    PPO("MlpPolicy", env).learn(10_000)                     # MaskablePPO of sb3-contrib uses the masks

and their vector forms make it one for agents on Gymnasium's vector environments:

    envs = VectorHashedGoals(VectorTacticMenu(gym.make_vec("LeanProof-v0", num_envs=8)))
"""

from lean_gym.wrappers.hashed_goals import HashedGoals, VectorHashedGoals
from lean_gym.wrappers.tactic_menu import DEFAULT_MENU, TacticMenu, VectorTacticMenu

__all__ = ["DEFAULT_MENU", "HashedGoals", "TacticMenu", "VectorHashedGoals", "VectorTacticMenu"]
