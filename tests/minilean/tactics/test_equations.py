"""`cases` and `subst` on an equation, in a goal with open metavariables."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text
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


def test_let_variables_are_replaced_or_looked_through() -> None:
    problem = Problem.from_source("theorem t (n : Nat) (h : n = 0) : 0 + n = 0", library())
    state = problem.start()
    goals = []
    for step in ("let m := n + 1", "let v := m + 1", "have e : v = n + 2 := rfl", "subst v", "subst n"):
        state = problem.apply(state, step).state or state
        goals.append(problem.goal_texts(state)[0])
    assert goals[3:] == [
        "n : Nat\nh : n = 0\nm : Nat := n + 1\ne : m + 1 = n + 2\n⊢ 0 + n = 0",
        "m : Nat := 0 + 1\ne : m + 1 = 0 + 2\n⊢ 0 + 0 = 0",
    ]
    problem = Problem.from_source("theorem t (n : Nat) : 0 + n = n", library())
    state = problem.start()
    for step in ("let m := n", "obtain ⟨a, e⟩ : ∃ k, id k = m := ⟨m, rfl⟩", "subst e"):
        state = problem.apply(state, step).state or state
    assert problem.goal_texts(state) == ["a : Nat\nm : Nat := id a\n⊢ 0 + id a = id a"]
    assert problem.apply(state, "exact Nat.zero_add _").error is None


def test_a_motive_takes_its_targets_in_its_own_order() -> None:
    text = (
        "axiom split (motive : Nat → Nat → Prop) (x y : Nat) (same : ∀ a, motive a a)\n"
        "  (more : ∀ d a, motive a (a + d + 1)) (less : ∀ d a, motive (a + d + 1) a) : motive y x\n"
        "example (p q : Nat) : q ≤ p ∨ p < q := by\n  induction p, q using split with\n"
        "  | same => exact .inl (Nat.le_refl _)\n  | more d a => omega\n  | less d a => omega\n"
        "inductive Same {α : Type u} : α → α → Type u\n  | refl {a : α} : Same a a\n"
        "@[induction_eliminator] def Same.ind {α : Type u} (motive : ∀ (a b : α) (p : Same a b), Sort v)\n"
        "  {a : α} (start : motive a a .refl) {b : α} (p : Same a b) : motive a b p :=\n"
        "  @Same.casesOn α a (fun b p => motive a a .refl → motive a b p) b p (fun e => e) start\n"
        "def symm {α : Type u} {a b : α} (p : Same a b) : Same b a := by induction p; apply Same.refl\n"
    )
    assert [str(message) for message in check_text(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        # targets that are the same variable, or not variables
        "example (n : Nat) : n = 0 := by induction n, n using split <;> omega",
        "example (p q : Nat) (h : p < q) : q < p := by\n  induction p, q using split with\n"
        "  | same => omega\n  | more d a => omega\n  | less d a => omega\n",
    ],
)
def test_targets_that_a_motive_cannot_take(text: str) -> None:
    principle = "axiom split (motive : Nat → Nat → Prop) (x y : Nat) (all : ∀ a b, motive a b) : motive y x\n"
    assert any("error" in str(message) for message in check_text(principle + text))
