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
            "Rose.casesOn",
            "{motive_1 : Rose → Sort u_1} → (t : Rose) → "
            "((a : Nat) → (a_1 : List Rose) → motive_1 (Rose.mk a a_1)) → motive_1 t",
        ),
    ],
)
def test_generated_constants(messages: Check, name: str, type_: str) -> None:
    assert infos(messages(f"{TREE}#check @{name}")) == [f"@{name} : {type_}"]


def block(first: str, second: str) -> str:
    return f"mutual\n{first}\n{second}\nend"


def test_a_refused_group_leaves_nothing(messages: Check) -> None:
    text = block("inductive A where | mk : A", "inductive B where | mk : (B → Nat) → B")
    (error,) = errors(messages(f"{text}\n#check A"))[1:]
    assert error.startswith("Unknown identifier `A`")


def test_a_predicate_of_a_group_eliminates_into_propositions_only(messages: Check) -> None:
    text = block("inductive P : Prop where | mk : Nat → P", "inductive Q : Prop where | mk : P → Q")
    found = errors(messages(f"{text}\ndef f (p : P) : Nat := by\n  cases p with\n  | mk n => exact n"))
    assert len(found) == 1 and "can only eliminate into `Prop`" in found[0]
