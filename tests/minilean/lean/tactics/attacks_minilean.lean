-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Attacks on single tactics: no example here may be accepted -/

set_option linter.unusedVariables false

/-! False or unprovable statements are refused. -/

-- Lean: Tactic `rfl` failed: equality lhs
/--
error: Tactic `rfl` failed: the sides differ in more than association and order

a b c : Nat
⊢ a - b - c = a - (c - b)
-/
#guard_msgs in
example (a b c : Nat) : a - b - c = a - (c - b) := by ac_rfl

-- Lean: Unknown constant `Lean.Data.AC.Variable`
/--
error: Tactic `rfl` failed: the sides differ in more than association and order

a b : Nat
⊢ a + a * b = a + b * b
-/
#guard_msgs in
example (a b : Nat) : a * b + a = a + b * b := by ac_rfl

-- Lean: other numbers of metavariables
/--
error: Application type mismatch: The argument
  Nat.le_refl ?m.10
has type
  ?m.10 ≤ ?m.10
but is expected to have type
  n < n
in the application
  ih n (Nat.le_refl ?m.10)
-/
#guard_msgs in
example (p : Nat → Prop) (n : Nat) : p n := by induction n using Nat.strongRecOn with | ind n ih => exact ih n (Nat.le_refl _)

-- Lean: `n_ih✝ : n✝.succ = n✝ → p n✝.succ` in place of `n_ih✝ : p n✝`
/--
error: Tactic `assumption` failed

case succ
p : Nat → Prop
h : p 0
n✝ : Nat
n_ih✝ : p n✝
⊢ p n✝.succ
-/
#guard_msgs in
example (p : Nat → Prop) (n : Nat) (h : p 0) : p n := by
  cases n using Nat.rec
  exact h
  assumption

-- Lean: `Eq.refl` in place of `_`
/--
error: Missing cases:
_
-/
#guard_msgs in
example (n : Nat) (h : n = 0) : False := by nomatch h

-- structure
-- Lean: `case refine_2` in place of `case right`
/--
error: Tactic `assumption` failed

case right
p q : Prop
hp : p
⊢ q
-/
#guard_msgs in
example (p q : Prop) (hp : p) : p ∧ q := by
  and_intros
  assumption
  rotate_left
  assumption

-- Lean: `[apply] refine ?_` in place of `[apply] refine ?m.1`
/--
info: Try this:
  [apply] refine ?m.1
---
error: unsolved goals
p : Prop
⊢ p
-/
#guard_msgs in
example (p : Prop) : p := by show_term skip

/-! `exact?` does not try axioms. -/

-- Lean: tries them and finds `cheat p`
namespace SearchAxioms
axiom cheat (p : Prop) : p
/-- error: `exact?` could not close the goal. Try `apply?` to see partial suggestions. -/
#guard_msgs in
example (p : Prop) : p := by exact?
end SearchAxioms

/-! A local function needs the types of its arguments. -/

-- Lean: says in addition: unsolved goals
/-- error: Failed to infer type of binder `x` -/
#guard_msgs in
example (p : Prop) (h : p) : p := by let f x := h
