-- Checked with Lean 4.35.0.

/-! # Universes that a header leaves open: the body of a definition may determine them, a proof may not -/

set_option linter.unusedVariables false

/-! A choice of data is not the condition. -/

namespace ChoiceDataCondition

namespace Ex1
open Classical
noncomputable def linv {α : Type u} {β : Type v} [Inhabited α] (f : α → β) : β → α :=
  fun b : β => if ex : (∃ a : α, f a = b) then choose ex else default
/--
error: Type mismatch
  rfl
has type
  ?m.43 = ?m.43
but is expected to have type
  linv f (f a) = choose ex
-/
#guard_msgs in
theorem linv_comp_self {α : Type u} {β : Type v} [Inhabited α] {f : α → β}  (inj : ∀ {a b}, f a = f b → a = b) : linv f ∘ f = id :=
  funext fun a =>
    have ex  : ∃ a₁ : α, f a₁ = f a := ⟨a, rfl⟩
    have feq : f (choose ex) = f a  := choose_spec ex
    calc linv f (f a)
      _ = choose ex := rfl
      _ = a         := inj feq
end Ex1

namespace Ex2
open Classical
noncomputable def linv {α : Type u} {β : Type v} [Inhabited α] (f : α → β) : β → α :=
  fun b : β => if ex : (∃ a : α, f a = b) then choose ex else default
theorem linv_comp_self {α : Type u} {β : Type v} [Inhabited α] {f : α → β}  (inj : ∀ {a b}, f a = f b → a = b) : linv f ∘ f = id :=
  funext fun a =>
    have ex  : ∃ a₁ : α, f a₁ = f a := ⟨a, rfl⟩
    have feq : f (choose ex) = f a  := choose_spec ex
    calc linv f (f a)
      _ = choose ex := dif_pos ex
      _ = a         := inj feq
end Ex2

end ChoiceDataCondition

/-! A statement keeps its universes. -/

namespace StatementKeepsUniverses

def u (α : Sort _) (x y : α) : PLift (x = y) := ⟨proof_irrel x y⟩

/--
error: Application type mismatch: The argument
  Nat
has type
  Type
of sort `Type 1` but is expected to have type
  Prop
of sort `Type` in the application
  u Nat
-/
#guard_msgs in
example : 0 = 1 := (u Nat 0 1).down

end StatementKeepsUniverses
