"""Rewards: what one step of a proof is worth.

    base.py      Transition (what a reward sees), Reward (what it is), the check that terms are finite
    binary.py    1 for a verified proof
    shaped.py    the same plus potential-based shaping from the goals left
    registry.py  names -> rewards

To add one: write a class or function in its own file and `register_reward("name", factory)`. Whatever it
computes, the truth about a proof is `transition.proved`, which only a verified replay sets.
"""

from lean_gym.rewards.base import FunctionReward, Reward, Transition, reward_terms
from lean_gym.rewards.binary import BinaryReward
from lean_gym.rewards.registry import RewardSource, create_reward, register_reward, reward_names
from lean_gym.rewards.shaped import ShapedReward

__all__ = [
    "BinaryReward",
    "FunctionReward",
    "Reward",
    "RewardSource",
    "ShapedReward",
    "Transition",
    "create_reward",
    "register_reward",
    "reward_names",
    "reward_terms",
]
