-- Checked with Lean 4.35.0.

/-! # Structures that mention themselves, and structures of a `mutual` block -/

set_option linter.unusedVariables false

/-! Projections defaults and recursion. -/

namespace Ex1
structure Rose (α : Type u) where
  node ::
  value : α
  kids : List (Rose α) := []
  tag : Nat := 3
/-- info: @Rose.kids : {α : Type u_1} → Rose α → List (Rose α) -/
#guard_msgs in
#check @Rose.kids
example : ({ value := 2 } : Rose Nat).tag = 3 := rfl
mutual
def Rose.size : Rose α → Nat
  | ⟨_, kids, _⟩ => 1 + sizes kids
def sizes : List (Rose α) → Nat
  | [] => 0
  | k :: ks => k.size + sizes ks
end
theorem t (x : Rose α) : x = ⟨x.value, x.kids, x.tag⟩ := by cases x; rfl
end Ex1

/-! A mutual block of structures and inductive types. -/

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

/-- info: Dir.entries : Dir → List Entry -/
#guard_msgs in
#check @Dir.entries
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
/-- info: R.mk : A Nat → Z → List R → Nat → R -/
#guard_msgs in
#check @R.mk
example (x : R) : x.n = x.toA.n := rfl
def R.total : R → Nat
  | ⟨a, _, kids, _⟩ => a.n + totals kids
where totals : List R → Nat
  | [] => 0
  | _ :: xs => 1 + totals xs
class Unital (α : Type) where
  one : α
class Next (α : Type) extends Unital α where
  more : Option (Next α) := none
example [Next Nat] : Unital Nat := inferInstance
mutual
structure X extends Z where
  ys : List Y
structure Y where
  x : Option X
end
end Ex3

/-! Section variables and namespaces. -/

namespace Ex4
section
variable (α : Type)
structure V where
  a : α
  v : List V
/-- info: @V.mk : {α : Type} → α → List (V α) → V α -/
#guard_msgs in
#check @V.mk
end
namespace N
structure Nat where
  pred : Option Nat
/-- info: Nat.mk : Option Nat → Nat -/
#guard_msgs in
#check @N.Nat.mk
end N
class C (α : Type) where
  next : Option (C α)
/-- info: @C.next : {α : Type} → [self : C α] → Option (C α) -/
#guard_msgs in
#check @C.next
end Ex4

/-! What is refused. -/

namespace Ex5

/-- error: (kernel) arg #1 of 'Ex5.Bad.mk' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
structure Bad where
  f : Bad → False
end Ex5

namespace Ex6

/-- error: (kernel) arg #1 of 'Ex6.X.mk' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
mutual
structure X where
  y : Y → False
structure Y where
  x : X
end
end Ex6

namespace Ex7

/-- error: Field `a` has already been declared -/
#guard_msgs in
structure Q where
  a : Option Q
  a : Nat
end Ex7

namespace Ex8

/--
error: Invalid universe level for field `t`: Field has type
  Type
at universe level
  2
which is not less than or equal to the structure's resulting universe level
  1
-/
#guard_msgs in
structure Big : Type where
  kids : List Big
  t : Type
end Ex8

namespace Ex9
structure B where
  n : Nat
/-- error: (kernel) arg #2 of 'Ex9.E.mk' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
structure E extends B where
  k : E → False
end Ex9

namespace Ex10
structure B where
  n : Nat
/-- error: Field `n` has already been declared in a parent structure -/
#guard_msgs in
structure E extends B where
  n : Nat
  k : List E
end Ex10

namespace Ex11

/--
error: `Nat` is not a structure

Hint: This error is possibly due to a change in the `structure` syntax. Now the syntax is `structure S : Type extends P` rather than `structure S extends P : Type`.

The purpose of the change is to accommodate `structure S extends toP : P` syntax for naming parent projections.
-/
#guard_msgs in
structure E extends Nat where
  k : List E
end Ex11

/-! A structure takes no indices. -/

namespace Ex12

/--
error: Invalid resulting type: Expected a sort

Hint: Examples of valid sorts include `Type _`, `Sort _`, and `Prop`
-/
#guard_msgs in
structure S : Nat → Type where
  x : Nat
end Ex12

namespace Ex13
structure S (n : Nat) : Type where
  x : Nat
end Ex13

namespace Ex14

/--
error: Invalid resulting type: Expected a sort

Hint: Examples of valid sorts include `Type _`, `Sort _`, and `Prop`
-/
#guard_msgs in
structure S : Nat → Type where
  x : Option (S 0)
end Ex14

namespace Ex15
structure S (n : Nat) : Type where
  x : Option (S n)
end Ex15

/-! A recursive structure has no eta. -/

namespace Ex16
structure S where
  kids : List S
theorem t (x : S) : x = ⟨x.kids⟩ := by cases x; rfl
end Ex16

namespace Ex17
structure S where
  kids : List S
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  x = { kids := x.kids }
---
error: Not a definitional equality: the left-hand side
  x
is not definitionally equal to the right-hand side
  { kids := x.kids }
-/
#guard_msgs in
theorem t (x : S) : x = ⟨x.kids⟩ := rfl
end Ex17

namespace Ex18
structure S where
  kids : List Nat
theorem t (x : S) : x = ⟨x.kids⟩ := rfl
end Ex18

/-! A structure without a first value is empty and proves no more. -/

namespace Ex19
structure R where
  r : R
theorem no (x : R) : False := by
  induction x with
  | mk r ih => exact ih
end Ex19
