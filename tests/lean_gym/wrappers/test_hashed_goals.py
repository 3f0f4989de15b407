import math

import gymnasium as gym
import numpy as np
import pytest

from lean_gym.wrappers import HashedGoals, TacticMenu, VectorHashedGoals, VectorTacticMenu

T = "theorem t : True ∧ True"


def make(size=64, **options):
    return HashedGoals(gym.make("LeanProof-v0", theorems=[T], backend="fake", **options), size)


def test_counts_by_hand():
    env = make(size=1)
    # "⊢", "True", "∧", "True" share the only place: 4 tokens.
    assert env.observation("⊢ True ∧ True") == pytest.approx([1 - math.exp(-2.0)])
    assert env.observation("") == pytest.approx([0.0])


def test_hypotheses_and_goals_are_told_apart():
    env = make(size=4096)
    assert not np.array_equal(env.observation("h : p\n⊢ q"), env.observation("h : q\n⊢ p"))
    assert np.array_equal(env.observation("h : p\n⊢ q"), env.observation("h  :  p\n⊢  q"))


def test_the_hash_is_the_same_everywhere():
    # zlib.crc32 of "goal ⊢" and "goal True" in UTF-8, modulo 1000.
    vector = make(size=1000).observation("⊢ True")
    assert np.flatnonzero(vector).tolist() == [79, 409]


def test_observations_lie_in_the_space():
    env = make()
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space
    assert observation.dtype == np.float32
    assert env.observation("⊢ " + "p " * 10_000) in env.observation_space


@pytest.mark.parametrize("mode", ["Disabled", "NextStep", "SameStep"])
def test_many_observations(mode):
    one, texts = make(), gym.make_vec("LeanProof-v0", 2, theorems=[T], backend="fake", num_workers=0)
    envs = VectorHashedGoals(
        gym.make_vec("LeanProof-v0", 2, theorems=[T], backend="fake", num_workers=0, autoreset_mode=mode),
        64,
    )
    assert envs.single_observation_space == one.observation_space
    assert envs.reset(seed=0)[0] in envs.observation_space
    texts.reset(seed=0)
    for actions in (["split", "skip"], ["trivial", "split"], ["trivial", "left"]):
        (shown, *_), (seen, *_, infos) = texts.step(actions), envs.step(actions)
        last = infos["final_obs"][0] if "final_obs" in infos else seen[0]
        assert np.array_equal(np.stack([last, seen[1]]), np.stack([one.observation(text) for text in shown]))
    assert ("final_obs" in infos) == (mode == "SameStep")
    if mode == "SameStep":
        assert infos["final_obs"][1] is None
        assert np.array_equal(seen[0], one.observation("⊢ True ∧ True"))
    envs.close()
    texts.close()


def test_both_wrappers_on_many_episodes():
    envs = gym.make_vec("LeanProof-v0", 2, theorems=[T], backend="fake", num_workers=0)
    envs = VectorTacticMenu(VectorHashedGoals(envs, 16), ["split", "left"])
    assert envs.reset(seed=0)[0].shape == (2, 16)
    assert envs.action_masks().tolist() == [[True, False]] * 2
    assert envs.step(envs.action_space.sample())[0].shape == (2, 16)
    envs.close()


def test_bad_sizes():
    with pytest.raises(ValueError, match="size: got 0"):
        VectorHashedGoals(gym.make_vec("LeanProof-v0", 1, theorems=[T], backend="fake", num_workers=0), 0)
    with pytest.raises(ValueError, match="size: got 0"):
        make(size=0)


def test_gymnasium_and_stable_baselines3_accept_it(monkeypatch, tmp_path):
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env as check_env_sb3

    torch.set_num_threads(1)
    monkeypatch.setenv("SB3_LOGDIR", str(tmp_path))
    env = HashedGoals(
        TacticMenu(
            gym.make("LeanProof-v0", theorems=[T], backend="fake", max_steps=6), ["split", "trivial", "skip"]
        ),
        size=32,
    )
    check_env_sb3(env)
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=2, seed=0)
    model.learn(128)
    # Stable-Baselines3 collects info["is_success"] of the episodes that ended.
    assert len(model.ep_success_buffer) > 0
    assert set(model.ep_success_buffer) <= {True, False}


def test_sb3_contrib_asks_for_the_masks():
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
    from stable_baselines3.common.vec_env import DummyVecEnv

    torch.set_num_threads(1)

    def create():
        env = gym.make("LeanProof-v0", theorems=[T], backend="fake", max_steps=6)
        return HashedGoals(TacticMenu(env, ["left", "split", "trivial", "nonsense"]), size=32)

    env = DummyVecEnv([create, create])
    env.reset()
    assert is_masking_supported(env)
    assert get_action_masks(env).tolist() == [[False, True, False, False]] * 2
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0)
    model.learn(64)
    # Each state accepts one entry, so every episode of masked tactics is a proof.
    assert len(model.ep_success_buffer) > 0
    assert all(model.ep_success_buffer)
    env.close()
