"""`simp` rewrites functions that are applied to more arguments than in its rules."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import ProofError, prove

PROVED = [
    ("theorem t (xs : List Nat) : xs.map id = xs", "simp"),
    ("theorem t (f g : Nat → Nat → Nat) (h : f = g) : f 2 3 = g 2 3", "simp [h]"),
    ("theorem t (f g : Nat → Nat → Nat) (h : f 2 = g 3) : f 2 1 = g 3 1", "simp only [h]"),
    ("theorem t (f : Nat → Nat → Nat) (h : f 2 = fun x => x) : f 2 3 = 3", "simp [h]"),
    ("theorem t (p : Nat → Prop) (h : p = fun x => x = 1) : p 1", "simp [h]"),
    # rules with more arguments are tried first
    ("theorem t (f g : Nat → Nat → Nat) (h : f 2 = g 2) (k : f 2 3 = 7) : f 2 3 = 7", "simp only [h, k]"),
]
REFUSED = [
    ("theorem t (f g : Nat → Nat → Nat) (h : f 2 = g 3) : f 3 1 = g 3 1", "simp [h]"),
    ("theorem t (f g : Nat → Nat → Nat) (h : f 2 = g 3) (k : f 2 3 = 7) : g 3 3 = 7", "simp only [h, k]"),
    ("theorem t (f : Nat → Nat → Nat) (h : f 2 = fun x => x) : f 2 3 = 3", "dsimp [h]"),
    ("theorem t (p : Nat → Nat → Prop) (h : p 1 = fun x => x = 1) : p 1 2", "simp [h]"),
]


@pytest.mark.parametrize(("statement", "tactic"), PROVED)
def test_a_rule_for_a_function_serves_its_applications(statement: str, tactic: str) -> None:
    assert set(prove(statement, [tactic], library())) <= {"propext", "Quot.sound"}


@pytest.mark.parametrize(("statement", "tactic"), REFUSED)
def test_it_serves_no_others(statement: str, tactic: str) -> None:
    with pytest.raises(ProofError):
        prove(statement, [tactic], library())
