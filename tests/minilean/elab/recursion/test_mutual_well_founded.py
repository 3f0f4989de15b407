"""Well-founded recursion of functions and theorems that call each other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

EVEN = """
mutual
def isEven (n : Nat) : Bool := if h : n = 0 then true else isOdd (n - 1)
termination_by n
def isOdd (n : Nat) : Bool := if h : n = 0 then false else isEven (n - 1)
termination_by n
end
"""

TERMS = """
inductive Tm where
  | var : Nat → Tm
  | app : String → List Tm → Tm
mutual
def Tm.size : Tm → Nat
  | .var _ => 1
  | .app _ ts => 1 + sizes ts
termination_by t => sizeOf t
def sizes : List Tm → Nat
  | [] => 0
  | t :: ts => t.size + sizes ts
termination_by ts => sizeOf ts
end
"""


def texts(found: list[str]) -> list[str]:
    return [message.split(" ", 1)[1] for message in found]


def block(first: str, second: str) -> str:
    return f"mutual\n{first}\n{second}\nend\n"


def test_equations_values_and_axioms(messages: Check) -> None:
    text = f"""{EVEN}
#eval isEven 10
#print axioms isEven
#check @isEven.eq_def
theorem zero : isEven 0 = true := by unfold isEven; simp
theorem two : isOdd 2 = false := by simp [isOdd, isEven]
theorem step (n : Nat) (h : n ≠ 0) : isEven n = isOdd (n - 1) := by
  rw [isEven]; simp [h]
"""
    assert texts(messages(text)) == [
        "info true",
        "info 'isEven' does not depend on any axioms",
        "info isEven.eq_def : ∀ (n : Nat), isEven n = if h : n = 0 then true else isOdd (n - 1)",
    ]


def test_a_function_by_well_founded_recursion_does_not_compute_by_definition(messages: Check) -> None:
    assert "Type mismatch" in messages(f"{EVEN}example : isEven 4 = true := rfl")[0]


def test_nested_types(messages: Check) -> None:
    text = f"""{TERMS}
#eval (Tm.app "f" [.var 1, .app "g" [.var 2]]).size
theorem size_pos (t : Tm) : 0 < t.size := by
  cases t <;> simp [Tm.size]
  omega
"""
    assert texts(messages(text)) == ["info 4"]


def test_lexicographic_measures(messages: Check) -> None:
    text = """
mutual
def ping : Nat → Nat → Nat
  | 0, m => m
  | n + 1, m => pong n (m + 1)
termination_by n _ => (n, 0)
def pong : Nat → Nat → Nat
  | 0, m => m
  | n + 1, m => ping n (m / 2) + pong n m
termination_by n _ => (n, 1)
end
#eval ping 5 3
#check @ping.eq_2
"""
    assert texts(messages(text)) == [
        "info 19",
        "info ping.eq_2 : ∀ (n m : Nat), ping n.succ m = pong n (m + 1)",
    ]


def test_three_functions(messages: Check) -> None:
    text = """
mutual
def one (n : Nat) : Nat := if h : n = 0 then 0 else two (n - 1) n
termination_by n
def two (n m : Nat) : Nat := if h : n = 0 then m else three m (n - 1)
termination_by n
def three (m n : Nat) : Nat := if h : n = 0 then m else one (n - 1) + three 0 (n - 1)
termination_by n
end
#eval one 7
"""
    assert texts(messages(text)) == ["info 4"]


def test_measures_that_nobody_wrote(messages: Check) -> None:
    text = """
mutual
def a (n : Nat) : Nat := match n with
  | 0 => 0
  | n + 1 => b (n / 2) true + 1
def b (n : Nat) (c : Bool) : Nat := match n with
  | 0 => 0
  | n + 1 => if c then a (n / 3) else b (n / 2) true
end
#eval a 100
"""
    assert texts(messages(text)) == ["info 3"]


def test_section_variables_and_tactics_of_each_function(messages: Check) -> None:
    text = """
section
variable (k : Nat)
mutual
def up (n : Nat) : Nat := if n < 10 then down (n + k + 1) else n
termination_by 10 - n
decreasing_by omega
def down (n : Nat) : Nat := if n < 10 then up (n + 1) else n
termination_by 10 - n
decreasing_by
  omega
end
end
#eval up 2 3
#check @up
"""
    assert texts(messages(text)) == ["info 10", "info up : Nat → Nat → Nat"]
    goals = messages(text.replace("decreasing_by omega", "decreasing_by skip"))[0]
    assert goals.endswith("error unsolved goals\nk n : Nat\nh✝ : n < 10\n⊢ 10 - (n + k + 1) < 10 - n")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            block(
                "theorem a (n : Nat) : 1 = 2 := b n\ntermination_by n",
                "theorem b (n : Nat) : 1 = 2 := a n\ntermination_by n",
            ),
            "failed to prove termination",
        ),
        (
            block(
                "def a (n : Nat) : Empty := b n\ntermination_by (n, 1)",
                "def b (n : Nat) : Empty := a n\ntermination_by (n, 0)",
            ),
            "failed to prove termination",
        ),
        (
            block(
                "def a (n : Nat) : Empty := b (n + 1)\ntermination_by n\ndecreasing_by simp",
                "def b (n : Nat) : Empty := a (n - 1)\ntermination_by n",
            ),
            "error",
        ),
        (
            block(
                "def a (n : Nat) : Nat := if n = 0 then 0 else b (n - 1) true\ntermination_by n",
                "def b (n : Nat) (c : Bool) : Nat := if n = 0 then 0 else a (n - 1)\ntermination_by c",
            ),
            "must have the same type",
        ),
        (
            block(
                "def a (n : Nat) : Nat := b n\ntermination_by n",
                "def b (n : Nat) : Nat := n + a 0",
            ),
            "incomplete set of termination hints: `b` needs `termination_by`",
        ),
        (
            block("def a (n : Nat) : Empty := b n", "def b (n : Nat) : Empty := a n"),
            "unsupported: a measure for the functions of this `mutual` block",
        ),
    ],
)
def test_refusals_declare_nothing(messages: Check, text: str, part: str) -> None:
    found = messages(f"{text}#check @a")
    assert part in found[0]
    assert "Unknown identifier `a`" in found[-1]
