-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `omega` over `Nat`: statements that it proves or refuses, and its error messages -/

set_option linter.unusedVariables false

/-! True statements are proved. -/

-- Lean: omega could not prove the goal:
example (a b : Nat) (h : (if a < b then a else b) = 5) (h2 : 5 < b) : a ≤ 5 := by omega

/-! False statements, and true ones outside linear arithmetic, which Lean's `omega` refuses as well. -/

-- Lean: `d ≥ 0` in place of `where`
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  f ≥ 0
  e ≥ 0
  e - f ≤ -1
  d ≥ 0
  d - e + f ≥ 0
where
 d := ↑(a + c - b)
 e := ↑a
 f := ↑b
-/
#guard_msgs in
example (a b c : Nat) : a - b + c = a + c - b := by omega

-- Lean: `c ≥ 0` in place of `c - d ≥ 1`
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  d ≥ 0
  c ≥ 0
  c - d ≥ 1
  2*c - d ≥ 0
where
 c := ↑a
 d := ↑b
-/
#guard_msgs in
example (a b : Nat) : a - (b - a) = a + a - b := by omega

-- Lean: `c := ↑a * ↑b` in place of `c := ↑(a * b)`
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  d ≥ 3
  0 ≤ c ≤ 2
where
 c := ↑(a * b)
 d := ↑a
-/
#guard_msgs in
example (a b : Nat) (h : a * b < 3) : a < 3 := by omega

-- Lean: `c := ↑b * ↑a` in place of `c := ↑(b * a)`
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  d ≥ 0
  c ≥ 0
  c - d ≥ 1
where
 c := ↑(b * a)
 d := ↑(a * b)
-/
#guard_msgs in
example (a b : Nat) : a * b = b * a := by omega

-- Lean: `c := Lean.Omega.bmod_div_term 3 [2, -3] (Lean.Omega.Coeffs.ofList [↑a, ↑b])` in place of `c := ↑(1 * a + 0)`
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  c ≥ 1
where
 c := ↑(1 * a + 0)
-/
#guard_msgs in
example (a b : Nat) (h : 2 * a = 3 * b) : a = 0 := by omega

/-! An instance of one's own is not taken for the usual one. -/

-- Lean: Definition `InstanceOnesOwn.odd` of class type is semireducible. Most type class instances should be instance-reducible, so consider marking this; (kernel) application type mismatch
namespace InstanceOnesOwn
def odd : LE Nat := ⟨fun _ _ => True⟩
/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  d ≥ 0
  c ≥ 0
  c - d ≥ 1
where
 c := ↑b
 d := ↑a
-/
#guard_msgs in
example (a b : Nat) (h : @LE.le Nat odd b a) : b ≤ a := by omega
end InstanceOnesOwn
