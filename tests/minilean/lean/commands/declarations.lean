-- Checked with Lean 4.35.0.

/-! # Constructors with undeclared names, `deriving`, `@[ext]`, coercions, priorities, `open Classical` -/

set_option linter.unusedVariables false

/-! Lean accepts. -/

namespace Ex1
open Classical in
theorem t (p : Prop) : (if p then 1 else 1) = 1 := by
  split <;> rfl
end Ex1

example (x y : Nat) (h : x = y) := h.symm

namespace Ex3
variable (C : Nat → Type u)

/-- info: C 0 : Type u -/
#guard_msgs in
#check C 0
end Ex3

example (p q : Prop) (h : p ∧ q) : p := match h with
  | k@⟨_, _⟩ => k.1

namespace Ex5
theorem t (n : Nat) : n = 0 ∨ ∃ k, n = k + 1 := by
  match n with
  | 0 => exact .inl rfl
  | m@(k + 1) => exact .inr ⟨k, rfl⟩
end Ex5

example (p q : Nat → Prop) : (∃ x, p x ∨ q x) → ∃ x, q x ∨ p x := by
  intro
  | ⟨w, .inl h⟩ => exact ⟨w, .inr h⟩
  | ⟨w, .inr h⟩ => exact ⟨w, .inl h⟩

/-! Lean refuses. -/

namespace Ex7

/-- error: Unknown identifier `missing.name` -/
#guard_msgs in
inductive T : Type where | c : T → missing.name → T
end Ex7

namespace Ex8

/--
error: Expected type must not contain free variables
  p

Hint: Use the `+revert` option to automatically clean up and revert free variables
-/
#guard_msgs in
open Classical in
theorem t (p : Prop) : p := by decide
end Ex8

namespace Ex9

/-- error: (kernel) arg #1 of 'Ex9.Rose.node' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
inductive Rose where
  | node : (List Rose → Nat) → Rose
end Ex9

namespace Ex10

/--
error: Type mismatch
  true
has type
  Bool
but is expected to have type
  Nat
-/
#guard_msgs in
structure B where
  z : Nat := true
end Ex10

/--
error: Type mismatch
  h
has type
  q
but is expected to have type
  p
-/
#guard_msgs in
example (p q : Prop) : p ∨ q → p := by
  intro
  | .inl h => exact h
  | .inr h => exact h

/--
error: Missing cases:
(Or.inr _)
-/
#guard_msgs in
example (p q : Prop) : p ∨ q → p := by
  intro
  | .inl h => exact h

/-! The generated theorems are stated as Lean states them. -/

namespace Ex13
@[ext] structure W where
  val : Nat
/-- info: @W.ext : ∀ {x y : W}, x.val = y.val → x = y -/
#guard_msgs in
#check @W.ext

/-- info: @W.ext_iff : ∀ {x y : W}, x = y ↔ x.val = y.val -/
#guard_msgs in
#check @W.ext_iff
end Ex13

/-! A type that may be a proposition is refused. -/

namespace Ex14

/--
error: Invalid universe polymorphic resulting type: The resulting universe is not `Prop`, but it may be `Prop` for some parameter values:
  Sort u

Hint: A possible solution is to use levels of the form `max 1 _` or `_ + 1` to ensure the universe is of the form `Type _`
-/
#guard_msgs in
inductive I.{u} : Sort u | a : I | b : I
end Ex14

namespace Ex15

/--
error: Invalid universe polymorphic resulting type: The resulting universe is not `Prop`, but it may be `Prop` for some parameter values:
  Sort u

Hint: A possible solution is to use levels of the form `max 1 _` or `_ + 1` to ensure the universe is of the form `Type _`
-/
#guard_msgs in
structure S.{u} (α : Sort u) : Sort u where
  x : α
end Ex15

/-! Options and subtypes are coerced as in core. -/

-- `optionCoe` and `subtypeCoe` of `Init/Data/Option/Coe.lean` and `Init/Coe.lean`, unfolded
namespace Ex16
def f (a : Nat) : Option Nat := a
example (a : Nat) : f a = some a := rfl

/--
error: unsolved goals
a : Nat
o : Option Nat
h : o = some a
⊢ o = none
-/
#guard_msgs in
example (a : Nat) (o : Option Nat) (h : o = a) : o = none := by
  skip

/--
error: unsolved goals
x : { n // n > 0 }
l : List Nat
h : ↑x ∈ l
⊢ ↑x + ↑x = 0
-/
#guard_msgs in
example (x : { n : Nat // n > 0 }) (l : List Nat) (h : (x : Nat) ∈ l) : x.1 + x = 0 := by
  skip
end Ex16

/-! Coercions go one way. -/

/--
error: Type mismatch
  o
has type
  Option Nat
but is expected to have type
  Nat
-/
#guard_msgs in
example (o : Option Nat) : Nat := o

/--
error: Type mismatch
  n
has type
  Nat
but is expected to have type
  { n // n > 0 }
-/
#guard_msgs in
example (n : Nat) : { n : Nat // n > 0 } := n

/--
error: Type mismatch
  x
has type
  { n // n > 0 }
but is expected to have type
  Bool
-/
#guard_msgs in
example (x : { n : Nat // n > 0 }) : Bool := x

namespace WithEven

inductive Even : Nat → Prop where
  | zero : Even 0
  | step : Even n → Even (n + 2)

/-! Lean accepts. -/

namespace Ex1
theorem t (h : Even (n + 2)) : Even n := by
  cases h with
  | step h => exact h
end Ex1

namespace Ex2
theorem t : ¬ Even 1 := by
  intro h
  cases h
end Ex2

/-! Lean refuses. -/

namespace Ex3

/--
error: Application type mismatch: The argument
  Even.zero
has type
  Even 0
but is expected to have type
  Even 1
in the application
  Even.step Even.zero
-/
#guard_msgs in
theorem t : Even 3 := .step .zero
end Ex3

end WithEven

namespace WithVect

inductive Vect (α : Type u) : Nat → Type u where
  | nil : Vect α 0
  | cons : α → Vect α n → Vect α (n + 1)

/-! Lean accepts. -/

namespace Ex1
theorem t (v : Vect α 0) : v = .nil := by
  cases v
  rfl
end Ex1

namespace Ex2
theorem t (v : Vect α (n + 1)) : ∃ a w, v = .cons a w := by
  cases v with
  | cons a w => exact ⟨a, w, rfl⟩
end Ex2

namespace Ex3
theorem t (p : Vect α 0 → Prop) (v : Vect α 0) (h : p v) : p .nil := by
  cases v
  exact h
end Ex3

/-! Lean refuses. -/

namespace Ex4

/-- error: Alternative `cons` has not been provided -/
#guard_msgs in
theorem t (v : Vect α n) : v = v := by
  cases v with
  | nil => rfl
end Ex4

namespace Ex5

/--
error: Tactic `rfl` failed: The left-hand side
  Vect.cons a✝³ a✝²
is not definitionally equal to the right-hand side
  Vect.cons a✝¹ a✝

case cons.cons
α : Type u_1
a✝³ : α
a✝² : Vect α 0
a✝¹ : α
a✝ : Vect α 0
⊢ Vect.cons a✝³ a✝² = Vect.cons a✝¹ a✝
-/
#guard_msgs in
theorem t (v w : Vect α 1) : v = w := by
  cases v
  cases w
  rfl
end Ex5

end WithVect

namespace WithPoint

@[ext] structure Point (α : Type u) where
  x : α
  y : α

/-! Lean accepts. -/

example (a b : Point Nat) (h : a.x = b.x) (k : a.y = b.y) : a = b := by
  ext
  · exact h
  · exact k

example (a b : Point Nat) (h : a = b) : a.x = b.x ∧ a.y = b.y := Point.ext_iff.mp h

/-! Lean refuses. -/

/--
error: Type mismatch
  h
has type
  a.x = b.x
but is expected to have type
  a.y = b.y
-/
#guard_msgs in
example (a b : Point Nat) (h : a.x = b.x) : a = b := by
  ext
  · exact h
  · exact h

end WithPoint
