"""`omega` over `Int`, mixed with `Nat`: statements that it proves or refuses, and its error messages."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text
from minilean.library import library
from minilean.proof import Problem, prove

TRUE = [
    "(a b c : Int) (h : a < b) (k : b < c) : a + 1 < c",
    "(a b : Int) : a - b + b = a",
    "(x y : Int) (h : 2 * x + 1 = 2 * y) : False",
    "(x y : Int) (h : 3 * x - 5 * y = 1) (h2 : x + y = 3) : x = 2 ∧ y = 1",
    "(n : Nat) (z : Int) (h : z = ↑n) : z ≥ 0",
    "(n m : Nat) (h : (n : Int) = m) : n = m",
    "(n m : Nat) (h : m ≤ n) : ((n - m : Nat) : Int) = n - m",
    "(x : Int) : x / 2 * 2 + x % 2 = x",
    "(x : Int) (h : x % 2 = 1) : x ≠ 4",
    "(x : Int) : x / (-2) = -(x / 2)",
    "(x : Int) : x / 0 = 0",
    "(x : Int) (h : 2 ∣ x) (k : ¬ 2 ∣ x) : False",
    "(x : Int) (h : 6 ∣ x) : 3 ∣ x",
    "(x : Nat) (h : 6 ∣ x) : 3 ∣ x",
    "(x : Nat) (h : ¬ 2 ∣ x) : x % 2 = 1",
    "(x : Int) : (x.toNat : Int) ≥ x",
    "(x : Int) : x.natAbs = 0 ↔ x = 0",
    "(x y : Int) : min x y ≤ x ∧ max x y ≥ y",
    "(x y : Int) (h : ¬ (x ≤ y ∨ x = 3)) : y < x",
    "(x y : Nat) (h : (x : Int) * y < 3) : x * y ≤ 2",
    "(x : Int) : x * -3 = -(3 * x)",
    "(x : Nat) : ((x / 2 : Nat) : Int) = (x : Int) / 2",
    "(x : Nat) : ((x % 2 : Nat) : Int) = (x : Int) % 2",
    ": (-7 : Int) / 2 = -4",
    "(x : Int) (h : (if x < 3 then 1 else 2) = (1 : Int)) : x < 3",
    "(n : Nat) : Int.negSucc n < 0",
    "(k : Nat) : (2 : Int) ^ (k + 1) = 2 * 2 ^ k",
    "(x : Int) (h : ∃ y, x = 2 * y ∧ x = 3) : False",
    "(f : Int → Int) (h : f 1 < f 2) : f 1 ≠ f 2",
    "(x : Int) (h : 1000000007 * x = -1000000008) : False",
    "(x : Int) : (0 : Int) ≤ 10 ^ 30 + x - x",
]


@pytest.mark.parametrize("statement", TRUE)
def test_proves(statement: str) -> None:
    prove(f"theorem t {statement}", ["omega"], library())


FALSE = [
    "(a b : Int) : a - b ≤ a",
    "(x : Int) : x ≥ 0",
    "(x : Int) : (x.toNat : Int) = x",
    "(x : Int) : (x.natAbs : Int) = x",
    "(x : Int) : x / 2 * 2 = x",
    "(x : Int) : x % -2 < 0",
    "(x : Int) : x / 0 = x",
    "(x y : Int) : x * y = y * x",
    "(n m : Nat) : ((n - m : Nat) : Int) = n - m",
    "(x : Int) (h : 3 ∣ x) : 6 ∣ x",
    "(x : Int) (h : 0 ∣ x) : x = 1",
    "(x y : Int) : x / y * y ≤ x",
    "(z : Int) : Int.ofNat z.toNat = z",
    "(x : Int) (h : x < 1 + 10 ^ 40) : x < 10 ^ 40",
    ": (-1 : Int) = 1",
    ": (-7 : Int) / 2 = -3",
]


@pytest.mark.parametrize("statement", FALSE)
def test_refuses(statement: str) -> None:
    """False statements, and true ones outside linear arithmetic, which Lean's `omega` refuses as well."""
    problem = Problem.from_source(f"theorem t {statement}", library())
    error = problem.apply(problem.start(), "omega").error
    assert error is not None
    assert error.startswith("omega could not prove the goal:\n")


def test_the_counterexample_shows_integers_and_casts() -> None:
    problem = Problem.from_source("theorem t (n : Nat) (z : Int) (h : 2 * z ≤ n + 7) : z ≤ n", library())
    assert problem.apply(problem.start(), "omega").error == (
        "omega could not prove the goal:\n"
        "a possible counterexample may satisfy the constraints\n"
        "  a ≥ 0\n"
        "  a - 2*b ≥ -7\n"
        "  a - b ≤ -1\n"
        "where\n"
        " a := ↑n\n"
        " b := z"
    )


OWN_INSTANCES = [
    "instance own : LE Nat := ⟨fun _ _ => False⟩\nexample (n : Nat) (h : n ≤ 3) : n = 17 := by omega",
    "instance own : Add Nat := ⟨fun _ _ => 0⟩\nexample (n : Nat) : n + 1 ≠ n := by omega",
    "instance own : Add Int := ⟨fun _ _ => 0⟩\nexample (n : Int) : n + 1 = 1 + n := by omega",
    "instance own : Neg Int := ⟨fun n => n⟩\nexample (n : Int) (h : n = -n) : n = 0 := by omega",
    "instance own : Dvd Nat := ⟨fun _ _ => True⟩\nexample (n : Nat) (h : 2 ∣ n) : n ≠ 3 := by omega",
    "instance own : NatCast Int := ⟨fun _ => 5⟩\nexample (n : Nat) : (n : Int) ≥ 0 := by omega",
    "instance own (n : Nat) : OfNat Int n := ⟨Int.ofNat 7⟩\nexample (x : Int) (h : x = 3) : x < 4 := by omega",
    "example (i : LT Int) (a b : Int) (h : a < b) : a ≠ b := by omega",
    "instance own : LE Nat := ⟨fun _ _ => False⟩\nexample (n : Nat) : n ≤ n := by rfl",
    "example (i : LE Nat) (n : Nat) : n ≤ n := by rfl",
]


@pytest.mark.parametrize("text", OWN_INSTANCES)
def test_tactics_do_not_interpret_instances_of_the_user(text: str) -> None:
    """The tactic itself refuses; it does not find a proof that the kernel then refuses."""
    errors = [m.text for m in check_text(text) if m.severity == "error"]
    assert len(errors) == 1
    assert errors[0].startswith(("omega could not prove the goal", "Tactic `rfl` failed: No `[refl]` lemma"))


def test_an_instance_that_is_the_usual_one_by_definition_is_understood() -> None:
    own = "def own : LE Int := ⟨fun a b => Int.le a b⟩"
    text = f"{own}\nexample (a b : Int) (h : @LE.le Int own a b) : a - b ≤ 0 := by omega"
    assert [m.text for m in check_text(text) if m.severity == "error"] == []


def test_rfl_uses_theorems_marked_for_it() -> None:
    relation = "inductive R : Nat → Nat → Prop\n  | mk (n : Nat) : R n n\n"
    text = f"{relation}@[refl] theorem R.same (n : Nat) : R n n := .mk n\n"
    assert [m.text for m in check_text(f"{text}example : R 3 (1 + 2) := by rfl")] == []
    assert "not definitionally equal" in check_text(f"{text}example : R 3 4 := by rfl")[0].text
    wrong = "@[refl] theorem t (n : Nat) : n ≤ n + 1 := Nat.le_succ n"
    assert check_text(wrong)[0].text.startswith("`@[refl]` attribute only applies to lemmas proving x ∼ x")
