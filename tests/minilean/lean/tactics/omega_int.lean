-- Checked with Lean 4.35.0.

/-! # `omega` over `Int` and `Fin`, mixed with `Nat`; instances of the user -/

set_option linter.unusedVariables false

/-! True statements are proved. -/

example (a b c : Int) (h : a < b) (k : b < c) : a + 1 < c := by omega

example (a b : Int) : a - b + b = a := by omega

example (x y : Int) (h : 2 * x + 1 = 2 * y) : False := by omega

example (x y : Int) (h : 3 * x - 5 * y = 1) (h2 : x + y = 3) : x = 2 ∧ y = 1 := by omega

example (n : Nat) (z : Int) (h : z = ↑n) : z ≥ 0 := by omega

example (n m : Nat) (h : (n : Int) = m) : n = m := by omega

example (n m : Nat) (h : m ≤ n) : ((n - m : Nat) : Int) = n - m := by omega

example (x : Int) : x / 2 * 2 + x % 2 = x := by omega

example (x : Int) (h : x % 2 = 1) : x ≠ 4 := by omega

example (x : Int) : x / (-2) = -(x / 2) := by omega

example (x : Int) : x / 0 = 0 := by omega

example (x : Int) (h : 2 ∣ x) (k : ¬ 2 ∣ x) : False := by omega

example (x : Int) (h : 6 ∣ x) : 3 ∣ x := by omega

example (x : Nat) (h : 6 ∣ x) : 3 ∣ x := by omega

example (x : Nat) (h : ¬ 2 ∣ x) : x % 2 = 1 := by omega

example (x : Int) : (x.toNat : Int) ≥ x := by omega

example (x : Int) : x.natAbs = 0 ↔ x = 0 := by omega

example (x y : Int) : min x y ≤ x ∧ max x y ≥ y := by omega

example (x y : Int) (h : ¬ (x ≤ y ∨ x = 3)) : y < x := by omega

example (x y : Nat) (h : (x : Int) * y < 3) : x * y ≤ 2 := by omega

example (x : Int) : x * -3 = -(3 * x) := by omega

example (x : Nat) : ((x / 2 : Nat) : Int) = (x : Int) / 2 := by omega

example (x : Nat) : ((x % 2 : Nat) : Int) = (x : Int) % 2 := by omega

example : (-7 : Int) / 2 = -4 := by omega

example (x : Int) (h : (if x < 3 then 1 else 2) = (1 : Int)) : x < 3 := by omega

example (n : Nat) : Int.negSucc n < 0 := by omega

example (x : Int) (h : ∃ y, x = 2 * y ∧ x = 3) : False := by omega

example (f : Int → Int) (h : f 1 < f 2) : f 1 ≠ f 2 := by omega

example (x : Int) (h : 1000000007 * x = -1000000008) : False := by omega

example (x : Int) : (0 : Int) ≤ 10 ^ 30 + x - x := by omega

/-! False statements, and true ones outside linear arithmetic, which Lean's `omega` refuses as well. -/

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  c ≤ -1
where
 c := b
-/
#guard_msgs in
example (a b : Int) : a - b ≤ a := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≤ -1
where
 a := x
-/
#guard_msgs in
example (x : Int) : x ≥ 0 := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≤ -1
where
 a := x
-/
#guard_msgs in
example (x : Int) : (x.toNat : Int) = x := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≤ -1
where
 a := x
-/
#guard_msgs in
example (x : Int) : (x.natAbs : Int) = x := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (x : Int) : x / 2 * 2 = x := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≥ 0
where
 a := x % -2
-/
#guard_msgs in
example (x : Int) : x % -2 < 0 := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≥ 1
where
 a := x
-/
#guard_msgs in
example (x : Int) : x / 0 = x := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a - b ≥ 1
where
 a := y * x
 b := x * y
-/
#guard_msgs in
example (x y : Int) : x * y = y * x := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  b ≥ 0
  a ≥ 0
  a - b ≤ -1
where
 a := ↑n
 b := ↑m
-/
#guard_msgs in
example (n m : Nat) : ((n - m : Nat) : Int) = n - m := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (x : Int) (h : 3 ∣ x) : 6 ∣ x := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a - b ≥ 1
where
 a := x / y * y
 b := x
-/
#guard_msgs in
example (x y : Int) : x / y * y ≤ x := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a - b ≥ 1
where
 a := z
 b := Int.ofNat z.toNat
-/
#guard_msgs in
example (z : Int) : Int.ofNat z.toNat = z := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (x : Int) (h : x < 1 + 10 ^ 40) : x < 10 ^ 40 := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example : (-1 : Int) = 1 := by omega

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example : (-7 : Int) / 2 = -3 := by omega

/-! The counterexample shows integers and casts. -/

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≥ 0
  a - 2*b ≥ -7
  a - b ≤ -1
where
 a := ↑n
 b := z
-/
#guard_msgs in
example (n : Nat) (z : Int) (h : 2 * z ≤ n + 7) : z ≤ n := by omega

/-! The tactic itself refuses; it does not find a proof that the kernel then refuses. -/

namespace TacticsDoNot8
local instance own : LE Nat := ⟨fun _ _ => False⟩
/--
error: Tactic `rfl` failed: No `[refl]` lemma registered for relation
  LE.le

Hint: Add the `[refl]` attribute to reflexivity lemmas for `LE.le` to use this tactic

n : Nat
⊢ n ≤ n
-/
#guard_msgs in
example (n : Nat) : n ≤ n := by rfl
end TacticsDoNot8

/--
error: Tactic `rfl` failed: No `[refl]` lemma registered for relation
  LE.le

Hint: Add the `[refl]` attribute to reflexivity lemmas for `LE.le` to use this tactic

i : LE Nat
n : Nat
⊢ n ≤ n
-/
#guard_msgs in
example (i : LE Nat) (n : Nat) : n ≤ n := by rfl

/-! `rfl` uses theorems marked for it. -/

namespace RflUsesTheorems
inductive R : Nat → Nat → Prop
  | mk (n : Nat) : R n n
@[refl] theorem R.same (n : Nat) : R n n := .mk n

example : R 3 (1 + 2) := by rfl

/--
error: Tactic `rfl` failed: The left-hand side
  3
is not definitionally equal to the right-hand side
  4

⊢ R 3 4
-/
#guard_msgs in
example : R 3 4 := by rfl

end RflUsesTheorems

/-! True statements are proved. -/

example (i : Fin 3) : i.val < 5 := by omega

example (i : Fin n) (h : n ≤ 4) : i.val ≠ 4 := by omega

example (i : Fin (n + 1)) : (i : Nat) ≤ n := by omega

example (i j : Fin 3) (h : i < j) : i.val + 1 ≤ j := by omega

example (i j : Fin n) (h : i ≤ j) (h' : ¬i < j) : i = j := by omega

example (i j k : Fin n) (h : i < j) (h' : j < k) : i < k := by omega

/-! What does not hold is refused. -/

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  3 ≤ a ≤ 4
where
 a := ↑↑i
-/
#guard_msgs in
example (i : Fin 5) : i.val < 3 := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  a ≥ 1
where
 a := ↑n
-/
#guard_msgs in
example (i : Fin n) : n < 1 := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  0 ≤ a ≤ 1
where
 a := ↑↑i
-/
#guard_msgs in
example (i : Fin 3) : i.val = 2 := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  0 ≤ a ≤ 2
where
 a := ↑↑i
-/
#guard_msgs in
example (i j : Fin 3) (h : i ≤ j) : i < j := by omega

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  c ≥ 0
  b ≥ 0
  b - c ≤ -1
  a ≥ 0
  a - b ≥ 1
  a - c ≤ -1
where
 a := ↑↑j
 b := ↑↑i
 c := ↑n
-/
#guard_msgs in
example (i j : Fin n) : i = j := by omega
