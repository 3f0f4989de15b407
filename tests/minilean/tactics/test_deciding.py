"""`decide` over `Bool` and with `+revert`, `rcases` of several terms, `cases` of several targets."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

ACCEPTED = [
    "example (b c : Bool) : (b && c) = (c && b) := by decide +revert",
    "example (b c : Bool) (h : b = true) : (b || c) = true := by decide +revert",
    "example : ∀ b : Bool, b = true ∨ b = false := by decide",
    "example : ∃ b : Bool, b = !false := by decide",
    "example (p q : Prop) (h : p ∧ q) (k : q ∨ p) : p := by\n  rcases h, k with ⟨⟨a, b⟩, c | d⟩\n  · exact a\n  · exact d",  # noqa: E501
]  # fmt: skip
REFUSED = [
    ("example (b c : Bool) : (b && c) = c := by decide +revert", "is false"),
    ("example (b c : Bool) : (b && c) = (c && b) := by decide", "free variables"),
    ("example (n : Nat) : n = n := by decide +revert", "failed to synthesize"),
    ("example (b : Bool) : b = b := by decide +native", "unsupported"),
    ("example (b c : Bool) : b = b := by cases b, c <;> rfl", "when multiple induction targets are specified"),
    ("example (p q : Prop) (h : p ∨ q) (k : q) : p := by\n  rcases h, k with ⟨a | b, _⟩\n  · exact a\n  · exact k", "mismatch"),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize("text", ACCEPTED)
def test_lean_accepts(text: str) -> None:
    assert [m.text for m in check_text(text)] == []


@pytest.mark.parametrize(("text", "part"), REFUSED)
def test_lean_refuses(text: str, part: str) -> None:
    assert part in check_text(text)[0].text
