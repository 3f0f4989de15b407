-- Checked with Lean 4.35.0.

/-! Induction on a variable whose index is a parameter too: no motive fits. -/

/--
error: Type mismatch when assigning motive
  fun f h => f x = f x
has type
  (f : Nat → Nat) → f = f → Prop
but is expected to have type
  (a : Nat → Nat) → f = a → Prop
-/
#guard_msgs in
example (f : Nat → Nat) (h : f = f) (x : Nat) : f x = f x := by
  induction h
  rfl

/--
error: Type mismatch when assigning motive
  fun f x_1 => ∀ (h : f = f), h = ⋯ → h = x_1 → f x = f x
has type
  (f : Nat → Nat) → f = f → Prop
but is expected to have type
  (a : Nat → Nat) → f = a → Prop
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f = g) (x : Nat) : f x = g x := by
  induction e : h
  induction e : h
  simp [e] at *

-- `cases` makes equations of the indices
example (f g : Nat → Nat) (h : f = g) (x : Nat) : f x = g x := by
  induction e : h
  cases e
  rfl
