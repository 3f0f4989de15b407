-- Checked with Lean 4.35.0.

/-! # Arguments that may be left out: `(x : A := v)` and `(h : p := by tac)` -/

set_option linter.unusedVariables false

/-! A value is left out. -/

namespace ValueLeftOut

def add (x : Nat) (y : Nat := 5) (z := 7) : Nat := x + y + z

/-- info: fun x => add x : Nat → Nat -/
#guard_msgs in
#check (add)

/-- info: (add 1, add 1, add 1 5 8, add 1 2) : Nat × Nat × Nat × Nat -/
#guard_msgs in
#check (add 1, add 1 5 7, add 1 5 8, add 1 2)

example : [1, 2].map add = [13, 14] := rfl
example : @add 1 5 7 = add 1 := rfl

/--
error: Tactic `decide` proved that the proposition
  add 1 = 12
is false
-/
#guard_msgs in
example : add 1 = 12 := by decide

def foo (α : Type) [Inhabited α] (x : α := default) : α := x

/-- info: foo Nat : Nat -/
#guard_msgs in
#check foo Nat

/-- info: foo Nat 1 : Nat -/
#guard_msgs in
#check foo Nat 1

end ValueLeftOut

def add (x : Nat) (y : Nat := 5) (z := 7) : Nat := x + y + z
/-- info: add (x : Nat) (y : Nat := 5) (z : Nat := 7) : Nat -/
#guard_msgs in
#check add

/-! A proof is left out. -/

namespace ProofLeftOut

theorem pos (n : Nat) (h : 0 < n := by omega) : n ≠ 0 := by
  intro e
  rw [e] at h
  exact absurd h (by decide)

example : (3 : Nat) ≠ 0 := pos 3
example (n : Nat) (h : 5 < n) : n ≠ 0 := pos n
example (n : Nat) (h : 5 < n) : n ≠ 0 := by exact pos n

end ProofLeftOut

theorem pos (n : Nat) (h : 0 < n := by omega) : n ≠ 0 := by
  intro e
  rw [e] at h
  exact absurd h (by decide)
/-- info: pos (n : Nat) (h : 0 < n := by omega) : n ≠ 0 -/
#guard_msgs in
#check pos

/-! Attacks. -/

namespace Attacks

-- a default is not a hypothesis about the argument
/--
error: Type mismatch
  rfl
has type
  ?m.7 = ?m.7
but is expected to have type
  x = 5
---
error: Not a definitional equality: the left-hand side
  x
is not definitionally equal to the right-hand side
  5
-/
#guard_msgs in
theorem t (x : Nat := 5) : x = 5 := rfl

/-- error: `simp` made no progress -/
#guard_msgs in
theorem t2 (x : Nat := 5) : x = 5 := by simp

-- a default has the type of its parameter, and is checked even if it is never used
/--
error: Application type mismatch: The argument
  True
has type
  Prop
but is expected to have type
  Nat
in the application
  optParam Nat True
-/
#guard_msgs in
def f (x : Nat := True) : Nat := x

-- a default may mention earlier parameters only
namespace Ex
set_option autoImplicit false
/--
error: Unknown identifier `y`

Note: It is not possible to treat `y` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
-/
#guard_msgs in
def f (x : Nat := y) (y : Nat) : Nat := x
end Ex

end Attacks

/-! A parameter that an argument given by name determines is found. -/

namespace ParameterArgumentGiven

-- Lean's `anyNamedArgDependsOnCurrent`
def f (n : Nat) (i : Fin n) : Nat := i.val

example (i : Fin 3) : f (i := i) = i.val := rfl

end ParameterArgumentGiven

/-! A constructor without the fields that have defaults is refused. -/

namespace ConstructorWithoutFields

structure S where
  a : Nat
  b : Nat := 4

example : S := S.mk 3 4
example : Nat → Nat → S := @S.mk
example : S := { a := 3 }

end ConstructorWithoutFields
