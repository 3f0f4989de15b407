"""`rfl` and `apply_rfl` on relations, and `false_or_by_contra`, with Lean's messages."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

RELATIONS = """inductive P : α → α → Prop where | refl : P a a
attribute [refl] P.refl
inductive R : α → α → Prop where | refl : R a a
inductive S : Bool → Bool → Prop where | refl : a = true → S a a
attribute [refl] S.refl
abbrev yes := true
def truth := true
opaque hidden {n : Nat} : Nat
"""

PROVED = [
    "example : P yes true := by with_reducible apply_rfl",
    "example : P truth true := by apply_rfl",
    "example : 2 = 1 + 1 := by apply_rfl",
    "example (a : Nat) (h : a = 2) : a * 1 = 1 + 1 := by rw [h]",
    "example (p : Prop) : p ↔ p := by apply_rfl",
    "example (f : α → α) (a b : α) (h : a ≍ b) : f a = f b := by subst h; rfl",
    "example (p : Prop) (h : ¬¬p) : p := by false_or_by_contra; rename_i n; exact h n",
    "example (n m : Nat) (h : n = m → False) : n ≠ m := by false_or_by_contra; rename_i e; exact h e",
    "example (α : Type) (h : False) : α := by false_or_by_contra; exact h",
    "example (a : Nat) : a = 0 + a := by\n  have h : a = 0 + a := by rw [Nat.zero_add]\n"
    "  rewrite (occs := [1]) [h]\n  rfl",
]


@pytest.mark.parametrize("text", PROVED)
def test_lean_accepts(text: str) -> None:
    assert [m.text for m in check_text(RELATIONS + text) if m.severity == "error"] == []


NO_LEMMA = (
    "Tactic `rfl` failed: No `[refl]` lemma registered for relation\n  R\n\n"
    "Hint: Add the `[refl]` attribute to reflexivity lemmas for `R` to use this tactic\n\n⊢ R yes yes"
)
REFUSED = [
    ("R yes true", "apply_rfl", NO_LEMMA),
    (
        "P truth true",
        "with_reducible apply_rfl",
        "truth\nis not definitionally equal to the right-hand side\n  true",
    ),
    (
        "R false true",
        "rfl",
        "false\nis not definitionally equal to the right-hand side\n  true\n\n⊢ R false true",
    ),
    ("P (@hidden 42) (@hidden 23)", "apply_rfl", "  @hidden 42\nis not definitionally equal"),
    ("S true true", "apply_rfl", "unsolved goals\n⊢ true = true"),
    ("S false false", "rfl", "unsolved goals\n⊢ false = true"),
    ("Nat", "apply_rfl", "Expected the goal to be a binary relation"),
]


@pytest.mark.parametrize(("goal", "tactic", "text"), REFUSED)
def test_lean_refuses(goal: str, tactic: str, text: str) -> None:
    messages = [
        m.text for m in check_text(f"{RELATIONS}example : {goal} := by {tactic}") if m.severity == "error"
    ]
    assert len(messages) == 1
    assert text in messages[0]
