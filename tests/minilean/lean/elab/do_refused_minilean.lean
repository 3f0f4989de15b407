-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `do` blocks, the operators of monads, their laws, and classes with new defaults for inherited fields -/

set_option linter.unusedVariables false

/-! What is refused. -/

-- Lean has `OfNat Unit 1` there.
namespace Ex1
/--
error: failed to synthesize instance of type class
  OfNat PUnit 1
numerals are polymorphic in Lean, but the numeral `1` cannot be used in a context where the expected type is
  PUnit
due to the absence of the instance above

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
def f : Option Nat := do
  some 1
  some 2
end Ex1

-- Lean: error: Application type mismatch: The argument true has type Bool but is expected to have type Unit
-- in the application some true
namespace Ex2
/--
error: Application type mismatch: The argument
  fun x => some 2
has type
  PUnit → Option Nat
but is expected to have type
  Bool → Option Nat
in the application
  do
    let _ ← some true
    some 2
-/
#guard_msgs in
def f : Option Nat := do
  some true
  some 2
end Ex2

-- Lean: error: Type mismatch a has type Bool but is expected to have type Nat
namespace Ex3
/--
error: Application type mismatch: The argument
  a
has type
  Bool
but is expected to have type
  Nat
in the application
  pure a
-/
#guard_msgs in
def f : Option Nat := do
  let a ← some true
  return a
end Ex3
