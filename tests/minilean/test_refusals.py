"""Statements that must not be proved: each row is a false or unproved statement and a trick to have it accepted."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem, ProofError, prove

FALSE = "theorem t : False"
TRICKS = [
    (FALSE, ["sorry"]),
    (FALSE, ["exact sorry"]),
    (FALSE, ["admit"]),
    (FALSE, ["native_decide"]),
    (FALSE, ["exact ?_"]),
    (FALSE, ["refine ?_"]),
    (FALSE, ["exact by assumption"]),
    (FALSE, ["skip"]),
    (FALSE, ["all_goals skip"]),
    (FALSE, ["exact (fun h => h) ?x"]),
    (FALSE, ["have h : False := ?_\nexact h"]),
    (FALSE, ["apply absurd rfl\nintro h\nexact h rfl"]),
    (FALSE, ["suffices h : False from h"]),
    (FALSE, ["show True", "trivial"]),
    (FALSE, ["change True", "trivial"]),
    (FALSE, ["exact Classical.choice ⟨True.intro⟩"]),
    (FALSE, ["decide"]),
    (FALSE, ["axiom cheat : False"]),
    (FALSE, ["set_option maxRecDepth 1 in trivial"]),
    ("theorem t : 1 = 2", ["rfl"]),
    ("theorem t : 1 = 2", ["decide"]),
    ("theorem t : 1 = 2", ["simp"]),
    ("theorem t (n : Nat) : n = n + 1", ["induction n with | zero => rfl | succ n ih => rw [ih]"]),
    ("theorem t (n : Nat) (h : n = n + 1) : False", ["subst h"]),
    ("theorem t (p : Prop) : p", ["assumption"]),
    ("theorem t (p q : Prop) (h : p ∨ q) : p", ["cases h", "assumption", "assumption"]),
    ("theorem t (p q : Prop) (h : p ∨ q) : p ∧ q", ["constructor", "exact h.1", "exact h.2"]),
    (
        "theorem t (p : Nat → Prop) (h : ∃ x, p x) : ∀ x, p x",
        ["intro x", "rcases h with ⟨y, hy⟩", "exact hy"],
    ),
    ("theorem t : ∃ n : Nat, n < n", ["refine ⟨?a, ?b⟩", "exact ?b"]),
    ("theorem t : ∃ n : Nat, n < n", ["constructor", "exact Nat.lt_irrefl _"]),
]


@pytest.mark.parametrize(("statement", "script"), TRICKS)
def test_a_trick_proves_nothing(statement: str, script: list[str]) -> None:
    with pytest.raises(ProofError):
        prove(statement, script, library())


CONTEXTS = [
    ("axiom cheat : False", "theorem t : False"),
    ("theorem cheat : False := sorry", "theorem t : False"),
    ("theorem Nat.add_comm : True := True.intro", "theorem t (a b : Nat) : a + b = b + a"),
    ("def Nat.add (a b : Nat) : Nat := a", "theorem t : 1 + 1 = 1"),
]


@pytest.mark.parametrize(("context", "statement"), CONTEXTS)
def test_a_context_cannot_add_axioms_or_redefine_the_library(context: str, statement: str) -> None:
    with pytest.raises(ProofError):
        Problem.from_source(statement, library(), context)


def test_a_refused_tactic_leaves_the_state_as_it_was() -> None:
    problem = Problem.from_source("theorem t (p q : Prop) (h : p ∧ q) : q ∧ p", library())
    state = problem.start()
    before = problem.goal_texts(state)
    for tactic in ("rfl", "exact h", "constructor\nexact h.1", "foo", "rcases h with ⟨a, b⟩\nexact a"):
        assert problem.apply(state, tactic).state is None
        assert problem.goal_texts(state) == before
    step = problem.apply(state, "exact ⟨h.2, h.1⟩")
    assert step.state is not None and problem.check(step.state) == ()


def test_the_axioms_of_a_classical_proof_are_named() -> None:
    axioms = prove("theorem t (p : Prop) : p ∨ ¬p", ["exact Classical.em p"], library())
    assert axioms == ("Classical.choice", "Quot.sound", "propext")


def test_garbage_is_an_error_value() -> None:
    problem = Problem.from_source("theorem t (p : Prop) (h : p) : p", library())
    state = problem.start()
    texts = [
        "(" * 10_000,
        "exact " + "(" * 5_000 + "h" + ")" * 5_000,
        "\0\1\2",
        "a" * 1_000_000,
        "exact " + "h " * 9_000,
    ]
    texts += [
        "repeat skip",
        "repeat (have := h)",
        "exact " + "fun x => " * 3_000 + "h",
        "·" * 4_000,
        "intro " * 2_000,
    ]
    for text in texts:
        step = problem.apply(state, text, seconds=2.0)
        assert step.state is None or step.state.goals, text[:40]
        assert step.error is None or "Traceback" not in step.error
