"""`omega`: statements that it proves or refuses, and its error messages."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from minilean.library import library
from minilean.proof import Problem, ProofError, prove

TRUE = [
    "(a b : Nat) (h : a < b) : a ≤ b",
    "(a b c : Nat) (h : a < b) (h2 : b < c) : a + 1 < c",
    "(a b : Nat) (h : a + 1 ≤ b) : a ≠ b",
    "(a b : Nat) (h : 2 * a = 2 * b + 1) : False",
    "(x y : Nat) (h : 3 * x + 5 * y = 7) : False",
    "(x y : Nat) (h : 3 * x + 6 * y = 7) : False",
    "(x y z : Nat) (h : 7 * x + 12 * y + 31 * z = 17) (h2 : z ≥ 1) : False",
    "(x y : Nat) (h1 : 5 ≤ 7 * x) (h2 : 7 * x ≤ 6) : False",
    "(a b : Nat) : a - b ≤ a",
    "(a b c : Nat) : a - b - c = a - (b + c)",
    "(a b : Nat) (h : b ≤ a) : a - b + b = a",
    "(a b : Nat) (h : ¬(a ≤ b ∧ a ≠ b)) : b ≤ a",
    "(a b : Nat) (h : ¬(a ≤ b ∨ a = 3)) : b < a",
    "(a b : Nat) (h : ¬(a ≤ b → a = 3)) : a ≤ b",
    "(a b : Nat) (h : ¬(a < 3 ↔ b < 3)) (h2 : a = 2) : 3 ≤ b",
    "(a b : Nat) : a < b ∨ a = b ∨ b < a",
    "(a b : Nat) : a ≤ b ↔ a < b + 1",
    "(p : Nat → Nat) (h : p 1 < p 2) : p 1 ≠ p 2",
    ": ∀ n : Nat, n + n = 2 * n",
    "(a b : Nat) (h : a ≤ b) : min a b = a",
    "(a b : Nat) : max a b = b ∨ max a b = a",
    "(a b : Nat) (h : (if a < b then a else b) = 5) (h2 : 5 < b) : a ≤ 5",
    "(x : Nat) (h : ∃ y, x = 2 * y ∧ x = 3) : False",
    "(a b : Nat) (h : a * b < 3) : a * b + 1 ≤ 3",
    "(a : Nat) (h : Nat.succ a = 3) : a = 2",
    "(a b : Nat) (h : a = b ∨ a = b + 1) : a - b ≤ 1",
    "(a b : Nat) (p : Prop) (h : a < b) (hp : p) (h2 : b < a) : p ∧ False",
    "(a : Nat) (h : 1000000007 * a = 1000000008) : False",
    "(a : Nat) : 2 ^ 3 + a = a + 8",
]


@pytest.mark.parametrize("statement", TRUE)
def test_proves(statement: str) -> None:
    prove(f"theorem t {statement}", ["omega"], library())


FALSE = [
    "(a b : Nat) : a - b + b = a",
    "(a b c : Nat) : a - b + c = a + c - b",
    "(a b : Nat) : a - (b - a) = a + a - b",
    "(a : Nat) : a - 1 < a",
    "(a b : Nat) (h : a - b = 0) : a < b",
    "(a b : Nat) : a < b",
    "(a b : Nat) (h : a * b < 3) : a < 3",
    "(a b : Nat) : a * b = b * a",
    "(a b : Nat) (h : 2 * a = 3 * b) : a = 0",
    "(a b : Nat) (h : a ≤ b ∨ b ≤ a) : a ≤ b",
    "(a b : Nat) (h : a ≤ b → False) : a = b",
    "(p q : Prop) (h : p) : q",
    "(p : Prop) : p ∨ ¬p",
    ": (18446744073709551616 : Nat) = 0",
    "(n : Nat) : n < 4294967296",
    "(a : Nat) (h : a ≠ 0) : a = 1",
    "(a b : Nat) : min a b = a",
    "(f : Nat → Nat) (a b : Nat) (h : a = b) : f a = f b",
]


@pytest.mark.parametrize("statement", FALSE)
def test_refuses(statement: str) -> None:
    """False statements, and true ones outside linear arithmetic, which Lean's `omega` refuses as well."""
    problem = Problem.from_source(f"theorem t {statement}", library())
    error = problem.apply(problem.start(), "omega").error
    assert error is not None
    assert error.startswith("omega could not prove the goal:\n")


def test_the_counterexample_is_described() -> None:
    problem = Problem.from_source("theorem t (x y : Nat) (h : 2 * x ≤ y + 7) : x ≤ y", library())
    assert problem.apply(problem.start(), "omega").error == (
        "omega could not prove the goal:\n"
        "a possible counterexample may satisfy the constraints\n"
        "  b ≥ 0\n"
        "  a ≥ 0\n"
        "  a - 2*b ≥ -7\n"
        "  a - b ≤ -1\n"
        "where\n"
        " a := ↑y\n"
        " b := ↑x"
    )


def test_nothing_to_work_with() -> None:
    problem = Problem.from_source("theorem t (p : Prop) : p", library())
    assert problem.apply(problem.start(), "omega").error == (
        "omega could not prove the goal:\nNo usable constraints found. You may need to unfold definitions so `omega` "
        "can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and "
        "modular remainder by constants."
    )


def test_an_instance_of_ones_own_is_not_taken_for_the_usual_one() -> None:
    context = "def odd : LE Nat := ⟨fun _ _ => True⟩"
    with pytest.raises(ProofError):
        prove("theorem t (a b : Nat) (h : @LE.le Nat odd b a) : b ≤ a", ["omega"], library(), context)


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
