"""`Int`: what its operations compute, and what must not hold."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

VALUES = [0, 3, -1, -7]


def euclid(a: int, b: int) -> tuple[int, int]:
    """Quotient and remainder such that `0 ≤ remainder < |b|`; 0 and `a` for the divisor 0."""
    if b == 0:
        return 0, a
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


def claims() -> list[str]:
    """Closed equations about all pairs of some values, by an independent computation."""
    lines = []
    for a in VALUES:
        lines += [
            f"({a} : Int).natAbs = {abs(a)}",
            f"({a} : Int).toNat = {max(a, 0)}",
            f"-({a} : Int) = {-a}",
        ]
        lines.append(f"({a} : Int).sign = {(a > 0) - (a < 0)}")
        for b in VALUES:
            quotient, remainder = euclid(a, b)
            lines += [f"({a} : Int) / {b} = {quotient}", f"({a} : Int) % {b} = {remainder}"]
            lines += [
                f"({a} : Int) + {b} = {a + b}",
                f"({a} : Int) - {b} = {a - b}",
                f"({a} : Int) * {b} = {a * b}",
            ]
            lines += [f"max ({a} : Int) ({b}) = {max(a, b)}", f"min ({a} : Int) ({b}) = {min(a, b)}"]
            lines += [
                f"{'' if a <= b else '¬ '}({a} : Int) ≤ {b}",
                f"{'' if a < b else '¬ '}({a} : Int) < {b}",
            ]
    return lines


def errors(text: str) -> list[str]:
    return [m.text for m in check_text(text) if m.severity == "error"]


def test_closed_facts_are_decided_by_computation() -> None:
    assert errors("\n".join(f"example : {claim} := by decide" for claim in claims())) == []
    assert errors("\n".join(f"example : {claim} := rfl" for claim in claims() if "=" in claim)) == []


WRONG = [
    "(-1 : Int).toNat = 1",
    "(-7 : Int) / 2 = -3",
    "(-7 : Int) % 2 = -1",
    "(7 : Int) / 0 = 7",
    "(7 : Int) % 0 = 0",
    "(2 : Int) - 3 = 0",
    "(0 : Int) < 0",
    "(-1 : Int) = 1",
    "Int.negSucc 0 = 0",
    "((2 - 3 : Nat) : Int) = 2 - 3",
]


@pytest.mark.parametrize("claim", WRONG)
@pytest.mark.parametrize("proof", ["by decide", "rfl", "by simp", "by rfl", "by cases rfl"])
def test_wrong_facts_are_refused(claim: str, proof: str) -> None:
    assert errors(f"example : {claim} := {proof}") != []
