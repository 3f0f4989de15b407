"""Wrong facts that `simp` must not prove by its procedures on `x + k`, on literals of `Fin n` and with `+arith`."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

FALSE = [
    "(3 : Fin 7) + 5 = 8 - 1",
    "(3 : Fin 7) - 5 = 0",
    "(6 : Fin 7).succ = 0",
    "((3 : Fin 7) == 10) = false",
    "∀ a : Nat, a + 5 - 7 = a",
    "∀ a b : Nat, (a + 5 == b + 5) = true",
    "∀ a b : Nat, a + 5 ≤ b + 3",
    "∃ a : Nat, a + 5 = 3",
    "∀ x : Int, 2 * x ≤ 1 ↔ x ≤ 1",
    "∀ x : Int, 3 * x = 6 ↔ x = 3",
    "∀ x : Int, 2 ∣ 4 * x + 1",
    "∀ x y : Int, x - y ≤ y - x",
    "List.replicate 2 0 = List.replicate 3 0",
]
PROOFS = ["by simp", "by simp +arith", "by intro a; simp", "by intro a b; simp +arith", "by decide"]


@pytest.mark.parametrize("claim", FALSE)
def test_wrong_facts_are_refused(claim: str) -> None:
    text = "\n".join(f"example : {claim} := {proof}" for proof in PROOFS)
    refused = {m.line for m in check_text(text) if m.severity == "error"}
    assert refused == set(range(1, len(PROOFS) + 1))
