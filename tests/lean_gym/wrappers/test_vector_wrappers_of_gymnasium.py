"""Every vector wrapper of Gymnasium that text allows, and `make_vec` in its three modes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers import vector

from lean_gym.envs.spaces import GoalSpace
from lean_gym.wrappers import HashedGoals, TacticMenu, VectorHashedGoals

T = "theorem t : True ∧ True"
START, SPLIT, LEFT, DONE = "⊢ True ∧ True", "⊢ True\n\n⊢ True", "⊢ True", "no goals"
MODES = ("Disabled", "NextStep", "SameStep")
STEPS = (["split", "skip"], ["trivial", "split"], ["trivial", "trivial"])
SINGLE = {"theorems": [T], "backend": "fake", "max_steps": 6}

# Rendered text is no image.
IMAGES = {"GrayscaleObservation", "ResizeObservation", "RecordVideo", "HumanRendering"}
# Arrays converted to arrays of another library; text is none, and JSON has no wrapper.
CONVERSIONS = {"ArrayConversion", "JaxToNumpy", "JaxToTorch", "NumpyToTorch"}
# Observations that are a Dict, or actions that are a Box.
OTHER_SPACES = {"FilterObservation", "ClipAction", "RescaleAction"}
# Numbers: after VectorHashedGoals, see below.
NUMBERS = {
    *("NormalizeObservation", "RescaleObservation", "ReshapeObservation", "DtypeObservation"),
    "FlattenObservation",
}

Envs = VectorEnv[Any, Any, Any]
Rows = list[tuple[Any, ...]]


def make(mode: str) -> Envs:
    return gym.make_vec("LeanProof-v0", 2, num_workers=0, autoreset_mode=mode, **SINGLE)


def play(envs: Envs) -> Rows:
    """Return observations, rewards, terminated, truncated, infos of each step; the first episode ends with the last."""
    assert envs.reset(seed=0)[0] in envs.observation_space
    rows: Rows = [envs.step(actions) for actions in STEPS]
    envs.close()
    assert [row[2].tolist() for row in rows] == [[False, False], [False, False], [True, False]]
    assert not np.any([row[3] for row in rows])
    return rows


def last(mode: str) -> str:
    """Return the observation of the first episode after the last step."""
    return START if mode == "SameStep" else DONE


def observations(envs: Envs, mode: str, change: Callable[[str], str] = str) -> None:
    found = [row[0] for row in play(envs)]
    texts = [(SPLIT, START), (LEFT, SPLIT), (last(mode), LEFT)]
    assert found == [tuple(map(change, pair)) for pair in texts]


def rewards(envs: Envs, mode: str, proof: float) -> None:
    assert [row[1].tolist() for row in play(envs)] == [[0.0, 0.0], [0.0, 0.0], [proof, 0.0]]


def statistics(mode: str) -> None:
    infos = play(vector.RecordEpisodeStatistics(make(mode)))[-1][4]
    assert (infos["episode"]["r"][0], infos["episode"]["l"][0]) == (1.0, 3)
    assert infos["_episode"].tolist() == [True, False]


def listed(mode: str) -> None:
    infos: Any = play(vector.DictInfoToList(make(mode)))[-1][4]
    ended = infos[0]["final_info"] if mode == "SameStep" else infos[0]
    assert (ended["outcome"], infos[1]["outcome"]) == ("proved", "running")


def transformed(mode: str) -> None:
    if mode == "SameStep":  # refused by Gymnasium; VectorHashedGoals has its own way
        with pytest.raises(ValueError, match="Expected autoreset_mode to be NEXT_STEP or DISABLED"):
            vector.TransformObservation(make(mode), lambda texts: texts)
        return
    observations(
        vector.TransformObservation(make(mode), lambda texts: tuple(map(str.lower, texts))), mode, str.lower
    )


def transformed_each(mode: str) -> None:
    def wrap() -> Envs:
        return vector.VectorizeTransformObservation(
            make(mode), wrappers.TransformObservation, func=str.lower, observation_space=GoalSpace(16384)
        )

    if mode == "SameStep":
        with pytest.raises(ValueError, match="Expected autoreset_mode to be NEXT_STEP or DISABLED"):
            wrap()
        return
    observations(wrap(), mode, str.lower)


def doubled(reward: Any) -> Any:
    return 2 * reward


def normalized(mode: str) -> None:
    found = [row[1] for row in play(vector.NormalizeReward(make(mode)))]
    assert found[-1][0] > 0
    assert not np.any(found[:-1])


CHECKS: dict[str, Callable[[str], None]] = {
    "RecordEpisodeStatistics": statistics,
    "DictInfoToList": listed,
    "TransformObservation": transformed,
    "VectorizeTransformObservation": transformed_each,
    "TransformAction": lambda mode: observations(
        vector.TransformAction(make(mode), lambda tactics: [tactic.strip() for tactic in tactics]), mode
    ),
    "VectorizeTransformAction": lambda mode: observations(
        vector.VectorizeTransformAction(
            make(mode), wrappers.TransformAction, func=str.strip, action_space=make(mode).single_action_space
        ),
        mode,
    ),
    "TransformReward": lambda mode: rewards(vector.TransformReward(make(mode), doubled), mode, 2.0),
    "VectorizeTransformReward": lambda mode: rewards(
        vector.VectorizeTransformReward(make(mode), wrappers.TransformReward, func=doubled), mode, 2.0
    ),
    "ClipReward": lambda mode: rewards(vector.ClipReward(make(mode), 0.0, 0.5), mode, 0.5),
    "NormalizeReward": normalized,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CHECKS)
def test_a_wrapper_for_text(name: str, mode: str) -> None:
    CHECKS[name](mode)


def test_no_wrapper_is_forgotten() -> None:
    known = [set(CHECKS), IMAGES, CONVERSIONS, OTHER_SPACES, NUMBERS]
    assert sum(map(len, known)) == len(set().union(*known))
    assert set(vector.__all__) <= set().union(*known)


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_wrappers_for_numbers_come_after_hashed_goals(name: str) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "RescaleObservation": {"min_obs": np.float32(-1), "max_obs": np.float32(1)},
        "ReshapeObservation": {"shape": (4, 4)},
        "DtypeObservation": {"dtype": np.float32},
    }
    found = play(getattr(vector, name)(VectorHashedGoals(make("NextStep"), 16), **arguments.get(name, {})))
    assert len(found[-1][0]) == 2


def tactics(envs: Envs) -> None:
    """Play two proofs of the same length, and see that the observations are fresh in every step."""
    seen = [envs.reset(seed=0)[0]]
    for tactic in ("split", "trivial", "trivial"):
        observation, reward, terminated, truncated, _ = envs.step((tactic, tactic))
        seen.append(observation)
    assert seen[:3] == [(START,) * 2, (SPLIT,) * 2, (LEFT,) * 2]
    assert (reward.tolist(), terminated.tolist(), truncated.tolist()) == ([1.0] * 2, [True] * 2, [False] * 2)
    # Both start again: in the step that ended them, or in the next.
    after = envs.step(("split", "split"))[0]
    assert after == ((SPLIT if seen[3] == (START,) * 2 else START),) * 2
    envs.close()


@pytest.mark.parametrize("autoreset", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("mode", ["vector_entry_point", "sync", "async"])
def test_the_three_modes_of_make_vec(mode: str, autoreset: AutoresetMode) -> None:
    if mode == "vector_entry_point":
        tactics(gym.make_vec("LeanProof-v0", 2, mode, autoreset_mode=autoreset, num_workers=1, **SINGLE))
        return
    options: dict[str, Any] = {"autoreset_mode": autoreset}
    if mode == "async":
        options |= {"shared_memory": False, "context": "spawn"}
    wrap = [lambda env: wrappers.TimeLimit(env, 5), wrappers.RecordEpisodeStatistics]
    tactics(gym.make_vec("LeanProof-v0", 2, mode, vector_kwargs=options, wrappers=wrap, **SINGLE))


def test_text_is_not_shared_in_memory() -> None:
    """Gymnasium reads shared memory once, which is right for arrays and would leave text as it was at the start."""
    with pytest.raises(ValueError, match="you can disable this feature with `shared_memory=False`"):
        gym.make_vec("LeanProof-v0", 2, "async", **SINGLE)


def test_numbers_are_shared_in_memory() -> None:
    def numbers(env: gym.Env[str, str]) -> gym.Env[Any, Any]:
        return HashedGoals(TacticMenu(env, ["split", "trivial"]), 16)

    kwargs: dict[str, Any] = {"wrappers": [numbers], **SINGLE}
    envs = gym.make_vec("LeanProof-v0", 2, "async", vector_kwargs={"context": "spawn"}, **kwargs)
    other = gym.make_vec("LeanProof-v0", 2, "sync", **kwargs)
    assert np.array_equal(envs.reset(seed=0)[0], other.reset(seed=0)[0])
    for action in (0, 1, 1, 0):
        assert np.array_equal(envs.step([action, 1])[0], other.step([action, 1])[0])
        assert np.array_equal(np.stack(envs.call("action_masks")), np.stack(other.call("action_masks")))
    envs.close()
    other.close()


def test_wrappers_of_one_environment_are_refused_by_the_vector_environment() -> None:
    with pytest.raises(
        gym.error.Error, match="Cannot use `vector_entry_point` vectorization mode with the wrappers"
    ):
        gym.make_vec("LeanProof-v0", 2, wrappers=[TacticMenu], **SINGLE)


@pytest.mark.parametrize("use", [pickle.dumps, copy.deepcopy])
def test_a_copy_is_refused_in_one_line(use: Callable[[Any], Any]) -> None:
    envs = vector.RecordEpisodeStatistics(make("Disabled"))
    envs.reset(seed=0)
    with pytest.raises(
        TypeError, match="LeanProofVectorEnv: an environment with its prover cannot be pickled or copied"
    ):
        use(envs)
    assert envs.step(["split", "split"])[0] == (SPLIT, SPLIT)
    envs.close()


def test_the_spec_goes_through_json() -> None:
    envs = gym.make_vec("LeanProof-v0", 2, num_workers=0, **SINGLE)
    assert envs.spec is not None
    spec = EnvSpec.from_json(envs.spec.to_json())
    assert spec == envs.spec
    twin = gym.make_vec(spec, 2)
    assert twin.reset(seed=0)[0] == envs.reset(seed=0)[0]
    assert twin.step(["split", "skip"])[0] == envs.step(["split", "skip"])[0]
    assert twin.num_envs == 2
    envs.close()
    twin.close()


def test_points_are_saved_below_the_wrappers() -> None:
    envs = vector.RecordEpisodeStatistics(VectorHashedGoals(make("Disabled"), 16))
    envs.reset(seed=0)
    (point,) = envs.unwrapped.save([0])
    envs.step(["split", "skip"])
    assert envs.unwrapped.restore({0: point, 1: point})[0] == (START, START)
    assert envs.unwrapped.step(["split", "split"])[0] == (SPLIT, SPLIT)
    envs.close()
