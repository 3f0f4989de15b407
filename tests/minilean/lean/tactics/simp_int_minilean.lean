-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `simp` and `omega` on integer literals, and attacks on facts about integers -/

set_option linter.unusedVariables false

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
