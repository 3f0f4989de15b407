"""Attacks on `simp`, `dsimp`, `simpa` and `simp_all`: false or unprovable statements."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import ProofError, prove

ATTACKS = [
    ("(p q : Prop) (h : p → q) (h2 : q → p) : p", ["simp_all"]),
    ("(a b : Nat) (h : a = b) (h2 : b = a) : a = 0", ["simp_all"]),
    ("(f : Nat → Nat) (h : ∀ x, f x = f (x + 1)) : f 0 = 7", ["simp_all"]),
    ("(f : Nat → Nat) (h : ∀ x, f x = f (f x)) : f 0 = 1", ["simp [h]"]),
    ("(p : Prop) (h : ¬¬p → p) : p", ["simp_all +contextual"]),
    (": (2 : Nat) + 2 = 5", ["simp +arith"]),
    ("(a b : Nat) : a - b + b = a", ["simp +arith"]),
    ("(a b : Nat) : a < b", ["simp +arith"]),
    ("(a : Nat) : a = a + 1", ["dsimp"]),
    ("(a b : Nat) (h : a = b) : b = a + 1", ["simpa using h"]),
]


@pytest.mark.parametrize(("statement", "script"), ATTACKS)
def test_proves_nothing(statement: str, script: list[str]) -> None:
    with pytest.raises(ProofError):
        prove(f"theorem t {statement}", script, library())
