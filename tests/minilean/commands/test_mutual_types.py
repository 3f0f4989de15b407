"""Mutual and nested inductive types: declarations, eliminators, tactics on them, and Lean's refusals."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

TREE = """
mutual
inductive Tree (α : Type) where
  | leaf : Tree α
  | node : α → Forest α → Tree α
inductive Forest (α : Type) where
  | nil : Forest α
  | cons : Tree α → Forest α → Forest α
end
inductive Rose where
  | mk : Nat → List Rose → Rose
"""


def infos(found: list[str]) -> list[str]:
    return [" ".join(message.split(" info ", 1)[1].split()) for message in found]


def errors(found: list[str]) -> list[str]:
    return [message.split(" error ", 1)[1] for message in found]


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        (
            "Forest.rec",
            "{α : Type} → {motive_1 : Tree α → Sort u_1} → {motive_2 : Forest α → Sort u_1} → motive_1 Tree.leaf → "
            "((a : α) → (a_1 : Forest α) → motive_2 a_1 → motive_1 (Tree.node a a_1)) → motive_2 Forest.nil → "
            "((a : Tree α) → (a_1 : Forest α) → motive_1 a → motive_2 a_1 → motive_2 (Forest.cons a a_1)) → "
            "(t : Forest α) → motive_2 t",
        ),
        (
            "Rose.rec_1",
            "{motive_1 : Rose → Sort u_1} → {motive_2 : List Rose → Sort u_1} → "
            "((a : Nat) → (a_1 : List Rose) → motive_2 a_1 → motive_1 (Rose.mk a a_1)) → motive_2 [] → "
            "((head : Rose) → (tail : List Rose) → motive_1 head → motive_2 tail → motive_2 (head :: tail)) → "
            "(t : List Rose) → motive_2 t",
        ),
        (
            "Rose.casesOn",
            "{motive_1 : Rose → Sort u_1} → (t : Rose) → "
            "((a : Nat) → (a_1 : List Rose) → motive_1 (Rose.mk a a_1)) → motive_1 t",
        ),
        (
            "Tree.brecOn",
            "{α : Type} → {motive_1 : Tree α → Sort u_1} → {motive_2 : Forest α → Sort u_1} → (t : Tree α) → "
            "((t : Tree α) → t.below → motive_1 t) → ((t : Forest α) → t.below → motive_2 t) → motive_1 t",
        ),
        (
            "Tree.node.injEq",
            "∀ {α : Type} (a : α) (a_1 : Forest α) (a_2 : α) (a_3 : Forest α), "
            "(Tree.node a a_1 = Tree.node a_2 a_3) = (a = a_2 ∧ a_1 = a_3)",
        ),
    ],
)
def test_generated_constants(messages: Check, name: str, type_: str) -> None:
    assert infos(messages(f"{TREE}#check @{name}")) == [f"@{name} : {type_}"]


def test_predicates(messages: Check) -> None:
    text = """
mutual
inductive Even : Nat → Prop
  | zero : Even 0
  | succ : Odd n → Even (n + 1)
inductive Odd : Nat → Prop
  | succ : Even n → Odd (n + 1)
end
example : Even 2 := .succ (.succ .zero)
theorem not_odd_zero : ¬ Odd 0 := fun h => nomatch h
theorem even_of : ∀ n, Odd (n + 1) → Even n
  | _, .succ h => h
example (h : Odd 2) : False := by
  cases h with
  | succ h => cases h with
    | succ h => cases h
"""
    assert messages(text) == []


def test_tactics(messages: Check) -> None:
    text = f"""{TREE}
example (n m : Nat) (a b : List Rose) (h : Rose.mk n a = Rose.mk m b) : a = b := by
  injection h
example (n m : Nat) (a b : List Rose) (h : Rose.mk n a = Rose.mk m b) : b = a := by
  cases h
  rfl
example (t : Tree Nat) (h : t ≠ .leaf) : ∃ a f, t = .node a f := by
  cases t with
  | leaf => contradiction
  | node a f => exact ⟨a, f, rfl⟩
example (a : Nat) (f : Forest Nat) (h : Tree.leaf = .node a f) : False := by contradiction
example (a b : Nat) (f : Forest Nat) : Tree.node a f = .node b f ↔ a = b := by simp
def isLeaf : Tree α → Bool
  | .leaf => true
  | .node .. => false
example : isLeaf (Tree.node 1 Forest.nil) = false := rfl
"""
    assert messages(text) == []


def test_nesting_in_products_options_and_own_containers(messages: Check) -> None:
    text = """
inductive Two (α : Type) where
  | mk : α → α → Two α
inductive T where
  | a : Option T → T
  | b : Nat × T → T
  | c : List (List T) → T
  | d : (Nat → Option T) → T
  | e : Two T → T
example (n : Nat) (t u : T) (h : T.b (n, t) = .b (1, u)) : t = u := by
  injection h with h
  injection h
"""
    assert [m for m in messages(text) if " error " in m] == []


@pytest.mark.parametrize(
    ("name", "kind"), [("Tree Nat", "mutually inductive"), ("Rose", "a nested inductive type")]
)
def test_induction_is_refused_in_leans_words(messages: Check, name: str, kind: str) -> None:
    found = errors(messages(f"{TREE}example (t : {name}) : t = t := by\n  induction t\n  rfl"))
    assert found == [
        f"The `induction` tactic does not support the type `{name.split()[0]}` because it is {kind}\n\n"
        "Hint: Consider using the `cases` tactic instead"
    ]


def block(first: str, second: str) -> str:
    return f"mutual\n{first}\n{second}\nend"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "inductive Bad where | mk : List (Bad → Nat) → Bad",
            "(kernel) arg #1 of '_nested.List_1.cons' has a non positive occurrence of the datatypes being declared",
        ),
        (
            "inductive T : Nat → Type where | mk : (n : Nat) → Option (T n) → T (n + 1)",
            "(kernel) invalid nested inductive datatype 'Option', nested inductive datatypes parameters cannot contain "
            "local variables.",
        ),
        (
            block("inductive A where | mk : B → A", "inductive B where | mk : (A → Nat) → B"),
            "(kernel) arg #1 of 'B.mk' has a non positive occurrence of the datatypes being declared",
        ),
        (
            block("inductive A (α : Type) where | mk : B α → A α", "inductive B (β : Type) where | mk : B β"),
            "Invalid mutually inductive types: Parameter names `β` and `α` differ but were expected to match",
        ),
        (
            block(
                "inductive A (α : Type) where | mk : A α",
                "inductive B (α : Type) (n : Nat) where | mk : B α n",
            ),
            "Invalid mutually inductive types: `B` has 2 parameter(s), but the preceding type `A` has 1\n\n"
            "Note: All inductive types declared in the same `mutual` block must have the same parameters",
        ),
        (
            block("inductive A (α : Type) : Type 1 where", "inductive B (α : Prop) : Type 1 where"),
            "Invalid mutually inductive types: Parameter `α` has type\n  Prop\nof sort `Type` but is expected to have "
            "type\n  Type\nof sort `Type 1`",
        ),
        (
            block("inductive A : Prop where | mk : A", "inductive B : Type where | mk : B"),
            "Invalid mutually inductive types: The resulting type of this declaration\n  Type\ndiffers from a "
            "preceding one\n  Prop\n\nNote: All inductive types declared in the same `mutual` block must belong to the "
            "same type universe",
        ),
        (block("inductive A where | mk : A", "inductive A where | mk : A"), "`A` has already been declared"),
        (
            block("inductive A where | mk : A", "def f : Nat := 0"),
            "invalid mutual block: either all elements of the block must be inductive/structure declarations, or they "
            "must all be definitions/theorems/abbrevs",
        ),
    ],
)
def test_refusals(messages: Check, text: str, message: str) -> None:
    assert errors(messages(text)) == [message]


def test_a_refused_group_leaves_nothing(messages: Check) -> None:
    text = block("inductive A where | mk : A", "inductive B where | mk : (B → Nat) → B")
    (error,) = errors(messages(f"{text}\n#check A"))[1:]
    assert error.startswith("Unknown identifier `A`")


def test_a_predicate_of_a_group_eliminates_into_propositions_only(messages: Check) -> None:
    text = block("inductive P : Prop where | mk : Nat → P", "inductive Q : Prop where | mk : P → Q")
    found = errors(messages(f"{text}\ndef f (p : P) : Nat := by\n  cases p with\n  | mk n => exact n"))
    assert len(found) == 1 and "can only eliminate into `Prop`" in found[0]


def test_the_least_universe_is_found(messages: Check) -> None:
    text = block(
        "inductive A (α : Type u) where | mk : B α → α → A α",
        "inductive B (α : Type u) where | mk : List (A α) → B α",
    )
    assert infos(messages(f"{text}\n#check @A\n#check @B")) == [
        "A : Type u_1 → Type u_1",
        "B : Type u_1 → Type u_1",
    ]
