"""Attacks on single tactics: every row has to be refused, by the tactic or by the kernel's check."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem, ProofError, prove

ATTACKS = [
    # exact?: nothing to find
    (": False", ["exact?"]),
    ("(p q : Prop) (h : p ∨ q) : p", ["exact?"]),
    ("(p : Nat → Prop) (h : ∃ x, p x) : p 0", ["exact?"]),
    ("(a b : Nat) (h : a ≤ b) : a < b", ["exact?"]),
    # generalize: the value of the term is lost
    ("(a b : Nat) (h : a + b = 3) : a + b = 4", ["generalize a + b = x at h ⊢", "exact h"]),
    ("(n : Nat) (h : n = 0) : n + 1 = 2", ["generalize n + 1 = m", "assumption"]),
    ("(p : Nat → Prop) (n : Nat) (h : p n) : ∀ m, p m", ["generalize n = k at h", "exact fun _ => h"]),
    # injection, congr, funext, ext
    ("(f : Nat → Nat) (a b : Nat) (h : f a = f b) : a = b", ["injection h"]),
    ("(a b : Nat) (h : a + 1 = b + 2) : a = b", ["injection h"]),
    ("(f g : Nat → Nat) (h : f 0 = g 0) : f = g", ["funext x", "exact h"]),
    ("(f : Nat → Nat) (a b : Nat) : f a = f b", ["congr"]),
    ("(p q : Prop) (h : p → q) : p = q", ["ext", "constructor", "exact h", "assumption"]),
    ("(a b c : Nat) : a - b - c = a - (c - b)", ["ac_rfl"]),
    ("(a b : Nat) : a * b + a = a + b * b", ["ac_rfl"]),
    # split, cases, induction
    ("(a b : Nat) : (if a < b then a else b) = a", ["split", "rfl", "rfl"]),
    ("(a b : Nat) : (if a < b then a else b) < b", ["split <;> omega"]),
    (
        "(p : Nat → Prop) (n : Nat) : p n",
        ["induction n using Nat.strongRecOn with | ind n ih => exact ih n (Nat.le_refl _)"],
    ),
    ("(p : Nat → Prop) (n : Nat) (h : p 0) : p n", ["cases n using Nat.rec", "exact h", "assumption"]),
    ("(n : Nat) : n = 0", ["match n with | 0 => rfl | k + 1 => assumption"]),
    ("(n : Nat) : n = 0", ["rcases h : n with _ | k", "rfl", "exact h"]),
    ("(n : Nat) (h : n = 0) : False", ["nomatch h"]),
    # structure
    ("(p q : Prop) (hp : p) : p ∧ q", ["and_intros", "assumption", "rotate_left", "assumption"]),
    ("(p : Prop) : p", ["show_term skip"]),
    ("(p q : Prop) (h : p) : q", ["rename p => h2", "exact h2"]),
]


@pytest.mark.parametrize(("statement", "script"), ATTACKS)
def test_proves_nothing(statement: str, script: list[str]) -> None:
    with pytest.raises(ProofError):
        prove(f"theorem t {statement}", script, library())


LOOPS = [
    ("(f : Nat → Nat) (h : ∀ x, f x = f (x + 1)) : f 0 = 7", "simp_all"),
    ("(f : Nat → Nat) (h : ∀ x, f x = f (f x)) : f 0 = 7", "simp [h]"),
    ("(a b : Nat) (h : a = b) (h2 : b = a) (h3 : a = a + b) : a = 7", "simp_all"),
    ("(a b c d e f g h : Nat) (i : a - b ≠ c - d) (j : e - f ≠ g - h) (k : a - e ≠ 1) : b - f = c", "omega"),
    ("(p q r s : Nat → Prop) (h : ∀ x, p x → q x) (i : ∀ x, q x → p x) : p 0", "exact?"),
    ("(f : Nat → Nat) (h : ∀ x, f x = x) : f 0 = 1", "conv => lhs; repeat rw [← h 0]"),
]


@pytest.mark.parametrize(("statement", "tactic"), LOOPS)
def test_what_goes_on_for_ever_is_stopped(statement: str, tactic: str) -> None:
    problem = Problem.from_source(f"theorem t {statement}", library())
    step = problem.apply(problem.start(), tactic, seconds=5.0, heartbeats=60_000)
    assert step.state is None
    assert step.error is not None
    assert "internal error" not in step.error


def test_the_search_does_not_use_axioms_of_the_file() -> None:
    """`exact?` does not try axioms."""
    with pytest.raises(ProofError):
        prove("theorem t (p : Prop) : p", ["exact?"], library(), "axiom cheat (p : Prop) : p")


def test_a_local_function_needs_the_types_of_its_arguments() -> None:
    problem = Problem.from_source("theorem t (p : Prop) (h : p) : p", library())
    step = problem.apply(problem.start(), "let f x := h")
    assert step.state is None
    assert step.error == "Failed to infer type of binder `x`"
