-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Mutual and nested inductive types: declarations, eliminators, tactics on them, and Lean's refusals -/

set_option linter.unusedVariables false

/-! Refusals. -/

namespace Refusals

/--
error: (kernel) arg #1 of '_nested.List_1.cons' has a non positive occurrence of the datatypes being declared
-/
#guard_msgs in
inductive Bad where | mk : List (Bad → Nat) → Bad

end Refusals

/-- error: `A` has already been declared -/
#guard_msgs in
mutual
inductive A where | mk : A
inductive A where | mk : A
end

/-! Generated constants. -/

-- Lean numbers the metavariables otherwise.
namespace Ex1
mutual
inductive Tree (α : Type) where
  | leaf : Tree α
  | node : α → Forest α → Tree α
inductive Forest (α : Type) where
  | nil : Forest α
  | cons : Tree α → Forest α → Forest α
end
inductive Rose where
  | mk : Nat → List Rose → Rose
/--
info: @Rose.casesOn : {motive_1 : Rose → Sort u_1} → (t : Rose) → ((a : Nat) → (a_1 : List Rose) → motive_1 (Rose.mk a a_1)) → motive_1 t
-/
#guard_msgs in
#check @Rose.casesOn
end Ex1

/-! A refused group leaves nothing. -/

-- Lean: info: Ex2.A : sorry
namespace Ex2
/-- error: (kernel) arg #1 of 'Ex2.B.mk' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
mutual
inductive A where | mk : A
inductive B where | mk : (B → Nat) → B
end

/-- error: Unknown identifier `A` -/
#guard_msgs in
#check A
end Ex2

/-! A predicate of a group eliminates into propositions only. -/

-- Lean: error: Type mismatch when assigning motive fun t => p = t → Nat has type P → Type of sort `Type 1`
-- but is expected to have type P → Prop of sort `Type`
namespace Ex3
mutual
inductive P : Prop where | mk : Nat → P
inductive Q : Prop where | mk : P → Q
end

/--
error: Tactic `cases` failed with a nested error:
Tactic `induction` failed: recursor `Ex3.P.casesOn` can only eliminate into `Prop`

p : P
⊢ Nat
-/
#guard_msgs in
def f (p : P) : Nat := by
  cases p with
  | mk n => exact n
end Ex3
