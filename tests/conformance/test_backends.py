"""Every backend at hand passes the public suite and shows the same first goals."""

import gymnasium as gym
import pytest

from lean_gym.backends import create_backend
from lean_gym.backends.conformance import DEFAULT_CASES, check_backend
from lean_gym.errors import BackendCrashed, DataError
from lean_gym.types import Theorem


@pytest.mark.timeout(600)
def test_the_public_suite(source):
    name, options = source
    assert len(check_backend(lambda: create_backend(name, **options))) == 7 * len(DEFAULT_CASES) + 4


FIRST_GOALS = {
    "theorem a (p q : Prop) (h : p ∧ q) : q ∧ p": "p q : Prop\nh : p ∧ q\n⊢ q ∧ p",
    "theorem b : ∀ n : Nat, n + 0 = n": "⊢ ∀ (n : Nat), n + 0 = n",
    "theorem c (α : Type) (p : α → Prop) (h : ∃ x, p x) : ¬∀ x, ¬p x": (
        "α : Type\np : α → Prop\nh : ∃ x, p x\n⊢ ¬∀ (x : α), ¬p x"
    ),
    "theorem d {p : Prop} [Decidable p] (h : ¬¬p) : p": "p : Prop\ninst✝ : Decidable p\nh : ¬¬p\n⊢ p",
}


@pytest.mark.parametrize("statement", FIRST_GOALS)
def test_first_goals(backend, statement):
    name = statement.split()[1]
    assert backend.start(Theorem(name, statement)).text == FIRST_GOALS[statement]


def test_context(backend):
    theorem = Theorem(
        "ctx",
        "theorem ctx (h : p) : p ∧ succ k = k + 1",
        context="open Nat\nvariable {p q : Prop} (k : Nat)",
    )
    state = backend.start(theorem)
    assert state.text == "p : Prop\nk : Nat\nh : p\n⊢ p ∧ k.succ = k + 1"
    result = backend.apply(state, "exact ⟨h, rfl⟩")
    assert result.state is not None, result.error
    assert result.state.is_finished
    assert backend.verify(theorem, ["exact ⟨h, rfl⟩"]).proved


@pytest.mark.parametrize(
    "theorem",
    [
        Theorem("bad", "theorem bad : nowhere"),
        Theorem("bad", "theorem bad : True", context="open Nowhere.At.All"),
        Theorem("bad", "theorem bad : True :="),
        Theorem("bad", "theorem bad"),
        Theorem("bad", "theorem bad : 3"),
    ],
)
def test_bad_statements(backend, theorem):
    with pytest.raises(DataError, match="theorem 'bad'"):
        backend.start(theorem)


def test_all_goals_are_counted(backend):
    theorem = Theorem("goals", "theorem goals (p q : Prop) (h : p ∨ q) : q ∨ p")
    state = backend.apply(backend.start(theorem), "cases h").state
    assert [goal.case for goal in state.goals] == ["inl", "inr"]
    state = backend.apply(state, "apply Or.inr").state
    assert len(state.goals) == 2
    assert state.goals[1].case == "inr"
    state = backend.apply(state, "assumption").state
    assert [goal.case for goal in state.goals] == ["inr"]
    assert not state.is_finished


def test_an_episode(source):
    name, options = source
    env = gym.make(
        "LeanProof-v0",
        theorems=["theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"],
        backend=name,
        backend_options=options,
        reward="binary",
    )
    observation, _ = env.reset(seed=0)
    assert observation == "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    assert env.step("constructor")[1] == 0.0
    assert env.step("sorry")[4]["outcome"] == "tactic_error"
    env.step("exact h.2")
    observation, reward, terminated, _, info = env.step("exact h.1")
    assert (observation, reward, terminated, info["outcome"]) == ("no goals", 1.0, True, "proved")
    assert (info["axioms"], info["verification"]) == ((), "full")
    env.close()


def test_a_group_over_processes(source):
    name, options = source
    vec = gym.make_vec(
        "LeanProof-v0",
        num_envs=4,
        num_workers=1,
        theorems=["theorem a (p : Prop) : p → p", "theorem b (n : Nat) : n + 0 = n"],
        backend=name,
        backend_options=options,
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


def test_an_indented_tactic_is_judged_as_it_ran(repl_backend):
    theorem = Theorem("indented", "theorem indented (p q : Prop) (h : p ∧ q) : q ∧ p")
    script = ["  constructor", "\n    · exact h.2", "  exact h.1  \n"]
    state = repl_backend.start(theorem)
    for tactic in script:
        result = repl_backend.apply(state, tactic)
        assert result.state is not None, result.error
        state = result.state
    assert state.is_finished
    assert repl_backend.verify(theorem, script).proved


def test_axioms_are_listed(backend):
    theorem = Theorem("em", "theorem em (p : Prop) : p ∨ ¬p")
    verdict = backend.verify(theorem, ["exact Classical.em p"])
    assert verdict.proved
    assert verdict.axioms == ("Classical.choice", "Quot.sound", "propext")


def test_a_closed_backend_has_lost_its_states(repl_source):
    name, options = repl_source
    backend = create_backend(name, **options)
    state = backend.start(Theorem("t", "theorem t : True"))
    backend.close()
    with pytest.raises(BackendCrashed, match="start the theorem again"):
        backend.apply(state, "trivial")
    backend.release([state])
