"""Inductive types that Lean refuses, with its messages; inductive types over section variables."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

_EXPLICIT_TYPE = (
    "\n\nNote: Because this declaration's type has been explicitly provided, all parameter types and holes (e.g., `_`) "
    "in its header are resolved before its body is processed; information from the declaration body cannot be used to "
    "infer what these values should be"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "inductive B where | mk : (B → Nat) → B",
            "(kernel) arg #1 of 'B.mk' has a non positive occurrence of the datatypes being declared",
        ),
        (
            "inductive F (f : Type → Type) : Type where | mk : f (F f) → F f",
            "(kernel) arg #2 of 'F.mk' contains a non valid occurrence of the datatypes being declared",
        ),
        (
            "inductive P (n : Nat) : Nat → Type where | five : P 4 5",
            "Mismatched inductive type parameter in\n  P 4 5\nThe provided argument\n  4\n"
            "is not definitionally equal to the expected parameter\n  n\n\nNote: The value of parameter `n` must be "
            "fixed throughout the inductive declaration. Consider making this parameter an index if it must vary.",
        ),
        (
            "inductive U : Type where | mk : (α : Type) → α → U",
            "Invalid universe level in constructor `U.mk`: Parameter `α` has type\n  Type\nat universe level\n  2\n"
            "which is not less than or equal to the inductive type's resulting universe level\n  1",
        ),
        (
            "inductive L (α : Type 1) : Type where | mk : α → L α",
            "Invalid universe level in constructor `L.mk`: Parameter has type\n  α\nat universe level\n  2\n"
            "which is not less than or equal to the inductive type's resulting universe level\n  1",
        ),
        (
            "abbrev Kids (α : Type) := List α\ninductive R where | mk (kids : Kids R)",
            "(kernel) arg #1 of 'R.mk' contains a non valid occurrence of the datatypes being declared",
        ),
        (
            "structure E (p : Nat → Prop) : Prop where\n  w : Nat\n  h : p w",
            "failed to generate projection `E.w` for the 'Prop'-valued type `E`, field must be a proof, but it has "
            "type\n  Nat",
        ),
        ("theorem t (n : Nat) : Nat := n", "type of theorem `t` is not a proposition\n  Nat → Nat"),
        ("def f x := x", "Failed to infer type of definition `f`"),
        ("def f x : Nat := x + 2", f"Failed to infer type of binder `x`{_EXPLICIT_TYPE}"),
        ("example (x : List _) : Nat := x.length", f"Failed to infer type of binder `x`{_EXPLICIT_TYPE}"),
        (
            "inductive N | z | s (n : N)\ndef f x (y : N) : N := match x with\n  | .z => y\n  | .s k => .s (f k y)",
            f"Failed to infer type of binder `x`{_EXPLICIT_TYPE}",
        ),
        (
            "theorem t x : x = x := rfl",
            "Failed to infer type of binder `x`\n\nNote: All parameter types and holes (e.g., `_`) in the header of a "
            "theorem are resolved before the proof is processed; information from the proof cannot be used to infer "
            "what these values should be",
        ),
        (
            "def f : Nat → Nat := fun x => x.brecOn fun n table => _",
            "don't know how to synthesize placeholder",
        ),
    ],
)
def test_a_declaration_is_refused_in_leans_words(messages: Check, text: str, message: str) -> None:
    assert [m.split(" error ")[1] for m in messages(text)] == [message]


def test_constructors_use_the_variables_of_the_section(messages: Check) -> None:
    text = "variable {α : Type} (R : α → α → Prop)\ninductive Cl : α → α → Prop where\n"
    text += "  | base {x y : α} (h : R x y) : Cl x y\n  | trans {x y z : α} : Cl x y → Cl y z → Cl x z\n"
    assert messages(text + "#check @Cl.trans") == [
        "5:0 info @Cl.trans : ∀ {α : Type} {R : α → α → Prop} {x y z : α}, Cl R x y → Cl R y z → Cl R x z"
    ]


def test_a_list_in_an_index_is_elaborated_in_full(messages: Check) -> None:
    text = "inductive Pal : List α → Prop\n  | nil : Pal []\n"
    text += "  | wrap {a : α} {as : List α} : Pal as → Pal ([a] ++ as ++ [a])\n#check @Pal.wrap"
    assert messages(text) == [
        "4:0 info @Pal.wrap : ∀ {α : Type u_1} {a : α} {as : List α}, Pal as → Pal ([a] ++ as ++ [a])"
    ]


def test_patterns_determine_the_type_of_a_binder(messages: Check) -> None:
    text = "inductive N | z | s (n : N)\n"
    text += "def f x := match x with\n  | N.z => N.z\n  | N.s k => k\n"
    text += "def g x (y : N) := match x with\n  | N.z => y\n  | N.s k => N.s k\n#check f\n#check g"
    assert [m.partition(" info ")[2] for m in messages(text)] == ["f (x : N) : N", "g (x y : N) : N"]
    (message,) = messages("inductive N | z\ndef f x (y : N) := match x with\n  | .z => y")
    assert "Invalid dotted identifier notation" in message
