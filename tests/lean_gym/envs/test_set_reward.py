"""Another reward at run time."""

import gymnasium as gym
import pytest

from lean_gym.envs.env import LeanProofEnv
from lean_gym.envs.vector import LeanProofVectorEnv

T = "theorem t : True ∧ True"
HARD = "theorem t : (∃ k : Nat, k * k = 49) ∧ (∃ k : Nat, k * k = 50)"


def test_it_takes_effect_with_the_next_step():
    env = gym.make("LeanProof-v0", theorems=[T], backend="fake")
    env.reset()
    assert env.step("split")[4]["reward_terms"] == {"proof": 0.0}
    env.unwrapped.set_reward("step_cost", weight=0.1)
    assert env.step("trivial")[4]["reward_terms"] == {"proof": 0.0, "step_cost": -0.1}
    env.unwrapped.set_reward("binary")
    assert env.step("trivial")[4]["reward_terms"] == {"proof": 1.0}


@pytest.mark.parametrize("workers", [0, 1])
def test_in_the_vector_environment(workers):
    with LeanProofVectorEnv(2, [T], "fake", num_workers=workers) as vec:
        vec.reset()
        assert vec.step(["left", "split"])[1].tolist() == [0.0, 0.0]
        vec.set_reward("step_cost:0.1+first_error:0.2")
        assert vec.step(["split", "left"])[1].tolist() == pytest.approx([-0.1, -0.3])
        vec.step_async(["trivial", "trivial"])
        vec.set_reward("binary")
        assert vec.recv(2).rewards.tolist() == [0.0, 0.0]
        vec.set_reward("step_cost", weight=0.1)
        assert vec.step(["trivial", "trivial"])[1].tolist() == pytest.approx([0.9, 0.9])


@pytest.mark.parametrize("make", [LeanProofEnv, lambda *args: LeanProofVectorEnv(1, *args, num_workers=0)])
def test_a_bad_reward_leaves_the_old_one(make):
    env = make([T], "fake")
    env.reset()
    with pytest.raises(ValueError, match="unknown reward 'shapd'"):
        env.set_reward("shapd")
    with pytest.raises(ValueError, match="unknown option of reward 'novelty'"):
        env.set_reward("novelty", gamma=1.0)
    vector = isinstance(env, LeanProofVectorEnv)
    terms = env.step(["split"] if vector else "split")[4]["reward_terms"]
    assert set(terms) - {"_proof"} == {"proof"}
    env.close()
