"""Wrong facts about integers, through every procedure that computes."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

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


def test_a_partial_function_on_integers_is_refused() -> None:
    """The second message names the place of the first, so that no `#guard_msgs` can hold it."""
    text = "def f : Int → Nat\n  | Int.ofNat n => n\nexample : f (-1) = 0 := rfl"
    errors = [m.text for m in check_text(text) if m.severity == "error"]
    assert errors != []
    assert not any("Type mismatch" in e and "(kernel)" in e for e in errors)
