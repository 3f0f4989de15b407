"""`let rec` inside terms: functions over the local variables that they mention."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

F = """
def f (n : Nat) : Nat :=
  let k := n + 1
  let rec go (m : Nat) : Nat := match m with
    | 0 => k
    | m + 1 => go m + n
  go 3
"""


def texts(found: list[str]) -> list[str]:
    return [message.split(" ", 1)[1] for message in found]


def test_a_function_over_a_local_definition(messages: Check) -> None:
    text = f"""{F}
#eval f 2
#check @f.go
#check @f.go.eq_2
#print axioms f
example : f 2 = 9 := rfl
theorem t (n : Nat) : f n = 4 * n + 1 := by simp [f, f.go]; omega
"""
    assert texts(messages(text)) == [
        "info 9",
        "info f.go : Nat → Nat → Nat",
        "info f.go.eq_2 : ∀ (n m : Nat), f.go n m.succ = f.go n m + n",
        "info 'f' does not depend on any axioms",
    ]


def test_functions_in_branches_arguments_and_alternatives(messages: Check) -> None:
    text = """
def g (xs : List Nat) : Nat × Nat :=
  if xs.length = 0 then (0, 0) else
    let rec sum : List Nat → Nat
      | [] => 0
      | x :: xs => x + sum xs
    let rec scaled (c : Nat) : List Nat → Nat
      | [] => 0
      | y :: ys => c * sum [y] + scaled c ys
    (sum xs, scaled 2 xs)
#eval g [1, 2, 3]
def h (α : Type) (d : α) (xs : List α) : List α :=
  xs ++ (let rec rep (n : Nat) : List α := if n = 0 then [] else d :: rep (n - 1); rep 2)
#eval h Nat 7 [1]
#check @h.rep
def pat (n : Nat) : Nat := match n with
  | 0 => 0
  | k + 1 => let rec go (j : Nat) : Nat := if j = 0 then k else go (j - 1); go n
#eval pat 5
theorem t (n : Nat) : n + 0 = n ∧ True := ⟨(let rec q (x : Nat) : x + 0 = x := rfl; q n), trivial⟩
"""
    assert texts(messages(text)) == [
        "info (6, 12)",
        "info [1, 7, 7]",
        "info h.rep : (α : Type) → α → Nat → List α",
        "info 4",
    ]


def test_a_hypothesis_stays_a_hypothesis(messages: Check) -> None:
    text = (
        "theorem t (h : 1 = 2) : 1 = 2 ∧ True := ⟨(let rec q (x : Nat) : 1 = 2 := h; q 0), trivial⟩\n"
        "#check @t.q\nexample : 1 = 2 := t.q 3"
    )
    found = messages(text)
    assert found[0] == "2:0 info t.q : 1 = 2 → ∀ (x : Nat), 1 = 2"
    assert " error " in found[1]


def test_the_value_determines_an_omitted_type(messages: Check) -> None:
    text = """
def f (n : Nat) : Nat := n + (let rec go (k : Nat) := if k = 0 then n else go (k - 1) + 1; go 3)
#check f.go
#eval f 2
def g (n : Nat) : List Nat := [n] ++ (let rec two := [n, 2]; two)
#eval g 1
"""
    assert texts(messages(text)) == ["info f.go (n k : Nat) : Nat", "info 7", "info [1, 1, 2]"]


def test_after_another_tactic(messages: Check) -> None:
    text = """
theorem t (n : Nat) : n + 0 = n ∧ 0 + n = n := by
  constructor
  let rec first (x : Nat) : x + 0 = x := rfl
  · exact first n
  · let rec second : (x : Nat) → 0 + x = x
      | 0 => rfl
      | x + 1 => congrArg Nat.succ (second x)
    trace_state
    exact second n
#check t.second
def f (n : Nat) : Nat := by
  cases n
  exact 1
  let rec twice (k : Nat) := k * 2
  exact twice 4
#eval f 2
"""
    assert texts(messages(text)) == [
        "trace case right\nn : Nat\n⊢ 0 + n = n",
        "info t.second (x : Nat) : 0 + x = x",
        "info 8",
    ]


def test_a_function_in_a_proof_proves_nothing_by_itself(messages: Check) -> None:
    for body in ("q n", "q (n + 1)", "absurd (q n) (by decide)"):
        text = f"theorem t : 1 = 2 := by\n  skip\n  let rec q (n : Nat) : 1 = 2 := {body}\n  exact q 0"
        found = messages(f"{text}\n#print axioms t\n#check t.q")
        assert "fail to show termination for\n  t.q" in found[0]
        assert found[1].endswith("'t' depends on axioms: [sorryAx]")
        assert " error " in found[2]
    # a hypothesis that a function uses becomes a parameter
    text = "theorem t (h : 1 = 2) : 1 = 2 := by\n  skip\n  let rec q (n : Nat) : 1 = 2 := h\n  exact q 0\n"
    found = messages(f"{text}#check @t.q\nexample : 1 = 2 := t.q 0")
    assert found[0].endswith("info t.q : 1 = 2 → ∀ (n : Nat), 1 = 2")
    assert " error " in found[1]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "theorem t : 1 = 2 := And.right ⟨trivial, (let rec q (x : Nat) : 1 = 2 := q x; q 0 : 1 = 2)⟩",
            "t.q",
        ),
        (
            "theorem t : 1 = 2 := (⟨trivial, (let rec q (x : Nat) : 1 = 2 := q (x + 1); q 0)⟩ : True ∧ 1 = 2).2",
            "fail to show termination for\n  t.q",
        ),
        (
            "theorem t (n : Nat) : False ∧ True := ⟨(let rec q (x : Nat) : False := (t x).1; q n), trivial⟩",
            "mutual recursion of `q`",
        ),
        (
            "def t (n : Nat) : Nat := n + (let rec q (x : Nat) : Nat := x; q n) + "
            "(let rec q (x : Nat) : Nat := x + 1; q n)",
            "`t.q` has already been declared",
        ),
        (
            "def t (n : Nat) : Nat := n + (let rec q (x : Nat) : Nat := Classical.choice ⟨x⟩; q n)",
            "consider marking definition as `noncomputable`",
        ),
        ("def t (n : Nat) : Nat := n + (let rec q (x : Nat) : Nat := _; q n)", "is not determined"),
        ("def t (n : Nat) : Nat := n + (let rec q x := q x; q n)", "is not determined"),
    ],
)
def test_what_is_refused(messages: Check, text: str, part: str) -> None:
    found = messages(f"{text}\n#print axioms t\n#check @t.q")
    assert part in found[0]
    assert "Unknown constant `t`" in found[1] or found[1].endswith("'t' depends on axioms: [sorryAx]")
    assert " error " in found[2]
