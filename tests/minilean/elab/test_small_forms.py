"""`deriving DecidableEq` for types of any size; `panic!` names its position."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


@pytest.mark.parametrize("count", [1, 16, 17, 60])
def test_enumerations_of_any_size_have_decidable_equality(messages: Check, count: int) -> None:
    names = [f"c{i}" for i in range(count)]
    text = f"inductive E | {' | '.join(names)}\n  deriving DecidableEq\n"
    checks = [f"example : E.c0 ≠ E.c{count - 1} := by decide"] if count > 1 else []
    checks += [
        "example (x : E) : x = x := by simp",
        f"example : E.c{count - 1} = E.c{count - 1} := by decide",
    ]
    assert messages(text + "\n".join(checks)) == []


@pytest.mark.parametrize("count", [4, *(pytest.param(count, marks=pytest.mark.slow) for count in (17, 40))])
def test_equality_of_values_with_fields_is_derived(messages: Check, count: int) -> None:
    # fields are numbers, values of the type itself, proofs, and values of a parameter with the name of a variable
    kinds = ("", " (x : Nat) (t : E a)", " (x : Nat) (h : x = x) (y : Bool)", " (x : a) (t u : E a)")
    constructors = " | ".join(f"c{i}{kinds[i % 4]}" for i in range(count))
    text = f"inductive E (a : Type) | {constructors}\n  deriving DecidableEq\nabbrev V := E Nat\n"
    values = [".c0", ".c1 1 .c0", ".c1 2 .c0", ".c1 1 (.c1 1 .c0)", ".c2 1 rfl true", ".c2 1 rfl false"]
    values += [".c3 1 .c0 .c0", ".c3 2 .c0 .c0", ".c3 1 .c0 (.c1 1 .c0)"]
    for i, left in enumerate(values[: 3 if count > 20 else None]):
        for j, right in enumerate(values[: i + 1]):
            text += f"example : ({left} : V) {'=' if i == j else '≠'} {right} := by decide\n"
    assert [line.partition(" ")[2] for line in messages(text + "#print axioms instDecidableEqE")] == [
        "info 'instDecidableEqE' does not depend on any axioms"
    ]
    last = f"{text}example : (.c0 : V) = .c1 1 .c0 := by decide"
    assert any(" error " in line and "is false" in line for line in messages(last))


def test_panic_is_the_default_value_under_a_name_that_says_where(messages: Check) -> None:
    # As Lean 4.35 prints it.
    head = 'def f (xs : List Nat) : Nat := match xs with | [] => panic! "empty" | x :: _ => x\n'
    assert messages(head + "example : f [] = 0 := by\n  simp only [f]\n  trace_state\n  rfl") == [
        '4:2 trace ⊢ panicWithPosWithDecl "[anonymous]" "f" 1 53 "empty" = 0'
    ]
    inner = "namespace A\ndef h : Nat :=\n  unreachable!\n#print h\nend A"
    assert messages(inner)[0].endswith(
        'panicWithPosWithDecl "[anonymous]" "A.h" 3 2 "unreachable code has been reached"'
    )
