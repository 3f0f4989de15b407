-- Checked with Lean 4.35.0.

/-! # Messages about types: sorts that differ, operators without an instance, missing cases, ill-typed applications -/

set_option linter.unusedVariables false

/-! The message of a clash. Sorts: reference manual (4.34), "Types". Operators, missing cases and `A.n b`:
Functional Programming in Lean (4.32). -/

/--
error: Type mismatch
  Type 2
has type
  Type 3
of sort `Type 4` but is expected to have type
  Type 4
of sort `Type 5`
-/
#guard_msgs in
example : Sort 5 := Sort 3

/--
error: Type mismatch
  α → β
has type
  Type 2
of sort `Type 3` but is expected to have type
  Type 1
of sort `Type 2`
-/
#guard_msgs in
example (α : Type 2) (β : Type 1) : Type 1 := α → β

namespace Ex3
inductive Pos | one
/--
error: failed to synthesize instance of type class
  HAdd Pos Pos ?m.3

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
def two : Pos := Pos.one + Pos.one
end Ex3

namespace Ex4
structure A where
  n : Nat
structure B where
  n : Nat
/--
error: Application type mismatch: The argument
  b
has type
  B
but is expected to have type
  A
in the application
  A.n b
-/
#guard_msgs in
example (b : B) := A.n b
end Ex4

namespace Ex5

/-- error: Invalid pattern variable: Variable name must be atomic, but `Color.red` has multiple components -/
#guard_msgs in
def f : Bool → Nat
  | Color.red => 1
end Ex5

namespace Ex6

/-- error: Invalid pattern: Expected a constructor or constant marked with `[match_pattern]` -/
#guard_msgs in
def f : Bool → Nat
  | Color.red x => 1
end Ex6
