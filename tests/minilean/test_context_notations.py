"""Notations and tactics declared in the context of a theorem apply in its statement, tactics and goals."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem, prove

SETS = """def Set (α : Type) := α → Prop
def Mem {α : Type} (x : α) (A : Set α) : Prop := A x
infix:50 " ∈ " => Mem
def Subset {α : Type} (A B : Set α) : Prop := ∀ x, x ∈ A → x ∈ B
infix:50 " ⊆ " => Subset
"""


def test_statement_tactics_and_goals_use_notations() -> None:
    problem = Problem.from_source(
        "theorem t (A B C : Set Nat) (h : A ⊆ B) (k : B ⊆ C) : A ⊆ C", library(), SETS
    )
    step = problem.apply(problem.start(), "intro x hx\nhave hb : x ∈ B := h x hx")
    assert step.state is not None, step.error
    (text,) = problem.goal_texts(step.state)
    assert text == "A B C : Set Nat\nh : A ⊆ B\nk : B ⊆ C\nx : Nat\nhx : x ∈ A\nhb : x ∈ B\n⊢ x ∈ C"
    done = problem.apply(step.state, "exact k x hb")
    assert done.state is not None
    assert problem.check(done.state) == ()


def test_tactic_macros_are_known() -> None:
    assert prove("theorem t : 1 = 1", ["close"], library(), 'macro "close" : tactic => `(tactic| rfl)') == ()


def test_other_problems_know_nothing_of_it() -> None:
    Problem.from_source("theorem t : 2 = 2", library(), 'notation "two" => 2')
    problem = Problem.from_source("theorem t : ∃ n, n = 2", library())
    assert problem.apply(problem.start(), "exact ⟨two, rfl⟩").state is None


@pytest.mark.parametrize(
    "tactic", ['notation "x" => 1', 'macro "m" : tactic => `(tactic| rfl)', "infixl:65 "]
)
def test_tactics_declare_no_notations(tactic: str) -> None:
    problem = Problem.from_source("theorem t : 2 = 3", library(), 'notation "two" => 2')
    assert problem.apply(problem.start(), tactic).state is None


def test_a_notation_does_not_change_what_is_proved() -> None:
    # The statement is 1 = 2 with a notation for 2; a proof of 1 = 1 does not prove it.
    context = 'notation "one" => 2'
    problem = Problem.from_source("theorem t : 1 = one", library(), context)
    assert problem.apply(problem.start(), "rfl").state is None
    assert problem.goal_texts(problem.start()) == ["⊢ 1 = 2"]
