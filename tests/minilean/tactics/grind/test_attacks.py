"""Attacks on `grind`: false statements that look provable, and statements that would keep it busy for ever."""

from __future__ import annotations

import itertools
import time
from random import Random

import pytest

from minilean.library import library
from minilean.proof import Problem, ProofError, prove


def _pigeons(n: int) -> str:
    """Return the statement that `n + 1` pigeons do not fit into `n` holes."""
    names = [[f"p{i}_{j}" for j in range(n)] for i in range(n + 1)]
    some = [" ∨ ".join(row) for row in names]
    clash = [f"¬({a[j]} ∧ {b[j]})" for j in range(n) for a, b in itertools.combinations(names, 2)]
    hypotheses = " ".join(f"(h{i} : {h})" for i, h in enumerate([*some, *clash]))
    return f"({' '.join(x for row in names for x in row)} : Prop) {hypotheses} : False"


ENDLESS = [
    _pigeons(4),
    "(f : Nat → Nat) (h : ∀ x, f x < f (f x + 1)) : f 0 = 7",
    "(f g : Nat → Nat) (h : ∀ x, f (g x) = g (f (f x))) (h2 : ∀ x, g x = f (g x)) : f (g (f 0)) = 1",
    "(α : Type) (m : α → α → α) (h : ∀ a b, m a b = m b (m a a)) (a b : α) : m a b = a",
    "(α : Type) (R : α → α → Prop) (h : ∀ x y, R x y → ∃ z, R y z) (a b : α) (h2 : R a b) : R b a",
    " ".join(
        [
            "(p q r s t u v w x y z : Prop) (h : p ∨ q) (h1 : r ∨ s) (h2 : t ∨ u) (h3 : v ∨ w) (h4 : x ∨ y)",
            ": z",
        ]
    ),
]


@pytest.mark.parametrize("statement", ENDLESS)
def test_it_ends(statement: str) -> None:
    """The limits on splits, rounds and generations end the search before the deadline of a tactic, 10 seconds."""
    problem = Problem.from_source(f"theorem t {statement}", library())
    start = time.process_time()
    problem.apply(problem.start(), "grind")
    assert time.process_time() - start < 15


def _formula(random: Random, depth: int) -> tuple[str, str]:
    """Return a formula in Lean and in Python."""
    if not depth or random.random() < 0.2:
        x = random.choice("pqr")
        return x, x
    (a, x), (b, y) = _formula(random, depth - 1), _formula(random, depth - 1)
    lean, python = random.choice(
        [("∧", "({} and {})"), ("∨", "({} or {})"), ("→", "(not {} or {})"), ("↔", "(bool({}) == bool({}))")]
    )
    if random.random() < 0.3:
        return f"¬({a} {lean} {b})", f"(not {python.format(x, y)})"
    return f"({a} {lean} {b})", python.format(x, y)


def test_random_formulas() -> None:
    """Tautologies are proved as a rule, other formulas never."""
    random = Random(7)
    proved = tautologies = 0
    for _ in range(120):
        lean, python = _formula(random, 3)
        values = itertools.product([False, True], repeat=3)
        valid = all(eval(python, dict(zip("pqr", row, strict=True))) for row in values)
        try:
            prove(f"theorem t (p q r : Prop) : {lean}", ["grind"], library())
        except ProofError:
            tautologies += valid
            continue
        assert valid, lean
        tautologies += 1
        proved += 1
    assert proved > 0.9 * tautologies > 0
