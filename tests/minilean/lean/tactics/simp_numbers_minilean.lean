-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `simp` on `x + k`, on literals of `Nat`, `Int` and `Fin n`, with `+arith`; attacks on these procedures -/

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

/-! Attacks are refused in bounded time. -/

-- numbers whose evaluation has to stay bounded
-- Lean: no answer within a minute
/--
error: unsolved goals
⊢ 10 ^ 1000000000 = 0
-/
#guard_msgs in
example : (10 : Int) ^ (10 ^ 9) = 0 := by simp

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≤ -1
where
 a := 10 ^ 10 ^ 9
-/
#guard_msgs in
example : (10 : Int) ^ (10 ^ 9) = 0 := by omega

-- instances declared by the user
-- Lean: (kernel) declaration type mismatch, 'AttacksRefused._example' has type
namespace AttacksRefused
local instance own : Mul Int := ⟨fun _ _ => 0⟩
/-- error: `simp` made no progress -/
#guard_msgs in
example : (2 : Int) * 3 = 6 := by simp
end AttacksRefused

-- Lean: (kernel) application type mismatch
namespace AttacksRefused2
local instance own : Neg Int := ⟨fun n => n⟩
/-- error: `simp` made no progress -/
#guard_msgs in
example : -(2 : Int) < 0 := by simp
end AttacksRefused2

namespace AttacksRefused3
local instance own : LT Int := ⟨fun _ _ => True⟩

-- Lean: failed to synthesize Decidable (3 < 2)
/-- error: `simp` made no progress -/
#guard_msgs in
example : ¬ (3 : Int) < 2 := by simp

end AttacksRefused3

-- Lean: says in addition: This simp argument is unused:
namespace AttacksRefused5
local instance own : NatCast Int := ⟨fun _ => 0⟩
/--
error: unsolved goals
n : Nat
h : 0 < n
⊢ ¬↑n = 0
-/
#guard_msgs in
example (n : Nat) (h : 0 < n) : (n : Int) ≠ 0 := by simp [h]
end AttacksRefused5

-- patterns
-- Lean: other numbers of metavariables
namespace AttacksRefused6
def f : Int → Nat
  | -1 => 0
  | _ => 1
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  f 0 = 0
-/
#guard_msgs in
example : f 0 = 0 := rfl
end AttacksRefused6

-- Lean: `-[n+1]` in place of `Int.negSucc n`
/--
error: Tactic `rfl` failed: The left-hand side
  Int.negSucc n
is not definitionally equal to the right-hand side
  ↑(Int.negSucc n).toNat

case negSucc
n : Nat
⊢ Int.negSucc n = ↑(Int.negSucc n).toNat
-/
#guard_msgs in
example (z : Int) : z = z.toNat := by cases z with | ofNat n => rfl | negSucc n => rfl

-- Lean: `↑-[a✝+1].natAbs` in place of `↑(Int.negSucc a✝).natAbs`
/--
error: Tactic `rfl` failed: The left-hand side
  ↑(Int.negSucc a✝).natAbs
is not definitionally equal to the right-hand side
  Int.negSucc a✝

case negSucc
a✝ : Nat
⊢ ↑(Int.negSucc a✝).natAbs = Int.negSucc a✝
-/
#guard_msgs in
example (z : Int) : z.natAbs = z := by induction z <;> rfl
