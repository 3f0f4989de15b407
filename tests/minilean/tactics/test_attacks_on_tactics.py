"""Attacks that keep a single tactic busy: each is stopped by its limits."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem

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
