"""Messages about types: sorts that differ, operators without an instance, missing cases, ill-typed applications."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]
_HINT = "\n\nHint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command."  # noqa: E501
_PAIR = "structure A where\n  n : Nat\nstructure B where\n  n : Nat\n"


# Sorts: reference manual (4.34), "Types". Operators, missing cases and `A.n b`: Functional Programming in Lean (4.32).
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("example : Sort 5 := Sort 3",
         "Type mismatch\n  Type 2\nhas type\n  Type 3\nof sort `Type 4` but is expected to have type\n  Type 4\n"
         "of sort `Type 5`"),
        ("example (α : Type 2) (β : Type 1) : Type 1 := α → β",
         "Type mismatch\n  α → β\nhas type\n  Type 2\nof sort `Type 3` but is expected to have type\n  Type 1\n"
         "of sort `Type 2`"),
        ("inductive Pos | one\ndef two : Pos := Pos.one + Pos.one",
         f"failed to synthesize instance of type class\n  HAdd Pos Pos ?m.3{_HINT}"),
        ("def zip : List α → List β → List (α × β)\n  | [], [] => []\n  | x :: xs, y :: ys => (x, y) :: zip xs ys",
         "Missing cases:\n(List.cons _ _), []\n[], (List.cons _ _)"),
        ("example (x : Prod Nat Bool) : Nat :=\n  match x with\n  | (0, _) => 1",
         "Missing cases:\n(Prod.mk (Nat.succ _) true)\n(Prod.mk (Nat.succ _) false)"),
        (f"{_PAIR}example (b : B) := A.n b",
         "Application type mismatch: The argument\n  b\nhas type\n  B\nbut is expected to have type\n  A\n"
         "in the application\n  A.n b"),
        ("theorem t (n : Nat) : n ∧ True := by skip",
         "Application type mismatch: The argument\n  n\nhas type\n  Nat\nbut is expected to have type\n  Prop\n"
         "in the application\n  And n"),
        ("theorem t (p : Prop) (n : Nat) : p ↔ n := by skip",
         "Application type mismatch: The argument\n  n\nhas type\n  Nat\nbut is expected to have type\n  Prop\n"
         "in the application\n  p ↔ n"),
        ("theorem t (n : Nat) : ¬n := by skip",
         "Application type mismatch: The argument\n  n\nhas type\n  Nat\nbut is expected to have type\n  Prop\n"
         "in the application\n  ¬n"),
        ("def f : Bool → Nat\n  | Color.red => 1",
         "Invalid pattern variable: Variable name must be atomic, but `Color.red` has multiple components"),
        ("def f : Bool → Nat\n  | Color.red x => 1",
         "Invalid pattern: Expected a constructor or constant marked with `[match_pattern]`"),
    ],
)  # fmt: skip
def test_the_message_of_a_clash(text: str, expected: str, messages: Check) -> None:
    (message,) = messages(text)
    assert message.partition(" error ")[2] == expected
