"""Assignment of metavariables applied to variables: patterns, quasi-patterns, and what stays refused."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text


def check(text: str) -> list[str]:
    return [m.text for m in check_text(text)]


@pytest.mark.parametrize(
    "text",
    [
        "example (P R : Prop) (r : R) (f : ∀ {D : Prop → Prop} (h : Prop), D h → True) : True := f P r",
        'infixl:85 " ≫ " => λa b ↦ Function.comp b a\n'
        "def mt2 {P Q : Prop} (h : P → Q) (nq : ¬Q) : ¬P := h ≫ nq",
        # two solutions: the one that abstracts every occurrence is Lean's
        "example (a : Nat) (g : Nat → Nat → Prop) (h : g a a) (f : ∀ {D : Nat → Prop} (x : Nat), D x → ∃ y, D y) :"
        " ∃ y, g y y := f a h",
        # a metavariable that sees a variable of a `let`
        "def f : Nat → Nat := let a := Nat; fun x : a => x + 2\nexample : f 3 = 5 := rfl",
    ],
)
def test_the_arguments_may_be_variables_in_scope(text: str) -> None:
    assert check(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # the variables `h` and `P` are abstracted out of order: no function of these types
        (
            "example (P : Prop) (h : P) (q : P → Prop) (r : q h) (f : ∀ {D : Prop → Prop} (x : Prop), D x → D False) :"
            " False := f P r",
            "mismatch",
        ),
        # abstraction would have to prove anything
        (
            "example (P : Prop) (p : P) (f : ∀ {D : Prop → Prop} (x : Prop), D x → D x) (Q : Prop) : Q := f P p",
            "mismatch",
        ),
        ("example (a b : Nat) (f : ∀ {D : Nat → Nat} (x : Nat), D x = x → D 0 = 0) : b = 0 := f a rfl", "mismatch"),
    ],
)  # fmt: skip
def test_no_assignment_that_does_not_type_check(text: str, message: str) -> None:
    (found,) = check(text)
    assert message in found.lower()
