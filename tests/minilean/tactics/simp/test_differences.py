"""`simp` on `x + k`, on literals of `Fin n` and on integers with `+arith`; and attacks through these procedures."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

# Lean's own tests `simprocNat`, `simprocFin`, `simp_int_arith`, `list_simp`, `bool_simp` have similar examples.
NORMAL_FORMS = [
    ("Nat", "(a + 1000) - (b + 400)", "a + 600 - b"),
    ("Nat", "400 - (a + 1000)", "0"),
    ("Nat", "7 - (a + 5)", "2 - a"),
    ("Nat", "a + 1 - (b + 1)", "a - b"),
    ("Nat", "(a + 400) - 1000", "a - 600"),
    ("Prop", "a + 1000 = 400", "False"),
    ("Prop", "1000 = a + 400", "a = 600"),
    ("Prop", "a + 400 = b + 1000", "a = b + 600"),
    ("Prop", "a + 1000 ≤ b + 400", "a + 600 ≤ b"),
    ("Prop", "1000 ≤ a + 400", "600 ≤ a"),
    ("Bool", "a + 400 == 1000", "a == 600"),
    ("Bool", "a + 1000 != 400", "true"),
    ("Bool", "(1234567 : Nat) == 123456", "false"),
    ("Fin 7", "(3 : Fin 7) * 3 - 5", "4"),
    ("Fin 8", "(6 : Fin 7).succ", "7"),
    ("Prop", "(3 : Fin 7) < 5", "True"),
    ("Prop", "(3 : Fin 7) = 1", "False"),
    ("Bool", "(3 : Fin 7) != 3", "false"),
    ("List Nat", "(List.replicate b a).dropLast", "List.replicate (b - 1) a"),
    ("Prop", "List.replicate 3 a = List.replicate 3 b", "a = b"),
    ("List (Nat × Nat)", "(List.replicate 2 a).zip (List.replicate a b)", "List.replicate (min 2 a) (a, b)"),
    ("Bool", "decide (a = 1 → ¬b = 1)", "!decide (a = 1) || !decide (b = 1)"),
    ("Prop", "if a = 1 then a = 1 else b = 1", "¬a = 1 → b = 1"),
]


@pytest.mark.parametrize(("kind", "term", "normal"), NORMAL_FORMS)
def test_normal_forms(kind: str, term: str, normal: str) -> None:
    text = f"example (P : {kind} → Prop) (a b : Nat) (h : P ({normal})) : P ({term}) := by simp; exact h"
    assert [m.text for m in check_text(text) if m.severity == "error"] == []


INTEGERS = [
    ("5 * x + y + y + y ≤ 7 - x", "2 * x + y + -2 ≤ 0"),
    ("2 * x + y + y = 4", "x + y + -2 = 0"),
    ("2 * x = x + y", "x = y"),
    ("2 * x + 1 = x", "x = -1"),
    ("11 * x > 10", "-1 * x + 1 ≤ 0"),
    ("16 ∣ 4 * y + 32", "4 ∣ y + 8"),
]


@pytest.mark.parametrize(("prop", "normal"), INTEGERS)
def test_linear_integers(prop: str, normal: str) -> None:
    text = f"example (x y : Int) (h : {prop}) : True := by simp +arith only at h; guard_hyp h : {normal}; trivial"
    assert [m.text for m in check_text(text) if m.severity == "error"] == []


DECIDED = [
    "example (x : Int) (h : x + x = 1) : False := by simp +arith only at h",
    "example (x y : Int) (h : 3 * x + 6 * y = 2) : False := by simp +arith only at h",
    "example (a b : Int) : ¬2 ∣ 2 * a + 4 * b + 1 := by simp +arith",
    "example (x : Int) : x - 1 < x := by simp +arith only",
    "example (f : Nat → Nat) (x y : Nat) : f (2 * x + y) = f (y + x + x) := by simp +arith",
    "example (x y : Int) (h : x + y > y + x - 1) : True := by simp +arith only at h; guard_hyp h : True; exact h",
]


@pytest.mark.parametrize("text", DECIDED)
def test_lean_accepts(text: str) -> None:
    assert [m.text for m in check_text(text) if m.severity == "error"] == []


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


def test_an_instance_of_the_users_own_is_not_computed() -> None:
    text = """instance (priority := high) odd : Add (Fin 7) := ⟨fun _ _ => 0⟩
theorem t : (3 : Fin 7) + 1 = 4 := by simp
instance (priority := high) wrong : BEq Nat := ⟨fun _ _ => true⟩
theorem u (a : Nat) : (a + 5 == 3) = false := by simp"""
    assert {m.line for m in check_text(text) if m.severity == "error"} == {2, 4}


@pytest.mark.parametrize(
    "statement", ["x + 7 = x + 5", "x + 3 - 5 = x", "5 - (x + 3) = 2", "x + 5 ≤ x + 3", "7 = x + 3"]
)
def test_what_does_not_hold_is_not_proved(statement: str) -> None:
    (message,) = check_text(f"example (x : Nat) : {statement} := by simp")
    assert message.severity == "error"


def test_integers_are_left_to_their_own_rules() -> None:
    for statement, text in [("3 - (x + 5) = -2 - x", "error"), ("x - y = 3", "`simp` made no progress")]:
        (message,) = check_text(f"example (x y : Int) : {statement} := by simp")
        assert text in (message.severity, message.text)
