"""Mixtures as text, and the import paths that share their grammar."""

import sys
from types import ModuleType

import gymnasium as gym
import pytest

from lean_gym.rewards import (
    BinaryReward,
    CompositeReward,
    EfficiencyReward,
    NoveltyReward,
    Transition,
    create_reward,
)
from lean_gym.rewards.mixture import Part, parse_mixture
from lean_gym.types import Goal, Outcome, Theorem

NAMES = ("novelty", "efficiency", "binary", "step_cost")


def brevity(transition, weight=0.05):
    return {"proof": 1.0 if transition.proved else 0.0, "length": -weight}


@pytest.fixture(autouse=True)
def users_module(monkeypatch):
    module = ModuleType("a_users.rewards")
    module.brevity, module.bare = brevity, lambda transition: 0.0
    monkeypatch.setitem(sys.modules, "a_users", ModuleType("a_users"))
    monkeypatch.setitem(sys.modules, "a_users.rewards", module)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("binary", [("binary", None)]),
        ("novelty:0.3", [("novelty", 0.3)]),
        ("novelty:.3+efficiency", [("novelty", 0.3), ("efficiency", None)]),
        (" novelty : 0.3 + efficiency : 1e-2 ", [("novelty", 0.3), ("efficiency", 0.01)]),
        ("a_users.rewards:brevity", [("a_users.rewards:brevity", None)]),
        ("a_users.rewards:brevity:0.1", [("a_users.rewards:brevity", 0.1)]),
        ("novelty:0.3+a_users.rewards:bare", [("novelty", 0.3), ("a_users.rewards:bare", None)]),
    ],
)
def test_the_grammar(text, parts):
    assert parse_mixture(text, NAMES) == [Part(*part) for part in parts]


def test_the_proof_is_counted_once_and_weights_are_fractions_of_it():
    mixed = create_reward("novelty:0.3+efficiency:0.2+a_users.rewards:brevity:0.1")
    assert isinstance(mixed, CompositeReward)
    assert mixed.parts[:2] == [NoveltyReward(0.3), EfficiencyReward(0.2)]
    theorem = Theorem("t", "theorem t : p")
    new = (Goal("⊢ q", "q"),)
    proved = Transition(theorem, "x", (), (), Outcome.PROVED, terminated=True)
    assert mixed(proved) == pytest.approx({"proof": 1.0, "novelty": 0.0, "efficiency": 0.2, "length": -0.1})
    failed = Transition(theorem, "x", (), new, Outcome.STEP_LIMIT, truncated=True)
    assert mixed(failed) == pytest.approx({"proof": 0.0, "novelty": 0.06, "efficiency": 0.0, "length": -0.1})


def test_one_part_is_the_rule_itself():
    assert create_reward("novelty:0.3") == NoveltyReward(0.3)
    assert create_reward("binary") == BinaryReward()


def test_gymnasium_takes_it():
    options = {"theorems": ["theorem t : True"], "backend": "fake", "reward": "efficiency:0.2+step_cost:0.1"}
    env = gym.make("LeanProof-v0", **options)
    env.reset()
    assert env.step("trivial")[4]["reward_terms"] == pytest.approx(
        {"proof": 1.0, "efficiency": 0.2, "step_cost": -0.1}
    )
    vec = gym.make_vec("LeanProof-v0", num_envs=2, num_workers=0, **options)
    vec.reset()
    assert vec.step(["trivial"] * 2)[1].tolist() == pytest.approx([1.1, 1.1])
    vec.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("novelty:0.3+", "got an empty part, expected rewards with their weights, such as novelty:0.3"),
        ("", "got an empty part"),
        (":0.3", "got an empty part"),
        ("novelty:x", "got the weight 'x' for 'novelty'"),
        ("novelty:nan", "got the weight 'nan' for 'novelty'"),
        ("novelty:-0.3+binary", "got the weight '-0.3' for 'novelty'"),
        ("novelty:0.3:0.2", "got the weight '0.3:0.2' for 'novelty'"),
        ("novelty:1.0", "weight: got 1.0, expected less than 1"),
        ("novelty+novelty:0.2", "got 'novelty' twice"),
        ("novlety:0.3+binary", "unknown reward 'novlety'; did you mean 'novelty'"),
        ("binary:0.3+novelty", "unknown option of reward 'binary': 'weight'"),
        ("a_users.rewards:bare:0.3", "unknown option of reward 'a_users.rewards:bare': 'weight'"),
        ("novelty:0.6+first_error:0.5", "pay a failure, or take off a proof, 1.1 of a proof together"),
        ("no_such_module:f+binary", "cannot import 'no_such_module'"),
    ],
)
def test_bad_texts_are_one_clear_line(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        create_reward(text)
    assert "\n" not in str(caught.value)


def test_options_belong_to_a_single_name():
    with pytest.raises(ValueError, match=r"got options \['scale'\] for a text with weights"):
        create_reward("novelty:0.3", scale=2.0)
