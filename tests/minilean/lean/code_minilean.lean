-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Refusals of Lean beyond the kernel's: definitions without code, undetermined instances, invalid patterns -/

set_option linter.unusedVariables false

/-! A definition has code or is marked. The messages are those of the reference manual (4.34), "About:
dependsOnNoncomputable" and "Axioms". -/

-- Lean: accepts it
namespace DefinitionHasCode
axiom t : Nat → Nat
/-- error: `DefinitionHasCode.t` not supported by code generator; consider marking definition as `noncomputable` -/
#guard_msgs in
def f : Nat → Nat
  | 0 => t 0
  | n => n
end DefinitionHasCode

namespace DefinitionHasCode2
/-- error: `Classical.choice` not supported by code generator; consider marking definition as `noncomputable` -/
#guard_msgs in
def f : Nat := Classical.choice ⟨0⟩
end DefinitionHasCode2

/-- error: `Classical.choice` not supported by code generator; consider marking definition as `noncomputable` -/
#guard_msgs in
example : Nat := Classical.choice ⟨0⟩

namespace DefinitionHasCode3
noncomputable def a : Nat := Classical.choice ⟨0⟩

namespace DefinitionHasCode3Ex
/-- error: failed to compile definition, consider marking it as 'noncomputable' because it depends on 'a', which is 'noncomputable' -/
#guard_msgs in
def b := a + 1
end DefinitionHasCode3Ex

namespace DefinitionHasCode3Ex2
/-- error: failed to compile definition, consider marking it as 'noncomputable' because it depends on 'a', which is 'noncomputable' -/
#guard_msgs in
local instance : Inhabited Nat := ⟨a⟩
end DefinitionHasCode3Ex2

end DefinitionHasCode3

namespace DefinitionHasCode4
/-- error: failed to compile definition, consider marking it as 'noncomputable' because it depends on 'propDecidable', which is 'noncomputable' -/
#guard_msgs in
open Classical in
def f (g : Nat → Nat) (y : Nat) :=
  if ∃ x, g x = y then 1 else 0
end DefinitionHasCode4

/-! An instance leaves nothing open. The first message is the reference manual's ("Coercions", 4.34), the words of the second
are those of `computeSynthOrder`. -/

-- Lean: cannot find synthesization order for instance @instBProdOfF with type
namespace InstanceLeavesNothing2
class F (α : Type) where
  x : α
class B (α : Type) where
  y : α
/--
error: cannot find synthesization order for instance @instBProd with type
  {β α : Type} → [F β] → [B α] → B (α × α)
all remaining arguments have metavariables:
  F ?β
-/
#guard_msgs in
instance [F β] [B α] : B (α × α) := ⟨(B.y, B.y)⟩
end InstanceLeavesNothing2

/-! An argument written outside does not speak of the parameters inside. -/

-- Lean: other numbers of metavariables
namespace ArgumentWrittenOutside2
def k (x y : Nat) := y
example (x : Nat) : k (y := x) 0 = x := rfl
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  k 0 x = 0
-/
#guard_msgs in
example (x : Nat) : k (y := x) 0 = 0 := rfl
end ArgumentWrittenOutside2

/-! A definition has code or is marked. The messages are those of the reference manual (4.34), "About:
dependsOnNoncomputable" and "Axioms". -/

-- Lean: accepts it
namespace DefinitionHasCode5
noncomputable section
def a : Nat := Classical.choice ⟨0⟩
end
/-- error: failed to compile definition, consider marking it as 'noncomputable' because it depends on 'a', which is 'noncomputable' -/
#guard_msgs in
def b := (a, a)
end DefinitionHasCode5
