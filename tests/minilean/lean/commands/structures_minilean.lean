-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Fields of structures: brackets, binders, tactics, instances found for them; types in dotted names -/

set_option linter.unusedVariables false

/-! Lean accepts. -/

namespace LeanAccepts

namespace Ex
namespace A.B
def x := 3
end A.B
open A B in
example : x = 3 := rfl
end Ex

end LeanAccepts

/-! Lean refuses. -/

/-- error: Fields missing: `pure` -/
#guard_msgs in
instance : Monad List where
  bind x f := []

/-- error: Fields missing: `seq` -/
#guard_msgs in
instance : Applicative List where
  pure x := [x]

/-! A parameter that nothing determines is shown. -/

namespace ParameterNothingDetermines

class A (α : Type) where
  a : Nat

/--
error: failed to synthesize instance of type class
  OfNat ((α : Type) → [self : A α] → Nat) 4
numerals are polymorphic in Lean, but the numeral `4` cannot be used in a context where the expected type is
  (α : Type) → [self : A α] → Nat
due to the absence of the instance above

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (α : Type) [A α] : A.a = 4 := by
  skip

end ParameterNothingDetermines
