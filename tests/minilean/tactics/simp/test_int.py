"""`simp` on integer literals, and attacks on facts about integers through every procedure that computes."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

ACCEPTED = [
    "example : (2 : Int) - 3 < 5 := by simp",
    "example : -(-(2 : Int)) = 2 := by simp",
    "example (x : Int) (h : x = 2 - 3) : x = -1 := by simp at h; exact h",
    "example : (-7 : Int) / 2 = -4 := by simp",
    "example : (-1000000007 : Int) / 2 = -500000004 := by simp",
    "example : (-1000000007 : Int) % -10 = 3 := by simp",
    "example : (2 : Int) ^ 100 = 1267650600228229401496703205376 := by simp",
    "example : (-3 : Int).natAbs = 3 := by simp",
    "example : ¬ (2 : Int) ∣ 3 := by simp",
    "example (x : Int) : x + (2 - 2) = x := by dsimp; exact Int.add_zero x",
    "example (n : Nat) : ((n + 1 : Nat) : Int) = n + 1 := by simp",
    "example : ((2 : Nat) : Int) = 2 := by simp",
    "example (a b : Int) (h : ¬ a ≤ b) : b < a := by simpa using h",
    "example (a b c : Int) : a * (b + c) = a * c + a * b := by simp only [Int.mul_add, Int.add_comm]",
    "example : (2 : Int) + 3 = 5 := by simp only [Int.reduceAdd]",
    "example : (1000000007 : Nat) / 2 = 500000003 ∧ (1000000007 : Nat) % 10 = 7 := by omega",
    "example : (-1000000007 : Int) / -2 = 500000004 := by omega",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_lean_accepts(text: str) -> None:
    assert [m.text for m in check_text(text) if m.severity == "error"] == []


WRONG = [
    "(-7 : Int) / 2 = -3",
    "(-7 : Int) % 10 = -7",
    "(2 : Int) - 3 = 0",
    "(2 : Int) ∣ 3",
    "(0 : Int) ∣ 3",
    "(5 : Int) / 0 = 5",
    "(5 : Int) % 0 = 0",
    "(-5 : Int).toNat = 5",
    "Int.negSucc 2 = -2",
    "(-1 : Int) ^ 2 = -1",
    "((1 - 2 : Nat) : Int) = -1",
    "Int.sub 2 3 = 0",
    "(3 : Int).sign = 3",
]
PROOFS = ["by simp", "by decide", "by omega", "rfl", "by norm_cast"]


@pytest.mark.parametrize("claim", WRONG)
def test_wrong_facts_are_refused(claim: str) -> None:
    text = "\n".join(f"example : {claim} := {proof}" for proof in PROOFS)
    refused = {m.line for m in check_text(text) if m.severity == "error"}
    assert refused == set(range(1, len(PROOFS) + 1))


ATTACKS = [
    # numbers whose evaluation has to stay bounded
    "example : (10 : Int) ^ (10 ^ 9) = 0 := by simp",
    "example : (10 : Int) ^ (10 ^ 9) = 0 := by omega",
    "example : (123456789012 : Int) ∣ 987654321098 := by simp",
    "example : (-1000000007 : Int) / 2 = -500000003 := by simp",
    "example : (-1000000007 : Int) % 10 = -7 := by omega",
    # instances declared by the user
    "instance own : Mul Int := ⟨fun _ _ => 0⟩\nexample : (2 : Int) * 3 = 6 := by simp",
    "instance own : Neg Int := ⟨fun n => n⟩\nexample : -(2 : Int) < 0 := by simp",
    "instance own : LT Int := ⟨fun _ _ => True⟩\nexample : ¬ (3 : Int) < 2 := by simp",
    "instance own : LT Int := ⟨fun _ _ => True⟩\nexample : ¬ (3 : Int) < 2 := by decide",
    "instance own (n : Nat) : OfNat Int n := ⟨0⟩\nexample : (2 : Int) ≠ 3 := by decide",
    "instance own : NatCast Int := ⟨fun _ => 0⟩\nexample (n : Nat) (h : 0 < n) : (n : Int) ≠ 0 := by simp [h]",
    # patterns
    "def f : Int → Nat\n  | -1 => 0\n  | _ => 1\nexample : f 0 = 0 := rfl",
    "def f : Int → Nat\n  | Int.ofNat n => n\nexample : f (-1) = 0 := rfl",
    "example (z : Int) : z = z.toNat := by cases z with | ofNat n => rfl | negSucc n => rfl",
    "theorem t (z : Int) : z.natAbs = z := by induction z <;> rfl",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_attacks_are_refused(text: str) -> None:
    """Every file has an error, in bounded time, and not one from the kernel."""
    errors = [m.text for m in check_text(text) if m.severity == "error"]
    assert errors != []
    assert not any("Type mismatch" in e and "(kernel)" in e for e in errors)
