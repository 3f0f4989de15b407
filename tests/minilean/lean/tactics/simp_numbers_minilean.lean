-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `simp` on `x + k` and on literals of `Nat` and `Fin n`, with `+arith` -/

set_option linter.unusedVariables false

/-! Normal forms. Lean's own tests `simprocNat`, `simprocFin`, `simp_int_arith`, `list_simp`, `bool_simp` have similar
examples. -/

-- Lean: Type mismatch h has type
example (P : List (Nat × Nat) → Prop) (a b : Nat) (h : P (List.replicate (min 2 a) (a, b))) : P ((List.replicate 2 a).zip (List.replicate a b)) := by simp; exact h

/-! Linear integers. -/

-- Lean: `simp` made no progress
example (x y : Int) (h : 5 * x + y + y + y ≤ 7 - x) : True := by simp +arith only at h; guard_hyp h : 2 * x + y + -2 ≤ 0; trivial

example (x y : Int) (h : 2 * x + y + y = 4) : True := by simp +arith only at h; guard_hyp h : x + y + -2 = 0; trivial

example (x y : Int) (h : 2 * x = x + y) : True := by simp +arith only at h; guard_hyp h : x = y; trivial

example (x y : Int) (h : 2 * x + 1 = x) : True := by simp +arith only at h; guard_hyp h : x = -1; trivial

example (x y : Int) (h : 11 * x > 10) : True := by simp +arith only at h; guard_hyp h : -1 * x + 1 ≤ 0; trivial

example (x y : Int) (h : 16 ∣ 4 * y + 32) : True := by simp +arith only at h; guard_hyp h : 4 ∣ y + 8; trivial

/-! Accepted. -/

-- Lean: `simp` made no progress
example (x : Int) (h : x + x = 1) : False := by simp +arith only at h

example (x y : Int) (h : 3 * x + 6 * y = 2) : False := by simp +arith only at h

example (a b : Int) : ¬2 ∣ 2 * a + 4 * b + 1 := by simp +arith

example (x : Int) : x - 1 < x := by simp +arith only

example (f : Nat → Nat) (x y : Nat) : f (2 * x + y) = f (y + x + x) := by simp +arith

example (x y : Int) (h : x + y > y + x - 1) : True := by simp +arith only at h; guard_hyp h : True; exact h

/-! Instances of the user are not computed. -/

-- Lean: (kernel) unknown constant 'Nat.instNeZeroSucc'; (kernel) application type mismatch
namespace InstanceUsersOwn
local instance (priority := high) odd : Add (Fin 7) := ⟨fun _ _ => 0⟩
/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
example : (3 : Fin 7) + 1 = 4 := by simp
local instance (priority := high) wrong : BEq Nat := ⟨fun _ _ => true⟩
/-- error: `simp` made no progress -/
#guard_msgs in
example (a : Nat) : (a + 5 == 3) = false := by simp
end InstanceUsersOwn
