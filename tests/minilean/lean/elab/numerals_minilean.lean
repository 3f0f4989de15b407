-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Large numbers: quotients, powers, numerals that Python itself neither reads nor prints -/

set_option linter.unusedVariables false

/-! Quotients and digits of literals. -/

-- Lean: error: Tactic `decide` failed to reduce @decide ((2 ^ 200 + 1).log2 = 200) (instDecidableEqNat (2 ^
-- 200 + 1).log2 200) to `true` or `false`. After unfolding the ..
example : Nat.log2 (2 ^ 200 + 1) = 200 := by decide

/-! Wrong values are refused. -/

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  Nat.land 12 10 = 9
-/
#guard_msgs in
example : Nat.land 12 10 = 9 := rfl

-- Lean: error: Tactic `decide` failed to reduce @decide (Nat.log2 8 = 4) (instDecidableEqNat (Nat.log2 8) 4)
-- to `true` or `false`. After unfolding the instances ..
/--
error: Tactic `decide` proved that the proposition
  Nat.log2 8 = 4
is false
-/
#guard_msgs in
example : Nat.log2 8 = 4 := by decide
