"""The embedded Lean passes the public suite and proves real Lean source through the environments."""

import gymnasium as gym

from lean_gym.backends import create_backend
from lean_gym.checker import DEFAULT_CASES, check_backend


def test_minilean_conforms():
    assert len(check_backend(lambda: create_backend("minilean"))) == 6 * len(DEFAULT_CASES) + 4


def test_auto_is_minilean():
    assert create_backend("auto").name == "minilean"


def test_an_episode_in_lean():
    env = gym.make(
        "LeanProof-v0", theorems=["theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"], reward="binary"
    )
    observation, info = env.reset(seed=0)
    assert observation == "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    assert [(one.name, one.type) for one in info["goals"][0].hypotheses] == [
        ("p", "Prop"),
        ("q", "Prop"),
        ("h", "p ∧ q"),
    ]
    observation, _, _, _, info = env.step("constructor")
    assert observation == "case left\np q : Prop\nh : p ∧ q\n⊢ q\n\ncase right\np q : Prop\nh : p ∧ q\n⊢ p"
    assert env.step("exact h.1")[4]["outcome"] == "tactic_error"
    env.step("exact h.2")
    observation, reward, terminated, _, info = env.step("exact h.1")
    assert (observation, reward, terminated, info["outcome"]) == ("no goals", 1.0, True, "proved")
    assert info["axioms"] == ()
    env.close()


def test_a_group_in_lean_over_processes():
    vec = gym.make_vec(
        "LeanProof-v0",
        num_envs=4,
        num_workers=2,
        theorems=["theorem a (p : Prop) : p → p", "theorem b (n : Nat) : n + 0 = n"],
        reward="binary",
    )
    vec.reset(options={"theorem": ["a", "a", "b", "b"]})
    rewards = vec.step(["intro h", "intro h", "rfl", "sorry"])[1]
    assert rewards.tolist() == [0.0, 0.0, 1.0, 0.0]
    _, rewards, terminated, _, infos = vec.step(["exact h", "exact p", "", "exact Nat.add_zero n"])
    assert rewards.tolist() == [1.0, 0.0, 0.0, 1.0]
    assert terminated.tolist() == [True, False, True, True]
    assert infos["outcome"].tolist() == ["proved", "tactic_error", None, "proved"]
    vec.close()
