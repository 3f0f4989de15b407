-- Checked with Lean 4.35.0.

/-! # Large numbers: quotients, powers, numerals that Python itself neither reads nor prints -/

set_option linter.unusedVariables false

/-! Quotients and digits of literals. -/

example : 10000 / 3 = 3333 := by decide
example : 2 ^ 64 % 10 = 6 := by decide
example : 10000 / 3 = 3333 := by simp
example : 10000 % 3 = 1 := by simp
example : 7 / 0 = 0 := by simp
example : 7 % 0 = 7 := by simp
example : Nat.gcd 12 18 = 6 := by simp
example : 10 ^ 30 / 3 = 333333333333333333333333333333 := rfl
example : (10 ^ 30 : Nat) % 7 = 1 := by decide
example : (-10000 : Int) / 3 = -3334 := by simp
example : (-10000 : Int) % -3 = 2 := by simp
example : (10 ^ 30 : Int) / 7 * 7 + 1 = 10 ^ 30 := by decide
example : (1000001 : Nat) ∣ 1000001 * 3 := by decide
example : Nat.gcd (2 ^ 100) (6 ^ 50) = 2 ^ 50 := by decide
example : Nat.land 12 10 = 8 := rfl
example : Nat.lor 12 10 = 14 := by decide
example : Nat.xor 12 10 = 6 := by rfl
example : Nat.shiftLeft 3 100 = 3 * 2 ^ 100 := by decide
example : Nat.shiftRight 1000 3 = 125 := by decide
example : (10000 : Nat) / 3 + 1 = 3334 := by omega

/-! Wrong values are refused. -/

/--
error: Tactic `decide` proved that the proposition
  10000 / 3 = 3334
is false
-/
#guard_msgs in
example : 10000 / 3 = 3334 := by decide

/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
example : 10000 % 3 = 2 := by simp

/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
example : Nat.gcd 12 18 = 12 := by simp

/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
example : (-10000 : Int) / 3 = -3333 := by simp
