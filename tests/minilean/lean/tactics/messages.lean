-- Checked with Lean 4.35.0.

/-! # Goals and messages of single steps -/

set_option linter.unusedVariables false

/-! Refused. -/

/--
error: Symmetry lemmas only apply to binary relations, not
  p → q
-/
#guard_msgs in
example (p q : Prop) : p → q := by symm

/--
error: No applicable symmetry lemma found for
  r 0 1

Note: Additional symmetry lemmas can be registered using the `[symm]` attribute
-/
#guard_msgs in
example (r : Nat → Nat → Prop) : r 0 1 := by symm

/--
error: This extensionality tactic only applies to equalities, not
  f = g → False
-/
#guard_msgs in
example (f g : Nat → Nat) : f ≠ g := by ext

/--
error: This extensionality tactic only applies to equalities, not
  a.succ.le b
-/
#guard_msgs in
example (a b : Nat) : a < b := by ext

/-- error: Insufficient number of fields for `⟨...⟩` constructor: Constructor `Eq.refl` does not have explicit fields, but 2 were provided -/
#guard_msgs in
example (a b : Nat) : a = b := by exists a

/-- error: Insufficient number of fields for `⟨...⟩` constructor: Constructor `Eq.refl` does not have explicit fields, but 1 was provided -/
#guard_msgs in
example (a b : Nat) : a = b := by exact ⟨a⟩

/-- error: Insufficient number of fields for `⟨...⟩` constructor: Constructor `And.intro` has 2 explicit field, but none were provided -/
#guard_msgs in
example (p q : Prop) : p ∧ q := by exact ⟨⟩

/-- error: simp_all made no progress -/
#guard_msgs in
example (p q : Prop) : p → q := by simp_all

/--
error: Invalid projection: Projection operates on types of the form `C ...` where C is a constant. The expression
  h
has type `p` which does not have the necessary form.
-/
#guard_msgs in
example (p q : Prop) (h : p) : q := by exact h.1

/--
error: Invalid projection: Projections cannot be used on functions, and
  h
has function type `p → q`
-/
#guard_msgs in
example (p q : Prop) (h : p → q) : q := by exact h.1

/--
error: Invalid projection: Projections extract constructor fields for one-constructor inductive types. The expression
  n
has type `Nat` which is not a one-constructor inductive type.
-/
#guard_msgs in
example (n : Nat) : False := by exact n.1

/--
error: Function expected at
  h
but this term has type
  p

Note: Expected a function because this term is being applied to the argument
  (x + y)
-/
#guard_msgs in
example (p q : Prop) (h : p) : q := by exact h (x + y)

/-! Of equal arguments the last one is called so. -/

/--
error: Application type mismatch: The last
  h
argument has type
  a = b
but is expected to have type
  ¬a = b
in the application
  absurd h h
-/
#guard_msgs in
example (a b : Nat) (h : a = b) : a = b := by exact absurd h h

/-! The expected type is not used before the object of a method. -/

/--
error: Application type mismatch: The argument
  h
has type
  a = b
but is expected to have type
  c = ?m.8
in the application
  Eq.trans k h
-/
#guard_msgs in
example (a b c : Nat) (h : a = b) (k : b = c) : a = c := by exact k.trans h

/--
error: Application type mismatch: The argument
  k
has type
  b = c
but is expected to have type
  a = ?m.7
in the application
  Eq.trans k
-/
#guard_msgs in
example (a b c : Nat) (h : a = b) (k : b = c) : a = c := by exact Eq.trans k h

/-- error: Unknown identifier `h1` -/
#guard_msgs in
example (a b c : Nat) (k : b = c) : a = c := by exact k.trans h1

/-! A calculation that proves something else. -/

/--
error: 'calc' expression has type
  a = b
but is expected to have type
  False
-/
#guard_msgs in
example (a b : Nat) (h : a = b) : False := by calc _ = _ := h

/--
error: 'calc' expression has type
  a = b
but is expected to have type
  False
-/
#guard_msgs in
example (a b : Nat) (h : a = b) : False := by exact calc a = b := h

/--
error: invalid 'calc' step, left-hand side is
  a : Nat
but is expected to be
  b : Nat
---
error: invalid 'calc' step, right-hand side is
  b : Nat
but is expected to be
  a : Nat
-/
#guard_msgs in
example (a b : Nat) (h : a = b) : b = a := by calc a = b := h

/-! An equation that `cases` cannot solve. -/

/--
error: Dependent elimination failed: Failed to solve equation
  g 1 = f 0
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 = g 1) : False := by cases h

/--
error: Tactic `cases` failed with a nested error:
Dependent elimination failed: Failed to solve equation
  g 1 = f 0
at case `Eq.refl`
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 = g 1) : False := by rcases h with _ | _

/--
error: Dependent elimination failed: Failed to solve equation
  g 0 = f 0
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 + 1 = g 0 + 1) : False := by cases h

/--
error: Tactic `cases` failed with a nested error:
Dependent elimination failed: Failed to solve equation
  g 0 = f 0
at case `Eq.refl`
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 + 1 = g 0 + 1) : False := by rcases h with _ | _

/--
error: Dependent elimination failed: Failed to solve equation
  5 = f 0
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 = 2 + 3) : False := by cases h

/--
error: Tactic `cases` failed with a nested error:
Dependent elimination failed: Failed to solve equation
  5 = f 0
at case `Eq.refl`
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 = 2 + 3) : False := by rcases h with _ | _

/--
error: Dependent elimination failed: Failed to solve equation
  ((g 0).add 0).succ = f 0
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 = g 0 + 1) : False := by cases h

/--
error: Tactic `cases` failed with a nested error:
Dependent elimination failed: Failed to solve equation
  ((g 0).add 0).succ = f 0
at case `Eq.refl`
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 = g 0 + 1) : False := by rcases h with _ | _

/--
error: Dependent elimination failed: Failed to solve equation
  g 1 = f 0
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 ≤ g 1) : False := by cases h

/--
error: Tactic `cases` failed with a nested error:
Dependent elimination failed: Failed to solve equation
  g 1 = f 0
at case `Nat.le.refl`
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 ≤ g 1) : False := by rcases h with _ | _
