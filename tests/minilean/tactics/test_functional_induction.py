"""`fun_induction` and `fun_cases`: their goals, and what they refuse."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text
from minilean.library import library
from minilean.proof import Problem

ACK = """def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)
"""
FIRST = """def f : Bool → Bool → Bool
  | true, _ => true
  | _, x => x
"""
COUNT = """def count (n limit : Nat) : Nat := if n < limit then count (n + 1) limit + 1 else 0
def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2
"""


def texts(source: str) -> list[str]:
    """Return the messages of a file, without places."""
    return [message.text for message in check_text(source)]


def test_the_goals_follow_the_definition() -> None:
    (goals,) = texts(
        ACK
        + "example : ack n m > 0 := by\n  fun_induction ack\n  all_goals trace_state\n  all_goals simp [*]"
    )
    assert goals.split("\ncase ") == [
        "case case1\ny✝ : Nat\n⊢ y✝ + 1 > 0",
        "case2\nx✝ : Nat\nih1✝ : ack x✝ 1 > 0\n⊢ ack x✝ 1 > 0",
        "case3\nx✝ y✝ : Nat\nih2✝ : ack (x✝ + 1) y✝ > 0\nih1✝ : ack x✝ (ack (x✝ + 1) y✝) > 0\n"
        "⊢ ack x✝ (ack (x✝ + 1) y✝) > 0",
    ]


@pytest.mark.parametrize(
    "source",
    [
        ACK
        + "theorem t : ack n m > 0 := by\n  fun_induction ack with\n  | case1 y => simp\n  | case2 x ih => exact ih\n"
        "  | case3 x y ih1 ih2 => exact ih2",
        ACK + "theorem t (n m : Nat) : ack n m > 0 := by\n  fun_induction ack n m <;> simp [*]",
        FIRST + "theorem t (a b : Bool) : f a b = (a || b) := by\n  fun_cases f <;> simp_all",
        COUNT + "theorem t (n k : Nat) : count n k = k - n := by\n  fun_induction count <;> omega",
        COUNT + "theorem t (n : Nat) : twice n = n + n := by\n  fun_induction twice <;> omega",
        COUNT + "theorem t (n k : Nat) (h : k = n) : count n k = 0 := by\n  fun_cases count <;> omega",
    ],
)
def test_accepted(source: str) -> None:
    assert texts(source + "\n#print axioms t") in (
        ["'t' does not depend on any axioms"],
        ["'t' depends on axioms: [propext]"],
        ["'t' depends on axioms: [propext, Quot.sound]"],
    )


def test_overlapping_alternatives_exclude_the_earlier_ones() -> None:
    (goals,) = texts(
        FIRST
        + "example (a b : Bool) : f a b = (a || b) := by\n  fun_cases f\n  all_goals trace_state\n  all_goals simp_all"
    )
    assert goals.split("\ncase ") == [
        "case case1\nb : Bool\n⊢ true = (true || b)",
        "case2\na b : Bool\nx✝ : a = true → False\n⊢ b = (a || b)",
    ]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            ACK + "example : ack 1 1 > 0 := by fun_induction ack",
            "Could not find suitable call of `ack` in the goal",
        ),
        ("example (n : Nat) : n = n := by fun_induction nothing", "Unknown constant `nothing`"),
        (
            "def g (n : Nat) := n + 1\nexample (n : Nat) : g n > 0 := by fun_induction g",
            "No functional induction theorem for `g`, or the function is mutually recursive",
        ),
        (
            ACK
            + "example : ack n m > 0 := by\n  fun_induction ack with\n  | case1 y => simp\n  | case2 x ih => exact ih",
            "Alternative `case3` has not been provided",
        ),
        (ACK + "example : ack n m = 0 := by fun_induction ack <;> assumption", "assumption"),
    ],
)
def test_refused(source: str, message: str) -> None:
    assert message in "\n".join(texts(source))


def test_the_principle_is_a_theorem() -> None:
    assert texts(COUNT + "#check twice.induct\n#print axioms twice.induct") == [
        "twice.induct (motive : Nat → Prop) (case1 : motive 0) (case2 : ∀ (n : Nat), motive n → motive n.succ) : "
        "∀ (x : Nat), motive x",
        "'twice.induct' does not depend on any axioms",
    ]
    (cases,) = texts(FIRST + "#check @f.fun_cases")
    assert "(x = true → False) → motive x x_1" in cases


@pytest.mark.parametrize(
    "source",
    [
        ACK + "theorem t (n m : Nat) : ack n m > 0 := by\n  induction n, m using ack.induct with\n"
        "  | case1 y => simp [ack]\n  | case2 x ih => rw [ack]; exact ih\n  | case3 x y ih1 ih2 => rw [ack]; exact ih2",
        COUNT + "theorem t : ∀ n, twice n = n + n := by\n  apply twice.induct\n  · rfl\n"
        "  · intro n ih; simp [twice, ih]; omega",
        FIRST
        + "theorem t (a b : Bool) : f a b = (a || b) := by\n  cases a, b using f.fun_cases <;> simp_all [f]",
        "def twice.induct := 5\n" + COUNT + "theorem t : twice.induct = 5 := rfl",
    ],
)
def test_the_theorem_can_be_used(source: str) -> None:
    assert texts(source) == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        # the hypothesis is about smaller arguments, not about the argument of the call around
        (COUNT + "theorem t : False := twice.induct (fun _ => False) rfl (fun _ h => h) 0", "mismatch"),
        (
            COUNT
            + "theorem t (n : Nat) : twice n = n := by\n  induction n using twice.induct <;> simp_all [twice]",
            "goals",
        ),
        (FIRST + "#check f.induct", "Unknown constant `f.induct`"),  # it does not call itself
        ("theorem g : 1 = 1 := rfl\n#check g.induct", "induct`"),
        (
            COUNT + "#check twice.induct\ntheorem twice.induct : False := twice.induct",
            "has already been declared",
        ),
        # a function that the kernel refused has no principle
        (
            "def bad (n : Nat) : Nat := bad (n + 1)\ntheorem t : False := bad.induct (fun _ => False) (fun _ h => h) 0",
            "Unknown",
        ),
    ],
)
def test_the_theorem_proves_no_more(source: str, message: str) -> None:
    assert message in "\n".join(texts(source))


def test_a_proof_step_knows_the_principle() -> None:
    problem = Problem.from_source("theorem t (n : Nat) : twice n = n + n", library(), COUNT)
    step = problem.apply(problem.start(), "induction n using twice.induct <;> simp_all [twice] <;> omega")
    assert step.error is None and step.state is not None and not step.state.goals
