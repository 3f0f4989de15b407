-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `cases` and `subst` on an equation, `rw [f]` with the equations of a recursive function -/

set_option linter.unusedVariables false

/-! A motive takes its targets in its own order. -/

-- Lean: (kernel) declaration type mismatch, 'MotiveTakesIts._example' has type
namespace MotiveTakesIts
axiom split (motive : Nat → Nat → Prop) (x y : Nat) (same : ∀ a, motive a a)
  (more : ∀ d a, motive a (a + d + 1)) (less : ∀ d a, motive (a + d + 1) a) : motive y x
example (p q : Nat) : q ≤ p ∨ p < q := by
  induction p, q using split with
  | same => exact .inl (Nat.le_refl _)
  | more d a => omega
  | less d a => omega
inductive Same {α : Type u} : α → α → Type u
  | refl {a : α} : Same a a
@[induction_eliminator] def Same.ind {α : Type u} (motive : ∀ (a b : α) (p : Same a b), Sort v)
  {a : α} (start : motive a a .refl) {b : α} (p : Same a b) : motive a b p :=
  @Same.casesOn α a (fun b p => motive a a .refl → motive a b p) b p (fun e => e) start
def symm {α : Type u} {a b : α} (p : Same a b) : Same b a := by induction p; apply Same.refl
end MotiveTakesIts

/-! Targets that a motive cannot take. -/

namespace TargetsMotiveCannot
axiom split (motive : Nat → Nat → Prop) (x y : Nat) (all : ∀ a b, motive a b) : motive y x

-- targets that are the same variable, or not variables
-- Lean: Invalid target: Target (or one of its indices) occurs more than once
/--
error: Tactic `induction` failed: the motive does not fit `split`

n : Nat
⊢ n = 0
-/
#guard_msgs in
example (n : Nat) : n = 0 := by induction n, n using split <;> omega

-- Lean: `Invalid alternative name `more`: Expected `all`` in place of `Alternative `all` has not been provided`
/--
error: Invalid alternative name `same`: Expected `all`
---
error: Alternative `all` has not been provided
-/
#guard_msgs in
example (p q : Nat) (h : p < q) : q < p := by
  induction p, q using split with
  | same => omega
  | more d a => omega
  | less d a => omega

end TargetsMotiveCannot

/-! No equation applies. -/

namespace EquationApplies
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)
def len {α : Type u} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1

-- Lean: Failed to rewrite using equation theorems for `len`
/-- error: Failed to rewrite using equation theorems for `EquationApplies.len` -/
#guard_msgs in
example (xs : List α) : len xs = len xs + 0 := by rw [len]

-- Lean: Failed to rewrite using equation theorems for `fib`
/-- error: Failed to rewrite using equation theorems for `EquationApplies.fib` -/
#guard_msgs in
example (n : Nat) : fib n = fib n + 0 := by rw [fib]

end EquationApplies

/-! A hypothesis is the side condition of an equation. -/

namespace HypothesisSideCondition
def join : List Nat → List Nat → List Nat
  | [], ys => ys
  | xs, [] => xs
  | x :: xs, y :: ys => if x < y then x :: join xs (y :: ys) else y :: join (x :: xs) ys

-- Lean: `simp` made no progress
example (xs : List Nat) (h : xs = [] → False) : join xs [] = xs := by simp [join, h]

example (xs : List Nat) (h : xs = [] → False) : join xs [] = xs := by simp only [join, h]

example (xs : List Nat) (h : xs = [] → False) : join xs [] = xs := by simp only [join]

example (xs : List Nat) (h : xs = [] → False) : join xs [] = xs := by simp [join]

/-! An equation needs its side condition. -/

-- Lean: refuses the declarations above
/-- error: `simp` made no progress -/
#guard_msgs in
example (xs ys : List Nat)  : join xs [] = xs := by simp only [join]

/-- error: `simp` made no progress -/
#guard_msgs in
example (xs ys : List Nat) (h : ys = [] → False) : join xs [] = xs := by simp only [join]

/-- error: `simp` made no progress -/
#guard_msgs in
example (xs ys : List Nat) (h : xs = [] → True) : join xs [] = xs := by simp only [join]

/-- error: `simp` made no progress -/
#guard_msgs in
example (xs ys : List Nat) (h : xs = [] → xs = []) : join xs [] = xs := by simp only [join]

end HypothesisSideCondition
