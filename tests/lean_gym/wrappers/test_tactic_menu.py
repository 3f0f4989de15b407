import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Discrete

from lean_gym.wrappers import DEFAULT_MENU, TacticMenu, VectorTacticMenu

T = "theorem t : True ∧ True"


def make(menu=("split", "trivial", "left")):
    return TacticMenu(gym.make("LeanProof-v0", theorems=[T], backend="fake"), menu)


def test_numbers_are_tactics():
    env = make()
    assert env.action_space == Discrete(3)
    env.reset()
    for action in (0, np.int64(1), np.array(1)):
        info = env.step(action)[4]
    assert info["tactics"] == ("split", "trivial", "trivial")
    assert info["is_success"]


@pytest.mark.parametrize("action", [3, -1, "split", 0.5])
def test_what_is_not_on_the_menu_is_refused(action):
    env = make()
    env.reset()
    with pytest.raises(ValueError, match=r"action: got .*, expected an index from 0 to 2"):
        env.step(action)


@pytest.mark.parametrize("menu", [(), ("split", "split")])
def test_bad_menus(menu):
    with pytest.raises(ValueError, match="expected at least one tactic and none twice"):
        make(menu)


def test_the_default_menu_is_usable_and_the_spec_remembers_it():
    env = TacticMenu(gym.make("LeanProof-v0", theorems=[T], backend="fake"))
    assert env.action_space.n == len(DEFAULT_MENU)
    assert make().spec.make().get_wrapper_attr("menu") == ("split", "trivial", "left")


def test_masks_are_what_lean_accepts():
    env = make(("split", "trivial", "left", "skip"))
    env.reset()
    assert env.action_masks().tolist() == [True, False, False, True]
    assert env.action_masks().dtype == np.bool_
    env.step(0)
    assert env.action_masks().tolist() == [False, True, False, True]
    env.step(1)
    env.step(1)
    assert env.action_masks().all()  # proved: any action may be named


def test_where_lean_accepts_nothing_everything_is_allowed():
    env = make(("left", "right"))
    env.reset()
    assert env.action_masks().tolist() == [True, True]


def test_the_masks_are_reached_from_above_and_through_what_is_between():
    env = TacticMenu(
        gym.make("LeanProof-v0", theorems=[T], backend="fake", max_episode_steps=9), ["split", "left"]
    )
    env = gym.wrappers.RecordEpisodeStatistics(env)
    env.reset()
    assert env.get_wrapper_attr("action_masks")().tolist() == [True, False]


def test_the_masks_fit_the_sampling_of_gymnasium():
    env = make(("left", "split", "trivial"))
    env.reset()
    assert {env.action_space.sample(mask=env.action_masks().astype(np.int8)) for _ in range(20)} == {1}


def test_masks_need_the_environment_of_proofs():
    with pytest.raises(AttributeError, match="accepts"):
        TacticMenu(gym.make("CartPole-v1")).action_masks()


def make_many(count=3, menu=("split", "trivial", "left"), **options):
    envs = gym.make_vec("LeanProof-v0", count, theorems=[T], backend="fake", num_workers=0, **options)
    return VectorTacticMenu(envs, menu)


def test_many_episodes_are_stepped_by_numbers():
    envs = make_many()
    assert envs.single_action_space == Discrete(3)
    assert envs.action_space.shape == (3,)
    assert envs.single_observation_space == envs.unwrapped.single_observation_space
    envs.reset(seed=0)
    assert envs.action_masks().tolist() == [[True, False, False]] * 3
    infos = envs.step(np.array([0, 0, 2]))[4]
    assert infos["tactics"].tolist() == [("split",), ("split",), ()]
    assert envs.action_masks().tolist() == [[False, True, False]] * 2 + [[True, False, False]]
    envs.step([1, 1, 0])
    assert envs.step([1, 0, 1])[2].tolist() == [True, False, False]
    assert envs.action_masks().tolist() == [[True] * 3, [False, True, False], [False, True, False]]
    envs.close()


@pytest.mark.parametrize("actions", [[0, 1, 3], [0, 1, -1], ["split"] * 3])
def test_numbers_of_many_that_are_not_on_the_menu(actions):
    envs = make_many()
    envs.reset()
    with pytest.raises(ValueError, match="expected an index from 0 to 2"):
        envs.step(actions)


def test_bad_menus_of_many():
    with pytest.raises(ValueError, match="none twice"):
        make_many(menu=("split", "split"))


def test_masks_of_the_other_vectorization_modes():
    envs = gym.make_vec(
        "LeanProof-v0",
        2,
        "sync",
        wrappers=[lambda env: TacticMenu(env, ["split", "left"])],
        theorems=[T],
        backend="fake",
    )
    envs.reset()
    assert np.stack(envs.call("action_masks")).tolist() == [[True, False]] * 2
    with pytest.raises(TypeError, match=r"got SyncVectorEnv, .* use envs.call\('action_masks'\)"):
        VectorTacticMenu(envs).action_masks()
    envs.close()
