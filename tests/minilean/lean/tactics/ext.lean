-- Checked with Lean 4.35.0.

/-! # `ext` with patterns and a depth, `@[ext]` on structures with parents, `cases` on heterogeneous equations -/

set_option linter.unusedVariables false

/-! Patterns and depth; the texts follow lean4 `tests/elab/ext1.lean` and `src/Lean/Elab/Tactic/Ext.lean`. -/

/--
error: unsolved goals
f g : Nat × Nat → Nat
x y : Nat
⊢ f (x, y) = g (x, y)
-/
#guard_msgs in
example (f g : Nat × Nat → Nat) : f = g := by
  ext ⟨x, y⟩

/--
error: unsolved goals
f g : Nat → Nat → Nat
x : Nat
⊢ f x = g x
-/
#guard_msgs in
example (f g : Nat → Nat → Nat) : f = g := by
  ext x : 1

/--
error: unsolved goals
f g : Nat → Nat → Nat
x x✝ : Nat
⊢ f x x✝ = g x x✝
-/
#guard_msgs in
example (f g : Nat → Nat → Nat) : f = g := by
  ext x

/--
error: unsolved goals
case fst
f g : Nat × (Nat → Nat)
⊢ f.fst = g.fst

case snd
f g : Nat × (Nat → Nat)
x : Nat
⊢ f.snd x = g.snd x
-/
#guard_msgs in
example (f g : Nat × (Nat → Nat)) : f = g := by
  ext x

/--
error: unsolved goals
a b : Option Nat
a✝ : Nat
⊢ a = some a✝ ↔ b = some a✝
-/
#guard_msgs in
example (a b : Option Nat) : a = b := by
  ext

/--
error: unsolved goals
f g : Nat → List Nat
x i a : Nat
⊢ (f x)[i]? = some a ↔ (g x)[i]? = some a
-/
#guard_msgs in
example (f g : Nat → List Nat) : f = g := by
  ext x i a

/--
error: unsolved goals
i j : Fin 3
⊢ ↑i = ↑j
-/
#guard_msgs in
example (i j : Fin 3) : i = j := by
  ext

/--
error: unsolved goals
case zero
f : Nat → Nat
⊢ f 0 = id 0

case succ
f : Nat → Nat
n : Nat
⊢ f (n + 1) = id (n + 1)
-/
#guard_msgs in
example (f : Nat → Nat) : f = id := by
  ext (_ | n)

/-! Parents count as their fields, except with `flat := false`. -/

namespace ParentsCountAs
structure A (n : Nat) where
  a : Nat
structure B (n) extends A n where
  b : Nat
  h : b > 0
  i : Fin b
@[ext] structure C (n) extends B n where
  c : Nat
@[ext (flat := false)] structure D (n) extends B n where
  c : Nat

/--
error: unsolved goals
case a
n : Nat
a b : C n
⊢ a.a = b.a

case b
n : Nat
a b : C n
⊢ a.b = b.b

case i
n : Nat
a b : C n
⊢ a.i ≍ b.i

case c
n : Nat
a b : C n
⊢ a.c = b.c
-/
#guard_msgs in
example (a b : C n) : a = b := by
  ext

/--
error: unsolved goals
case toB
n : Nat
a b : D n
⊢ a.toB = b.toB

case c
n : Nat
a b : D n
⊢ a.c = b.c
-/
#guard_msgs in
example (a b : D n) : a = b := by
  ext

example : ∀ {n : Nat} {x y : C n}, x = y ↔ x.a = y.a ∧ x.b = y.b ∧ x.i ≍ y.i ∧ x.c = y.c := @C.ext_iff

end ParentsCountAs

/-! Priorities and erasure. -/

example (f : Empty → Empty) : f = f := by
  ext ⟨⟩

namespace PrioritiesAndErasure2
attribute [-ext] Prod.ext
example (p q : Nat × Nat) (h : p = q) : p = q := by
  fail_if_success ext
  exact h
end PrioritiesAndErasure2

-- an attribute that is erased in a section is there again after it
namespace PrioritiesAndErasure3
section
attribute [-ext] Prod.ext
end
example (p q : Nat × Nat) (h : p = q) : p = q := by
  ext <;> rw [h]
end PrioritiesAndErasure3

/-! What does not follow is refused. -/

/--
error: unsolved goals
case zero
f g : Nat → Nat
⊢ f 0 = g 0

case succ
f g : Nat → Nat
n✝ : Nat
⊢ f (n✝ + 1) = g (n✝ + 1)
-/
#guard_msgs in
example (f g : Nat → Nat) : f = g := by
  ext ⟨⟩

/--
error: Tactic `rfl` failed: The left-hand side
  p
is not definitionally equal to the right-hand side
  q

p q : Nat × Nat
⊢ p = q
-/
#guard_msgs in
example (p q : Nat × Nat) : p = q := by
  ext : 0
  rfl

/--
error: No applicable extensionality theorem found for type
  Nat

Note: Extensionality theorems can be registered by marking them with the `[ext]` attribute
-/
#guard_msgs in
example (a b : Nat) : a = b := by
  ext

namespace DoesNotFollow
@[ext] structure E where
  n : Nat
/--
error: Tactic `rfl` failed: The left-hand side
  a.n
is not definitionally equal to the right-hand side
  b.n

a b : E
⊢ a.n = b.n
-/
#guard_msgs in
example (a b : E) : a = b := by
  ext
  rfl
end DoesNotFollow

/-! `cases` on heterogeneous equations. -/

example (a b : Nat) (h : a ≍ b) : a = b := by
  cases h
  rfl

example (α β : Type) (a : α) (b : β) (h : a ≍ b) : b ≍ a := by
  cases h
  rfl

example (a b : Nat) (h : a + 1 ≍ b + 1) : a = b := by
  obtain ⟨⟩ := h
  rfl

example (h : (0 : Nat) ≍ (1 : Nat)) : False := by
  cases h

/-! Heterogeneous equations prove nothing else. -/

/--
error: Dependent elimination failed: Failed to solve equation
  Fin m = Fin n
-/
#guard_msgs in
example (n m : Nat) (i : Fin n) (j : Fin m) (h : i ≍ j) : n = m := by
  cases h
  rfl

/--
error: Dependent elimination failed: Failed to solve equation
  Fin 2 = Nat
-/
#guard_msgs in
example (h : (0 : Nat) ≍ (0 : Fin 2)) : False := by
  cases h
  rfl

/--
error: Tactic `rfl` failed: The left-hand side
  a
is not definitionally equal to the right-hand side
  b

case refl
α : Type
a b : α
⊢ a = b
-/
#guard_msgs in
example (α : Type) (a b : α) (h : a ≍ a) : a = b := by
  cases h
  rfl

/-! A side that computes to a variable may mention what depends on it. -/

namespace SideComputesVariable
structure P where
  b : Nat
  h : b > 0

example (x y : P) : x.b = y.b → x = y := by
  rcases x with ⟨_, _⟩
  rcases y with ⟨_, _⟩
  intro e
  cases e
  rfl

end SideComputesVariable
