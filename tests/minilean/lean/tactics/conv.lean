-- Checked with Lean 4.35.0.

/-! # Moves of `conv` to places in a term, its blocks, and attacks on it -/

set_option linter.unusedVariables false

/-! A nested `conv` comes back. -/

/--
trace: x y z : Nat
| x + (z + y)
-/
#guard_msgs in
example (x y z : Nat) : x + (y + z) = z + x + y := by
  conv =>
    lhs
    conv =>
      arg 2
      rw [Nat.add_comm]
    trace_state
    rw [← Nat.add_assoc]
    arg 1
    rw [Nat.add_comm]

/-! A premise is proved in place. -/

example (g : Nat → Nat → Nat) (h : ∀ x, x ≠ 0 → g x x = 1) (hx : x ≠ 0) : g x x + x = 1 + x := by
  conv =>
    lhs
    arg 1
    rw [h]
    · skip
    · apply hx

example (g : Nat → Nat → Nat) (h : ∀ x, x ≠ 0 → g x x = 1) (hx : x ≠ 0) : g x x + x = 1 + x := by
  conv =>
    lhs
    arg 1
    rw [h]
    · skip
    · tactic => exact hx

/-! Accepted. -/

example (a b : Nat) (h : b = a) : a + b = a + a := by conv => enter [-2, -1]; rw [h]

example (a : α) (as : List α) : (a :: a :: as).length = as.length + 2 := by
  conv => lhs; rw [List.length, List.length]

example (f : Nat → Nat) (h : ∀ x, f x = 0) : f 1 + f 2 = 0 := by
  conv => lhs; conv => lhs; rw [h]
  rw [h]

/-! Refused. -/

/-- error: invalid `arg` tactic, application has 1 explicit argument(s) but the index is out of bounds -/
#guard_msgs in
example : @id Nat 1 = 1 := by conv => enter [1, 2]

/-- error: invalid `arg` tactic, application has 2 argument(s) but the index is out of bounds -/
#guard_msgs in
example : @id Nat 1 = 1 := by conv => enter [1, @6]

/-- error: invalid `arg` tactic, application has 2 argument(s) but the index is out of bounds -/
#guard_msgs in
example : @id Nat 1 = 1 := by conv => enter [1, @-3]

/-! `conv` stays at its place and names what a pattern passes. -/

/--
trace: x : Nat
| id x
---
trace: x : Nat
| id (id x)
-/
#guard_msgs in
example : (fun x : Nat => id (id x)) = id := by
  conv in id (id _) =>
    conv => arg 1; trace_state
    trace_state
  rfl

/-! False or unprovable statements are refused. -/

/--
error: 'change' tactic failed, pattern
  b < a
is not definitionally equal to target
  a < b
-/
#guard_msgs in
example (a b : Nat) (h : a < b) : b < a := by conv at h => change b < a

/--
error: 'change' tactic failed, pattern
  a
is not definitionally equal to target
  a + b
-/
#guard_msgs in
example (a b : Nat) : a + b = a := by conv => lhs; change a

/--
error: Tactic `conv` failed: There are unsolved goals
a b : Nat
h : a ≠ 0 → a = b
⊢ a ≠ 0
-/
#guard_msgs in
example (a b : Nat) (h : a ≠ 0 → a = b) : a = b := by conv => lhs; rw [h]

/--
error: 'change' tactic failed, pattern
  f 0
is not definitionally equal to target
  f x
-/
#guard_msgs in
example (f : Nat → Nat) : (fun x => f x) = fun _ => f 0 := by conv => lhs; ext x; change f 0
