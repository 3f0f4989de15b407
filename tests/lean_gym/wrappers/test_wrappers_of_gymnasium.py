"""Every wrapper of Gymnasium that text allows, on one environment; what it does not allow is named with the reason."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from lean_gym.envs.spaces import GoalSpace, TacticSpace
from lean_gym.wrappers import HashedGoals, TacticMenu

T = "theorem t : True ∧ True"
START, SPLIT, LEFT, DONE = "⊢ True ∧ True", "⊢ True\n\n⊢ True", "⊢ True", "no goals"
PROOF = ("split", "trivial", "trivial")

# Rendered text is no image.
IMAGES = {
    *("AtariPreprocessing", "GrayscaleObservation", "ResizeObservation", "AddRenderObservation"),
    *("AddWhiteNoise", "ObstructView", "RecordVideo", "HumanRendering"),
}
# Arrays converted to arrays of another library; text is none, and JSON has no wrapper.
CONVERSIONS = {"ArrayConversion", "JaxToNumpy", "JaxToTorch", "NumpyToTorch"}
# Observations that are a Dict, or actions that are a Box.
OTHER_SPACES = {"FilterObservation", "DiscretizeAction", "ClipAction", "RescaleAction"}
# Numbers: after HashedGoals, see below.
NUMBERS = {
    *("NormalizeObservation", "RescaleObservation", "ReshapeObservation", "DtypeObservation"),
    *("FlattenObservation", "DiscretizeObservation", "MaxAndSkipObservation"),
}


def make(**options: Any) -> gym.Env[str, str]:
    return gym.make("LeanProof-v0", theorems=[T], backend="fake", **{"max_steps": 6, **options})


def play(env: gym.Env[Any, Any], actions: Sequence[str] = PROOF) -> list[tuple[Any, ...]]:
    """Return observation, reward, terminated, truncated of each step of an episode, the reset's as the first."""
    observation, info = env.reset(seed=0)
    assert observation in env.observation_space
    assert info["theorem"] == "t"
    rows: list[tuple[Any, ...]] = [(observation, 0.0, False, False)]
    for action in actions:
        assert action in env.action_space
        rows.append(env.step(action)[:4])
        assert rows[-1][0] in env.observation_space
    env.close()
    return rows


def seen(env: gym.Env[Any, Any], actions: Sequence[str] = PROOF) -> list[Any]:
    return [row[0] for row in play(env, actions)]


def earned(env: gym.Env[Any, Any]) -> list[float]:
    return [float(row[1]) for row in play(env)]


def unchanged(env: gym.Env[Any, Any]) -> None:
    assert play(env) == [
        (START, 0.0, False, False),
        (SPLIT, 0.0, False, False),
        (LEFT, 0.0, False, False),
        (DONE, 1.0, True, False),
    ]


def time_limit() -> None:
    unchanged(wrappers.TimeLimit(make(), 4))
    assert play(wrappers.TimeLimit(make(), 2), PROOF[:2])[-1] == (LEFT, 0.0, False, True)
    assert play(make(max_episode_steps=1), PROOF[:1])[-1] == (SPLIT, 0.0, False, True)


def order_enforcing() -> None:
    unchanged(wrappers.OrderEnforcing(make().unwrapped))
    with pytest.raises(ResetNeeded):
        wrappers.OrderEnforcing(make().unwrapped).step("split")


def record_episode_statistics() -> None:
    env = wrappers.RecordEpisodeStatistics(make())
    env.reset(seed=0)
    info: dict[str, Any] = {}
    for action in PROOF:
        info = env.step(action)[4]
    assert (info["episode"]["r"], info["episode"]["l"], info["is_success"]) == (1.0, 3, True)


def autoreset() -> None:
    env = wrappers.Autoreset(make())
    assert [row[0] for row in play(env, (*PROOF, "ignored", "split"))][3:] == [DONE, START, SPLIT]


def repeat_action() -> None:
    # The second `trivial` of each pair closes the other goal.
    assert seen(wrappers.RepeatAction(make(), 2), ("split", "trivial")) == [START, SPLIT, DONE]


def time_aware() -> None:
    rows = seen(wrappers.TimeAwareObservation(make(max_episode_steps=6), flatten=False))
    assert [row["obs"] for row in rows] == [START, SPLIT, LEFT, DONE]


def render_collection() -> None:
    env = wrappers.RenderCollection(make(render_mode="ansi"))
    play(env, PROOF[:1])
    shown = env.render()
    assert isinstance(shown, list)
    assert [START in shown[0], SPLIT in shown[1], len(shown)] == [True, True, 2]


CHECKS: dict[str, Callable[[], None]] = {
    "TimeLimit": time_limit,
    "OrderEnforcing": order_enforcing,
    "RecordEpisodeStatistics": record_episode_statistics,
    "Autoreset": autoreset,
    "RepeatAction": repeat_action,
    "TimeAwareObservation": time_aware,
    "RenderCollection": render_collection,
    "PassiveEnvChecker": lambda: unchanged(wrappers.PassiveEnvChecker(make().unwrapped)),
    "StickyAction": lambda: unchanged(wrappers.StickyAction(make(), 0.0)),
    "TransformObservation": lambda: equal(
        seen(wrappers.TransformObservation(make(), str.lower, None)),
        [START.lower(), SPLIT.lower(), "⊢ true", DONE],
    ),
    "TransformAction": lambda: equal(
        seen(wrappers.TransformAction(make(), str.lower, None), ("SPLIT", "TRIVIAL")), [START, SPLIT, LEFT]
    ),
    "TransformReward": lambda: equal(
        earned(wrappers.TransformReward(make(), lambda reward: 2 * float(reward) - 1)), [0.0, -1.0, -1.0, 1.0]
    ),
    "ClipReward": lambda: equal(earned(wrappers.ClipReward(make(), 0.0, 0.5)), [0.0, 0.0, 0.0, 0.5]),
    "NormalizeReward": lambda: equal(
        [reward > 0 for reward in earned(wrappers.NormalizeReward(make()))], [False, False, False, True]
    ),
    "DelayObservation": lambda: equal(seen(wrappers.DelayObservation(make(), 2)), ["", "", START, SPLIT]),
    "FrameStackObservation": lambda: equal(
        seen(wrappers.FrameStackObservation(make(), 2, padding_type="zero")),
        [("", START), (START, SPLIT), (SPLIT, LEFT), (LEFT, DONE)],
    ),
}


def equal(found: object, expected: object) -> None:
    assert found == expected


@pytest.mark.parametrize("name", CHECKS)
def test_a_wrapper_for_text(name: str) -> None:
    CHECKS[name]()


def test_no_wrapper_is_forgotten() -> None:
    known = [set(CHECKS), IMAGES, CONVERSIONS, OTHER_SPACES, NUMBERS, {"vector"}]
    assert sum(map(len, known)) == len(set().union(*known))
    assert set(wrappers.__all__) <= set().union(*known)


@pytest.mark.parametrize("name", sorted(NUMBERS - {"MaxAndSkipObservation"}))
def test_wrappers_for_numbers_need_hashed_goals(name: str) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "RescaleObservation": {"min_obs": np.float32(-1), "max_obs": np.float32(1)},
        "ReshapeObservation": {"shape": (4, 4)},
        "DtypeObservation": {"dtype": np.float32},
        "DiscretizeObservation": {"bins": 2},
    }
    env = getattr(wrappers, name)(
        HashedGoals(make(), 16 if name != "DiscretizeObservation" else 4), **arguments.get(name, {})
    )
    assert len(play(env)) == 4
    with pytest.raises((TypeError, ValueError, NotImplementedError, AttributeError, AssertionError)):
        getattr(wrappers, name)(make(), **arguments.get(name, {})).reset()


def test_frames_are_skipped_after_hashed_goals() -> None:
    env = wrappers.MaxAndSkipObservation(HashedGoals(make(), 16), skip=2)
    assert len(play(env, ("split", "trivial"))) == 3


def test_the_checker_of_gymnasium_accepts_it() -> None:
    check_env(make().unwrapped, skip_render_check=True)


@pytest.mark.parametrize("use", [pickle.dumps, copy.deepcopy, copy.copy])
@pytest.mark.parametrize("wrap", [lambda env: env, TacticMenu, wrappers.RecordEpisodeStatistics])
def test_a_copy_is_refused_in_one_line_through_wrappers(
    use: Callable[[Any], Any], wrap: Callable[[gym.Env[str, str]], gym.Env[Any, Any]]
) -> None:
    """A prover and its states cannot be copied; copying one wrapper copies no prover."""
    env = wrap(make())
    env.reset(seed=0)
    if use is copy.copy:
        assert use(env).unwrapped is env.unwrapped
        env = env.unwrapped
    with pytest.raises(
        TypeError, match="cannot be pickled or copied; pass a function that makes one, or use save"
    ):
        use(env)
    assert env.unwrapped.step("split")[0] == SPLIT
    env.close()


def test_what_an_environment_is_made_of_can_be_copied() -> None:
    for space in (TacticSpace(7), GoalSpace(9)):
        for twin in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
            assert twin == space
            assert type(twin) is type(space)
    spec = make().spec
    assert copy.deepcopy(spec) == spec
    info = make().reset(seed=0)[1]
    assert pickle.loads(pickle.dumps(info)) == info


def test_the_spec_goes_through_json_with_all_wrappers() -> None:
    env = wrappers.RecordEpisodeStatistics(
        HashedGoals(
            TacticMenu(
                wrappers.TimeLimit(make(reward="shaped", reward_options={"weight": 0.1}), 5),
                ["split", "left"],
            ),
            16,
        )
    )
    assert env.spec is not None
    text = env.spec.to_json()
    assert json.loads(text)["kwargs"]["reward_options"] == {"weight": 0.1}
    spec = EnvSpec.from_json(text)
    assert spec == env.spec
    twin = gym.make(spec)
    assert repr(twin) == repr(env)
    assert twin.get_wrapper_attr("menu") == ("split", "left")
    assert np.array_equal(twin.reset(seed=0)[0], env.reset(seed=0)[0])
    for one in (env, twin):
        one.step(0)
    assert np.array_equal(twin.step(1)[0], env.step(1)[0])
    assert [twin.step(1)[3] for _ in range(3)] == [False, False, True]  # the limit of five steps


def test_a_reward_that_is_a_function_has_no_json() -> None:
    spec = make(reward=lambda transition: 0.0).spec
    assert spec is not None
    with pytest.raises(TypeError, match="not JSON serializable"):
        spec.to_json()


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: wrappers.RecordEpisodeStatistics(wrappers.TimeLimit(env, 5)),
        lambda env: wrappers.Autoreset(wrappers.ClipReward(env, 0.0, 1.0)),
        lambda env: HashedGoals(TacticMenu(env, PROOF[:2])),
    ],
)
def test_save_and_restore_are_reached_through_wrappers(
    wrap: Callable[[gym.Env[str, str]], gym.Env[Any, Any]],
) -> None:
    env = wrap(make())
    env.reset(seed=0)
    point = env.get_wrapper_attr("save")()
    env.unwrapped.step("split")
    observation, info = env.get_wrapper_attr("restore")(point)
    assert (observation, info["steps"]) == (START, 0)
    assert env.unwrapped.step("split")[0] == SPLIT
    env.close()
