"""The option `forbid`: what is refused, what the agent is told, and that switching it changes that."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from lean_gym.backends.fake import FakeBackend
from lean_gym.envs.env import LeanProofEnv
from lean_gym.envs.vector import LeanProofVectorEnv

T = "theorem t : True ∧ True"
ARITHMETIC = "theorem a (n : Nat) : n < n + 1 ∧ n = n"
FORBIDDEN = "`trivial` is forbidden in this environment (option forbid)"


def last_info(env: LeanProofEnv, *tactics: str) -> dict[str, Any]:
    env.reset()
    for tactic in tactics:
        info = env.step(tactic)[4]
    return info


def test_a_forbidden_tactic_is_a_tactic_error_that_never_reaches_the_prover() -> None:
    backend = FakeBackend()
    env = LeanProofEnv([T], backend, reward="binary", forbid=["trivial"])
    env.reset()
    before = env.step("split")
    observation, reward, terminated, truncated, info = env.step("trivial")
    assert (observation, reward, terminated, truncated) == (before[0], 0.0, False, False)
    assert (info["outcome"], info["error"]) == ("tactic_error", FORBIDDEN)
    assert (info["tactics"], info["steps"]) == (("split",), 2)
    assert [call for call in backend.calls if call[0] == "apply"] == [("apply", "split")]


def test_without_the_option_the_same_script_is_a_proof() -> None:
    script = ("split", "trivial", "trivial")
    assert last_info(LeanProofEnv([T], "fake"), *script)["outcome"] == "proved"
    assert last_info(LeanProofEnv([T], "fake", forbid=["trivial"]), *script)["outcome"] == "tactic_error"
    assert last_info(LeanProofEnv([T], "fake", forbid="automation"), *script)["error"] == FORBIDDEN


def test_a_refused_step_spends_the_budget() -> None:
    env = LeanProofEnv([T], "fake", forbid=("split",), max_steps=1)
    env.reset()
    _, _, terminated, truncated, info = env.step("split")
    assert (terminated, truncated, info["outcome"]) == (False, True, "step_limit")


def test_both_environments_take_it_from_gymnasium() -> None:
    one = gym.make("LeanProof-v0", theorems=[T], backend="fake", forbid=("split",))
    one.reset()
    error = "`split` is forbidden in this environment (option forbid)"
    assert one.step("split")[4]["error"] == error
    many = gym.make_vec(
        "LeanProof-v0", num_envs=2, theorems=[T], backend="fake", num_workers=0, forbid=("split",)
    )
    many.reset()
    infos = many.step(["split", "-- split\nleft"])[4]
    assert infos["error"][0] == error
    assert infos["error"][1] != error
    assert list(infos["outcome"]) == ["tactic_error"] * 2


@pytest.mark.parametrize("forbid", ["", "simp", None, ["simp only"]])
def test_a_wrong_option_is_one_line(forbid: object) -> None:
    with pytest.raises(ValueError, match=r"^forbid: got .*, expected .*$"):
        LeanProofVectorEnv(1, [T], "fake", num_workers=0, forbid=forbid)


@pytest.mark.parametrize(
    "tactic",
    [
        "omega",
        "exact ⟨by omega, rfl⟩",
        "constructor <;> first | rfl | omega",
        "refine ⟨?_, ?_⟩\n· simp\n· rfl",
        "exact (show _ from by\n  constructor <;> simp)",
        "constructor <;> (try simp) <;> decide",
        "simp_all?",
        "constructor\n.simp\n.rfl",
    ],
)
def test_minilean_never_sees_automation(tactic: str) -> None:
    env = LeanProofEnv([ARITHMETIC], "minilean", forbid="automation")
    assert "is forbidden in this environment" in last_info(env, tactic)["error"]
    env.close()


def test_a_proof_without_forbidden_words_counts() -> None:
    env = LeanProofEnv([ARITHMETIC], "minilean", forbid="automation")
    assert last_info(env, "constructor", "exact Nat.lt_succ_self n", "rfl")["outcome"] == "proved"
    env.close()


def test_a_quoted_word_is_no_tactic() -> None:
    """`«omega»` passes, because Lean reads a name there and no tactic."""
    env = LeanProofEnv([ARITHMETIC], "minilean", forbid="automation")
    for tactic in ("«omega»", "constructor <;> «omega»", "exact «omega»", "exact by «omega»"):
        info = last_info(env, tactic)
        assert info["outcome"] == "tactic_error"
        assert "forbidden" not in info["error"]
    env.close()
