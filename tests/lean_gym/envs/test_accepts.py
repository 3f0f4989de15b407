"""Tactics tried beside an episode: the answers are the prover's, and the episode does not notice."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import AlreadyPendingCallError, ClosedEnvironmentError, ResetNeeded

from lean_gym.backends.fake import FakeBackend
from lean_gym.envs.env import LeanProofEnv
from lean_gym.envs.vector import LeanProofVectorEnv

T = "theorem t : True ∧ True"
U = "theorem u : True ∨ False"
MENU = ["split", "trivial", "left", "skip"]


def make(**options: Any) -> LeanProofEnv:
    return LeanProofEnv([T], options.pop("backend", "fake"), **options)


def test_the_answers_are_those_of_steps() -> None:
    menu = ["constructor", "exact h.1", "exact h.2", "assumption", "simp_all", "exact h.2.2", "no_tactic"]
    env = LeanProofEnv(["theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"], "minilean")
    env.reset()
    for tactic in ["constructor", "exact h.2", "exact h.1"]:
        answers = env.accepts(menu)
        for one, answer in zip(menu, answers, strict=True):
            saved = env.save()
            assert (env.step(one)[4]["error"] is None) == answer
            env.restore(saved)
        assert env.step(tactic)[4]["error"] is None
    assert env.accepts(menu) == (False,) * len(menu)  # it has ended
    env.close()


def test_goals_beyond_the_limit_are_not_accepted_either() -> None:
    env = make(max_goal_chars=13)
    env.reset()
    assert env.accepts(["split"]) == (False,)
    assert env.step("split")[4]["error"] == "the goals after it have 14 characters, at most 13 allowed"


def test_a_finished_proof_has_no_goals_that_could_be_too_long() -> None:
    env = LeanProofEnv(["theorem t : True"], "fake", max_goal_chars=1)
    env.reset()
    assert env.accepts(["trivial"]) == (True,)
    assert env.step("trivial")[4]["outcome"] == "proved"


def test_the_episode_does_not_notice(capsys: pytest.CaptureFixture[str]) -> None:
    calls = []

    def reward(transition: Any) -> float:
        calls.append(transition)
        return 0.0

    env, other = make(reward=reward, render_mode="human"), make(render_mode="human")
    for one in (env, other):
        one.reset(seed=0)
    shown = capsys.readouterr().out
    assert env.accepts(MENU) == (True, False, False, True)
    assert (calls, capsys.readouterr().out) == ([], "")
    assert shown
    env.step("split")
    other.step("split")
    assert env.accepts(["trivial", "left"]) == (True, False)
    point = env.save()
    assert env.accepts(["trivial"]) == (True,)
    first, second = env.step("trivial"), other.step("trivial")
    assert first[0] == second[0] == "⊢ True"
    assert first[4]["steps"] == second[4]["steps"] == 2
    assert env.restore(point)[1]["tactics"] == ("split",)
    assert [env.step(tactic)[2] for tactic in ("trivial", "trivial")] == [False, True]
    assert env.np_random.integers(10**9) == other.np_random.integers(10**9)


def test_a_point_that_is_saved_after_a_question_is_the_present_one() -> None:
    """An accepted tactic that was only tried must not become the state of the episode."""
    env = make()
    env.reset()
    env.accepts(["split"])
    point = env.save()
    env.step("split")
    assert env.restore(point)[0] == "⊢ True ∧ True"
    assert env.step("trivial")[4]["error"] is not None  # it would close a goal of the other state
    assert env.step("split")[0] == "⊢ True\n\n⊢ True"


def test_each_state_is_asked_once() -> None:
    backend = FakeBackend()
    env = make(backend=backend, cache_size=0)
    env.reset()
    env.accepts(MENU)
    tried = [call for call in backend.calls if call[0] == "apply"]
    assert [tactic for _, tactic in tried] == MENU
    env.accepts(MENU)
    env.reset()
    env.accepts([*MENU, "right"])
    assert [call for call in backend.calls if call[0] == "apply"] == [*tried, ("apply", "right")]
    env.step("skip")  # prints the same goals, and may be another state
    env.accepts(["trivial"])
    assert backend.calls[-1] == ("apply", "trivial")


def test_a_finished_script_is_accepted_if_it_is_a_proof() -> None:
    rules = {("True ∧ True", "cheat"): [], ("True ∧ True", "fine"): []}
    env = LeanProofEnv([T], FakeBackend(rules, cheats=["cheat"]))
    env.reset()
    assert env.accepts(["cheat", "fine"]) == (False, True)


def test_forbidden_tactics_and_endless_ones_are_not_tried() -> None:
    backend = FakeBackend()
    env = LeanProofEnv([T], backend, forbid=("split",), max_tactic_chars=10)
    env.reset()
    assert env.accepts(["split", "skip" * 10, "\ud800", "skip"]) == (False, False, False, True)
    assert [tactic for method, tactic in backend.calls if method == "apply"] == ["skip"]


def test_a_tactic_that_kills_the_prover_is_not_accepted() -> None:
    env = make(backend=lambda: FakeBackend(crash_on=["boom"]))
    env.reset()
    env.step("split")
    assert env.accepts(["boom", "trivial"]) == (False, True)
    assert env.step("trivial")[0] == "⊢ True"


def test_a_slow_refusal_is_not_kept() -> None:
    backend = FakeBackend(slow={"left": 10.0})
    env = make(backend=backend, tactic_seconds=0.01)
    env.reset()
    for count in (1, 2):
        assert env.accepts(["left"]) == (False,)
        assert backend.calls.count(("apply", "left")) == count


def test_misuse() -> None:
    env = make()
    with pytest.raises(ResetNeeded, match="accepts: there is no episode"):
        env.accepts(["skip"])
    env.reset()
    with pytest.raises(TypeError, match="expected one tactic as a string"):
        env.accepts([3])  # type: ignore[list-item]
    env.close()
    with pytest.raises(ClosedEnvironmentError, match="accepts"):
        env.accepts(["skip"])


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("mode", ["Disabled", "NextStep", "SameStep"])
def test_many_episodes(workers: int, mode: str) -> None:
    arguments: dict[str, Any] = {"num_envs": 3, "theorems": [T, U], "backend": "fake", "num_workers": workers}
    envs = LeanProofVectorEnv(**arguments, autoreset_mode=mode)
    other = LeanProofVectorEnv(**arguments, autoreset_mode=mode)
    named = {"theorem": ["t", "u", "t"]}
    for each in (envs, other):
        each.reset(seed=0, options=named)
        each.step(["split", "skip", "skip"])
    answers = envs.accepts(["trivial", "split", "left"])
    assert answers == ((True, False, False), (False, False, True), (False, True, False))
    assert envs.accepts(["trivial", "left"], env_ids=[1]) == ((False, True),)
    # A script that would end an episode was among them; its successor is not drawn for that.
    for actions in (["trivial", "left", "split"], ["trivial", "trivial", "trivial"], ["skip"] * 3):
        envs.accepts(MENU)
        for found, expected in zip(envs.step(actions)[:4], other.step(actions)[:4], strict=True):
            assert np.array_equal(found, expected)
    envs.close()
    other.close()


def test_misuse_of_many() -> None:
    envs = LeanProofVectorEnv(2, [T], "fake", num_workers=0)
    with pytest.raises(ResetNeeded, match="episode 0 was never started"):
        envs.accepts(["skip"])
    envs.reset()
    envs.step_async(["skip"], [1])
    with pytest.raises(AlreadyPendingCallError, match="accepts: episode 1 is under way"):
        envs.accepts(["skip"])
    assert envs.accepts(["skip"], [0]) == ((True,),)
    assert len(envs.recv().env_ids) == 1
    with pytest.raises(ValueError, match="env_ids: got"):
        envs.accepts(["skip"], [7])
    envs.close()


def test_reached_through_wrappers() -> None:
    env = gym.make("LeanProof-v0", theorems=[T], backend="fake", max_episode_steps=5)
    env.reset()
    assert env.get_wrapper_attr("accepts")(["split"]) == (True,)
    env.close()
