-- Checked with Lean 4.35.0.

/-! # Functions marked `@[coe]` are shown as `↑`; `↑e` coerces to a type that may be known later -/

set_option linter.unusedVariables false

/-! An arrow proves nothing. -/

example (p q : Prop) (h : p ∧ q) : p := ↑h.1

/--
error: Type mismatch
  h
has type
  p
but is expected to have type
  q
-/
#guard_msgs in
example (p q : Prop) (h : p) : q := ↑h

namespace WithTypes

inductive Flag where | on | off
@[coe] def Flag.toBool : Flag → Bool | .on => true | .off => false
instance : Coe Flag Bool where coe := Flag.toBool

structure Map (α : Type) where
  fn : α → α

@[coe] def Map.app {α : Type} (f : Map α) : α → α := f.fn

/-! The first explicit argument is shown. -/

/--
error: unsolved goals
g : Bool → Nat
b : Flag
⊢ g ↑b = 3
-/
#guard_msgs in
example (g : Bool → Nat) (b : Flag) : g b = 3 := by skip

/--
error: unsolved goals
b : Flag
⊢ (!↑b) = true
-/
#guard_msgs in
example (b : Flag) : (!b) = true := by skip

/--
error: unsolved goals
f : Map Nat
⊢ ↑f 3 = 4
-/
#guard_msgs in
example (f : Map Nat) : f.app 3 = 4 := by skip

end WithTypes
