-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

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

-- Lean: Unknown constant `Lean.Meta.Occurrences`
example (a : Nat) : a = 0 + a := by
  have h : a = 0 + a := by rw [Nat.zero_add]
  rewrite (occs := [1]) [h]
  rfl

end LeanAccepts
