"""Attacks on what the language adds: none of them may end in a proof of `False`, or of another statement."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.library import library
from minilean.proof import ProofError, prove

Check = Callable[[str], list[str]]

NOT_STRUCTURAL = [
    "def f : Nat → False\n  | n => f n",
    "def f : Nat → False\n  | n => f (n + 1)",
    "def f : Nat → False\n  | 0 => f 1\n  | n + 1 => f n",
    "def f (n : Nat) : False := match n with\n  | 0 => f 0\n  | k + 1 => f k",
    "def f : Nat → Nat → False\n  | 0, m => f 1 m\n  | n + 1, m => f n m",
    "def f : Nat → Nat → False\n  | n + 1, m => f n (m + 1)\n  | 0, m + 1 => f (m + 1) m\n  | 0, 0 => f 0 1",
    "theorem f : 1 = 2 := f",
    "theorem f (n : Nat) : n = n + 1 := f n",
    "theorem f : ∀ n : Nat, n < 0\n  | 0 => f 1\n  | n + 1 => Nat.lt_of_succ_lt (f (n + 1))",
    "theorem f (n : Nat) : n < 0 := by\n  have := f (n + 1)\n  exact Nat.lt_of_le_of_lt (Nat.le_succ n) this",
    "instance f : Inhabited Empty := ⟨f.default⟩",
    "def f (n : Nat) : False := let g := f; g n",
]


@pytest.mark.parametrize("text", NOT_STRUCTURAL)
def test_recursion_that_need_not_end_is_refused(messages: Check, text: str) -> None:
    lines = messages(text + "\n#print axioms f")
    assert any("error" in line for line in lines[:-1]), lines
    assert "error Unknown constant `f`" in lines[-1] or lines[-1].endswith("'f' depends on axioms: [sorryAx]")


def test_a_context_adds_no_axioms() -> None:
    with pytest.raises(ProofError, match="new axioms are refused"):
        prove("theorem t : False", ["exact cheat"], library(), "axiom cheat : False")


def test_a_statement_leaves_no_trace_in_the_library() -> None:
    before = len(list(library().kernel))
    with pytest.raises(ProofError):
        prove("theorem t (n : Nat) : (match n with | 0 => 1 | k + 1 => k) = 1", ["rfl"], library())
    assert len(list(library().kernel)) == before
