-- Checked with Lean 4.35.0.

/-! # Constructors with undeclared names, `deriving`, `@[ext]`, coercions, priorities, `open Classical` -/

set_option linter.unusedVariables false

namespace WithCoercions

instance : Coe Bool Nat where
  coe b := if b then 1 else 0

structure Magma where
  carrier : Type u
  op : carrier → carrier → carrier

instance : CoeSort Magma (Type u) where
  coe s := s.carrier

structure Hom (a b : Magma) where
  map : a → b

instance (a b : Magma) : CoeFun (Hom a b) (fun _ => a → b) where
  coe f := f.map

/-! Lean accepts. -/

namespace Ex1
theorem t (b : Bool) (h : b = true) : (↑b : Nat) = 1 := by
  subst h
  rfl
end Ex1

namespace Ex2
theorem t (s : Magma) (a b : s) : s.op a b = s.op a b := rfl
end Ex2

namespace Ex3
theorem t (a b : Magma) (f : Hom a b) (x : a) : f x = f.map x := rfl
end Ex3

/-! Lean refuses. -/

/--
error: Type mismatch
  3
has type
  Nat
but is expected to have type
  Bool
-/
#guard_msgs in
example : Bool := (3 : Nat)

/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  (if b = true then 1 else 0) = 1
-/
#guard_msgs in
example (b : Bool) : (↑b : Nat) = 1 := rfl

/--
error: Application type mismatch: The argument
  x
has type
  b.carrier
but is expected to have type
  a.carrier
in the application
  f.map x
-/
#guard_msgs in
example (a b : Magma) (f : Hom a b) (x : b) := f x

end WithCoercions

namespace WithParity

def parity : Setoid Nat where
  r a b := a % 2 = b % 2
  iseqv := ⟨fun _ => rfl, fun h => h.symm, fun h k => h.trans k⟩

/-! Lean accepts. -/

example : Quotient.mk parity 1 = Quotient.mk parity 3 := Quotient.sound (by decide : 1 % 2 = 3 % 2)

end WithParity

namespace WithA

class A where
  a : Nat

instance (priority := low) one : A := ⟨1⟩

/-! Lean accepts. -/

namespace Ex1
instance (priority := default + 1) two : A := ⟨2⟩
instance three : A := ⟨3⟩
example : A.a = 2 := rfl
end Ex1

/-! Lean refuses. -/

namespace Ex2
instance : A := ⟨3⟩

/--
error: Type mismatch
  rfl
has type
  ?m.6 = ?m.6
but is expected to have type
  A.a = 1
-/
#guard_msgs in
example : A.a = 1 := rfl
end Ex2

end WithA

namespace WithDefaults

structure P where
  x : Nat := 0
  y : Nat := x + 1

structure R extends P where
  z : Nat := 9

structure Small where
  n : Nat
  low : n < 10 := by decide

class Magma (α : Type u) where
  op : α → α → α
  swapped : α → α → α := fun a b => op b a

instance : Magma Nat where
  op a b := a + b

/-! Lean accepts. -/

example : ({} : P) = ⟨0, 1⟩ := rfl
example : ({x := 3} : P) = {x := 3, y := 4} := rfl
example : ({x := 1} : R).toP.y = 2 ∧ ({} : R).z = 9 := ⟨rfl, rfl⟩
example : Small := {n := 3}
example (a b : Nat) : Magma.swapped a b = b + a := rfl

end WithDefaults

namespace WithNamed

def insert' (a : Nat) : List Nat → List Nat
  | [] => [a]
  | l@(x :: xs) => if a ≤ x then a :: l else x :: insert' a xs

/-! Lean accepts. -/

example : insert' 2 [1, 3] = [1, 2, 3] := by decide
example (n : Nat) : insert' n [] = [n] := rfl

/-! Lean refuses. -/

/--
error: Tactic `decide` proved that the proposition
  insert' 2 [1, 3] = [2, 1, 3]
is false
-/
#guard_msgs in
example : insert' 2 [1, 3] = [2, 1, 3] := by decide

end WithNamed

namespace WithOpaque

opaque f : Nat → Nat
opaque P : Prop
opaque T : Type
opaque g (n : Nat) : Nat := n + 1

/-! An opaque constant is some element of its type. -/

example (h : ∀ n : Nat, f n = n) : f 5 = 5 := by exact h 5
example : f 2 = f (1 + 1) := rfl
example (h : P) (x : T) : P ∧ x = x := ⟨h, rfl⟩
example (h : g 1 = f 1) : f 1 = g 1 := by simp [h]

/-! Nobody knows which one. -/

/-- error: `simp` made no progress -/
#guard_msgs in
example : g 2 = 3 := by simp [g]

/--
error: Invalid rewrite argument: Expected an equality or iff proof or definition name, but `g ?n` is a value of type
  Nat
-/
#guard_msgs in
example : g 2 = 3 := by rw [g]

/--
error: Type mismatch
  trivial
has type
  True
but is expected to have type
  P
-/
#guard_msgs in
example : P := trivial

end WithOpaque
