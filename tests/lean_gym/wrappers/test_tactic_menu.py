import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Discrete

from lean_gym.wrappers import DEFAULT_MENU, TacticMenu

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
