-- Checked with Lean 4.35.0.

/-! # `simp` and `omega` on integer literals, and attacks on facts about integers -/

set_option linter.unusedVariables false

/-! Accepted. -/

example : (2 : Int) - 3 < 5 := by simp

example : -(-(2 : Int)) = 2 := by simp

example (x : Int) (h : x = 2 - 3) : x = -1 := by simp at h; exact h

example : (-7 : Int) / 2 = -4 := by simp

example : (-1000000007 : Int) / 2 = -500000004 := by simp

example : (-1000000007 : Int) % -10 = 3 := by simp

example : (2 : Int) ^ 100 = 1267650600228229401496703205376 := by simp

example : (-3 : Int).natAbs = 3 := by simp

example : ¬ (2 : Int) ∣ 3 := by simp

example (x : Int) : x + (2 - 2) = x := by dsimp; exact Int.add_zero x

example (n : Nat) : ((n + 1 : Nat) : Int) = n + 1 := by simp

example : ((2 : Nat) : Int) = 2 := by simp

example (a b : Int) (h : ¬ a ≤ b) : b < a := by simpa using h

example (a b c : Int) : a * (b + c) = a * c + a * b := by simp only [Int.mul_add, Int.add_comm]

example : (2 : Int) + 3 = 5 := by simp only [Int.reduceAdd]

example : (1000000007 : Nat) / 2 = 500000003 ∧ (1000000007 : Nat) % 10 = 7 := by omega

example : (-1000000007 : Int) / -2 = 500000004 := by omega

/-! Attacks are refused in bounded time. -/

/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
example : (123456789012 : Int) ∣ 987654321098 := by simp

/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
example : (-1000000007 : Int) / 2 = -500000003 := by simp

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example : (-1000000007 : Int) % 10 = -7 := by omega

namespace AttacksRefused3
local instance own : LT Int := ⟨fun _ _ => True⟩

/--
error: failed to synthesize
  Decidable ¬3 < 2

Hint: Additional diagnostic information may be available using the `set_option diagnostics true` command.
-/
#guard_msgs in
example : ¬ (3 : Int) < 2 := by decide

end AttacksRefused3

namespace AttacksRefused4
local instance own (n : Nat) : OfNat Int n := ⟨0⟩
/--
error: Tactic `decide` proved that the proposition
  2 ≠ 3
is false
-/
#guard_msgs in
example : (2 : Int) ≠ 3 := by decide
end AttacksRefused4
