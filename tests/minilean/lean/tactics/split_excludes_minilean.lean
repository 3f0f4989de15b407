-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `split` on overlapping alternatives: each goal excludes the earlier ones, and nothing else -/

set_option linter.unusedVariables false

/-! Overlapping alternatives exclude earlier ones. -/

-- Lean: `b a✝ b✝ : Nat` in place of `b x✝¹ x✝ : Nat`
namespace OverlappingAlternativesExclude
def first (a b : Nat) : Nat :=
  match a, b with
  | 0, _ => 1
  | _, 0 => 2
  | _, _ => 3
/--
error: unsolved goals
case h_1
b x✝¹ x✝ : Nat
⊢ 1 > 0

case h_2
a x✝² x✝¹ : Nat
x✝ : a = 0 → False
⊢ 2 > 0

case h_3
a b x✝³ x✝² : Nat
x✝¹ : a = 0 → False
x✝ : b = 0 → False
⊢ 3 > 0
-/
#guard_msgs in
example (a b : Nat) : first a b > 0 := by
  unfold first
  split
end OverlappingAlternativesExclude

/-! Hypotheses that cannot hold do not decide what computes. -/

namespace HypothesesCannotHold
def f (x y z : Nat) : Nat :=
  match x, y, z with
  | 5, _, _ => y
  | _, 5, _ => y
  | _, _, 5 => y
  | _, _, _ => 1

-- Lean: `x✝³ y✝ z✝ : Nat` in place of `x✝⁵ x✝⁴ x✝³ : Nat`
/--
error: Tactic `rfl` failed: The left-hand side
  1
is not definitionally equal to the right-hand side
  2

case h_4
x y z : Nat
a✝² : x ≠ 5
a✝¹ : y ≠ 5
a✝ : z ≠ 5
x✝⁵ x✝⁴ x✝³ : Nat
x✝² : x = 5 → False
x✝¹ : y = 5 → False
x✝ : z = 5 → False
⊢ 1 = 2
-/
#guard_msgs in
example (x y z : Nat) : x ≠ 5 → y ≠ 5 → z ≠ 5 → f x y z = 2 := by
  intros
  simp [f]
  split
  . contradiction
  . contradiction
  . contradiction
  . rfl

end HypothesesCannotHold

/-! Exclusions are simplified. -/

-- Lean: `m n✝ m✝ : Nat` in place of `m x✝¹ x✝ : Nat`
namespace ExclusionsSimplified
def f (n m : Nat) : Nat :=
  match n, m with
  | 0, k => k
  | k + 1, 1 => k
  | k + 1, l => k + l
/--
error: unsolved goals
case h_1
m x✝¹ x✝ : Nat
⊢ m ≥ 0

case h_2
x✝¹ x✝ k✝ : Nat
⊢ k✝ ≥ 0

case h_3
m x✝² x✝¹ k✝ : Nat
x✝ : m = 1 → False
⊢ k✝ + m ≥ 0
-/
#guard_msgs in
example (n m : Nat) : f n m ≥ 0 := by
  unfold f
  split
end ExclusionsSimplified

/-! Exclusions prove nothing else. -/

namespace ExclusionsProveNothing
def first (a b : Nat) : Nat :=
  match a, b with
  | 0, _ => 1
  | _, 0 => 2
  | _, _ => 3

-- Lean: `a b a✝ b✝ : Nat` in place of `a b x✝³ x✝² : Nat`
/--
error: Tactic `assumption` failed

a b x✝³ x✝² : Nat
x✝¹ : a = 0 → False
x✝ : b = 0 → False
⊢ 0 = 0 → False
-/
#guard_msgs in
example (a b : Nat) : first a b = 4 := by
  unfold first
  split
  case h_3 => exact absurd rfl ‹_ = 0 → False›

/--
error: Tactic `contradiction` failed

a b x✝³ x✝² : Nat
x✝¹ : a = 0 → False
x✝ : b = 0 → False
⊢ 3 = 4
-/
#guard_msgs in
example (a b : Nat) : first a b = 4 := by
  unfold first
  split
  case h_3 => contradiction

/--
error: unsolved goals
a b x✝³ x✝² : Nat
x✝¹ : ¬a = 0
x✝ : ¬b = 0
⊢ False
-/
#guard_msgs in
example (a b : Nat) : first a b = 4 := by
  unfold first
  split
  case h_3 => simp_all

-- Lean: `?m.76 = ?m.76` in place of `?m.98 = ?m.98`
/--
error: Application type mismatch: The argument
  rfl
has type
  ?m.98 = ?m.98
but is expected to have type
  a = 0
in the application
  h₁ rfl
-/
#guard_msgs in
example (a b : Nat) : first a b = 4 := by
  unfold first
  split
  case h_3 => rename_i x h₁ h₂; exact (h₁ rfl).elim

/--
error: Application type mismatch: The argument
  rfl
has type
  ?m.98 = ?m.98
but is expected to have type
  b = 0
in the application
  h₂ rfl
-/
#guard_msgs in
example (a b : Nat) : first a b = 4 := by
  unfold first
  split
  case h_3 => rename_i x h₁ h₂; exact (h₂ rfl).elim

end ExclusionsProveNothing

/-! Every pattern of three may be denied. -/

namespace HypothesisDeniesPattern
def f (x y z : Nat) : Nat :=
  match x, y, z with
  | 5, _, _ => y
  | _, 5, _ => y
  | _, _, 5 => y
  | _, _, _ => 1

-- Lean: `x✝³ y✝ z✝ : Nat` in place of `x✝⁵ x✝⁴ x✝³ : Nat`
/--
error: unsolved goals
case h_4
w x y z : Nat
a✝³ : x ≠ 5
a✝² : y ≠ 5
a✝¹ : z ≠ 5
a✝ : z = w
x✝⁵ x✝⁴ x✝³ : Nat
x✝² : x = 5 → False
x✝¹ : y = 5 → False
x✝ : w = 5 → False
⊢ 1 = 1
-/
#guard_msgs in
example (x y z : Nat) : x ≠ 5 → y ≠ 5 → z ≠ 5 → z = w → f x y w = 1 := by
  intros
  simp [f]
  split
  · contradiction
  · contradiction
  · contradiction

end HypothesisDeniesPattern

/-! The last alternative applies to any term. -/

-- Lean: `a b✝¹ x✝ b✝ : Nat` in place of `a x✝² x✝¹ x✝ : Nat`
/--
error: unsolved goals
case h_1
f : Nat → Nat
q : Nat → Prop
a x✝² x✝¹ x✝ : Nat
heq✝ : f a = 0
⊢ q x✝²

case h_2
f : Nat → Nat
q : Nat → Prop
a x✝² x✝¹ : Nat
x✝ : f a = 0 → False
⊢ q (f a + 5)

case h_3
f : Nat → Nat
q : Nat → Prop
a x✝⁴ x✝³ x✝² : Nat
x✝¹ : x✝⁴ = 3 → False
x✝ : f a = 0 → False
⊢ q (f a + x✝⁴)
-/
#guard_msgs in
example (f : Nat → Nat) (q : Nat → Prop) (a b : Nat) : q (match f a, b with | 0, k => k | n, 3 => n + 5 | n, k => n + k) := by
  split

/-! The value of the last alternative needs the hypotheses that exclude the others. -/

-- Lean: `Eq.symm (Nat.zero_add ?m.154)` in place of `Eq.symm (Nat.zero_add ?m.217)`
/--
error: Type mismatch
  Eq.symm (Nat.zero_add ?m.217)
has type
  ?m.217 = 0 + ?m.217
but is expected to have type
  x✝² = f a + x✝²
---
error: Tactic `rfl` failed: The left-hand side
  f a + 5
is not definitionally equal to the right-hand side
  f a + 3

case h_2
f : Nat → Nat
q : Nat → Prop
a x✝² x✝¹ : Nat
x✝ : f a = 0 → False
⊢ f a + 5 = f a + 3
-/
#guard_msgs in
example (f : Nat → Nat) (q : Nat → Prop) (a b : Nat) : (match f a, b with | 0, k => k | n, 3 => n + 5 | n, k => n + k) = f a + b := by
  split
  · exact Nat.zero_add _ |>.symm
  · rfl
  · rfl

/--
error: Type mismatch
  Eq.symm (Nat.zero_add ?m.217)
has type
  ?m.217 = 0 + ?m.217
but is expected to have type
  x✝² = f a + x✝²
---
error: unsolved goals
case h_2
f : Nat → Nat
q : Nat → Prop
a x✝² x✝¹ : Nat
x✝ : f a = 0 → False
⊢ False
-/
#guard_msgs in
example (f : Nat → Nat) (q : Nat → Prop) (a b : Nat) : (match f a, b with | 0, k => k | n, 3 => n + 5 | n, k => n + k) = f a + b := by
  split
  · exact Nat.zero_add _ |>.symm
  · simp
  · rfl

/--
error: Type mismatch
  Eq.symm (Nat.zero_add ?m.217)
has type
  ?m.217 = 0 + ?m.217
but is expected to have type
  x✝² = f a + x✝²
---
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  b ≥ 1
where
 b := ↑(f a)
-/
#guard_msgs in
example (f : Nat → Nat) (q : Nat → Prop) (a b : Nat) : (match f a, b with | 0, k => k | n, 3 => n + 5 | n, k => n + k) = f a + b := by
  split
  · exact Nat.zero_add _ |>.symm
  · omega
  · rfl

/--
error: Type mismatch
  Eq.symm (Nat.zero_add ?m.217)
has type
  ?m.217 = 0 + ?m.217
but is expected to have type
  x✝² = f a + x✝²
---
error: Tactic `assumption` failed

f : Nat → Nat
q : Nat → Prop
a x✝² x✝¹ : Nat
x✝ : f a = 0 → False
⊢ ¬?m.221 = ?m.221
-/
#guard_msgs in
example (f : Nat → Nat) (q : Nat → Prop) (a b : Nat) : (match f a, b with | 0, k => k | n, 3 => n + 5 | n, k => n + k) = f a + b := by
  split
  · exact Nat.zero_add _ |>.symm
  · exact absurd rfl ‹_›
  · rfl

/--
error: Type mismatch
  Eq.symm (Nat.zero_add ?m.217)
has type
  ?m.217 = 0 + ?m.217
but is expected to have type
  x✝² = f a + x✝²
---
error: unsolved goals
case h_2
f : Nat → Nat
q : Nat → Prop
a x✝² x✝¹ : Nat
x✝ : ¬f a = 0
⊢ False
-/
#guard_msgs in
example (f : Nat → Nat) (q : Nat → Prop) (a b : Nat) : (match f a, b with | 0, k => k | n, 3 => n + 5 | n, k => n + k) = f a + b := by
  split
  · exact Nat.zero_add _ |>.symm
  · simp_all
  · rfl
