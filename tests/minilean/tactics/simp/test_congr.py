"""`simp` rewrites arguments on which instances and proofs depend, and discriminants of a `match`.

Expected goals follow Lean 4.34: `mkCongrSimp?` synthesizes the instance of `Decidable` and casts proofs, `dite_congr`
passes the proof to the branches, `simpMatchDiscrs?` rewrites discriminants. `contradiction` evaluates both sides
(`matchConstructorApp?`) and compares constructors at the head only.
"""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

DEFS = """def ev (n : Nat) : Nat := n
theorem sound (n : Nat) : ev n = n := rfl
def g (b a : Nat) (h : a > 0) : Nat := b
inductive L where | a | b
def cmp : L → L → Nat
  | .a, .a => 0 | .b, .b => 0 | .a, .b => 1 | .b, .a => 2
theorem cmp_eq (l : L) : cmp l l = 0 := by cases l <;> rfl
def Map := Nat → Option Nat
def upd (m : Map) (x : Nat) : Map := fun y => if x = y then some 1 else m y
theorem upd_eq (m : Map) (x : Nat) : upd m x x = some 1 := by simp [upd]
"""


def check(text: str) -> list[str]:
    return [f"{m.line} {m.severity} {m.text}" for m in check_text(DEFS + text)]


@pytest.mark.parametrize(
    "statement",
    [
        "(a b : Nat) : decide (ev a ≤ ev b) = decide (a ≤ b) := by simp only [sound]",
        "(a b : Nat) : (if ev a ≤ b then 1 else 2) = if a ≤ b then 1 else 2 := by simp only [sound]",
        "(p q : Prop) [Decidable p] [Decidable q] (h : p = q) : decide p = decide q := by simp only [h]",
        "(a : Nat) (k : ev a > 0) (p : a > 0) : g 3 (ev a) k = g 3 a p := by simp only [sound]",
        "(l : L) : (match cmp l l with | 0 => 7 | k + 1 => k) = 7 := by simp only [cmp_eq]",
    ],
)
def test_arguments_that_others_depend_on_are_rewritten(statement: str) -> None:
    assert check(f"example {statement}") == []


def test_the_branches_of_a_dependent_if_get_the_proof() -> None:
    text = "example (a b : Nat) : (if h : ev a > 0 then g b (ev a) h else 0) = 9 := by\n  simp only [sound]\n  skip"
    (message,) = check(text)
    assert message.endswith("⊢ (if h : a > 0 then g b a ⋯ else 0) = 9")


def test_types_that_change_with_an_argument_keep_it() -> None:
    text = "example (P : (n : Nat) → Fin n → Prop) (a : Nat) (i : Fin (ev a)) : P (ev a) i := by simp only [sound]"
    assert check(text) == [f"{DEFS.count(chr(10)) + 1} error `simp` made no progress"]


def test_rewriting_looks_through_types_that_are_functions() -> None:
    assert (
        check("example (m : Map) (x y : Nat) (h : x = y) : upd m x y = some 1 := by\n  rw [h, upd_eq]") == []
    )


@pytest.mark.parametrize(
    ("fact", "closes"),
    [
        ("0 + 0 = n + 1 + (n + 1)", True),
        ("n * 2 + 1 = 0", True),
        ("[n] ++ [] = []", True),
        ("n + 2 = 1", False),
        ("[n, n] = [n]", False),
    ],
)
def test_contradiction_compares_evaluated_heads(fact: str, closes: bool) -> None:
    messages = check(f"example (n : Nat) (h : {fact}) : False := by contradiction")
    assert (messages == []) is closes
