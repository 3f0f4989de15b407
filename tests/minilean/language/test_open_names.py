"""Names that open namespaces make short or ambiguous: how they elaborate, and how they are shown again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lean_gym.minilean.library import library
from lean_gym.minilean.proof import Problem

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
    # `False` of a namespace around the statement is the one that is meant, and it is no contradiction
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
