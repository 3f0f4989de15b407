-- Checked with Lean 4.35.0.

/-! # `omega` over `Nat`: statements that it proves or refuses, and its error messages -/

set_option linter.unusedVariables false

/-! True statements are proved. -/

example (a b : Nat) (h : a < b) : a ≤ b := by omega

example (a b c : Nat) (h : a < b) (h2 : b < c) : a + 1 < c := by omega

example (a b : Nat) (h : a + 1 ≤ b) : a ≠ b := by omega

example (a b : Nat) (h : 2 * a = 2 * b + 1) : False := by omega

example (x y : Nat) (h : 3 * x + 5 * y = 7) : False := by omega

example (x y : Nat) (h : 3 * x + 6 * y = 7) : False := by omega

example (x y z : Nat) (h : 7 * x + 12 * y + 31 * z = 17) (h2 : z ≥ 1) : False := by omega

example (x y : Nat) (h1 : 5 ≤ 7 * x) (h2 : 7 * x ≤ 6) : False := by omega

example (a b : Nat) : a - b ≤ a := by omega

example (a b c : Nat) : a - b - c = a - (b + c) := by omega

example (a b : Nat) (h : b ≤ a) : a - b + b = a := by omega

example (a b : Nat) (h : ¬(a ≤ b ∧ a ≠ b)) : b ≤ a := by omega

example (a b : Nat) (h : ¬(a ≤ b ∨ a = 3)) : b < a := by omega

example (a b : Nat) (h : ¬(a ≤ b → a = 3)) : a ≤ b := by omega

example (a b : Nat) (h : ¬(a < 3 ↔ b < 3)) (h2 : a = 2) : 3 ≤ b := by omega

example (a b : Nat) : a < b ∨ a = b ∨ b < a := by omega

example (a b : Nat) : a ≤ b ↔ a < b + 1 := by omega

example (p : Nat → Nat) (h : p 1 < p 2) : p 1 ≠ p 2 := by omega

example : ∀ n : Nat, n + n = 2 * n := by omega

example (a b : Nat) (h : a ≤ b) : min a b = a := by omega

example (a b : Nat) : max a b = b ∨ max a b = a := by omega

example (x : Nat) (h : ∃ y, x = 2 * y ∧ x = 3) : False := by omega

example (a b : Nat) (h : a * b < 3) : a * b + 1 ≤ 3 := by omega

example (a : Nat) (h : Nat.succ a = 3) : a = 2 := by omega

example (a b : Nat) (h : a = b ∨ a = b + 1) : a - b ≤ 1 := by omega

example (a b : Nat) (p : Prop) (h : a < b) (hp : p) (h2 : b < a) : p ∧ False := by omega

example (a : Nat) (h : 1000000007 * a = 1000000008) : False := by omega

example (a : Nat) : 2 ^ 3 + a = a + 8 := by omega

/-! False statements, and true ones outside linear arithmetic, which Lean's `omega` refuses as well. -/

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
example (a b : Nat) : a - b + b = a := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (a : Nat) : a - 1 < a := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  c ≥ 0
where
 c := ↑b
-/
#guard_msgs in
example (a b : Nat) (h : a - b = 0) : a < b := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  d ≥ 0
  c ≥ 0
  c - d ≥ 0
where
 c := ↑a
 d := ↑b
-/
#guard_msgs in
example (a b : Nat) : a < b := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  d ≥ 0
  c ≥ 0
  c - d ≥ 1
where
 c := ↑a
 d := ↑b
-/
#guard_msgs in
example (a b : Nat) (h : a ≤ b ∨ b ≤ a) : a ≤ b := by omega

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
example (a b : Nat) (h : a ≤ b → False) : a = b := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (p q : Prop) (h : p) : q := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (p : Prop) : p ∨ ¬p := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example : (18446744073709551616 : Nat) = 0 := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≥ 4294967296
where
 a := ↑n
-/
#guard_msgs in
example (n : Nat) : n < 4294967296 := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  b ≥ 2
where
 b := ↑a
-/
#guard_msgs in
example (a : Nat) (h : a ≠ 0) : a = 1 := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  d ≥ 0
  c ≥ 0
  c - d ≥ 1
where
 c := ↑a
 d := ↑b
-/
#guard_msgs in
example (a b : Nat) : min a b = a := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  e ≥ 0
  d ≥ 0
  d - e ≥ 1
  c ≥ 0
where
 c := ↑b
 d := ↑(f b)
 e := ↑(f a)
-/
#guard_msgs in
example (f : Nat → Nat) (a b : Nat) (h : a = b) : f a = f b := by omega

/-! The counterexample is described. -/

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  b ≥ 0
  a ≥ 0
  a - 2*b ≥ -7
  a - b ≤ -1
where
 a := ↑y
 b := ↑x
-/
#guard_msgs in
example (x y : Nat) (h : 2 * x ≤ y + 7) : x ≤ y := by omega

/-! Nothing to work with. -/

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (p : Prop) : p := by omega
