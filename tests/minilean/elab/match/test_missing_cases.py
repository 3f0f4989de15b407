"""Cases that no alternative covers: accepted where an index or a hypothesis makes them impossible, else reported."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

VEC = """
inductive Vec (α : Type) : Nat → Type
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)
"""

IMPOSSIBLE = [
    "def get {α} : (as : List α) → Fin as.length → α\n  | x :: _, ⟨0, _⟩ => x\n"
    "  | _ :: xs, ⟨i + 1, h⟩ => get xs ⟨i, Nat.lt_of_succ_lt_succ h⟩\n"
    "example : get [1, 2, 3] ⟨2, by decide⟩ = 3 := rfl\n"
    "example (x : α) (xs : List α) (h) : get (x :: xs) ⟨0, h⟩ = x := rfl",
    "def hd (xs : List Nat) (h : xs.length > 0) : Nat := match xs, h with\n  | x :: _, _ => x\n"
    "example : hd [4, 5] (by decide) = 4 := rfl",
    "def hd (xs : List Nat) (h : xs ≠ []) : Nat := match xs with\n  | x :: _ => x",
    "theorem ex : (xs : List Nat) → xs.length = 1 → ∃ x, xs = [x]\n  | [x], _ => ⟨x, rfl⟩",
    "theorem ex (xs : List Nat) (h : xs.length = 2) : ∃ x y, xs = [x, y] :=\n  match xs, h with\n"
    "  | [x, y], _ => ⟨x, y, rfl⟩",
    VEC + "def Vec.get : Vec α n → Fin n → α\n  | .cons a _, ⟨0, _⟩ => a\n"
    "  | .cons _ v, ⟨i + 1, h⟩ => v.get ⟨i, Nat.lt_of_succ_lt_succ h⟩\n"
    "example : (Vec.cons 1 (.cons 2 .nil)).get ⟨1, by decide⟩ = 2 := rfl",
    VEC + "def Vec.head : Vec α (n + 1) → α\n  | .cons a _ => a",
    VEC + "def Vec.zip : Vec α n → Vec β n → Vec (α × β) n\n  | .nil, .nil => .nil\n"
    "  | .cons a v, .cons b w => .cons (a, b) (v.zip w)",
    "def f (i : Fin 0) : Nat := nomatch i",
    "def f : Fin 0 → False := nofun",
    "def f : Fin 0 ⊕ Fin 0 → Nat := nofun",
    "def f (x : Option (Fin 0)) : Nat := match x with\n  | none => 1",
    "def f (i : Fin 0) : False := by nomatch i",
    "theorem f (n : Nat) (h : n + 1 ≤ 0) : False := nomatch h",
    "theorem f (n : Nat) : ¬ n + 1 ≤ 0 := nofun",
    "theorem f : ∀ n : Nat, n < 0 → 1 = 2 := nofun",
    "theorem f (p : Prop) : p ∧ False → False := nofun",
    "theorem f (n : Nat) (h : n < 0) : n = 7 := nomatch n",  # `h` depends on `n`, so it is matched as well
    "def f (n : Nat) (h : n < 2) : Nat := match n, h with\n  | 0, _ => 5\n  | 1, _ => 6",
    "def f : (n : Nat) → n < 3 → Nat\n  | 0, _ => 5\n  | 1, _ => 6\n  | 2, _ => 7",
    "def f : Nat → Fin 0 → Nat\n  | 0, _ => 1",
    "def f : Fin 3 → Nat\n  | 0 => 10\n  | 1 => 20\n  | 2 => 30\n"
    "example : f 2 = 30 := rfl\nexample : f ⟨1, by decide⟩ = 20 := rfl\n"
    "example (i : Fin 3) : f i > 5 := by\n  unfold f\n  split <;> decide",
    "def f : Fin 3 → Nat\n  | 0 => 10\n  | _ => 3\nexample : f 2 = 3 := rfl",
    "def f : Fin 2 → Fin 2 → Bool\n  | 0, 0 => true\n  | 1, 1 => true\n  | _, _ => false\n"
    "example : f 1 0 = false := rfl",
    "def f : Fin 15 → Nat\n" + "".join(f"  | {i} => {i}\n" for i in range(15)) + "example : f 14 = 14 := rfl",
]


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_impossible_cases_need_no_alternative(text: str, messages: Check) -> None:
    assert messages(text) == []


POSSIBLE = [
    ("def f : (as : List Nat) → Fin (as.length + 1) → Nat\n  | x :: _, ⟨0, _⟩ => x", "[], (Fin.mk _ _)"),
    ("def f (xs : List Nat) (h : xs.length ≥ 0) : Nat := match xs, h with\n  | x :: _, _ => x", "[], _"),
    (
        "theorem f : (xs : List Nat) → xs.length = 2 → ∃ x, xs = [x]\n  | [x], _ => ⟨x, rfl⟩",
        "(List.cons _ (List.cons _ _)), _",
    ),
    (
        "def f (n : Nat) (h : n < 3) : Nat := match n, h with\n  | 0, _ => 5\n  | 1, _ => 6",
        "(Nat.succ (Nat.succ _)), _",
    ),
    (
        VEC + "def Vec.get : Vec α n → Fin (n + 1) → α\n  | .cons a _, ⟨0, _⟩ => a",
        "Nat.zero, nil, (Fin.mk _ _)",
    ),
    (VEC + "def f : Vec Nat n → Nat\n  | .cons a _ => a", "Nat.zero, Vec.nil"),
    ("def f : Fin 3 → Nat\n  | 0 => 10\n  | 1 => 20", "(Fin.mk (Nat.succ (Nat.succ _)) _)"),
    ("def f (i : Fin 1) : Nat := nomatch i", "(Fin.mk _ _)"),
    ("def f : Fin 1 → False := nofun", "(Fin.mk _ _)"),
    ("theorem f (n : Nat) (h : n ≤ 0) : False := nomatch h", "_"),
    ("theorem f : ∀ n : Nat, n < 1 → False := nofun", "_, _"),
    # a value whose patterns cannot fail is not taken apart
    ("def f : Fin 0 → Nat → Nat\n  | _, 0 => 1", "_, (Nat.succ _)"),
    # only what is matched can be contradictory
    ("def f (h : False) (n : Nat) : Nat := nomatch n", "_"),
    ("def f (h : 1 = 2) (k : Nat) : Nat := match k with\n  | 0 => 1", "(Nat.succ _)"),
]


@pytest.mark.parametrize(("text", "case"), POSSIBLE)
def test_possible_cases_are_missing(text: str, case: str, messages: Check) -> None:
    (message,) = messages(text)
    assert case in message.partition("Missing cases:\n")[2].splitlines()


def test_contradictions_are_searched_through_as_many_variables_as_in_lean(messages: Check) -> None:
    assert messages("example (n : Nat) (h : n + 15 < 15) : False := by contradiction") == []
    (message,) = messages("example (n : Nat) (h : n + 16 < 16) : False := by contradiction")
    assert "Tactic `contradiction` failed" in message


def test_contradiction_takes_only_families_and_empty_types_apart(messages: Check) -> None:
    text = """
inductive Wrapped : Nat → Prop
  | mk (h : n < 0 ∨ n < 0) : Wrapped n
example (n : Nat) (h : Wrapped n) : False := by contradiction
"""
    (message,) = messages(text)
    assert "Tactic `contradiction` failed" in message


def test_numerals_of_fin_are_shown_as_written(messages: Check) -> None:
    text = "def f : Fin 2 → Nat\n  | 0 => 10\n  | 1 => 20\n#print f\n#check f.eq_2"
    assert [line.partition(" info ")[2] for line in messages(text)] == [
        "def f : Fin 2 → Nat :=\nfun x =>\n  match x with\n  | 0 => 10\n  | 1 => 20",
        "f.eq_2 : f 1 = 20",
    ]
