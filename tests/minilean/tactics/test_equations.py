"""`cases` and `subst` on an equation, in a goal with open metavariables."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem

STEPS = ["intro h", "apply Eq.trans"]


@pytest.mark.parametrize(
    ("equation", "tactic", "goal"),
    [
        ("a = b", "cases h", "case h₁.refl\nα : Type\na : α\nf : α → α\n⊢ f a = ?b a ⋯"),
        ("a = b", "subst h", "case h₁\nα : Type\na : α\nf : α → α\n⊢ f a = ?b a ⋯"),
        ("b = a", "subst h", "case h₁\nα : Type\nb : α\nf : α → α\n⊢ f b = ?b b ⋯"),
    ],
)
def test_what_is_still_to_be_found_is_a_function_of_both(equation: str, tactic: str, goal: str) -> None:
    statement = f"theorem t (α : Type) (a b : α) (f : α → α) : {equation} → f a = f b"
    problem = Problem.from_source(statement, library())
    state = problem.start()
    for step in (*STEPS, tactic):
        state = problem.apply(state, step).state or state
    assert problem.goal_texts(state)[0] == goal
    for step in ("simp", "rfl", "exact rfl", "assumption", "simp_all"):
        assert "internal" not in (problem.apply(state, step).error or "")
