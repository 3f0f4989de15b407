-- Checked with Lean 4.35.0.

/-! # Arguments of `simp`, names of holes, and the first tactic that closes a goal -/

set_option linter.unusedVariables false

/-! Arguments that `simp` refuses. -/

/-- error: Unknown constant `h` -/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [-h, *]

/-! Arguments that change nothing. -/

/--
error: unsolved goals
a b : Nat
h : a + 0 = b
⊢ a = b
-/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) : a + 0 = b := by simp [*, -h]

/-! Reverted binders keep their kind. -/

/--
error: unsolved goals
⊢ ∀ {α : Type} [i : Inhabited α] ⦃a : α⦄, a = a
-/
#guard_msgs in
example : ∀ {α : Type} [Inhabited α] ⦃a : α⦄, a = a := by
  intro α i a
  revert α

/--
error: unsolved goals
case zero
p : Nat → Nat → Prop
m : Nat
⊢ p 0 m

case succ
p : Nat → Nat → Prop
n✝ : Nat
a✝ : ∀ {m : Nat}, p n✝ m
m : Nat
⊢ p (n✝ + 1) m
-/
#guard_msgs in
example (n : Nat) {m : Nat} (p : Nat → Nat → Prop) : p n m := by induction n generalizing m

/-! The holes of a value come behind the goal. -/

/--
error: unsolved goals
case refine_2
a b : Nat
p : Nat → Prop
h : a = b
⊢ p a

case refine_1
a b : Nat
p : Nat → Prop
⊢ a = b
-/
#guard_msgs in
example (a b : Nat) (p : Nat → Prop) : p a := by have h : a = b := ?_

/--
error: unsolved goals
a b : Nat
p : Nat → Prop
x : Nat := ?y
⊢ p a

case y
a b : Nat
p : Nat → Prop
⊢ Nat
-/
#guard_msgs in
example (a b : Nat) (p : Nat → Prop) : p a := by let x : Nat := ?y

/--
error: unsolved goals
case refine_2
a b : Nat
p : Nat → Prop
h : a = b
⊢ p a

case refine_1
a b : Nat
p : Nat → Prop
⊢ a = b
-/
#guard_msgs in
example (a b : Nat) (p : Nat → Prop) : p a := by suffices h : a = b from ?_

/--
error: unsolved goals
case refine_2
a b : Nat
p : Nat → Prop
x : Nat
h : x = b
⊢ p a

case refine_1
a b : Nat
p : Nat → Prop
⊢ b = b
-/
#guard_msgs in
example (a b : Nat) (p : Nat → Prop) : p a := by have ⟨x, h⟩ : ∃ x, x = b := ⟨b, ?_⟩

/-! A metavariable whose name is taken has a dagger. -/

/--
error: Invalid rewrite argument: Expected an equality or iff proof or definition name, but `f ?a✝ ?a✝¹ ?a✝²` is a value of type
  Nat
-/
#guard_msgs in
example (f : Nat → Nat → Nat → Nat) : False := by rw [f]

/--
error: Invalid rewrite argument: Expected an equality or iff proof or definition name, but `f ?x✝ ?x` is a value of type
  Nat
-/
#guard_msgs in
example (f : (x : Nat) → (x : Nat) → Nat) : False := by rw [f]

/--
error: unsolved goals
case h₁.h₁
a b : Nat
⊢ a < ?h₁.m

case h₁.a
a b : Nat
⊢ ?h₁.m < ?m✝

case h₁.m
a b : Nat
⊢ Nat

case a
a b : Nat
⊢ ?m✝ < b

case m
a b : Nat
⊢ Nat
-/
#guard_msgs in
example (a b : Nat) : a < b := by
  apply Nat.lt_trans
  apply Nat.lt_trans

/-! A hypothesis closes the goal first. -/

example (p : Prop) (h : p) : p := by omega

example (α : Type) (a b : α) (h : a = b) : a = b := by omega

example (p : Nat → Prop) (h : p (1 + 2)) : p 3 := by omega

example (α : Type) (a c : α) (h : a = c) : a = c := by congr

example (v : Nat → Nat) (h : v 0 = 1) : v 0 = 8 * 0 + 1 := by congr

example (p q : Prop) (h : p ↔ q) : p ↔ q := by congr

/-! Messages of steps that fail. -/

/--
error: omega could not prove the goal:
No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants.
-/
#guard_msgs in
example (α : Type) (a b : α) (h : a = b) : b = a := by omega

/--
error: Tactic `rfl` failed: The left-hand side
  a
is not definitionally equal to the right-hand side
  c

R : Nat → Nat → Prop
a c : Nat
⊢ R a c
-/
#guard_msgs in
example (R : Nat → Nat → Prop) (a c : Nat) : R a c := by rfl

/--
error: Tactic `rfl` failed: No `[refl]` lemma registered for relation
  R

Hint: Add the `[refl]` attribute to reflexivity lemmas for `R` to use this tactic

R : Nat → Nat → Prop
a c : Nat
⊢ R a a
-/
#guard_msgs in
example (R : Nat → Nat → Prop) (a c : Nat) : R a a := by rfl

/--
error: Tactic `apply` failed: could not unify the conclusion of the term
  Nat.le ?n ?n
with the goal
  0 < 3

Note: The full type of the term is
  ∀ {n : Nat}, n.le n

h : 0 < 1
⊢ 0 < 3
-/
#guard_msgs in
example (h : 0 < 1) : 0 < 3 := by left

/--
error: Invalid rewrite argument: The pattern to be substituted is a metavariable (`?x`) in this equality
  ?x = 1
-/
#guard_msgs in
example (h : ∀ x, x = 1) (n : Nat) : n = 1 := by rw [h]

/--
error: failed to synthesize
  Decidable (∀ (n : Nat), n = n)

Hint: Additional diagnostic information may be available using the `set_option diagnostics true` command.
-/
#guard_msgs in
example : ∀ n : Nat, n = n := by decide

/-! Goals of `by_cases` have no other case in their names. -/

/--
error: unsolved goals
case pos
p q : Prop
h : q
⊢ p

case neg
p q : Prop
h : ¬q
⊢ p

case right
p q : Prop
⊢ q
-/
#guard_msgs in
example (p q : Prop) : p ∧ q := by
  constructor
  by_cases h : q
