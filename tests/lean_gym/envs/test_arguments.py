"""Bad arguments of environments: one line that says what was wrong, and nothing is lost."""

import copy
import math
import pickle

import gymnasium as gym
import pytest

from lean_gym import LeanProofEnv
from lean_gym.errors import excerpt
from lean_gym.types import Theorem

T = [Theorem("t", "theorem t : True ∧ True"), Theorem("u", "theorem u : True ∨ False")]


def single(**options):
    return gym.make("LeanProof-v0", theorems=T, backend="fake", disable_env_checker=True, **options)


def vector(num_envs=2, **options):
    options = {"num_workers": 0, **options}
    return gym.make_vec("LeanProof-v0", num_envs=num_envs, theorems=T, backend="fake", **options)


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (
            single,
            {"backend_options": None},
            "backend_options: got None, expected a mapping from names to values",
        ),
        (single, {"reward_options": [1]}, "reward_options: got [1], expected a mapping from names to values"),
        (single, {"reward_options": {1: 2}}, "reward_options: got {1: 2}, expected a mapping"),
        (single, {"reward": 7}, "reward: got 7, expected a registered name"),
        (
            single,
            {"memory_mib": 10**30},
            f"memory_mib: got {10**30}, expected an integer >= 1 and <= {10**12}",
        ),
        (single, {"max_steps": 10**5000}, "max_steps: got <int that has no text"),
        (
            single,
            {"tactic_seconds": 1e30},
            "tactic_seconds: got 1e+30, expected a finite number of seconds > 0 and <=",
        ),
        (
            single,
            {"tactic_seconds": math.nan},
            "tactic_seconds: got nan, expected a finite number of seconds > 0",
        ),
        (vector, {"num_envs": 0}, "num_envs: got 0, expected an integer >= 1"),
        (vector, {"num_envs": 1.5}, "num_envs: got 1.5, expected an integer >= 1"),
        (vector, {"num_workers": "2"}, "num_workers: got '2', expected 0 (this process) to "),
        (vector, {"num_workers": 10**9}, "num_workers: got 1000000000, expected 0 (this process) to "),
        (
            single,
            {"theorem": "t"},
            "unknown option of LeanProof-v0: 'theorem'; did you mean 'theorems'? (known: ",
        ),
        (
            vector,
            {"num_worker": 2},
            "unknown option of LeanProof-v0: 'num_worker'; did you mean 'num_workers'? (",
        ),
        (vector, {"context": "fokr"}, "unknown context 'fokr'; did you mean 'fork'?"),
        (
            vector,
            {"autoreset_mode": "Nextstep"},
            "unknown autoreset mode 'Nextstep'; did you mean 'NextStep'?",
        ),
    ],
)
def test_an_environment_that_cannot_be_made(make, options, message):
    with pytest.raises(ValueError) as caught:
        make(**options)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("step", (None,), "actions: got None, expected a list with a tactic for each of 2 episodes"),
        # As many characters as episodes.
        ("step", ("ab",), "actions: got 'ab', expected a list with a tactic for each of 2 episodes"),
        ("step", ({0: "split", 1: "split"},), "actions: got {0: 'split', 1: 'split'}, expected a list"),
        ("step", (["split"],), "actions: got 1, expected one for each of 2 episodes"),
        (
            "step_async",
            (["split"], ["0"]),
            "env_ids: got ['0'], expected a list of different numbers from 0 to 1",
        ),
        ("step_async", (["split"], [0.5]), "env_ids: got [0.5], expected a list"),
        ("step_async", (["split"], [2]), "env_ids: got [2], expected a list"),
        ("step_async", (["split"] * 2, [1, 1]), "env_ids: got [1, 1], expected a list"),
        ("step_async", (["split"], 0), "env_ids: got 0, expected a list"),
        ("recv", ("x",), "min_ready: got 'x', expected an integer >= 0"),
        ("save", (5,), "env_ids: got 5, expected a list"),
        ("save", ([-1],), "env_ids: got [-1], expected a list"),
        ("restore", (3,), "points: got 3, expected a mapping from numbers of episodes to points of save()"),
        ("restore", ({0: "x"},), "points: got {0: 'x'}, expected a mapping"),
    ],
)
def test_a_bad_argument_leaves_the_episodes_as_they_are(method, arguments, message):
    envs = vector()
    try:
        envs.reset(options={"theorem": "t"})
        with pytest.raises(ValueError) as caught:
            getattr(envs.unwrapped, method)(*arguments)
        assert str(caught.value).startswith(message)
        assert list(envs.step(["split", "split"])[4]["outcome"]) == ["running", "running"]
    finally:
        envs.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"options": 3}, "options: got 3, expected a mapping with some of the keys reset_mask, theorem"),
        ({"seed": "ab"}, "seed: got 'ab', expected an integer, or a list with one for each episode"),
        ({"seed": 1.5}, "seed: got 1.5, expected an integer"),
    ],
)
def test_a_bad_reset_leaves_the_episodes_as_they_are(arguments, message):
    envs = vector()
    try:
        envs.reset(options={"theorem": "t"})
        envs.step(["split", "split"])
        with pytest.raises(ValueError) as caught:
            envs.reset(**arguments)
        assert str(caught.value).startswith(message)
        assert list(envs.step(["trivial", "trivial"])[4]["steps"]) == [2, 2]
    finally:
        envs.close()


@pytest.mark.parametrize("make", [single, vector])
@pytest.mark.parametrize("use", [pickle.dumps, copy.deepcopy])
def test_an_environment_says_why_it_cannot_be_copied(make, use):
    env = make()
    try:
        with pytest.raises(TypeError, match=r"cannot be pickled or copied; pass a function that makes one"):
            use(env.unwrapped)
    finally:
        env.close()


def test_a_snapshot_of_another_environment_is_refused_in_one_short_line():
    one, other = single(), single()
    one.reset()
    other.reset()
    with pytest.raises(
        ValueError, match="expected a snapshot that this environment's save\\(\\) made"
    ) as caught:
        other.unwrapped.restore(one.unwrapped.save())
    assert len(str(caught.value)) < 400


def test_long_values_are_shown_in_part():
    assert excerpt("abc") == "'abc'"
    shown = excerpt("a" * 10_000 + "b" * 10_000)
    assert len(shown) < 220
    assert shown.startswith("'aaa")
    assert shown.endswith("bbb'")


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_saved_point_is_not_copied(copied):
    with LeanProofEnv(["theorem t (p : Prop) (h : p) : p"], "minilean") as env:
        env.reset()
        with pytest.raises(TypeError, match=r"a saved point belongs to its environment .*info\['tactics'\]"):
            copied(env.save())
