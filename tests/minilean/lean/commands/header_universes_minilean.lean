-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Universes that a header leaves open: the body of a definition may determine them, a proof may not -/

set_option linter.unusedVariables false

def g.{u, v} (α : Sort (max u v)) : Nat := 1

def k.{u, v} (α : Sort (imax u v)) : Nat := 1

/-! A definition takes the universes of its body. -/

def asList (x : α) := [x]
/-- info: @asList : {α : Type u_1} → α → List α -/
#guard_msgs in
#check @asList
def self (α : Sort _) (x : α) : List α := [x]
/-- info: self.{u_1} (α : Type u_1) (x : α) : List α -/
#guard_msgs in
#check self
def rec' (x : α) : Nat → List α
  | 0 => []
  | n + 1 => x :: rec' x n
/-- info: @rec' : {α : Type u_1} → α → Nat → List α -/
#guard_msgs in
#check @rec'
/--
trace: α : Sort u_1
x : α
⊢ α
-/
#guard_msgs in
def tac (x : α) : α := by
  trace_state
  exact x

/-! A statement keeps its universes. -/

namespace StatementKeepsUniverses

/--
error: Application type mismatch: The argument
  x
has type
  α
of sort `Sort u_1` but is expected to have type
  ?m.1
of sort `Prop` in the application
  proof_irrel x
-/
#guard_msgs in
theorem t (α : Sort _) (x y : α) : x = y := proof_irrel x y

/--
error: numerals are data in Lean, but the expected type is a proposition
  ?m.1 : Prop
-/
#guard_msgs in
example : (fun (α : Sort _) (x y : α) => x = y) Nat 0 1 := proof_irrel 0 1

/--
error: Application type mismatch: The argument
  x
has type
  α
of sort `Sort u_1` but is expected to have type
  ?m.1
of sort `Prop` in the application
  proof_irrel x
-/
#guard_msgs in
def f (α : Sort _) (x y : α) : x = y := proof_irrel x y

end StatementKeepsUniverses

/-! Universes that nothing determines are stuck. -/

namespace UniversesNothingDetermines

/--
error: stuck at solving universe constraint
  max ?u.1 ?u.2 =?= w
-/
#guard_msgs in
example (β : Type w) : Nat := g β

/--
error: stuck at solving universe constraint
  max ?u.1 ?u.2 =?= w
-/
#guard_msgs in
example (β : Type w) : Nat := k β

/--
error: stuck at solving universe constraint
  max ?u.1 ?u.2 =?= w
-/
#guard_msgs in
theorem t (β : Type w) : g β = g β := rfl

/--
error: stuck at solving universe constraint
  max ?u.1 ?u.2 =?= w
-/
#guard_msgs in
example (β : Type w) : Nat := by exact g β

/--
error: stuck at solving universe constraint
  max ?u.1 ?u.2 =?= w
-/
#guard_msgs in
example (β : Type w) : g β = 1 := by
  have h := g β
  rfl

end UniversesNothingDetermines

/-! Universes that something determines are solved. -/

example (β : Type) : Nat := g β
example (p : Prop) : Nat := g p + k p
example (β : Type w) : Nat := g.{w + 1, w + 1} β
example (β : Type w) : g.{w + 1, 0} β = 1 := by first | exact (rfl : g β = 1) | rfl

/-! The body makes a type a proposition. -/

-- Theorem Proving in Lean 4 (4.34), "Axioms and Computation": the instance that decides `∃ a : α, ..` is that
-- for propositions, so `α` is one, and the proof by `rfl` is proof irrelevance
-- Lean: warning: Definition `linv` is a proposition; use `theorem` instead of `def` Note: This linter can be
-- disabled with `set_option linter.defProp false`
namespace Ex1
open Classical
noncomputable def linv [Inhabited α] (f : α → β) : β → α :=
  fun b : β => if ex : (∃ a : α, f a = b) then choose ex else default
theorem linv_comp_self {f : α → β} [Inhabited α] (inj : ∀ {a b}, f a = f b → a = b) : linv f ∘ f = id :=
  funext fun a =>
    have ex  : ∃ a₁ : α, f a₁ = f a := ⟨a, rfl⟩
    have feq : f (choose ex) = f a  := choose_spec ex
    calc linv f (f a)
      _ = choose ex := rfl
      _ = a         := inj feq

/-- info: @linv : ∀ {α : Prop} {β : Sort u_1} [Inhabited α] (f : α → β) (a : β), α -/
#guard_msgs in
#check @linv
end Ex1
