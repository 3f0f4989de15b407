-- Checked with Lean 4.35.0.

/-! # Commands and terms that Lean refuses although their meaning could be guessed; each with its counterpart -/

set_option linter.unusedVariables false

/-! Refused. -/

-- universes
namespace Ex1
universe u

/-- error: a universe level named `u` has already been declared -/
#guard_msgs in
universe u
end Ex1

namespace Ex2
universe u

/-- error: a universe level named `u` has already been declared -/
#guard_msgs in
def f.{u} (α : Type u) := α
end Ex2

namespace Ex3

/-- error: a universe level named `u` has already been declared -/
#guard_msgs in
def f.{u, u} (α : Type u) := α
end Ex3

namespace Ex4

/-- error: unused universe parameter 'v' -/
#guard_msgs in
def f.{u, v} (α : Type u) := α
end Ex4

namespace Ex5

/-- error: unused universe parameter 'w' -/
#guard_msgs in
def d.{u, v, w} : Sort (v + 1) := Sort v
end Ex5

namespace Ex6

/-- error: unused universe parameter 'u' -/
#guard_msgs in
inductive T.{u} | a
end Ex6

namespace Ex7

/-- error: unused universe parameter 'u' -/
#guard_msgs in
structure T.{u} where
  a : Nat
end Ex7

namespace Ex8

/-- error: unused universe parameter 'u' -/
#guard_msgs in
axiom a.{u} : 1 = 1
end Ex8

-- declared or given twice
/-- error: Argument `h` was already set -/
#guard_msgs in
example (p q : Prop) (h : p) : p ∨ q := Or.inl (h := h) (h := h)

namespace Ex10
structure S where
  x : Nat
/-- error: field `x` has already been specified -/
#guard_msgs in
example : S := { x := 1, x := 2 }
end Ex10

namespace Ex11

/-- error: Field `x` has already been declared -/
#guard_msgs in
structure S where
  x : Nat
  x : Nat
end Ex11

namespace Ex12
structure A where
  x : Nat
/-- error: Field `x` has already been declared in a parent structure -/
#guard_msgs in
structure B extends A where
  x : Nat
end Ex12

namespace Ex13

/-- error: Unknown constant `Foo` -/
#guard_msgs in
inductive T | a
  deriving Foo
end Ex13

-- attributes
namespace Ex14
/--
error: Invalid simp theorem: Equation is equivalent to
  b = b
-/
#guard_msgs in
@[simp] theorem t (a b : Nat) : a = b → b = b := fun _ => rfl
end Ex14

namespace Ex15

/--
error: unexpected eliminator resulting type
  1 = 1
-/
#guard_msgs in
@[elab_as_elim] theorem t : 1 = 1 := rfl
end Ex15

namespace Ex16

/-- error: Unknown constant `foo` -/
#guard_msgs in
@[deprecated foo] theorem t : 1 = 1 := rfl
end Ex16

namespace Ex17

/-- error: Unknown constant `foo` -/
#guard_msgs in
@[implemented_by foo] def f := 1
end Ex17

-- scopes
namespace Ex18
/-- error: invalid 'include', variable `n` has not been declared in the current scope -/
#guard_msgs in
include n
end Ex18

namespace Ex19

/-- error: `n` did not match any variables in the current scope -/
#guard_msgs in
omit n
end Ex19

namespace Ex20

/-- error: Unknown constant `Nat.foo` -/
#guard_msgs in
open Nat hiding foo
end Ex20

-- core's remainder computes on the dividend, its greatest common divisor by well-founded recursion
/--
error: Type mismatch
  rfl
has type
  ?m.9 = ?m.9
but is expected to have type
  n % 0 = n
-/
#guard_msgs in
example (n : Nat) : n % 0 = n := rfl

-- tactics
/-- error: Invalid `⟨...⟩` notation: The expected type of this term could not be determined -/
#guard_msgs in
example (p q : Prop) (h : p) (k : q) : p ∧ q := by
  apply ⟨h, k⟩

/-- error: Invalid `⟨...⟩` notation: The expected type of this term could not be determined -/
#guard_msgs in
example : ∃ n : Nat, n = 0 := by
  apply (⟨0, rfl⟩)

/--
error: Tactic `rfl` failed: Expected the goal to be a binary relation

Hint: Reflexivity tactics can only be used on goals of the form `x ~ x` or `R x x`

n : Nat
⊢ ?m.3
-/
#guard_msgs in
example (n : Nat) : n = n := by
  apply by rfl

/--
error: Tactic failed on all goals:
  rfl
-/
#guard_msgs in
example : 1 = 1 := by
  rfl
  any_goals rfl

/-! Accepted. -/

namespace Ex26
universe u v
def f.{w} (α : Type u) (β : Type w) := α × β
end Ex26

namespace Ex27
universe u
theorem t : 1 = 1 := rfl
end Ex27

example : Type _ := Type _

namespace Ex29
theorem t.{u} : ∃ α : Sort u, α = α := ⟨PUnit, rfl⟩
end Ex29

namespace Ex30
structure A where
  x : Nat
structure B extends A where
  y : Nat
example : B := { x := 1, y := 2 }
end Ex30

namespace Ex31
inductive E
  deriving DecidableEq
end Ex31

namespace Ex32
@[simp] def f := 1
end Ex32

namespace Ex33
@[simp ↓ low] theorem t (n : Nat) : n + 0 = n := rfl
end Ex33

namespace Ex34
@[deprecated Nat.add_zero (since := "2026-01-01")] theorem t (n : Nat) : n + 0 = n := rfl
end Ex34

namespace Ex35
@[deprecated "say why" (since := "2026-01-01")] theorem t (n : Nat) : n + 0 = n := rfl
end Ex35

namespace Ex36
def f := 1
attribute [reducible] f
end Ex36

namespace Ex37
/-- a -/ @[simp] private protected noncomputable def f := 1
end Ex37

/-- a -/ example : 1 = 1 := rfl

namespace Ex39
/-! a -/
/-! b -/
/-- c -/ def f := 1
/-! d -/
end Ex39

namespace Ex40
set_option autoImplicit true
set_option autoImplicit false in
/-- a -/ def f := 1
end Ex40

namespace Ex41
variable (n : Nat)
include n
omit n
end Ex41

namespace Ex42
open Nat hiding succ
end Ex42

example (n : Nat) : 0 % n = 0 := rfl
example (n : Nat) : n / 0 = 0 := rfl
example : Nat.gcd 12 18 = 6 := rfl
example (n : Nat) : n % 0 = n := by simp
example (n : Nat) : Nat.gcd 0 n = n := by simp

example (p q : Prop) (h : p) (k : q) : p ∧ q := by
  apply id ⟨h, k⟩

example (p q : Prop) (h : p) (k : q) : p ∧ q := by
  apply (⟨h, k⟩ : p ∧ q)

example (p q : Prop) (h : p) (k : q) : p ∧ q := by
  apply show p ∧ q from ⟨h, k⟩
