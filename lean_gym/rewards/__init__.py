"""Rewards of the steps of a proof.

    base.py        Transition, the input of a reward; Reward, its protocol; the check that terms are finite
    binary.py      1 for a verified proof
    shaped.py      the same plus potential-based shaping from the goals left
    difficulty.py  a proof of a harder theorem earns more
    domain.py      proofs weighted by subject
    subjects.py    the subject of a theorem, read from its statement
    efficiency.py  a proof found in fewer tries earns more
    step_cost.py   every tactic costs a little
    first_error.py the first refused tactic costs
    novelty.py     a bonus for states that the episode has not been in
    progress.py    potential-based shaping by a model of the tactics left
    trajectory.py  a user's score of the whole episode
    llm_judge.py   failed attempts scored by a language model behind an endpoint
    composite.py   several at once
    mixture.py     several at once, as a text: novelty:0.3+efficiency:0.2
    normalize.py   another reward, scaled and shifted to given bounds
    registry.py    names -> rewards
    imported.py    your own by its import path
    overview.py    a registered reward in words: purpose, options, documentation

To add one: write a class or function and pass it, or its import path `package.module:name`, as `reward=`; or give it a
name with `register_reward("name", factory)`. The only source of truth about a proof is `transition.proved`, which
needs a verified replay.
"""

from lean_gym.rewards.base import (
    BoundedReward,
    FunctionReward,
    PastStep,
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
from lean_gym.rewards.first_error import FirstErrorReward
from lean_gym.rewards.llm_judge import JudgeReward
from lean_gym.rewards.normalize import NormalizeReward
from lean_gym.rewards.novelty import NoveltyReward
from lean_gym.rewards.registry import RewardSource, create_reward, register_reward, reward_names
from lean_gym.rewards.shaped import ShapedReward
from lean_gym.rewards.step_cost import StepCostReward
from lean_gym.rewards.trajectory import TrajectoryReward

__all__ = [
    "BinaryReward",
    "BoundedReward",
    "CompositeReward",
    "DifficultyReward",
    "DomainReward",
    "EfficiencyReward",
    "FirstErrorReward",
    "FunctionReward",
    "JudgeReward",
    "NormalizeReward",
    "NoveltyReward",
    "PastStep",
    "PreparedReward",
    "Reward",
    "RewardSource",
    "ShapedReward",
    "StepCostReward",
    "TrajectoryReward",
    "Transition",
    "create_reward",
    "prepare_terms",
    "register_reward",
    "reward_names",
    "reward_terms",
]
