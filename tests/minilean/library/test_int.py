"""`Int`: what its operations compute, how terms over it are read and printed, and what must not hold."""

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


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        ("-1", "-1 : Int"),
        ("fun (n : Nat) (z : Int) => n + z", "fun n z => ↑n + z : Nat → Int → Int"),
        ("fun (n : Nat) (z : Int) => z + n", "fun n z => z + ↑n : Nat → Int → Int"),
        ("fun (n m : Nat) => (n + m : Int)", "fun n m => ↑n + ↑m : Nat → Nat → Int"),
        ("fun (n m : Nat) => ((n + m : Nat) : Int)", "fun n m => ↑(n + m) : Nat → Nat → Int"),
        ("fun (n : Nat) (z : Int) => n = -z ^ 2", "fun n z => ↑n = -z ^ 2 : Nat → Int → Prop"),
        ("fun (n : Nat) (z : Int) => ↑n - -z", "fun n z => ↑n - -z : Nat → Int → Int"),
        ("fun (n : Nat) (z : Int) => z < n ^ (n + 1)", "fun n z => z < ↑n ^ (n + 1) : Nat → Int → Prop"),
        ("Int.negSucc 3", "Int.negSucc 3 : Int"),
    ],
)
def test_casts_are_put_at_the_leaves(term: str, shown: str) -> None:
    assert [m.text for m in check_text(f"#check {term}")] == [shown]


def test_evaluation_writes_numerals() -> None:
    text = "#eval (-7 : Int) / 2\n#eval ((2 : Int), [3, -1 - 1], Int.toNat (-3))\n#reduce (-7 : Int) / 2"
    assert [m.text for m in check_text(text)] == ["-4", "(2, [3, -2], 0)", "Int.negSucc 3"]


def test_cases_has_leans_names_and_goals() -> None:
    text = "example (z : Int) : z = z := by\n  cases z with\n  | ofNat n => done\n  | negSucc n => done"
    assert errors(text)[0] == "unsolved goals\ncase ofNat\nn : Nat\n⊢ Int.ofNat n = Int.ofNat n"
    text = "example (z : Int) : z = z := by\n  induction z with\n  | ofNat n => rfl\n  | negSucc n => rfl"
    assert errors(text) == []


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


def test_types_that_cannot_be_compared_are_left_alone() -> None:
    assert errors("example (n : Nat) (b : Bool) : Prop := n + b = n")[0].startswith("failed to synthesize")
