-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Moves of `conv` to places in a term, its blocks, and attacks on it -/

set_option linter.unusedVariables false

/-! A premise is not forgotten. -/

-- Lean: unsolved goals case a x : Nat
/--
error: Tactic `conv` failed: There are unsolved goals
x : Nat
g : Nat → Nat → Nat
h : ∀ (x : Nat), x ≠ 0 → g x x = 1
hx : x ≠ 0
⊢ x ≠ 0
-/
#guard_msgs in
example (g : Nat → Nat → Nat) (h : ∀ x, x ≠ 0 → g x x = 1) (hx : x ≠ 0) : g x x + x = 1 + x := by
  conv =>
    lhs
    arg 1
    rw [h]
    · skip
    · skip

-- Lean: `case a` in place of `x : Nat`
/--
error: Tactic `conv` failed: There are unsolved goals
x : Nat
g : Nat → Nat → Nat
h : ∀ (x : Nat), x ≠ 0 → g x x = 1
hx : x ≠ 0
⊢ x ≠ 0
-/
#guard_msgs in
example (g : Nat → Nat → Nat) (h : ∀ x, x ≠ 0 → g x x = 1) (hx : x ≠ 0) : g x x + x = 1 + x := by
  conv =>
    lhs
    arg 1
    conv => rw [h]

/--
error: Tactic `apply` failed: could not unify the conclusion of `h`
  ?x ≠ 0 → g ?x ?x = 1
with the goal
  x ≠ 0

Note: The full type of `h` is
  ∀ (x : Nat), x ≠ 0 → g x x = 1

x : Nat
g : Nat → Nat → Nat
h : ∀ (x : Nat), x ≠ 0 → g x x = 1
hx : x ≠ 0
⊢ x ≠ 0
-/
#guard_msgs in
example (g : Nat → Nat → Nat) (h : ∀ x, x ≠ 0 → g x x = 1) (hx : x ≠ 0) : g x x + x = 1 + x := by
  conv =>
    lhs
    arg 1
    rw [h]
    · skip
    · apply h

/-! `conv` below a quantifier renames it. -/

-- Lean: ⊢ ∀ (j : Nat), j = j
/-- trace: ⊢ ∀ (a : Nat), a = a -/
#guard_msgs in
example : ∀ i : Nat, i + 0 = i := by
  conv => ext j; rw [Nat.add_zero]
  trace_state
  intro; rfl

/-! False or unprovable statements are refused. -/

-- Lean: `case a` in place of `f : Nat → Nat`
/--
error: Tactic `conv` failed: There are unsolved goals
f : Nat → Nat
h : ∀ (x : Nat), x = 0 → f x = 0
⊢ 1 = 0
-/
#guard_msgs in
example (f : Nat → Nat) (h : ∀ x, x = 0 → f x = 0) : f 1 = 0 := by conv => lhs; rw [h]

-- Lean: `⊢ p` in place of `| p`
/--
error: Tactic `assumption` failed

p : Prop
| p
-/
#guard_msgs in
example (p : Prop) : p := by conv => rw [eq_true ‹p›]

-- Lean: other numbers of metavariables
/--
error: Type mismatch
  rfl
has type
  ?m.4 = ?m.4
but is expected to have type
  q = True
-/
#guard_msgs in
example (p q : Prop) : p → q := by conv => rhs; rw [show q = True from rfl]
