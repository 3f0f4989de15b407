"""Moves of `conv` to places in a term, with Lean's messages."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

PROVED = [
    "example (a b : Nat) (h : b = a) : a + b = a + a := by conv => enter [-2, -1]; rw [h]",
    "example (a : α) (as : List α) : (a :: a :: as).length = as.length + 2 := by\n"
    "  conv => lhs; rw [List.length, List.length]",
    "example (f : Nat → Nat) (h : ∀ x, f x = 0) : f 1 + f 2 = 0 := by\n"
    "  conv => lhs; conv => lhs; rw [h]\n  rw [h]",
]


@pytest.mark.parametrize("text", PROVED)
def test_lean_accepts(text: str) -> None:
    assert [m.text for m in check_text(text) if m.severity == "error"] == []


OUT_OF_BOUNDS = "invalid `arg` tactic, application has 2 argument(s) but the index is out of bounds"
REFUSED = [
    ("@id Nat 1 = 1", "conv => enter [1, 2]", OUT_OF_BOUNDS.replace("2 arg", "1 explicit arg")),
    ("@id Nat 1 = 1", "conv => enter [1, @6]", OUT_OF_BOUNDS),
    ("@id Nat 1 = 1", "conv => enter [1, @-3]", OUT_OF_BOUNDS),
]


@pytest.mark.parametrize(("goal", "tactic", "text"), REFUSED)
def test_lean_refuses(goal: str, tactic: str, text: str) -> None:
    messages = [m.text for m in check_text(f"example : {goal} := by {tactic}") if m.severity == "error"]
    assert len(messages) == 1
    assert text in messages[0]


def test_conv_stays_at_its_place_and_names_what_a_pattern_passes() -> None:
    text = """example : (fun x : Nat => id (id x)) = id := by
  conv in id (id _) =>
    conv => arg 1; trace_state
    trace_state
  rfl"""
    assert [m.text for m in check_text(text)] == ["x : Nat\n| id x", "x : Nat\n| id (id x)"]


def test_conv_below_a_quantifier_renames_it() -> None:
    text = "example : ∀ i : Nat, i + 0 = i := by\n  conv => ext j; rw [Nat.add_zero]\n  trace_state\n  intro; rfl"
    assert [m.text for m in check_text(text)] == ["⊢ ∀ (a : Nat), a = a"]
