-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `omega` over `Int` and `Fin`, mixed with `Nat`; instances of the user -/

set_option linter.unusedVariables false

/-! True statements are proved. -/

-- Lean: Unknown constant `Int.pow_succ`
example (k : Nat) : (2 : Int) ^ (k + 1) = 2 * 2 ^ k := by omega

/-! False statements, and true ones outside linear arithmetic, which Lean's `omega` refuses as well. -/

-- Lean: `No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainde ...
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≤ 0
where
 a := x
-/
#guard_msgs in
example (x : Int) (h : 0 ∣ x) : x = 1 := by omega

/-! The tactic itself refuses; it does not find a proof that the kernel then refuses. -/

-- Lean: `0 ≤ a ≤ 3` in place of `0 ≤ a ≤ 16`
namespace TacticsDoNot
local instance own : LE Nat := ⟨fun _ _ => False⟩
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  0 ≤ a ≤ 16
where
 a := ↑n
-/
#guard_msgs in
example (n : Nat) (h : n ≤ 3) : n = 17 := by omega
end TacticsDoNot

-- Lean: (kernel) application type mismatch
namespace TacticsDoNot2
local instance own : Add Nat := ⟨fun _ _ => 0⟩
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≥ 0
where
 a := ↑n
-/
#guard_msgs in
example (n : Nat) : n + 1 ≠ n := by omega
end TacticsDoNot2

-- Lean: Application type mismatch: The argument
namespace TacticsDoNot3
local instance own : Add Int := ⟨fun _ _ => 0⟩
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a - b ≥ 1
where
 a := 1 + n
 b := n + 1
-/
#guard_msgs in
example (n : Int) : n + 1 = 1 + n := by omega
end TacticsDoNot3

-- Lean: (kernel) application type mismatch
namespace TacticsDoNot4
local instance own : Neg Int := ⟨fun n => n⟩
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≤ -1
where
 a := -n
-/
#guard_msgs in
example (n : Int) (h : n = -n) : n = 0 := by omega
end TacticsDoNot4

namespace TacticsDoNot5
local instance own : Dvd Nat := ⟨fun _ _ => True⟩
/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (n : Nat) (h : 2 ∣ n) : n ≠ 3 := by omega
end TacticsDoNot5

-- Lean: `b ≥ 0` in place of `a ≤ -1`
namespace TacticsDoNot6
local instance own : NatCast Int := ⟨fun _ => 5⟩
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≤ -1
where
 a := ↑n
-/
#guard_msgs in
example (n : Nat) : (n : Int) ≥ 0 := by omega
end TacticsDoNot6

-- Lean: (kernel) application type mismatch
namespace TacticsDoNot7
local instance own (n : Nat) : OfNat Int n := ⟨Int.ofNat 7⟩
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a - b ≥ 0
where
 a := 3
 b := 4
-/
#guard_msgs in
example (x : Int) (h : x = 3) : x < 4 := by omega
end TacticsDoNot7

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (i : LT Int) (a b : Int) (h : a < b) : a ≠ b := by omega

/-! An instance that is the usual one by definition is understood. -/

-- Lean: Definition `InstanceUsualOne.own` of class type is semireducible. Most type class instances should be instance-reducible, so consider marking this
namespace InstanceUsualOne
def own : LE Int := ⟨fun a b => Int.le a b⟩
example (a b : Int) (h : @LE.le Int own a b) : a - b ≤ 0 := by omega
end InstanceUsualOne

/-! `rfl` uses theorems marked for it. -/

-- Lean: `[refl]` attribute only applies to lemmas of the form `x ∼ x`, but this declaration is not: `∀ (n : Nat), n ≤ n + 1`
namespace RflUsesTheorems2
/-- error: `@[refl]` attribute only applies to lemmas proving x ∼ x -/
#guard_msgs in
@[refl] theorem t (n : Nat) : n ≤ n + 1 := Nat.le_succ n
end RflUsesTheorems2

/-! True statements are proved. -/

-- Lean: Unknown constant `Lean.Omega.Fin.ofNat_val_natCast`
example (i : Fin 3) (h : i.val = 2) : i = 2 := by omega

example (i : Fin 2) (h : i ≠ 0) : i = 1 := by omega

example (i : Fin 3) : i = 0 ∨ i = 1 ∨ i = 2 := by omega

example : ((5 : Fin 3) : Nat) = 2 := by omega

/-! What does not hold is refused. -/

-- Lean: Unknown constant `Lean.Omega.Fin.ofNat_val_natCast`
/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example : ((5 : Fin 3) : Nat) = 5 := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (i : Fin 3) : i = 0 ∨ i = 1 := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (h : (0 : Fin 2) = 2) : False := by omega

/-! Another order says nothing about values. -/

-- Lean: (kernel) application type mismatch
namespace AnotherOrderSays
local instance odd : LT (Fin 3) := ⟨fun _ _ => True⟩
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  0 ≤ b ≤ 2
  0 ≤ a ≤ 2
  a - b ≥ 0
where
 a := ↑↑i
 b := ↑↑j
-/
#guard_msgs in
example (i j : Fin 3) (h : i < j) : i.val < j.val := by omega
end AnotherOrderSays
