"""Names that open namespaces make short or ambiguous: elaboration and printing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.library import library
from minilean.proof import Problem

Check = Callable[[str], list[str]]

TWO = """
namespace Foo
def False : Nat := 3
def f (n : Nat) : Nat := n
theorem bar : True := trivial
end Foo
namespace Goo
def f (b : Bool) : Nat := 1
def g (n : Nat) : Nat := n
protected def h (n : Nat) : Nat := n
theorem bar : 1 = 1 := rfl
end Goo
open Foo Goo
"""
ACCEPTED = [
    "example : f (2 + 2) = 4 := rfl",
    "example : f (!false) = 1 := rfl",
    "example (h : 1 = 1 → False) : _root_.False := h bar",
    "example : (False : Nat) = 3 := rfl",
    "example : g (f 2) = Goo.h 2 := rfl",
]
AMBIGUOUS = [
    "example : False = 3 := rfl",
    "example (x : Nat) (h : f x = 2) : x = 2 := by unfold f at h; exact h",
    "example (x : Nat) (h : f x = 2) : x = 2 := by simp only [f] at h; exact h",
    "example (x : Nat) (h : f x = 2) : x = 2 := by rw [f] at h; exact h",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_meaning_that_fits_is_taken(messages: Check, text: str) -> None:
    assert messages(TWO + text) == []


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_what_nothing_decides_is_refused(messages: Check, text: str) -> None:
    assert "mbiguous" in messages(TWO + text)[0]


def test_a_namespace_cannot_redefine_what_is_to_be_proved(messages: Check) -> None:
    # `False` refers to the one of the enclosing namespace, which is not a contradiction
    assert messages("namespace N\ndef False : Prop := 1 = 1\ntheorem t : False := rfl\nend N") == []
    assert messages("namespace N\ndef False : Prop := 1 = 1\ntheorem t : _root_.False := rfl\nend N")


@pytest.mark.parametrize(
    ("context", "statement", "shown"),
    [
        ("namespace Goo\ndef g (n : Nat) := n\n", "example : g 2 = 2", "⊢ g 2 = 2"),
        ("namespace Goo\ndef g (n : Nat) := n\nend Goo\nopen Goo\n", "example : g 2 = 2", "⊢ g 2 = 2"),
        ("namespace Goo\ndef g (n : Nat) := n\nend Goo\n", "example : Goo.g 2 = 2", "⊢ Goo.g 2 = 2"),
        ("namespace Goo\ndef g (n : Nat) := n\nend Goo\n", "theorem Goo.t : g 2 = 2", "⊢ g 2 = 2"),
        (TWO, "example : Goo.h 2 = Foo.f 2", "⊢ Goo.h 2 = Foo.f 2"),
        (TWO, "example : ¬_root_.False", "⊢ ¬_root_.False"),
    ],
)
def test_names_are_shown_as_short_as_they_may_be_written(context: str, statement: str, shown: str) -> None:
    problem = Problem.from_source(statement, library(), context)
    assert problem.goal_texts(problem.start()) == [shown]


def test_tactics_see_the_namespace_of_the_theorem() -> None:
    context = "namespace Goo\ntheorem inner : 1 = 1 := rfl\nend Goo\n"
    problem = Problem.from_source("theorem Goo.t : 1 = 1", library(), context)
    assert problem.apply(problem.start(), "exact inner").error is None


def test_what_a_namespace_exports_is_its_own(messages: Check) -> None:
    text = (
        "namespace Ex\nclass Inhabited (α : Type u) where\n  default : α\ninstance : Inhabited Nat := ⟨7⟩\n"
    )
    text += "export Inhabited (default)\n#eval (default : Nat)\nend Ex\n"
    text += "#eval (default : Nat)\n#eval (Ex.default : Nat)\n"
    assert messages(text) == ["6:0 info 7", "8:0 info 0", "9:0 info 7"]


def test_evaluated_data_is_written_with_full_names_and_values(messages: Check) -> None:
    text = "inductive W where | a | b (n : Nat)\nopen W\n#eval [a, b 3]\n"
    text += "#eval ((5 : Fin 3), (⟨2, rfl⟩ : {x : Nat // x = 2}), ())"
    assert messages(text) == ["3:0 info [W.a, W.b 3]", "4:0 info (2, 2, ())"]


def test_an_ellipsis_stands_for_what_is_before_a_named_argument_too(messages: Check) -> None:
    text = "inductive T where\n  | var (name : String)\n  | lam (name : String) (type : T) (body : T)\n"
    text += "def f : T → Option T\n  | .lam (type := t) .. => some t\n  | _ => none\n"
    text += '#eval f (.lam "x" (.var "A") (.var "x"))'
    assert messages(text) == ['7:0 info some (T.var "A")']
