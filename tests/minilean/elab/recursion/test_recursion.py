"""Functions and theorems that call themselves: through tactics, through `simp`, and without a type of their own."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

TYPES = """
inductive Chain (α : Type) where
  | stop | link (a : α) (rest : Chain α)
open Chain
def join {α : Type} (xs ys : Chain α) : Chain α := match xs with
  | stop => ys
  | link x xs => link x (join xs ys)
inductive Vec : Nat → Type where
  | nil : Vec 0
  | cons {n} (a : Nat) (v : Vec n) : Vec (n + 1)
"""
ACCEPTED = [
    # `cases`, `rcases`, names or none
    "theorem t (xs : Chain α) : join xs stop = xs := by\n  cases xs with\n  | stop => rfl\n"
    "  | link x l => rw [join, t]",
    "theorem t (xs : Chain α) : join xs stop = xs := by\n  rcases xs with _ | ⟨x, l⟩\n  · rfl\n"
    "  · simp [join]; apply t",
    # a call under `simp` is applied to what it rewrites
    "theorem t (xs ys zs : Chain α) : join (join xs ys) zs = join xs (join ys zs) := match xs with\n"
    "  | stop => rfl\n  | link x l => by simp [join, t]",
    "theorem t (n : Nat) : 0 + n = n := by\n  cases n with\n  | zero => rfl\n"
    "  | succ n => rw [← Nat.add_assoc, t]",
    # the case distinction leaves an equation, is on another variable first, is on an indexed type
    "def f (n : Nat) : Nat := by\n  cases n with\n  | zero => exact 0\n  | succ n => exact f n + 2\n"
    "example : f 3 = 6 := rfl\n"
    "theorem t (n : Nat) : f n = n + n := by\n  cases h : n with\n  | zero => rfl\n"
    "  | succ k => show f k + 2 = _; rw [t k]; omega",
    "theorem t (n m : Nat) : n + m = m + n := by\n  cases m with\n  | zero => simp\n  | succ m =>\n"
    "    cases n with\n    | zero => simp\n    | succ n => rw [← Nat.add_assoc, t (n + 1) m]; omega",
    "theorem t (v : Vec n) : ∃ k, k = n := by\n  cases v with\n  | nil => exact ⟨0, rfl⟩\n"
    "  | cons a w => obtain ⟨k, h⟩ := t w; exact ⟨k + 1, by rw [h]⟩",
    # the body determines the type
    "inductive Num where | one | next (n : Num)\nopen Num\n"
    "def add (x y : Num) := match x with\n  | one => y\n  | next n => next (add n y)\n"
    "example : add (next one) one = next one := rfl",
    "def f (n : Nat) (b : Bool) := match b, n with\n  | true, 0 => 'a'\n  | false, 0 => 'b'\n"
    "  | _, n + 1 => f n (!b)\nexample : f 3 true = 'b' := rfl",
]
FALSE = [
    "cases n with\n  | zero => exact t 0\n  | succ n => exact t n",
    "cases n with\n  | zero => exact t 1\n  | succ n => exact t n",
    "cases h : n with\n  | zero => exact t n\n  | succ k => exact t k",
    "induction n with\n  | zero => exact t 0\n  | succ n ih => exact ih",
    "have h : n < n + 1 → False := fun _ => t n\n  exact h (by omega)",
    "rcases n with _ | k\n  · simpa using t (0 + 0)\n  · simpa using t k",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_call_on_a_part_is_allowed(text: str) -> None:
    assert [m.text for m in check_text(TYPES + text)] == []


@pytest.mark.parametrize("tactics", FALSE)
def test_a_call_on_anything_else_proves_nothing(tactics: str) -> None:
    [message] = check_text(f"theorem t (n : Nat) : False := by\n  {tactics}")
    assert message.text.startswith(
        "fail to show termination for\n  t\nwith errors\nfailed to infer structural"
    )


def test_a_result_type_that_depends_on_the_arguments_has_to_be_given() -> None:
    text = "def f (n : Nat) := match n with\n  | 0 => (rfl : n = n)\n  | m + 1 => have := f m; (rfl : n = n)"
    assert [m.text for m in check_text(text)] == ["`f` is recursive: its type must be given"]
