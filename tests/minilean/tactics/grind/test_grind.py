"""`grind`: statements that it proves, each proof checked by the kernel, and what it reports when it fails."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text
from minilean.kernel.traversal import subterms
from minilean.library import library
from minilean.proof import Problem, prove

PERMITTED = {"propext", "Classical.choice", "Quot.sound"}

PROPOSITIONS = [
    "(p q : Prop) (h : p ∧ q) : q ∧ p",
    "(p q : Prop) (h : p ∨ q) : q ∨ p",
    "(p : Prop) : p ∨ ¬p",
    "(p q : Prop) : ((p → q) → p) → p",
    "(p q r : Prop) : (p → r) → (q → r) → p ∨ q → r",
    "(p q r : Prop) : ((p ↔ q) ↔ r) ↔ (p ↔ (q ↔ r))",
    "(p q : Prop) : ¬(p ∧ q) ↔ ¬p ∨ ¬q",
    "(p q : Prop) : ¬(p → q) ↔ p ∧ ¬q",
    "(p q : Prop) (h : p = q) (hp : p) : q",
    "(b c : Bool) (h : (b && c) = true) : b = true",
    "(b c : Bool) (h : (b || c) = true) (h2 : b = false) : c = true",
    "(b c : Bool) (h : (!b && c) = true) : b = false ∧ c = true",
    "(b : Bool) (h : ¬b = true) : b = false",
    "(b : Bool) (h : ¬true = b) : false = b",
    "(p : Prop) [Decidable p] (h : decide p = true) : p",
    "(p : Prop) [Decidable p] (h : decide p = false) : ¬p",
    "(a b : Nat) (h : (a == b) = true) : a = b",
    "(a b : Nat) (h : (a != b) = true) : a ≠ b",
]
EQUALITY = [
    "(α : Type) (f : α → α) (a b : α) (h : a = b) : f a = f b",
    "(α : Type) (f : α → α) (a : α) (h : f (f (f a)) = a) (h2 : f (f (f (f (f a)))) = a) : f a = a",
    "(α : Type) (f : α → α → α) (a b : α) (h : f a b = a) : f (f a b) b = a",
    "(α : Type) (f g : α → α) (a : α) (h : f = g) : f a = g a",
    "(α : Type) (p : α → Prop) (a b : α) (h : a = b) (h2 : p a) : p b",
    "(α : Type) (a b : α) (xs ys : List α) (h : a :: xs = b :: ys) : a = b ∧ xs = ys",
    "(α : Type) (a : α) (xs : List α) : a :: xs ≠ []",
    "(α β : Type) (a c : α) (b d : β) (h : (a, b) = (c, d)) : b = d",
    "(α β : Type) (x : α × β) : (x.1, x.2) = x",
    "(α β : Type) (x : α × β) (a : α) (b : β) (h : x = (a, b)) : x.2 = b",
    "(h : (3 : Nat) = 4) : False",
    "(α : Type) (f g : α → Nat) (h : ∀ x, f x = g x) : f = g",
    "(x : Empty) : 1 = 2",
    "(α : Type) (u : α → α) (v w : α → α) (a b : α) (h : v a = u b) (h2 : b = w a) : u (w a) = v a",
]
ARITHMETIC = [
    "(a b c : Nat) (h : a < b) (h2 : b < c) : a + 1 < c",
    "(x y : Int) (h : 2 * x + 4 * y = 5) : False",
    "(f : Nat → Nat) (a b : Nat) (h : a ≤ b) (h2 : b ≤ a) : f a = f b",
    "(f : Nat → Nat) (a : Nat) : f (a + 1 - 1) = f a",
    "(x y : Nat) (h : (if x < y then x else y) = 3) : x = 3 ∨ y = 3",
    "(x : Nat) (h : x < 3) (h2 : x ≠ 0) (h3 : x ≠ 1) : x = 2",
    "(p : Prop) (a : Nat) (h : a ≤ 2 → p) (h2 : ¬a ≤ 2 → p) : p",
    "(f : Nat → Nat) (a b : Nat) (h : f a = b + 1) (h2 : b = 2) : 2 < f a",
]
QUANTIFIERS = [
    "(α : Type) (p : α → Prop) (h : ∃ x, p x) (h2 : ∀ x, ¬p x) : False",
    "(α : Type) (p q : α → Prop) (h : ∀ x, p x → q x) (h2 : ∃ x, p x) : ∃ x, q x",
    "(α : Type) (p : α → Prop) (h : ¬∀ x, p x) : ∃ x, ¬p x",
    "(α : Type) (p q : α → Prop) : (∀ x, p x ∧ q x) ↔ (∀ x, p x) ∧ ∀ x, q x",
    "(α : Type) (p q : α → Prop) : (∃ x, p x ∨ q x) ↔ (∃ x, p x) ∨ ∃ x, q x",
    "(f : Nat → Nat) (h : ∀ x, f (f x) = f x) (a : Nat) : f (f (f a)) = f a",
    "(f : Nat → Nat) (h : ∀ x, f (x + 1) = f x) : f 3 = f 0",
    "(α : Type) (R : α → α → Prop) (h : ∀ x y z, R x y → R y z → R x z) (a b c d : α) (h1 : R a b) (h2 : R b c)"
    " (h3 : R c d) : R a d",
    "(α : Type) (m : α → α → α) (h1 : ∀ a b c, m (m a b) c = m a (m b c)) (h2 : ∀ a b, m a b = m b a) (a b c : α) :"
    " m a (m b c) = m c (m b a)",
]


@pytest.mark.parametrize("statement", [*PROPOSITIONS, *EQUALITY, *ARITHMETIC, *QUANTIFIERS])
def test_it_proves(statement: str) -> None:
    problem = Problem.from_source(f"theorem t {statement}", library())
    state = problem.apply(problem.start(), "grind").state
    assert state is not None
    assert set(problem.check(state)) <= PERMITTED


FUNCTION = "def f : Nat → Nat\n  | 0 => 3\n  | n + 1 => f n + 4\n"
SIZE = "def size (o : Option Nat) : Nat := match o with\n  | none => 1\n  | some x => x + 1\n"


@pytest.mark.parametrize(
    ("context", "statement"),
    [
        (FUNCTION, ": f 2 = 11"),
        (FUNCTION, "(n : Nat) : f (n + 2) = f n + 8"),
        (FUNCTION, "(n : Nat) (h : n = 0 ∨ n = 1) : f n ≤ 7"),
        ("def f (a b : Nat) := a + b", "(a b : Nat) : f a b = f b a"),
    ],
)
def test_it_unfolds_functions_that_are_named(context: str, statement: str) -> None:
    prove(f"theorem t {statement}", ["grind [f]"], library(), context)
    problem = Problem.from_source(f"theorem t {statement}", library(), context)
    assert problem.apply(problem.start(), "grind").error is not None


def test_it_splits_the_discriminant_of_a_match() -> None:
    statement = (
        "(o : Option Nat) (h : (match o with | none => 1 | some x => x + 1) = 1) (h2 : o ≠ some 0) : o = none"
    )
    context = f"theorem t {statement} := by grind"
    assert [m.text for m in check_text(context)] == []


def test_a_failure_shows_the_open_branch() -> None:
    problem = Problem.from_source("theorem t (p q r : Prop) (h : p ∨ q) : p → r", library())
    assert problem.apply(problem.start(), "grind").error == (
        "`grind` failed\ncase grind\np q r : Prop\nh : p ∨ q\nh_1 : p\nh_2 : ¬r\n⊢ False"
    )


def test_a_failure_names_the_cases_that_led_to_it() -> None:
    problem = Problem.from_source("theorem t (p q r : Prop) (h : p ∨ q) (h2 : p → r) : r", library())
    error = problem.apply(problem.start(), "grind").error
    assert error is not None
    assert error.startswith("`grind` failed\ncase grind")
    two = Problem.from_source(
        "theorem t (p q r s : Prop) (h : p ∨ q) (h2 : p → r) (h3 : p → ¬r) : s ∧ ¬q", library()
    )
    assert "case grind" in str(two.apply(two.start(), "grind").error)


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
