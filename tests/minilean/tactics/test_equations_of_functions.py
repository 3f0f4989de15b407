"""`rw [f]` with the equations of a recursive function: in order, in hypotheses, on nested calls, backwards."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

FUNCTIONS = """
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)
def len {α : Type u} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1
"""
ACCEPTED = [
    "theorem t (n : Nat) (h : fib (n + 2) = 5) : fib n + fib (n + 1) = 5 := by\n  rw [fib] at h\n  exact h",
    "theorem t (n : Nat) (h : 5 = fib n + fib (n + 1)) : fib (n + 2) = 5 := by\n  rw [← fib] at h\n  exact h.symm",
    "theorem t (a b : α) (xs : List α) : len (a :: b :: xs) = len xs + 2 := by\n  rw [len, len]",
    "theorem t (xs : List α) : len xs + len (xs.head? :: []) = len xs + 1 := by\n  rw [len, len]",
    "theorem t (f : α → β) (a : α) (xs : List α) : (a :: xs).map f = f a :: xs.map f := by rw [List.map]",
]
REFUSED = [
    "theorem t (xs : List α) : len xs = len xs + 0 := by rw [len]",
    "theorem t (n : Nat) : fib n = fib n + 0 := by rw [fib]",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_an_equation_applies(text: str) -> None:
    assert [m.text for m in check_text(FUNCTIONS + text)] == []


@pytest.mark.parametrize("text", REFUSED)
def test_no_equation_applies(text: str) -> None:
    assert "Failed to rewrite using equation theorems" in check_text(FUNCTIONS + text)[0].text


JOIN = (
    "def join : List Nat → List Nat → List Nat\n  | [], ys => ys\n  | xs, [] => xs\n"
    "  | x :: xs, y :: ys => if x < y then x :: join xs (y :: ys) else y :: join (x :: xs) ys\n"
)


@pytest.mark.parametrize(
    "proof", ["simp [join, h]", "simp only [join, h]", "simp only [join]", "simp [join]"]
)
def test_a_hypothesis_is_the_side_condition_of_an_equation(proof: str) -> None:
    text = f"{JOIN}theorem t (xs : List Nat) (h : xs = [] → False) : join xs [] = xs := by {proof}\n"
    assert [m.text for m in check_text(text)] == []


@pytest.mark.parametrize(
    "given", ["", "(h : ys = [] → False)", "(h : xs = [] → True)", "(h : xs = [] → xs = [])"]
)
def test_an_equation_needs_its_side_condition(given: str) -> None:
    text = f"{JOIN}theorem t (xs ys : List Nat) {given} : join xs [] = xs := by simp only [join]\n"
    assert any(m.severity == "error" for m in check_text(text))
