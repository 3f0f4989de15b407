"""Recursors in terms find their motive; holes in `simp` arguments; implicit parameters of types; `(x : A) × B x`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.library import library
from minilean.proof import Problem, ProofError, prove

Check = Callable[[str], list[str]]

ACCEPTED = [
    # Lean's App.lean, `elabAsElim?`: the motive of `False.rec` is explicit, and `_` counts as "not provided"
    "example (p : Prop) (h : False) : p := False.rec (fun _ => p) h",
    "example (p : Prop) (h : False) : p := False.rec _ h",
    "example (p : Prop) (h : False) : p := False.casesOn (fun _ => p) h",
    "example (n : Nat) : n = n + 0 := Nat.rec rfl (fun n ih => rfl) n",
    "example (n : Nat) : n = n + 0 := n.rec rfl (fun n ih => rfl)",
    # the type comes from the other side of the equation
    "example (h : Option α → β) : (fun o => Option.casesOn o (h none) (fun a => h (some a))) = h := by\n  funext a\n"
    "  cases a <;> rfl",
    "example (n : Nat) : n = 0 ∨ n > 0 := Nat.casesOn n (Or.inl rfl) (fun k => Or.inr (Nat.succ_pos k))",
    "example (a b : Nat) (p : Nat → Prop) (h : a = b) (h2 : p a) : p b := h.rec h2",
    "example (p q : Prop) (h : p ∨ q) : q ∨ p := Or.casesOn h .inr .inl",
    # arguments beyond the eliminator's own are applied to its result
    "example (n : Nat) (h0 : n ≠ 0) (h1 : n ≠ 1) : n ≠ 0 ∧ n ≠ 1 := Nat.recOn n (fun h k => ⟨h, k⟩) "
    "(fun _ _ h k => ⟨h, k⟩) h0 h1",
    "example : ∀ n, n ≥ 0 := Nat.rec (Nat.le_refl 0) (fun _ ih => Nat.le_succ_of_le ih)",
    "def swapped : Nat → Nat → (Nat → Nat) → Nat := fun x => x.casesOn",
    "structure P where\n  x : Nat\nexample (p : P) : ∀ q : P, p.x = q.x → p = q :=\n"
    "  P.recOn p <| fun a q => P.recOn q $ fun b (h : (P.mk a).x = (P.mk b).x) => congrArg P.mk h",
    "@[elab_as_elim] axiom up {p : Nat → Prop} {n} : ∀ {m}, n ≤ m → (∀ {k}, p k → p (k + 1)) → p n → p m\n"
    "example {p : Nat → Prop} {n} {next : ∀ {k}, p k → p (k + 1)} (x : p n) : p n := up n.le_refl next x",
    "def absurdly {p : Prop} (h : False) : p := h.rec",
    "example (n : Nat) : n = 0 ∨ n > 0 := by\n  refine Nat.casesOn n ?_ ?_\n  · exact Or.inl rfl\n"
    "  · intro k; exact Or.inr (Nat.succ_pos k)",
    "@[elab_as_elim] theorem two {p : Nat → Prop} (n : Nat) (h0 : p 0) (hs : ∀ n, p (n + 1)) : p n :=\n"
    "  Nat.casesOn n h0 hs\nexample (n : Nat) : n + 1 > 0 := two n (Nat.succ_pos 0) (fun n => Nat.succ_pos _)",
    "example (f : Nat → Nat → Nat) (h : ∀ a b, f a b = a) (x : Nat) : f 2 x = 2 := by simp [h _ x]",
    "example (p q : Nat → Prop) (h : ∀ n, q n → p n) (k : q 2) : p 2 := by simp only [h _ k]",
    "example (xs ys : List α) : xs ++ [] ++ ys = xs ++ ys := by simp only [List.append_nil _]",
    "inductive Pal {α : Type} : List α → Prop where\n  | nil : Pal []\n  | one (x : α) : Pal [x]\n"
    "  | more (x : α) (xs : List α) (h : Pal xs) : Pal ([x] ++ xs ++ [x])\n"
    "example (a b : α) : Pal [a, b, a] := Pal.more a _ (Pal.one b)",
    "example {A : Type} {B : A → Type} : ((x : A) × B x → A) × ((p : (x : A) × B x) → B p.1) :=\n"
    "  ⟨fun p => p.1, fun p => p.2⟩",
    "example : (n : Nat) ×' n = 2 := ⟨2, rfl⟩",
]
REFUSED = [
    ("example (p : Prop) (h : False) : p := False.rec h", "mismatch"),
    ("example (n : Nat) : n = 0 := Nat.rec rfl (fun n ih => rfl) n", "mismatch"),
    ("#check Nat.rec 0 (fun n ih => ih) 3", "failed to elaborate eliminator, expected type is not available"),
    ("example (n : Nat) : n = n := Nat.rec rfl", "insufficient number of arguments"),
    (
        "example (x : Nat) : (Nat → Nat) → Nat → Nat := x.casesOn",
        "failed to elaborate eliminator, insufficient number of arguments, expected type:\n  (Nat → Nat) → Nat → Nat",
    ),
    ("example (x : Nat) : Nat := x.casesOn (a := 1) 0", "eliminator, unused named arguments: [a]"),
    ("@[elab_as_elim] theorem t {p : Prop} (h : p) : p := h", "unexpected eliminator resulting type\n  p"),
    ("example (f : Nat → Nat → Nat) (h : ∀ b, f 1 b = 1) : f 2 3 = 2 := by simp only [h _]", "no progress"),
    ("example (h : ∀ n : Nat, n = 0 → False) : False := by simp only [h _] at *", "no progress"),
    (
        "inductive P (α : Type) : List α → Prop where\n  | nil : P Nat []",
        "Mismatched inductive type parameter",
    ),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_lean_accepts(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_lean_refuses(messages: Check, text: str, reason: str) -> None:
    assert reason in messages(text)[0]


def test_an_example_may_ask_for_data_and_a_theorem_may_not() -> None:
    assert prove("example {A B : Type} : A × B → B × A", ["intro p", "exact (p.2, p.1)"], library()) == ()
    with pytest.raises(ProofError, match="not a proposition"):
        Problem.from_source("theorem t : Nat", library())
    problem = Problem.from_source("example (α : Type) [h : Nonempty α] : α", library())
    step = problem.apply(problem.start(), "exact Classical.choice h")
    assert step.state is not None and problem.check(step.state) == ("Classical.choice",)
