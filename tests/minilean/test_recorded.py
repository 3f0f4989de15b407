"""Verdicts and texts that Lean 4's own tests record; each case names its file in `tests/elab` of leanprover/lean4."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

SHAPES = """structure PosFun where
  f : Nat → Nat
  pos : ∀ n, 0 < f n
structure Foo where
  toFun : Nat → Nat
structure Bar extends Foo where
  prop : toFun 0 = 0
"""

FUNCTIONS = """def f (_ : Nat) : Nat := 0
class P (n : Nat)
theorem t' (n : Nat) [P n] : f n = f 0 := rfl
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n+2 => fib (n+1) + fib n
theorem fib_two : fib 2 = 1 := rfl
"""


@pytest.mark.parametrize(
    "text",
    [
        "example := [HAdd]",
        "/-- info: [HAdd] : List (Type u_1 → Type u_2 → outParam (Type u_3) → Type (max u_1 u_2 u_3)) -/\n"
        "#guard_msgs in\n#check [HAdd]",
        # structInst.lean: the fields before are taken, not projected
        f"{SHAPES}/-- trace: ⊢ 0 = 0 -/\n#guard_msgs in\n"
        "example : Bar where\n  toFun x := x\n  prop := by\n    trace_state\n    rfl",
        f"{SHAPES}/-- trace: ⊢ ∀ (n : Nat), 0 < n + 1 -/\n#guard_msgs in\n"
        "example : PosFun where\n  f n := n + 1\n  pos := by\n    trace_state\n    exact Nat.succ_pos",
        # by_cases.lean
        "example : True := by\n  if 1 + 1 = 2 then _ else ?_\n  case pos => trivial\n"
        "  fail_if_success case neg => contradiction\n  · contradiction",
        "example (p : Prop) : True := by\n  if p then ?foo else trivial\n  case foo => trivial",
        "example (p q : Prop) (h : p → q) (g : ¬p → q) : q := by\n  if hp : p then exact h hp else\n    exact g hp",
        # rcases.lean
        "example : True := by\n  fail_if_success obtain ⟨h, h2⟩\n  trivial",
        # simp_all.lean
        "example (f : Nat → Nat) (h₁ : a = f a) (h₂ : b + 0 = 0) (hf : ∀ x, f x = x) : f b = 0 := by\n"
        "  simp_all [-h₁]",
        "example : ∀ {A : Prop} (_ : A) (_ : W), W := by\n  intros\n  "
        "simp_all (config := { failIfUnchanged := false })\n  rename_i w\n  exact w",
        # rewrite.lean: `_` for an instance is searched for, `?_` is a goal
        f"{FUNCTIONS}example : f 2 = f 0 := by\n  fail_if_success rw [t']\n  fail_if_success rw [@t' 2 _]\n"
        "  rw [@t' 2 ?_]\n  constructor",
        # simpDecide.lean: a numeral in a rule takes no sum
        f"{FUNCTIONS}example : 1 = fib (1 + 1) := by\n  fail_if_success {{ simp only [fib_two] }}\n"
        "  simp (config := { decide := true }) only [fib_two]",
        # congrTactic.lean
        "def image {α β : Type} (f : α → β) (s : α → Prop) : β → Prop := fun y => ∃ x, s x ∧ f x = y\n"
        "example {X Y : Type} (f g : X → Y) (h : f = g) : image f = image g := by\n  congr",
        # 1234.lean: the condition of an `if` is simplified, the instance follows
        "example (h₁ : k ≤ v - 1) (a b : Nat) : (if k ≤ v - 1 then a else b) = a := by\n  simp only [h₁, ite_true]",
        # decideTactic.lean
        "open scoped Classical in\nnoncomputable example (p : Prop) : Decidable p := inferInstance",
        # guard_msgs.lean
        "set_option guard_msgs.diff false\n/--\nerror: Unknown identifier `x`\n---\n"
        "error: ❌️ Docstring on `#guard_msgs` does not match generated message:\n\nerror: Unknown identifier `x`\n-/\n"
        "#guard_msgs in\n#guard_msgs in\nexample : α := x",
        "/--\nerror: failed to synthesize\n  DecidableEq (Nat → Nat)\n\nHint: Additional diagnostic information may be "
        "available using the `set_option diagnostics true` command.\n-/\n#guard_msgs in\n"
        "#synth DecidableEq (Nat → Nat)",
    ],
)
def test_what_lean_accepts_is_silent(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # by_cases.lean: the branches do not decide everything
        (
            "example (p : Prop) : True := by\n  if p then exact decide p else trivial",
            "2:18 error failed to synthesize instance of type class\n  Decidable p\n\nHint: Type class instance "
            "resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.",
        ),
        ("example : True := by\n  if 1 = 1 then trivial else skip", "unsolved goals"),
        ("example (n a b : Nat) : (if n + 0 = 3 then a else b) = a := by\n  simp", "⊢ ¬n = 3 → b = a"),
        (
            "example (n a b : Nat) : (if h : ¬n + 0 = 3 then a else b) = 1 := by\n  simp",
            "⊢ (if n = 3 then b else a) = 1",
        ),
        ("noncomputable example (p : Prop) : Decidable p := inferInstance", "failed to synthesize instance"),
        (
            "example (a : Nat) : (if h : a = a then a else a + 1) = a + 1 := by\n  simp only [eq_self]\n  rfl",
            "error",
        ),
    ],
)
def test_what_lean_rejects_is_told(messages: Check, text: str, expected: str) -> None:
    found = messages(text)
    assert len(found) == 1
    assert expected in found[0]


TRACED = """theorem t : ∀ n : Nat, n = n
  | 0 => by trace_state; rfl
  | n + 1 => by trace_state; rfl
example : (xs : List Nat) → Nat → xs ≠ [] → xs = xs
  | [a, b], _, _ => by trace_state; rfl
  | _, _, _ => rfl
example : ∀ n : Nat, n = n := fun n => match n with
  | 0 => by trace_state; rfl
  | _ => rfl
"""

DELTA = "def f (x : Nat) : Nat := x + 1\nexample (x : Nat) (h1 : f x = 0) (h2 : 0 = 0) : False := by\n"


def test_alternatives_do_not_see_what_a_function_by_patterns_matches(messages: Check) -> None:
    # hidingInaccessibleNames.lean: `clear%` of the variables that the function is given
    assert [m.split(" ", 2)[2] for m in messages(TRACED)] == [
        "⊢ 0 = 0",
        "n : Nat\n⊢ n + 1 = n + 1",
        "a b x✝¹ : Nat\nx✝ : [a, b] ≠ []\n⊢ [a, b] = [a, b]",
        "n : Nat\n⊢ 0 = 0",
    ]


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        # delta.lean
        ("delta f at h1\n  trace_state\n  contradiction", "x : Nat\nh1 : x + 1 = 0\nh2 : 0 = 0\n⊢ False"),
        ("delta f at *\n  trace_state\n  contradiction", "x : Nat\nh1 : x + 1 = 0\nh2 : 0 = 0\n⊢ False"),
        (
            "delta f at h1 h2",
            "Tactic `delta` failed: did not delta reduce [f] at h2\n\n"
            "x : Nat\nh1 : x + 1 = 0\nh2 : 0 = 0\n⊢ False",
        ),
        (
            "delta f",
            "Tactic `delta` failed: did not delta reduce [f]\n\nx : Nat\nh1 : f x = 0\nh2 : 0 = 0\n⊢ False",
        ),
        (
            "delta Nat.add at h1",
            "unsupported: `delta` for `Nat.add`, which is defined by recursion",
        ),
    ],
)
def test_delta(messages: Check, proof: str, expected: str) -> None:
    (message,) = messages(f"{DELTA}  {proof}")
    assert message.split(" ", 2)[2] == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        # intro.lean: `intro rfl` substitutes; it closes nothing by constructors that differ
        (
            "1 = 2 → False := by\n  intro rfl",
            "Tactic `subst` failed: invalid equality proof, it is not of the form (x = t) or (t = x)\n  1 = 2\n\n"
            "a✝ : 1 = 2\n⊢ False",
        ),
        ("∀ n : Nat, 1 ≍ n → n + 1 = 2 := by\n  intro _ rfl\n  trace_state\n  rfl", "⊢ 1 + 1 = 2"),
        ("(1 : Int) = 1 → True := by\n  intro (h : 1 = _)\n  trace_state\n  trivial", "h : 1 = 1\n⊢ True"),
        (
            "∀ n : Nat, n = n := by\n  intro (n : Int)",
            "Type mismatch: Hypothesis `n` has type\n  Nat\nbut is expected to have type\n  Int\n"
            "due to the provided type annotation",
        ),
        ("∀ n : Nat, 1 ≍ n → n = 2 := by\n  intro _ rfl\n  decide", "Tactic `decide` proved that the proposition\n"
         "  1 = 2\nis false"),
    ],
)  # fmt: skip
def test_intro_patterns(messages: Check, statement: str, expected: str) -> None:
    (message,) = messages(f"example : {statement}")
    assert message.split(" ", 2)[2] == expected
