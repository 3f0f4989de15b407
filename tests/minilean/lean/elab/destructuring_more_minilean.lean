-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Patterns in `let`, `have` and `fun` expand to `match`; cases ruled out by hypotheses; projections of a `match` -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Names of core that the library has not are unsupported. -/

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example : List.attach [1] = [1] := rfl

-- Lean: error: Invalid field `attach`: The environment does not contain `List.attach`, so it is not possible
-- to project the field `attach` from an expression xs of type `List Nat`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.attach = xs := rfl

-- Lean: error: Unknown constant `List.attach` Note: Inferred this name from the expected resulting type of
-- `.attach`: List Nat
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example : (.attach [1] : List Nat) = [1] := rfl

-- Lean accepts this.
namespace Ex4
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
open List in
example (h : attach) : attach := h
end Ex4

-- Lean: error: Function expected at attach but this term has type ?m.1 Note: Expected a function because this
-- term is being applied to the argument [1] Hint: The identifier ..
section
namespace List

/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example : attach [1] = [1] := rfl
end List
end

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
#print List.attach

-- Lean: error: Unknown constant `List.attach`
namespace Ex7
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
attribute [simp] List.attach
end Ex7

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
#check List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
#check @List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
#print axioms List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
#eval List.attach [1]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
#reduce List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
#synth List.attach

-- Lean: error: unknown namespace `List.attach`
namespace Ex14
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
open List.attach
end Ex14

-- Lean: error: Unknown constant `List.attach`
namespace Ex15
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
attribute [local simp] List.attach
end Ex15

-- Lean: error: Unknown constant `List.attach`
namespace Ex16
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
attribute [-simp] List.attach
end Ex16

-- Lean: error: Unknown constant `List.attach`
namespace Ex17
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
attribute [reducible] List.attach
end Ex17

-- Lean: error: Unknown constant `List.attach`
namespace Ex18
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
attribute [ext] List.attach
end Ex18

-- Lean: error: unexpected token '='; expected ']'
namespace Ex19
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
attribute [grind =] List.attach
end Ex19

-- Lean: error: Unknown constant `List.attach`
namespace Ex20
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
attribute [induction_eliminator] List.attach
end Ex20

-- Lean: error: Unknown constant `List.attach`
namespace Ex21
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
inductive A | a deriving List.attach
end Ex21

-- Lean: error: Unknown constant `List.attach`
namespace Ex22
inductive A | a
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
deriving instance List.attach for A
end Ex22

-- Lean: error: Unknown constant `List.attach`
namespace Ex23
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
deriving instance DecidableEq for List.attach
end Ex23

-- Lean: error: Unknown constant `List.attach`
namespace Ex24
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
structure A extends List.attach
end Ex24

-- Lean: error: Unknown constant `List.attach`
namespace Ex25
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
variable (x : List.attach)
end Ex25

-- Lean: error: Unknown constant `List.attach`
namespace Ex26
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
axiom x : List.attach
end Ex26

-- Lean: error: Unknown constant `List.attach`
namespace Ex27
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
instance : List.attach Nat := 1
end Ex27

-- Lean: error: Invalid pattern variable: Variable name must be atomic, but `List.attach` has multiple
-- components
namespace Ex28
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
def f : Nat → Nat
  | List.attach => 1
  | _ => 2
end Ex28

-- Lean: error: Invalid pattern: Expected a constructor or constant marked with `[match_pattern]`
namespace Ex29
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
def f : Nat → Nat
  | List.attach x => 1
  | _ => 2
end Ex29

-- Lean: error: Unknown constant `List.attach`
namespace Ex30
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
open List (attach)
end Ex30

-- Lean: error: Unknown constant `List.attach`
namespace Ex31
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
open List hiding attach
end Ex31

-- Lean: error: Unknown constant `List.attach`
namespace Ex32
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
open List renaming attach → m
end Ex32

-- Lean: error: Unknown constant `List.attach`
namespace Ex33
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
export List (attach)
end Ex33

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by simp [List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by simp [← List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by simp only [List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by simp [-List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by simp_all [List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by dsimp [List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by simpa using List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by rw [List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by rw [← List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by unfold List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by delta List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by grind [List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by grind [-List.attach]

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by conv => unfold List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by conv => delta List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by conv => rw [List.attach]

-- Lean: error: Unknown constant `List.attach.symm`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by exact List.attach.symm

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by apply List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by induction xs using List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by induction xs using List.attach (n := 1)

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by cases xs using List.attach

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by rcases List.attach with x

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by fun_induction List.attach xs

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by fun_cases List.attach xs

-- Lean: error: Unknown constant `List.attach`
/-- error: unsupported: List.attach is not in minilean's library -/
#guard_msgs in
example (xs : List Nat) : xs.length = 0 := by have := List.attach xs

/-! Evaluation does not rest on sorry. -/

namespace Ex59

/-- warning: declaration uses `sorry` -/
#guard_msgs in
def f : Nat := sorry

/--
error: Aborting evaluation since the expression depends on the 'sorry' axiom, which can lead to runtime instability and crashes.

To attempt to evaluate anyway despite the risks, use the '#eval!' command.
-/
#guard_msgs in
#eval f + 1
end Ex59

/-- info: 2 -/
#guard_msgs in
#eval! 1 + 1
