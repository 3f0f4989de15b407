"""Names that open namespaces make short, in the statement and the steps of a proof."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem

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
