"""Statements that ask for data."""

from __future__ import annotations

import pytest

from minilean.library import library
from minilean.proof import Problem, ProofError, prove


def test_an_example_may_ask_for_data_and_a_theorem_may_not() -> None:
    assert prove("example {A B : Type} : A × B → B × A", ["intro p", "exact (p.2, p.1)"], library()) == ()
    with pytest.raises(ProofError, match="not a proposition"):
        Problem.from_source("theorem t : Nat", library())
    problem = Problem.from_source("example (α : Type) [h : Nonempty α] : α", library())
    step = problem.apply(problem.start(), "exact Classical.choice h")
    assert step.state is not None and problem.check(step.state) == ("Classical.choice",)
