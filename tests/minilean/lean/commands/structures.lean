-- Checked with Lean 4.35.0.

/-! # Fields of structures: brackets, binders, tactics, instances found for them; types in dotted names -/

set_option linter.unusedVariables false

class A (α : Type) where
  a : α

/-! Lean accepts. -/

namespace LeanAccepts

-- instance fields are found, after any kind of field
structure P where
  p : Nat → Prop
  [inst : DecidablePred p]

example : P := { p := fun n => n < 9 }

structure P2 where
  x : Nat
  p : Prop := x < 3
  [i : Decidable p]

example : P2 := { x := 0 }

-- tactics of a field run below its binders when an instance omits the field
class Op (α) where
  op : α → α → α

class Unital (α) extends Op α where
  one : α
  unit (a : α) : Op.op one a = a := by intros; rfl

example : Unital (α → α) := { op := Function.comp, one := id }

class Order (α : Type u) extends LE α, LT α, Max α where
  ltDecidable : DecidableRel (@LT.lt α _)
  max_def x y : max x y = if x < y then x else y

inductive Perm : List α → List α → Prop
  | nil : Perm [] []
  | cons : Perm l k → Perm (a :: l) (a :: k)

example : ∀ l : List α, Perm l l := fun l => by
  induction l with
  | nil => exact .nil
  | cons _ _ ih => exact .cons ih

-- a name that occurs only in the type of the type is an index, which may vary
inductive T : Nat → Type
  | one : T n

inductive Same : T n → T m → Prop
  | refl : Same t t

example (h : Same (t : T 2) u) : Same u t := by
  cases h
  exact .refl

structure P3 where
  x : Nat

example : P3 := let x := 3; { x }

def _root_.Nat.half : Nat → Nat
  | n + 2 => n.half + 1
  | _ => 0

example : Nat.half 5 = 2 := rfl

namespace Ex
namespace A
inductive B.T where
  | s : T → T
  | z
def B.T.size : B.T → Nat
  | .s a => a.size + 1
  | .z => 0
example : (B.T.s .z).size = 1 := rfl
end A
end Ex

-- undetermined universes of fields become the universe of the type
inductive Member : α → List α → Type u
  | head : Member a (a :: as)
  | tail : Member a bs → Member a (b :: bs)

example {α : Type u} (a b : α) : Member a [b, a] := .tail .head

inductive P4 where
  | mk (α : Type _) (a : α)

inductive P5 : Type 1 where
  | mk : B → P5

inductive P6 : Type 1 where
  | mk (α) (a : α) : P6

inductive P7 : Type 1 where
  | mk (α : Sort _) (a : α) : P7

inductive P8 : Type 1 where
  | mk (α : Type _) (a : α) : P8

end LeanAccepts

/-! Lean refuses. -/

namespace LeanRefuses

structure P where
  p : Prop
  [i : Decidable p]

/--
error: failed to synthesize instance of type class
  Decidable q

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (q : Prop) : P := { p := q }

-- names after a field's own name are its binders
namespace Ex1
/-- error: Failed to infer type of binder `y` -/
#guard_msgs in
structure P where
  x y : Nat
end Ex1

/-- error: Failed to infer type of field `x` -/
#guard_msgs in
structure P2 where
  x : _

/-- error: Failed to infer type of binder `x` -/
#guard_msgs in
inductive P3 where
  | mk (x : _)

namespace Ex2
/--
error: Invalid resulting type: Expected a sort or an indexed family of sorts

Hint: Examples of valid sorts include `Type _`, `Sort _`, and `Prop`
-/
#guard_msgs in
inductive P : Nat where
end Ex2

namespace Ex3
/--
error: Invalid resulting type: Expected a sort

Hint: Examples of valid sorts include `Type _`, `Sort _`, and `Prop`
-/
#guard_msgs in
structure P : Nat where
end Ex3

-- of an instance, what no text, default or instance of a parent gives
namespace Ex4
/-- error: Fields missing: `map` -/
#guard_msgs in
instance : Functor List where
end Ex4

/-- error: Fields missing: `pure`, `bind` -/
#guard_msgs in
instance : Monad List where

class G (α : Type) extends Mul α, One α where
  inv : α → α

/-- error: Fields missing: `one` -/
#guard_msgs in
instance : G Nat where
  inv := id

class B (α : Type) extends A α where
  b : α := A.a

/-- error: Fields missing: `a` -/
#guard_msgs in
instance : B Nat where

/-- error: unknown universe level `β` -/
#guard_msgs in
set_option relaxedAutoImplicit false in
def f {α : Type β} (a : α) := a

end LeanRefuses

/--
error: Invalid universe level in constructor `Member.head`: Parameter `as` has type
  List α
at universe level
  u_1 + 1
which is not less than or equal to the inductive type's resulting universe level
  2
-/
#guard_msgs in
inductive Member : α → List α → Type 1
  | head : Member a (a :: as)

structure Q (α : Type) where
  v : α
def Q.f {b : Nat} : Nat := b
/--
error: Invalid field notation: Function `Q.f` does not have a usable parameter of type `Q ...` for which to substitute `q`

Note: Such a parameter must be explicit, or implicit with a unique name, to be used by field notation
-/
#guard_msgs in
example (q : Q Nat) : q.f = 0 := rfl

/-! Which parameters a projection asks for. -/

namespace ParametersProjectionAsks

class A2 (α : Type) where
  a : Nat

/-- info: A2.a : (α : Type) → [self : A2 α] → Nat -/
#guard_msgs in
#check @A2.a

/-- info: @A.a : {α : Type} → [self : A α] → α -/
#guard_msgs in
#check @A.a

class A3 (α : Type) where
  a : α → Nat

/-- info: @A3.a : {α : Type} → [self : A3 α] → α → Nat -/
#guard_msgs in
#check @A3.a

class A4 (α : Type) where
  a : {x : α} → Nat

/-- info: A4.a : (α : Type) → [self : A4 α] → {x : α} → Nat -/
#guard_msgs in
#check @A4.a

class A5 (α : outParam Type) where
  a : Nat

/-- info: @A5.a : {α : outParam Type} → [self : A5 α] → Nat -/
#guard_msgs in
#check @A5.a

class A6 (α : Type) [BEq α] where
  a : α

/-- info: @A6.a : {α : Type} → {inst : BEq α} → [self : A6 α] → α -/
#guard_msgs in
#check @A6.a

structure A7 (α : Type) [BEq α] where
  a : Nat

/-- info: @A7.a : {α : Type} → [inst : BEq α] → A7 α → Nat -/
#guard_msgs in
#check @A7.a

/-- info: @OfNat.ofNat : {α : Type u_1} → (x : Nat) → [self : OfNat α x] → α -/
#guard_msgs in
#check @OfNat.ofNat

end ParametersProjectionAsks

/-! A parameter that nothing determines is shown. -/

namespace ParameterNothingDetermines

class A2 (α : Type) where
  a : Nat

example (α : Type) (i : A2 α) : i.a = A2.a α := rfl

/--
error: unsolved goals
α : Type
inst✝ : A2 α
⊢ A2.a α = 4
-/
#guard_msgs in
example (α : Type) [A2 α] : A2.a α = 4 := by
  skip

end ParameterNothingDetermines

/-! Eta with functions as fields. -/

namespace EtaFunctionsFields

structure S where
  a : Nat
  run : Nat → Nat

example (x y : S) : (⟨x.a, fun n => x.run n⟩ : S) = x := rfl
example (x y : S) : x = (⟨x.a, fun n => x.run n⟩ : S) := rfl
example (x y : S) : (⟨x.a, fun n => x.run (n + 0)⟩ : S) = x := rfl
example (x y : S) : x = (⟨x.a, fun n => x.run (n + 0)⟩ : S) := rfl
example (x y : S) : (⟨x.a, x.run⟩ : S) = x := rfl
example (x y : S) : x = (⟨x.a, x.run⟩ : S) := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.11 = ?m.11
but is expected to have type
  { a := x.a, run := fun n => x.run (n + 1) } = x
-/
#guard_msgs in
example (x y : S) : (⟨x.a, fun n => x.run (n + 1)⟩ : S) = x := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.11 = ?m.11
but is expected to have type
  x = { a := x.a, run := fun n => x.run (n + 1) }
-/
#guard_msgs in
example (x y : S) : x = (⟨x.a, fun n => x.run (n + 1)⟩ : S) := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.4 = ?m.4
but is expected to have type
  { a := x.a, run := fun n => y.run n } = x
-/
#guard_msgs in
example (x y : S) : (⟨x.a, fun n => y.run n⟩ : S) = x := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.4 = ?m.4
but is expected to have type
  x = { a := x.a, run := fun n => y.run n }
-/
#guard_msgs in
example (x y : S) : x = (⟨x.a, fun n => y.run n⟩ : S) := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.4 = ?m.4
but is expected to have type
  { a := y.a, run := fun n => x.run n } = x
-/
#guard_msgs in
example (x y : S) : (⟨y.a, fun n => x.run n⟩ : S) = x := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.4 = ?m.4
but is expected to have type
  x = { a := y.a, run := fun n => x.run n }
-/
#guard_msgs in
example (x y : S) : x = (⟨y.a, fun n => x.run n⟩ : S) := rfl

end EtaFunctionsFields
