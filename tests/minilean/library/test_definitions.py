"""The first functions of the library, which have the equations that core's definitions by patterns have."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

BOOL = "h : (match a with\n    | false => false\n    | true => b) = true"
NEGATED = "⊢ (match a with\n    | true => false\n    | false => true) = b"


def said(text: str) -> str:
    """Return the first message on a text, on one line."""
    return " ".join(check_text(text)[0].text.split())


@pytest.mark.parametrize(
    ("equation", "statement"),
    [
        ("Nat.add.eq_1", "∀ (n : Nat), n.add Nat.zero = n"),
        ("Nat.add.eq_2", "∀ (n m : Nat), n.add m.succ = (n.add m).succ"),
        ("Nat.mul.eq_1", "∀ (x : Nat), x.mul 0 = 0"),
        ("Nat.mul.eq_2", "∀ (a b : Nat), a.mul b.succ = (a.mul b).add a"),
        ("Nat.pow.eq_2", "∀ (m n : Nat), m.pow n.succ = (m.pow n).mul m"),
        ("Nat.pred.eq_2", "∀ (a : Nat), a.succ.pred = a"),
        ("Nat.sub.eq_2", "∀ (n m : Nat), n.sub m.succ = (n.sub m).pred"),
        ("Nat.beq.eq_3", "∀ (n : Nat), n.succ.beq Nat.zero = false"),
        ("Nat.ble.eq_4", "∀ (n m : Nat), n.succ.ble m.succ = n.ble m"),
        ("Bool.and.eq_1", "∀ (y : Bool), (false && y) = false"),
        ("Bool.or.eq_2", "∀ (y : Bool), (false || y) = y"),
        ("Bool.not.eq_1", "(!true) = false"),
        ("ite.eq_1", "∀ {α : Sort u_1} (c : Prop) (h : c) (t e : α), (if c then t else e) = t"),
    ],
)
def test_equations_are_core_leans(equation: str, statement: str) -> None:
    assert said(f"#check @{equation}") == f"@{equation} : {statement}".removeprefix(
        "" if statement.startswith("∀ {") else "@"
    )


@pytest.mark.parametrize(
    ("goal", "tactic", "left"),
    [
        ("(a b : Nat) : a.add b.succ = b", "rw [Nat.add]", "⊢ (a.add b).succ = b"),
        ("(a b : Nat) : a.add (b + 1) = b", "unfold Nat.add", "⊢ (a.add b).succ = b"),
        ("(a b : Nat) : a.add (b + 1) = b", "simp only [Nat.add]", "⊢ (a.add b).succ = b"),
        ("(a b : Nat) : a.mul (b + 1) = b", "rw [Nat.mul]", "⊢ (a.mul b).add a = b"),
        ("(a b : Nat) : a + b = b + a", "conv => lhs; whnf", "⊢ a.add b = b + a"),
        ("(a b : Nat) : a + (b + 1) = b", "conv => lhs; whnf", "⊢ (a.add b).succ = b"),
        ("(a b : Nat) : (a + 1).pred - b = b", "simp only [Nat.pred]", "⊢ a - b = b"),
        ("(a b : Nat) : Nat.beq (a + 1) (b + 1) = c", "simp only [Nat.beq]", "⊢ a.beq b = c"),
        ("(h : (a && b) = true) : a = b", "dsimp [Bool.and] at h", BOOL),
        ("(a b : Bool) : not a = b", "simp [not]", NEGATED),
        ("(a b : Bool) : (!a) = b", "unfold not", NEGATED),
        (
            "(p : Prop) [i : Decidable p] (a : Nat) : (if p then 1 else 2) = a",
            "unfold ite",
            "⊢ (match i with\n    | isTrue h => 1\n    | isFalse h => 2) = a",
        ),
    ],
)
def test_goals_show_no_recursor(goal: str, tactic: str, left: str) -> None:
    shown = said(f"example {goal} := by\n  {tactic}\n  trace_state\n  sorry")
    assert " ".join(left.split()) in shown


@pytest.mark.parametrize(
    ("goal", "tactic", "message"),
    [
        (
            "(a b : Nat) : a.add b = b",
            "rw [Nat.add]",
            "Failed to rewrite using equation theorems for `Nat.add`",
        ),
        ("(a b : Nat) : a.add b.succ = (b.add a).succ", "rfl", "Tactic `rfl` failed"),
        ("(a b : Nat) (h : a.add b.succ = 0) : a = b", "rw [Nat.add] at h; exact h", "Type mismatch"),
    ],
)
def test_equations_prove_no_more(goal: str, tactic: str, message: str) -> None:
    assert said(f"example {goal} := by {tactic}").startswith(message)
