"""`grind` leaves a goal as it was, and its proof depends on the statement alone."""

from __future__ import annotations

from minilean.kernel.traversal import subterms
from minilean.library import library
from minilean.proof import Problem


def test_a_failure_leaves_the_goal_as_it_was() -> None:
    problem = Problem.from_source("theorem t (p q : Prop) (h : p ∨ q) : q ∨ p ∨ q", library())
    state = problem.start()
    before = problem.goal_texts(state)
    left = problem.apply(state, "left").state
    assert left is not None
    assert problem.apply(left, "grind").state is None
    assert problem.goal_texts(state) == before
    right = problem.apply(state, "grind").state
    assert right is not None
    problem.check(right)


def test_the_proof_depends_on_the_statement_alone() -> None:
    sizes = set()
    for _ in range(2):
        problem = Problem.from_source("theorem t (p q r : Prop) (h : p ∨ q ∨ r) (h2 : ¬q) : r ∨ p", library())
        state = problem.apply(problem.start(), "grind").state
        assert state is not None
        problem.check(state)
        sizes.add(len(list(subterms(problem.proof_term(state)))))
    assert len(sizes) == 1
