"""`omega`: statements that it proves or refuses, and its error messages."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from minilean.library import library
from minilean.proof import Problem


def test_a_failed_run_leaves_the_goal_as_it_was() -> None:
    problem = Problem.from_source("theorem t (a b : Nat) (h : a ≤ b) : b ≤ a ∨ a ≤ b", library())
    state = problem.start()
    before = problem.goal_texts(state)
    left = problem.apply(state, "left").state
    assert left is not None
    assert problem.apply(left, "omega").state is None
    assert problem.goal_texts(state) == before
    right = problem.apply(state, "right\nomega").state
    assert right is not None
    problem.check(right)


def _side(random: Random) -> str:
    parts = [
        random.choice(["x", "y", "(x - y)", "(y - x)", "2 * x", "3 * y", "x + y", "1", "4", "5"])
        for _ in range(2)
    ]
    return " + ".join(parts)


def _holds(text: str, x: int, y: int) -> bool:
    """Return the truth value of the statement at `x` and `y`, with truncated subtraction."""
    left, relation, right = text.split("|")
    values = []
    for side in (left, right):
        total = 0
        for part in side.split(" + "):
            table = {
                "x": x,
                "y": y,
                "(x - y)": max(x - y, 0),
                "(y - x)": max(y - x, 0),
                "2 * x": 2 * x,
                "3 * y": 3 * y,
            }
            total += table[part] if part in table else int(part)
        values.append(total)
    a, b = values
    return {"<": a < b, "≤": a <= b, "=": a == b, "≠": a != b}[relation.strip()]


@pytest.mark.parametrize("seed", range(25))
def test_agrees_with_trying_small_numbers(seed: int) -> None:
    """Constraints that `omega` refutes have no solution below 12, and the kernel accepts the proof."""
    random = Random(seed)
    facts = [f"{_side(random)}|{random.choice(['<', '≤', '=', '≠'])}|{_side(random)}" for _ in range(3)]
    binders = " ".join(f"(h{i} : {fact.replace('|', ' ')})" for i, fact in enumerate(facts))
    problem = Problem.from_source(f"theorem t (x y : Nat) {binders} : False", library())
    step = problem.apply(problem.start(), "omega")
    solutions = [xy for xy in product(range(12), repeat=2) if all(_holds(fact, *xy) for fact in facts)]
    if step.state is None:
        assert step.error is not None
        assert step.error.startswith("omega could not prove the goal:")
    else:
        assert not solutions
        problem.check(step.state)
