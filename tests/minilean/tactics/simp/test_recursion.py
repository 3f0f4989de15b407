"""`simp [f]` unfolds a recursive function where its cases are decided, as Lean's smart unfolding does.

The goals are derived by hand from Lean's rules: unfolding comes before the arguments are visited, a case is
decided at default transparency, and the argument that gets smaller has to be a constructor.
"""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

FUNCTIONS = """
def snoc : List Nat → Nat → List Nat
  | [], a => [a]
  | x :: xs, a => x :: snoc xs a
def rev : List Nat → List Nat
  | [] => []
  | x :: xs => snoc (rev xs) x
def single (a : Nat) : List Nat := [a]
def sum (n : Nat) : Nat := 1 + match n with
  | 0 => 0
  | k + 1 => sum k
def g : Nat → Bool → Nat
  | _, true => 7
  | 0, false => 1
  | n + 1, false => g n true
variable (a b n : Nat) (l : List Nat)
"""
PROVED = [
    "example : rev (single a) = single a := by simp [rev, snoc, single]",
    # the case depends on another function, which is not unfolded itself
    "example : rev (single a) = snoc (rev []) a := by simp only [rev]",
    "example : rev (snoc (a :: l) b) = snoc (rev (snoc l b)) a := by simp [rev]",
    # a `match` that is not at the head
    "example : sum (n + 2) = sum n + 2 := by simp [sum]; omega",
    "example : g n true = 7 := by simp [g]",
    "example : g (n + 1) true = 7 := rfl",
]
STAY = [
    ("rev (snoc l b) = l", "simp [rev]", "`simp` made no progress"),
    ("sum n = 3", "simp [sum]", "`simp` made no progress"),
    ("g n false = 7", "simp [g]", "`simp` made no progress"),
    ("g n true = 7", "exact rfl", "Type mismatch\n  rfl\nhas type\n  ?m.1 = ?m.1"),
]
ORDERED = [
    # functions are compared before the numbers of their arguments: `HAdd.hAdd`, `List.length`, `OfNat.ofNat`
    ("l.length + b + 1 = 5", "b + l.length + 1 = 5"),
    ("1 + (a + b) = 5", "a + b + 1 = 5"),
    ("l.length + (a + b) = 5", "a + b + l.length = 5"),
    ("1 + l.length = 5", "l.length + 1 = 5"),
]


@pytest.mark.parametrize("text", PROVED)
def test_a_decided_case_is_taken(text: str) -> None:
    assert [m.text for m in check_text(FUNCTIONS + text)] == []


@pytest.mark.parametrize(("goal", "tactic", "message"), STAY)
def test_a_case_that_is_not_decided_stays(goal: str, tactic: str, message: str) -> None:
    [found] = check_text(f"{FUNCTIONS}example : {goal} := by {tactic}")
    assert found.text.startswith(message.partition("?m")[0])


@pytest.mark.parametrize(("goal", "after"), ORDERED)
def test_commutativity_orders_as_lean_does(goal: str, after: str) -> None:
    [found] = check_text(f"{FUNCTIONS}example : {goal} := by simp only [Nat.add_comm]")
    assert found.text.splitlines()[-1] == f"⊢ {after}"
