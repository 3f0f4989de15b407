-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Messages about types: sorts that differ, operators without an instance, missing cases, ill-typed applications -/

set_option linter.unusedVariables false

/-! The message of a clash. Sorts: reference manual (4.34), "Types". Operators, missing cases and `A.n b`:
Functional Programming in Lean (4.32). -/

-- Lean: error: Missing cases: [], (List.cons _ _) (List.cons _ _), []
namespace Ex1
/--
error: Missing cases:
(List.cons _ _), []
[], (List.cons _ _)
-/
#guard_msgs in
def zip : List α → List β → List (α × β)
  | [], [] => []
  | x :: xs, y :: ys => (x, y) :: zip xs ys
end Ex1

-- Lean: error: Missing cases: (Prod.mk (Nat.succ _) false) (Prod.mk (Nat.succ _) true)
/--
error: Missing cases:
(Prod.mk (Nat.succ _) true)
(Prod.mk (Nat.succ _) false)
-/
#guard_msgs in
example (x : Prod Nat Bool) : Nat :=
  match x with
  | (0, _) => 1

-- Lean: error: unsolved goals n : Nat ⊢ sorry ∧ True
namespace Ex3
/--
error: Application type mismatch: The argument
  n
has type
  Nat
but is expected to have type
  Prop
in the application
  And n
-/
#guard_msgs in
theorem t (n : Nat) : n ∧ True := by skip
end Ex3

-- Lean: error: unsolved goals p : Prop n : Nat ⊢ p ↔ sorry
namespace Ex4
/--
error: Application type mismatch: The argument
  n
has type
  Nat
but is expected to have type
  Prop
in the application
  p ↔ n
-/
#guard_msgs in
theorem t (p : Prop) (n : Nat) : p ↔ n := by skip
end Ex4

-- Lean: error: unsolved goals n : Nat ⊢ ¬sorry
namespace Ex5
/--
error: Application type mismatch: The argument
  n
has type
  Nat
but is expected to have type
  Prop
in the application
  ¬n
-/
#guard_msgs in
theorem t (n : Nat) : ¬n := by skip
end Ex5
