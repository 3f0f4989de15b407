"""Attacks on `conv`: rewriting into another statement by equations that do not hold."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import ProofError, prove

ATTACKS = [
    ("(a b : Nat) (h : a < b) : b < a", ["conv at h => change b < a", "exact h"]),
    ("(a b : Nat) : a + b = a", ["conv => lhs; change a"]),
    ("(a b : Nat) (h : a ≠ 0 → a = b) : a = b", ["conv => lhs; rw [h]"]),
    ("(f : Nat → Nat) (h : ∀ x, x = 0 → f x = 0) : f 1 = 0", ["conv => lhs; rw [h]"]),
    ("(p : Prop) : p", ["conv => rw [eq_true ‹p›]"]),
    ("(p q : Prop) : p → q", ["conv => rhs; rw [show q = True from rfl]", "intro _; trivial"]),
    ("(f : Nat → Nat) : (fun x => f x) = fun _ => f 0", ["conv => lhs; ext x; change f 0"]),
]


@pytest.mark.parametrize(("statement", "script"), ATTACKS)
def test_proves_nothing(statement: str, script: list[str]) -> None:
    with pytest.raises(ProofError):
        prove(f"theorem t {statement}", script, library())
