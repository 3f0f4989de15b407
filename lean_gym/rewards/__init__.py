"""Rewards of the steps of a proof.

    base.py        Transition, the input of a reward; Reward, its protocol; the check that terms are finite
    binary.py      1 for a verified proof
    shaped.py      the same plus potential-based shaping from the goals left
    difficulty.py  a proof of a harder theorem earns more
    domain.py      proofs weighted by subject
    efficiency.py  a proof found in fewer tries earns more
    llm_judge.py   failed attempts scored by a language model behind an endpoint
    composite.py   several at once
    registry.py    names -> rewards
    imported.py    your own by its import path

To add one: write a class or function and pass it, or its import path `package.module:name`, as `reward=`; or give it a
name with `register_reward("name", factory)`. The only source of truth about a proof is `transition.proved`, which
needs a verified replay.
"""

from lean_gym.rewards.base import (
    FunctionReward,
    PreparedReward,
    Reward,
    Transition,
    prepare_terms,
    reward_terms,
)
from lean_gym.rewards.binary import BinaryReward
from lean_gym.rewards.composite import CompositeReward
from lean_gym.rewards.difficulty import DifficultyReward
from lean_gym.rewards.domain import DomainReward
from lean_gym.rewards.efficiency import EfficiencyReward
from lean_gym.rewards.llm_judge import JudgeReward
from lean_gym.rewards.registry import RewardSource, create_reward, register_reward, reward_names
from lean_gym.rewards.shaped import ShapedReward

__all__ = [
    "BinaryReward",
    "CompositeReward",
    "DifficultyReward",
    "DomainReward",
    "EfficiencyReward",
    "FunctionReward",
    "JudgeReward",
    "PreparedReward",
    "Reward",
    "RewardSource",
    "ShapedReward",
    "Transition",
    "create_reward",
    "prepare_terms",
    "register_reward",
    "reward_names",
    "reward_terms",
]
