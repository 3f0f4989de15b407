-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `split` on a `match`: variables that stay in the context, hypotheses, equations, splitters -/

set_option linter.unusedVariables false

/-! A hypothesis is split and keeps its name. -/

namespace HypothesisSplitAnd
def first (a b : Nat) : Nat :=
  match a, b with
  | 0, _ => 1
  | _, 0 => 2
  | _, _ => 3

-- Lean: `a b a✝ b✝ : Nat` in place of `a b x✝³ x✝² : Nat`
/--
error: unsolved goals
case h_3
a b x✝³ x✝² : Nat
x✝¹ : a = 0 → False
x✝ : b = 0 → False
h : 3 = 3
⊢ a ≠ 0
-/
#guard_msgs in
example (a b : Nat) (h : first a b = 3) : a ≠ 0 := by
  unfold first at h
  split at h
  · cases h
  · cases h

end HypothesisSplitAnd

/-! Equations assume what `split` gives. -/

-- Lean: cl.eq_3 : ∀ (n : Nat), (n = 7 → False) → (n = 12 → False) → cl n = none
namespace EquationsAssumeSplit
def cl (n : Nat) : Option Nat :=
  match n with
  | 7 => some 1
  | 12 => some 2
  | _ => none
/-- info: cl.eq_3 : ∀ (x : Nat), (x = 7 → False) → (x = 12 → False) → cl x = none -/
#guard_msgs in
#check @cl.eq_3
end EquationsAssumeSplit

-- Lean: first.eq_2 : ∀ (a : Nat), (a = 0 → False) → first a 0 = 2
namespace EquationsAssumeSplit2
def first (a b : Nat) : Nat :=
  match a, b with
  | 0, _ => 1
  | _, 0 => 2
  | _, _ => 3
/-- info: first.eq_2 : ∀ (x : Nat), (x = 0 → False) → first x 0 = 2 -/
#guard_msgs in
#check @first.eq_2
end EquationsAssumeSplit2

/-! `if let` is split. -/

-- Lean: `o✝ : Option Nat` in place of `x✝¹ : Option Nat`
/--
error: unsolved goals
case h_1
x✝¹ : Option Nat
x✝ : Nat
⊢ x✝ + 1 > 0

case h_2
o x✝¹ : Option Nat
x✝ : ∀ (x : Nat), o = some x → False
⊢ 1 > 0
-/
#guard_msgs in
example (o : Option Nat) : (if let some x := o then x + 1 else 1) > 0 := by
  split

/-! A splitter is built once and serves all theorems of a file. -/

-- Lean: Unknown constant `SplitterBuiltOnce.t.splitter_1`
namespace SplitterBuiltOnce
def first (a b : Nat) : Nat :=
  match a, b with
  | 0, _ => 1
  | _, 0 => 2
  | _, _ => 3
theorem t (a b : Nat) : first a b > 0 := by
  unfold first
  split <;> decide
theorem u (a b : Nat) : first b a > 0 := by
  unfold first
  split <;> decide
/-- info: 'SplitterBuiltOnce.u' does not depend on any axioms -/
#guard_msgs in
#print axioms u
/--
info: t.splitter_1 : ∀ (motive : Nat → Nat → Prop) (x x_1 : Nat),
  (∀ (x : Nat), motive 0 x) →
    (∀ (x : Nat), (x = 0 → False) → motive x 0) →
      (∀ (x x_2 : Nat), (x = 0 → False) → (x_2 = 0 → False) → motive x x_2) → motive x x_1
-/
#guard_msgs in
#check @t.splitter_1
/-- error: Unknown constant `SplitterBuiltOnce.u.splitter_1` -/
#guard_msgs in
#check @u.splitter_1
end SplitterBuiltOnce

/-! Messages inside `try` show goals. -/

-- Lean: an empty message in addition
/--
trace: a : Nat
⊢ a = a + 0
-/
#guard_msgs in
example (a : Nat) : a = a + 0 := by
  try (trace_state; exact rfl)
  try (trace_state; assumption)
