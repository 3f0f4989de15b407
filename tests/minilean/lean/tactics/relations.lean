-- Checked with Lean 4.35.0.

/-! # `rfl` and `apply_rfl` on relations, and `false_or_by_contra` -/

set_option linter.unusedVariables false

/-! Accepted. -/

namespace LeanAccepts
inductive P : α → α → Prop where | refl : P a a
attribute [refl] P.refl
inductive R : α → α → Prop where | refl : R a a
inductive S : Bool → Bool → Prop where | refl : a = true → S a a
attribute [refl] S.refl
abbrev yes := true
def truth := true
opaque hidden {n : Nat} : Nat

example : P yes true := by with_reducible apply_rfl

example : P truth true := by apply_rfl

example : 2 = 1 + 1 := by apply_rfl

example (a : Nat) (h : a = 2) : a * 1 = 1 + 1 := by rw [h]

example (p : Prop) : p ↔ p := by apply_rfl

example (f : α → α) (a b : α) (h : a ≍ b) : f a = f b := by subst h; rfl

example (p : Prop) (h : ¬¬p) : p := by false_or_by_contra; rename_i n; exact h n

example (n m : Nat) (h : n = m → False) : n ≠ m := by false_or_by_contra; rename_i e; exact h e

example (α : Type) (h : False) : α := by false_or_by_contra; exact h

/-! Refused. -/

/--
error: Tactic `rfl` failed: No `[refl]` lemma registered for relation
  R

Hint: Add the `[refl]` attribute to reflexivity lemmas for `R` to use this tactic

⊢ R yes yes
-/
#guard_msgs in
example : R yes true := by apply_rfl

/--
error: Tactic `rfl` failed: The left-hand side
  truth
is not definitionally equal to the right-hand side
  true

⊢ P truth true
-/
#guard_msgs in
example : P truth true := by with_reducible apply_rfl

/--
error: Tactic `rfl` failed: The left-hand side
  false
is not definitionally equal to the right-hand side
  true

⊢ R false true
-/
#guard_msgs in
example : R false true := by rfl

/--
error: Tactic `rfl` failed: The left-hand side
  @hidden 42
is not definitionally equal to the right-hand side
  @hidden 23

⊢ P hidden hidden
-/
#guard_msgs in
example : P (@hidden 42) (@hidden 23) := by apply_rfl

/--
error: unsolved goals
⊢ true = true
-/
#guard_msgs in
example : S true true := by apply_rfl

/--
error: unsolved goals
⊢ false = true
-/
#guard_msgs in
example : S false false := by rfl

/--
error: Tactic `rfl` failed: Expected the goal to be a binary relation

Hint: Reflexivity tactics can only be used on goals of the form `x ~ x` or `R x x`

⊢ Nat
-/
#guard_msgs in
example : Nat := by apply_rfl

end LeanAccepts
