"""Statements of one theorem have one key, and others differ."""

from __future__ import annotations

import pytest

from envs_data.statement_key import statement_key

SAME = [
    ("theorem a (p q : Prop) : p → q → p", "theorem b (x y : Prop) : x → y → x"),
    ("theorem a (p q : Prop) : p ∧ q → p", "theorem b (p : Prop) (q : Prop) (h : p ∧ q) : p"),
    ("theorem a (p q : Prop) : p → q → p ∧ q", "theorem b (p q : Prop) (hq : q) (hp : p) : p ∧ q"),
    ("theorem a (p q : Prop) : q → p → p ∧ q", "theorem b (p q : Prop) : p → q → p ∧ q"),
    ("theorem a (p : Prop) : ¬¬p → p", "theorem b (r : Prop) : ((r → False) → False) → r"),
    ("theorem a (p q : Prop) : p ∧ q ↔ q ∧ p", "theorem b (p q : Prop) : (q ∧ p) ↔ (p ∧ q)"),
    ("theorem a (n m : Nat) : n + m = m + n", "theorem b (k : Nat) {l : Nat} : k + l = l + k"),
    ("theorem a (n : Nat) : n + 0 = n", "theorem b : ∀ m : Nat, m = m + 0"),
    ("theorem a (a b : Nat) : a ≠ b → b ≠ a", "theorem b (c d : Nat) (h : d = c → False) : ¬c = d"),
    ("theorem a (a b : Nat) : a < b → a ≤ b", "theorem b (x y : Nat) (h : y > x) : y ≥ x"),
    (
        "theorem a (α : Type) (p : α → Prop) : (∃ x, p x) → ¬∀ x, ¬p x",
        "theorem b (β : Type) (q : β → Prop) (h : ∃ y, q y) : ¬∀ z : β, ¬q z",
    ),
    (
        "theorem a (α : Type) (p q : α → Prop) : (∀ x, p x → q x) → ∀ x, p x → q x",
        "theorem b (α : Type) (p q : α → Prop) (a : α) : p a → (∀ y, p y → q y) → q a",
    ),
    (
        "theorem a (α : Type) (x : α) (xs : List α) : (x :: xs).length = xs.length + 1",
        "theorem b (β : Type) (y : β) (l : List β) : l.length + 1 = (y :: l).length",
    ),
    ("theorem a (n : Nat) : [n, 0].length = 2", "theorem b (k : Nat) : (k :: 0 :: []).length = 2"),
    ("theorem a (p : Pair) : ⟨p.1, p.2⟩ = p", "theorem b (q : Pair) : q = ⟨(q).1, q.2⟩"),
    ("theorem a : ∀ p : Pair, p.fst.val = 0 → f p", "theorem b (x : Pair) (h : (x.fst).val = 0) : f x"),
    (
        "theorem a (p q : Prop) (h : p ∧ q) : Eq h.1 h.left",
        "theorem b (r s : Prop) (k : r ∧ s) : Eq k.1 k.left",
    ),
]

DIFFERENT = [
    ("theorem a (p q : Prop) : p ∧ q → p", "theorem a (p q : Prop) : p ∧ q → q"),
    ("theorem a (p q : Prop) : p ∨ q → q ∨ p", "theorem a (p q : Prop) : p ∨ q → p ∨ q"),
    ("theorem a (p q r : Prop) : p ∧ q ∧ r → r", "theorem a (p q r : Prop) : (p ∧ q) ∧ r → r"),
    ("theorem a (p q : Prop) : (p → q) → p", "theorem a (p q : Prop) : p → q → p"),
    ("theorem a (n m : Nat) : n + m = m + n", "theorem a (n : Nat) : n + n = n + n"),
    ("theorem a (a b c : Nat) : a + b * c = 0", "theorem a (a b c : Nat) : (a + b) * c = 0"),
    ("theorem a (a b : Nat) : a < b → a ≤ b", "theorem a (a b : Nat) : a ≤ b → a < b"),
    (
        "theorem a (α : Type) (p : α → Prop) : ∃ x, ¬p x",
        "theorem a (α : Type) (p : α → Prop) : ¬∃ x, p x",
    ),
    (
        "theorem a (α : Type) (R : α → α → Prop) : (∀ x, ∃ y, R x y) → False",
        "theorem a (α : Type) (R : α → α → Prop) : (∀ x, ∃ y, R y x) → False",
    ),
    (
        "theorem a (x : Nat) (xs ys : List Nat) : x :: xs ++ ys = x :: (xs ++ ys)",
        "theorem a (x : Nat) (xs ys : List Nat) : x :: xs ++ ys = x :: xs ++ ys",
    ),
    (
        "theorem a (xs ys : List Nat) : xs.length = ys.length",
        "theorem a (xs ys : List Nat) : xs.length = xs.length",
    ),
    ("theorem a (p : Pair) : p.1 = 0", "theorem a (p : Pair) : p.2 = 0"),
    ("theorem a (x y : Nat) : f ⟨x, y⟩ = x", "theorem a (x y : Nat) : f ⟨y, x⟩ = x"),
    ("theorem a (x y : Nat) : [x, y] = [y, x]", "theorem a (x y : Nat) : [x, y] = [x, y]"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_renaming_has_the_same_key(one: str, other: str) -> None:
    assert statement_key(one) == statement_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_theorem_has_another_key(one: str, other: str) -> None:
    assert statement_key(one) != statement_key(other)


def test_the_key_numbers_variables_by_first_occurrence() -> None:
    # h1 : q → p first, or h2 : q first: the smaller text wins, and v0 is whatever comes first in it.
    assert statement_key("theorem t (p q : Prop) : (q → p) → q → p") == "(→ v0 v1) ; v0 ; v1"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("theorem t (p : Prop) : p ∧", "got 'the end', expected a term"),
        ("theorem t (p : Prop : p", "got ':', expected"),
        ("theorem t (p : Prop) : p$p", "cannot read '$p'"),
        ("theorem t (x : Nat) : [x = x", "got 'the end', expected ','"),
        ("theorem t (x : Nat) : ⟨x x) = x", "got ')', expected ','"),
        ("lemma t : True", "got 'lemma', expected 'theorem'"),
    ],
)
def test_a_statement_beyond_the_fragment_is_refused(statement: str, message: str) -> None:
    with pytest.raises(ValueError, match="statement: ") as caught:
        statement_key(statement)
    assert message in str(caught.value)
