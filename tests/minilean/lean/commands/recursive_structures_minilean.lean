-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Structures that mention themselves, and structures of a `mutual` block -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Projections defaults and recursion. -/

-- Lean: info: { value := 2 } : Rose Nat
namespace Ex1
structure Rose (α : Type u) where
  node ::
  value : α
  kids : List (Rose α) := []
  tag : Nat := 3
/-- info: { value := 2, kids := [], tag := 3 } : Rose Nat -/
#guard_msgs in
#check ({ value := 2 } : Rose Nat)
mutual
def Rose.size : Rose α → Nat
  | ⟨_, kids, _⟩ => 1 + sizes kids
def sizes : List (Rose α) → Nat
  | [] => 0
  | k :: ks => k.size + sizes ks
end

/-- info: 3 -/
#guard_msgs in
#eval (Rose.node 1 [⟨2, [], 0⟩, { value := 4 }] 5).size
theorem t (x : Rose α) : x = ⟨x.value, x.kids, x.tag⟩ := by cases x; rfl
end Ex1

/-! A mutual block of structures and inductive types. -/

-- Lean: info: { name := "a" }.size : Nat
namespace Ex2
mutual
structure File where
  name : String
  size : Nat := 0
inductive Entry where
  | file : File → Entry
  | dir : Dir → Entry
structure Dir where
  entries : List Entry
  hidden : Bool := false
end

/-- info: { name := "a", size := 0 }.size : Nat -/
#guard_msgs in
#check ({ name := "a" } : File).size
mutual
def Entry.count : Entry → Nat
  | .file _ => 1
  | .dir d => d.count
def Dir.count : Dir → Nat
  | ⟨es, _⟩ => countAll es
def countAll : List Entry → Nat
  | [] => 0
  | e :: es => e.count + countAll es
end

/-- info: 1 -/
#guard_msgs in
#eval ({ entries := [.file { name := "a" }, .dir { entries := [] }] } : Dir).count
end Ex2

/-! Parents. -/

namespace Ex3
structure A (α : Type) where
  n : α
structure Z where
  z : Nat := 7
structure R extends A Nat, Z where
  kids : List R := []
  m : Nat := n + z
/-- info: 11 -/
#guard_msgs in
#eval ({ n := 4 } : R).m
def R.total : R → Nat
  | ⟨a, _, kids, _⟩ => a.n + totals kids
where totals : List R → Nat
  | [] => 0
  | _ :: xs => 1 + totals xs

/-- info: 3 -/
#guard_msgs in
#eval R.total { n := 2, kids := [{ n := 1, z := 0 }] }
class Unital (α : Type) where
  one : α
class Next (α : Type) extends Unital α where
  more : Option (Next α) := none
mutual
structure X extends Z where
  ys : List Y
structure Y where
  x : Option X
end

/-- info: 7 -/
#guard_msgs in
#eval ({ ys := [] } : X).z
end Ex3

/-! What is refused. -/

-- Lean: error: failed to generate projection `Ex4.P.n` for the 'Prop'-valued type `P`, field must be a proof,
-- but it has type Nat
namespace Ex4
/--
error: failed to generate projection `Ex4.P.n` for the 'Prop'-valued type `Ex4.P`, field must be a proof, but it has type
  Nat
-/
#guard_msgs in
structure P : Prop where
  p : P
  n : Nat
end Ex4

-- Lean accepts this.
namespace Ex5
structure B where
  n : Nat
/-- error: unsupported: a field over an inherited field in the recursive structure `E` -/
#guard_msgs in
structure E extends B where
  k : List E
  i : Fin n
end Ex5

-- Lean accepts this.
namespace Ex6
structure B where
  n : Nat
structure C where
  n : Nat
/-- error: unsupported: `extends` of structures that share fields (`n`) -/
#guard_msgs in
structure E extends B, C where
  k : List E
end Ex6

-- Lean accepts this.
namespace Ex7
/-- error: unsupported: a field with undeclared variables in the recursive structure `Ex7.E` -/
#guard_msgs in
structure E where
  k : List E
  f : α → Nat
end Ex7

/-! A structure without a first value is empty and proves no more. -/

-- Lean: error: The `induction` tactic does not support the type `Ex8.R` because it is a nested inductive type
-- Hint: Consider using the `cases` tactic instead
namespace Ex8
structure R where
  r : List R
/-- error: Too many variable names provided at alternative `mk`: 2 provided, but 1 expected -/
#guard_msgs in
theorem no (x : R) : False := by
  induction x with
  | mk r ih => exact ih
end Ex8
