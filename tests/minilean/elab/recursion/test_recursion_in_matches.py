"""Structural recursion where the call is deeper than the match, or in another match."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    "text",
    [
        # the argument of the call is a variable of the outer match
        "def runs (xs : List Nat) : Nat :=\n  match xs with\n  | [] => 0\n  | _ :: ys =>\n    match ys with\n"
        "    | [] => 1\n    | _ => runs ys + 1\nexample : runs [4, 5, 6] = 3 := rfl",
        "def half (n : Nat) : Nat :=\n  match n with\n  | 0 => 0\n  | m + 1 =>\n    match m with\n    | 0 => 0\n"
        "    | k + 1 => half k + 1\nexample : half 9 = 4 := rfl",
        "def f : Nat → Nat → Nat\n  | 0, y => y\n  | x + 1, y =>\n    match f x y with\n    | 0 => f x y\n"
        "    | v => f x v + 1\nexample : f 2 1 = 4 := rfl",
    ],
)
def test_calls_inside_of_matches(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "def f (xs : List Nat) : Nat :=\n  match xs with\n  | [] => 0\n  | y :: ys =>\n    match ys with\n"
        "    | [] => 1\n    | _ => f (y :: ys)",
    ],
)
def test_no_part_of_the_argument(messages: Check, text: str) -> None:
    assert ["failed to infer structural recursion" in message for message in messages(text)] == [True]


def test_alternatives_of_the_tactic_match_may_be_goals(messages: Check) -> None:
    text = "example : ∀ (x : Nat) {h : x = x}, Nat := by\n  intro x\n  match x with\n  | 0 => _\n  | n + 1 => _\n"
    assert [message.split(" ", 1)[1] for message in messages(text)] == [
        "error unsolved goals\ncase match_1\nx : Nat\n⊢ {h : 0 = 0} → Nat\n\n"
        "case match_2\nx n : Nat\n⊢ {h : n + 1 = n + 1} → Nat"
    ]
    text = (
        "example (h : p ∨ q) : (q ∨ p) ∧ True := by\n  constructor\n  case right => trivial\n  match h with\n"
    )
    text += "  | .inl h => exact .inr h\n  | .inr h => _\n  case left.match_1 => exact .inl h\n"
    assert messages(text) == []
