"""`T.noConfusion` and `T.noConfusionType`: Lean's types, what they prove, and what they do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.library import library
from minilean.proof import Problem

Check = Callable[[str], list[str]]

TYPES = """
inductive T | a | b | c (n m : Nat)
inductive E | p | q | r
inductive L (α : Type u) | nil | cons (a : α) (l : L α)
inductive Vec (α : Type) : Nat → Type
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)
inductive Tree (α : Type u) | mk (x : α) (c : List (Tree α))
structure S where
  x : Nat
  h : x = x
mutual
inductive Ev | z | s (o : Od)
inductive Od | s (e : Ev)
end
"""


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("T.noConfusion", "{P : Sort u_1} → {t t' : T} → t = t' → T.noConfusionType P t t'"),
        ("E.noConfusion", "{P : Sort u_1} → {x y : E} → x = y → E.noConfusionType P x y"),
        ("Bool.noConfusion", "{P : Sort u_1} → {x y : Bool} → x = y → Bool.noConfusionType P x y"),
        ("L.noConfusion",
         "{P : Sort u_1} → {α : Type u_2} → {t : L α} → {α' : Type u_2} → {t' : L α'} → α = α' → t ≍ t' → "
         "L.noConfusionType P t t'"),
        ("Vec.noConfusion",
         "{P : Sort u_1} → {α : Type} → {a : Nat} → {t : Vec α a} → {α' : Type} → {a' : Nat} → {t' : Vec α' a'} → "
         "α = α' → a = a' → t ≍ t' → Vec.noConfusionType P t t'"),
        ("T.noConfusionType", "Sort u_1 → T → T → Sort u_1"),
        ("L.noConfusionType", "Sort u_1 → {α : Type u_2} → L α → {α' : Type u_2} → L α' → Sort u_1"),
        ("Ev.noConfusion", "{P : Sort u_1} → {t t' : Ev} → t = t' → Ev.noConfusionType P t t'"),
    ],
)  # fmt: skip
def test_types(name: str, type_: str, messages: Check) -> None:
    (message,) = messages(f"{TYPES}#check @{name}")
    assert " ".join(message.partition(f"{name} : ")[2].split()) == type_


@pytest.mark.parametrize(
    "example",
    [
        "(h : T.a = T.b) : False := T.noConfusion h",
        "(h : T.a = T.b) : 1 = 2 := T.noConfusion h",
        "(h : T.c n x = T.c m y) : n = m := T.noConfusion h fun h _ => h",
        "(h : T.c 1 x = T.c 2 x) : False := T.noConfusion h fun h _ => nomatch h",
        "(h : T.c n x = T.c m y) : x = y := by\n  apply T.noConfusion h\n  intro _ h\n  exact h",
        "(h : T.a = T.b) : False := nomatch h",
        "(h : E.p = E.q) : False := E.noConfusion h",
        "(P : Sort u) : T.noConfusionType P (.c 1 2) (.c n m) = ((1 = n → 2 = m → P) → P) := rfl",
        "(P : Sort u) : T.noConfusionType P .a .b = P := rfl",
        "(h : L.cons a l = L.cons b k) : a = b := L.noConfusion rfl (heq_of_eq h) fun h _ => eq_of_heq h",
        "(h : S.mk a p = S.mk c q) : a = c := S.noConfusion h id",
        "(h : some a = some b) : a = b := Option.noConfusion rfl (heq_of_eq h) eq_of_heq",
        "(h : Ev.z = Ev.s o) : False := Ev.noConfusion h",
        "(v w : Vec α n) (h : Vec.cons a v = Vec.cons b w) : v = w :=\n"
        "  Vec.noConfusion rfl rfl (heq_of_eq h) fun _ _ h => eq_of_heq h",
    ],
)
def test_what_equations_tell(example: str, messages: Check) -> None:
    assert messages(f"{TYPES}example {example}") == []


def test_no_axioms(messages: Check) -> None:
    theorem = "theorem t (h : T.a = T.b) : False := T.noConfusion h\n"
    text = f"{TYPES}{theorem}#print axioms t\n#print axioms Vec.noConfusion"
    assert all(line.endswith("does not depend on any axioms") for line in messages(text))


@pytest.mark.parametrize(
    "example",
    [
        "(h : T.a = T.a) : False := T.noConfusion h",
        "(h : T.c 1 x = T.c 1 y) : False := T.noConfusion h fun _ _ => nomatch h",
        "(x y : T) (h : x = y) : False := T.noConfusion h",
        "(p q : Prop) (a : p) (b : q) (h : (Or.inl a : p ∨ q) = .inr b) : False := Or.noConfusion h",
        "(h : S.mk a p = S.mk c q) : False := S.noConfusion h",
    ],
)
def test_no_more_than_that(example: str, messages: Check) -> None:
    (message,) = messages(f"{TYPES}example {example}")
    assert " error " in message


@pytest.mark.parametrize(
    "name", ["And.noConfusion", "Eq.noConfusion", "String.noConfusion", "T.noConfusions"]
)
def test_types_without_it(name: str, messages: Check) -> None:
    assert messages(f"inductive T | a\n#check @{name}") == [f"2:7 error Unknown constant `{name}`"]


def test_a_step_by_itself_uses_what_a_command_made() -> None:
    statement = "theorem t (h : T.a = T.b) : False"
    before = "inductive T | a | b\n"
    problem = Problem.from_source(statement, library(), before)
    refused = problem.apply(problem.start(), "exact T.noConfusion h")
    assert refused.error == "unsupported: `T.noConfusion` in a tactic step by itself"
    problem = Problem.from_source(
        statement, library(), before + "theorem u (h : T.a = T.b) : 1 = 2 := T.noConfusion h\n"
    )
    step = problem.apply(problem.start(), "exact T.noConfusion h")
    assert step.state is not None
    problem.check(step.state)
