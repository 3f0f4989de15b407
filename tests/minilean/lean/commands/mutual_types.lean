-- Checked with Lean 4.35.0.

/-! # Mutual and nested inductive types: declarations, eliminators, tactics on them, and Lean's refusals -/

set_option linter.unusedVariables false

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

/-! Generated constants. -/

/--
info: @Forest.rec : {α : Type} →
  {motive_1 : Tree α → Sort u_1} →
    {motive_2 : Forest α → Sort u_1} →
      motive_1 Tree.leaf →
        ((a : α) → (a_1 : Forest α) → motive_2 a_1 → motive_1 (Tree.node a a_1)) →
          motive_2 Forest.nil →
            ((a : Tree α) → (a_1 : Forest α) → motive_1 a → motive_2 a_1 → motive_2 (Forest.cons a a_1)) →
              (t : Forest α) → motive_2 t
-/
#guard_msgs in
#check @Forest.rec

/--
info: @Rose.rec_1 : {motive_1 : Rose → Sort u_1} →
  {motive_2 : List Rose → Sort u_1} →
    ((a : Nat) → (a_1 : List Rose) → motive_2 a_1 → motive_1 (Rose.mk a a_1)) →
      motive_2 [] →
        ((head : Rose) → (tail : List Rose) → motive_1 head → motive_2 tail → motive_2 (head :: tail)) →
          (t : List Rose) → motive_2 t
-/
#guard_msgs in
#check @Rose.rec_1

/--
info: @Tree.brecOn : {α : Type} →
  {motive_1 : Tree α → Sort u_1} →
    {motive_2 : Forest α → Sort u_1} →
      (t : Tree α) → ((t : Tree α) → t.below → motive_1 t) → ((t : Forest α) → t.below → motive_2 t) → motive_1 t
-/
#guard_msgs in
#check @Tree.brecOn

/--
info: @Tree.node.injEq : ∀ {α : Type} (a : α) (a_1 : Forest α) (a_2 : α) (a_3 : Forest α),
  (Tree.node a a_1 = Tree.node a_2 a_3) = (a = a_2 ∧ a_1 = a_3)
-/
#guard_msgs in
#check @Tree.node.injEq

/-! Predicates. -/

namespace Predicates

mutual
inductive Even : Nat → Prop
  | zero : Even 0
  | succ : Odd n → Even (n + 1)
inductive Odd : Nat → Prop
  | succ : Even n → Odd (n + 1)
end

example : Even 2 := .succ (.succ .zero)

theorem not_odd_zero : ¬ Odd 0 := fun h => nomatch h

theorem even_of : ∀ n, Odd (n + 1) → Even n
  | _, .succ h => h

example (h : Odd 2) : False := by
  cases h with
  | succ h => cases h with
    | succ h => cases h

end Predicates

/-! Tactics. -/

namespace Tactics

example (n m : Nat) (a b : List Rose) (h : Rose.mk n a = Rose.mk m b) : a = b := by
  injection h

example (n m : Nat) (a b : List Rose) (h : Rose.mk n a = Rose.mk m b) : b = a := by
  cases h
  rfl

example (t : Tree Nat) (h : t ≠ .leaf) : ∃ a f, t = .node a f := by
  cases t with
  | leaf => contradiction
  | node a f => exact ⟨a, f, rfl⟩

example (a : Nat) (f : Forest Nat) (h : Tree.leaf = .node a f) : False := by contradiction
example (a b : Nat) (f : Forest Nat) : Tree.node a f = .node b f ↔ a = b := by simp

def isLeaf : Tree α → Bool
  | .leaf => true
  | .node .. => false

example : isLeaf (Tree.node 1 Forest.nil) = false := rfl

end Tactics

/-! Nesting in products options and own containers. -/

namespace NestingProductsOptions

inductive Two (α : Type) where
  | mk : α → α → Two α

inductive T where
  | a : Option T → T
  | b : Nat × T → T
  | c : List (List T) → T
  | d : (Nat → Option T) → T
  | e : Two T → T

example (n : Nat) (t u : T) (h : T.b (n, t) = .b (1, u)) : t = u := by
  injection h with h
  injection h

end NestingProductsOptions

/-! Induction is refused in Lean's words. -/

/--
error: The `induction` tactic does not support the type `Tree` because it is mutually inductive

Hint: Consider using the `cases` tactic instead
-/
#guard_msgs in
example (t : Tree Nat) : t = t := by
  induction t
  rfl

/--
error: The `induction` tactic does not support the type `Rose` because it is a nested inductive type

Hint: Consider using the `cases` tactic instead
-/
#guard_msgs in
example (t : Rose) : t = t := by
  induction t
  rfl

/-! Refusals. -/

namespace Refusals

/--
error: (kernel) invalid nested inductive datatype 'Option', nested inductive datatypes parameters cannot contain local variables.
-/
#guard_msgs in
inductive T : Nat → Type where | mk : (n : Nat) → Option (T n) → T (n + 1)

namespace Ex
/--
error: Invalid mutually inductive types: Parameter names `β` and `α` differ but were expected to match
-/
#guard_msgs in
mutual
inductive A (α : Type) where | mk : B α → A α
inductive B (β : Type) where | mk : B β
end
end Ex

/--
error: Invalid mutually inductive types: `B` has 2 parameter(s), but the preceding type `A` has 1

Note: All inductive types declared in the same `mutual` block must have the same parameters
-/
#guard_msgs in
mutual
inductive A (α : Type) where | mk : A α
inductive B (α : Type) (n : Nat) where | mk : B α n
end

/--
error: Invalid mutually inductive types: Parameter `α` has type
  Prop
of sort `Type` but is expected to have type
  Type
of sort `Type 1`
-/
#guard_msgs in
mutual
inductive A2 (α : Type) : Type 1 where
inductive B2 (α : Prop) : Type 1 where
end

/--
error: Invalid mutually inductive types: The resulting type of this declaration
  Type
differs from a preceding one
  Prop

Note: All inductive types declared in the same `mutual` block must belong to the same type universe
-/
#guard_msgs in
mutual
inductive A3 : Prop where | mk : A3
inductive B3 : Type where | mk : B3
end

/--
error: invalid mutual block: either all elements of the block must be inductive/structure declarations, or they must all be definitions/theorems/abbrevs
-/
#guard_msgs in
mutual
inductive A4 where | mk : A4
def f : Nat := 0
end

end Refusals

/--
error: (kernel) arg #1 of 'B.mk' has a non positive occurrence of the datatypes being declared
-/
#guard_msgs in
mutual
inductive A where | mk : B → A
inductive B where | mk : (A → Nat) → B
end

/-! The least universe is found. -/

namespace LeastUniverseFound

mutual
inductive A (α : Type u) where | mk : B α → α → A α
inductive B (α : Type u) where | mk : List (A α) → B α
end

/-- info: A : Type u_1 → Type u_1 -/
#guard_msgs in
#check @A

/-- info: B : Type u_1 → Type u_1 -/
#guard_msgs in
#check @B

end LeastUniverseFound
