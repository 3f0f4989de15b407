-- Checked with Lean 4.35.0.

/-! # Attacks on single tactics: no example here may be accepted -/

set_option linter.unusedVariables false

/-! False or unprovable statements are refused. -/

-- exact?: nothing to find
/-- error: `exact?` could not close the goal. Try `apply?` to see partial suggestions. -/
#guard_msgs in
example : False := by exact?

/-- error: `exact?` could not close the goal. Try `apply?` to see partial suggestions. -/
#guard_msgs in
example (p q : Prop) (h : p ∨ q) : p := by exact?

/-- error: `exact?` could not close the goal. Try `apply?` to see partial suggestions. -/
#guard_msgs in
example (p : Nat → Prop) (h : ∃ x, p x) : p 0 := by exact?

/-- error: `exact?` could not close the goal. Try `apply?` to see partial suggestions. -/
#guard_msgs in
example (a b : Nat) (h : a ≤ b) : a < b := by exact?

-- generalize: the value of the term is lost
/--
error: Type mismatch
  h
has type
  x = 3
but is expected to have type
  x = 4
-/
#guard_msgs in
example (a b : Nat) (h : a + b = 3) : a + b = 4 := by
  generalize a + b = x at h ⊢
  exact h

/--
error: Tactic `assumption` failed

n : Nat
h : n = 0
m : Nat
⊢ m = 2
-/
#guard_msgs in
example (n : Nat) (h : n = 0) : n + 1 = 2 := by
  generalize n + 1 = m
  assumption

/--
error: Type mismatch
  h
has type
  p k
but is expected to have type
  p x✝
-/
#guard_msgs in
example (p : Nat → Prop) (n : Nat) (h : p n) : ∀ m, p m := by
  generalize n = k at h
  exact fun _ => h

-- injection, congr, funext, ext
/--
error: Tactic `injection` failed: equality of constructor applications expected

f : Nat → Nat
a b : Nat
h : f a = f b
⊢ a = b
-/
#guard_msgs in
example (f : Nat → Nat) (a b : Nat) (h : f a = f b) : a = b := by injection h

/--
error: unsolved goals
a b : Nat
n_eq✝ : a = b + 1
⊢ a = b
-/
#guard_msgs in
example (a b : Nat) (h : a + 1 = b + 2) : a = b := by injection h

/--
error: Type mismatch
  h
has type
  f 0 = g 0
but is expected to have type
  f x = g x
-/
#guard_msgs in
example (f g : Nat → Nat) (h : f 0 = g 0) : f = g := by
  funext x
  exact h

/--
error: unsolved goals
f : Nat → Nat
a b : Nat
⊢ a = b
-/
#guard_msgs in
example (f : Nat → Nat) (a b : Nat) : f a = f b := by congr

/--
error: Tactic `assumption` failed

case mpr
p q : Prop
h : p → q
⊢ q → p
-/
#guard_msgs in
example (p q : Prop) (h : p → q) : p = q := by
  ext
  constructor
  exact h
  assumption

-- split, cases, induction
/--
error: Tactic `rfl` failed: The left-hand side
  b
is not definitionally equal to the right-hand side
  a

case isFalse
a b : Nat
h✝ : ¬a < b
⊢ b = a
-/
#guard_msgs in
example (a b : Nat) : (if a < b then a else b) = a := by
  split
  rfl
  rfl

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
example (a b : Nat) : (if a < b then a else b) < b := by split <;> omega

/--
error: Tactic `assumption` failed

n k : Nat
⊢ k + 1 = 0
-/
#guard_msgs in
example (n : Nat) : n = 0 := by match n with | 0 => rfl | k + 1 => assumption

/--
error: Type mismatch
  h
has type
  n = k + 1
but is expected to have type
  k + 1 = 0
-/
#guard_msgs in
example (n : Nat) : n = 0 := by
  rcases h : n with _ | k
  rfl
  exact h

/--
error: Type mismatch
  h2
has type
  p
but is expected to have type
  q
-/
#guard_msgs in
example (p q : Prop) (h : p) : q := by
  rename p => h2
  exact h2
