-- Checked with Lean 4.35.0.

/-! # Attacks on what the language adds: none of them may end in a proof of `False`, or of another statement -/

set_option linter.unusedVariables false

/-! Bad types are refused. -/

namespace BadTypesRefused
/-- error: (kernel) arg #1 of 'BadTypesRefused.Bad.mk' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
inductive Bad where
  | mk (f : Bad → False) : Bad
end BadTypesRefused

namespace BadTypesRefused2
/-- error: (kernel) arg #1 of 'BadTypesRefused2.Bad.mk' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
inductive Bad where
  | mk (f : (Bad → Nat) → Nat) : Bad
end BadTypesRefused2

namespace BadTypesRefused3
/--
error: Invalid universe level in constructor `BadTypesRefused3.Bad.mk`: Parameter `α` has type
  Type
at universe level
  2
which is not less than or equal to the inductive type's resulting universe level
  1
-/
#guard_msgs in
inductive Bad : Type
  | mk (α : Type) (a : α) : Bad
end BadTypesRefused3

namespace BadTypesRefused4
/-- error: (kernel) arg #1 of 'BadTypesRefused4.Bad.mk' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
structure Bad where
  f : Bad → Bad
end BadTypesRefused4

namespace BadTypesRefused5
inductive Bad : Prop where
  | a | b

/--
error: unsolved goals
case refl
⊢ False
-/
#guard_msgs in
example : Bad.a ≠ Bad.b := by intro h; cases h
end BadTypesRefused5

/-! An instance that lies proves nothing without `sorry`. -/

namespace LyingInstanceConvinces
/-- warning: declaration uses `sorry` -/
#guard_msgs in
local instance : Decidable (1 = 2) := isTrue sorry
theorem t : 1 = 2 := by decide
/-- info: 'LyingInstanceConvinces.t' depends on axioms: [sorryAx] -/
#guard_msgs in
#print axioms t
end LyingInstanceConvinces

/-! Names cannot be declared twice or shadow a statement. -/

/-- error: `Nat.add_comm` has already been declared -/
#guard_msgs in
theorem Nat.add_comm : 1 = 1 := rfl

-- the printed statement shows which constant a namespace shadows
namespace NamesCannotBe
namespace A
def Nat : Type := Unit
theorem t (a b : Nat) : a = b := rfl
end A
/-- info: NamesCannotBe.A.t (a b : A.Nat) : a = b -/
#guard_msgs in
#check A.t
end NamesCannotBe

namespace NamesCannotBe2
def Foo.Nat : Type := Unit
/--
error: Tactic `rfl` failed: The left-hand side
  n
is not definitionally equal to the right-hand side
  0

n : Nat
⊢ n = 0
-/
#guard_msgs in
example (n : Nat) : n = 0 := by rfl
end NamesCannotBe2
