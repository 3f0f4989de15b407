"""A statement without a proof is refused where Lean would refuse the theorem, its modifiers and attributes included."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem, ProofError


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("noncomputable theorem x : True", "'theorem' subsumes 'noncomputable'"),
        ("unsafe theorem x : True", "unsupported: `unsafe` of `x`"),
        ("partial theorem x : True", "unsupported: `partial` of `x`"),
        ("local theorem x : True", "expected 'instance'"),
        ("@[nonexistent] theorem x : True", "unsupported: the attribute `nonexistent`"),
        ("@[nonexistent] example : True", "unsupported: the attribute `nonexistent`"),
        ("@[simp] theorem x (a : Nat) : a = a", "Invalid simp theorem"),
        ("@[instance] theorem x : True", "`x` is not an instance of a class"),
        ("@[class] theorem x : True", "declaration `x` must be inductive datatype, structure, or constant"),
        ("@[class] example : True", "must be inductive datatype, structure, or constant"),
        (
            "@[inline] theorem x : True",
            r"Cannot add attribute `\[inline\]`: Declaration `x` is not a definition",
        ),
        ("@[simp, macro_inline] theorem x : True", "Declaration `x` is not a definition"),
        ("@[unbox] theorem x : True", r"`\[unbox\]` can only be added to inductive types"),
        ("@[refl] theorem x (a b : Nat) : a = b", r"`@\[refl\]` attribute only applies"),
    ],
)
def test_modifiers_and_attributes_that_lean_refuses(statement: str, message: str) -> None:
    with pytest.raises(ProofError, match=message):
        Problem.from_source(statement, library())


@pytest.mark.parametrize("prefix", ["private", "protected", "nonrec", "@[simp]", "@[simp] protected"])
def test_those_that_lean_accepts(prefix: str) -> None:
    problem = Problem.from_source(f"{prefix} theorem x (a : Nat) : a + 0 = a", library())
    state = problem.apply(problem.start(), "rfl").state
    assert state is not None
    assert problem.check(state) == ()


def test_an_example_is_a_definition() -> None:
    problem = Problem.from_source("@[inline] example (a : Nat) : a + 0 = a", library())
    state = problem.apply(problem.start(), "rfl").state
    assert state is not None
    assert problem.check(state) == ()


def test_the_attribute_has_no_effect_before_the_proof() -> None:
    problem = Problem.from_source("@[simp] theorem x (p : Prop) : p = True", library())
    step = problem.apply(problem.start(), "simp")
    assert step.state is None or step.state.goals
    assert "x" not in library().simp_lemmas
    assert library().find("x") is None
