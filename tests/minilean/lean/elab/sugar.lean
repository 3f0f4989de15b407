-- Checked with Lean 4.35.0.

/-! # Terms and fields that are notation for others, and queries about them -/

set_option linter.unusedVariables false

structure Pt where
  x : Nat
  y : Nat

structure Hue where
  hue : Nat

/-! Abbreviations mean what Lean says. -/

/-- info: (n : Nat) × (k : Nat) × Fin (n + k) : Type -/
#guard_msgs in
#check (Σ n k : Nat, Fin (n + k))

/-- info: (n : Nat) × Fin n : Type -/
#guard_msgs in
#check (n : Nat) × Fin n

/-- info: fun p => p.fst : (n : Nat) ×' n = 0 → Nat -/
#guard_msgs in
#check fun (p : (n : Nat) ×' (n = 0)) => p.1

/-- info: bif true then 1 else 2 : Nat -/
#guard_msgs in
#check bif true then 1 else 2

/-- info: Nat × Bool : Type -/
#guard_msgs in
#check Nat × Bool

/-- info: @Sigma.mk : {α : Type u_1} → {β : α → Type u_2} → (fst : α) → β fst → Sigma β -/
#guard_msgs in
#check @Sigma.mk

/-- info: instInhabitedProd -/
#guard_msgs in
#synth Inhabited (Nat × Bool)

/-! A pair type is the one of core whatever has its name. -/

namespace PairTypeOne

namespace Ex1
namespace Own
def Sigma (_ : Nat → Type) : Type := Bool
def PSigma (_ : Nat → Prop) : Type := Bool
example : (n : Nat) × Fin (n + 1) := ⟨2, 0⟩
end Own
open Own
example : (n : Nat) × Fin (n + 1) := ⟨2, 0⟩
end Ex1

namespace Ex2
namespace Own
def Sigma (_ : Nat → Type) : Type := Bool
def PSigma (_ : Nat → Prop) : Type := Bool
example : (n : Nat) ×' (n = n) := ⟨2, rfl⟩
end Own
open Own
example : (n : Nat) ×' (n = n) := ⟨2, rfl⟩
end Ex2

namespace Ex3
namespace Own
def Sigma (_ : Nat → Type) : Type := Bool
def PSigma (_ : Nat → Prop) : Type := Bool
example : Σ n : Nat, Fin (n + 1) := ⟨2, 0⟩
end Own
open Own
example : Σ n : Nat, Fin (n + 1) := ⟨2, 0⟩
end Ex3

end PairTypeOne

/-! Strict implicit binders in ASCII. -/

namespace StrictImplicitBinders

def sym (r : Nat → Nat → Prop) : Prop := ∀ {{a b : Nat}}, r a b → r b a

example (h : sym Eq) (e : 1 = 2) : 2 = 1 := h e
example (h : sym Eq) : sym Eq := h

end StrictImplicitBinders

/-! A structure takes fields from several sources. -/

namespace StructureTakesFields

-- the type of a source may be known only after the arguments that follow
structure Both extends Pt, Hue

def p : Pt := { x := 1, y := 2 }

def h : Hue := { hue := 3 }

def b : Both := { p, h with y := 9 }

def c : Both := { p with hue := 5 }

example : (b.x, b.y, b.hue) = (1, 9, 3) := rfl
example : (c.x, c.y, c.hue) = (1, 2, 5) := rfl
example (ps : List Pt) : List Pt := List.map (fun p => { p with x := 1 }) ps
example (ps : List Pt) : List Pt := ps.map fun p => { p with x := 1 }

/-- error: `Nat` is not a structure -/
#guard_msgs in
example : Pt := { (1 : Nat) with x := 1 }

/-- error: expected structure -/
#guard_msgs in
example (f : Nat → Nat) : Pt := { f with x := 1 }

end StructureTakesFields

/-! Fields by equations. -/

namespace FieldsEquations

class Size (α : Type) where
  size : α → Nat

instance : Size Bool where
  size
    | true => 1
    | false => 0

example : Size.size true = 1 := rfl

/--
error: Missing cases:
false
-/
#guard_msgs in
instance : Size Bool where
  size
    | true => 1

end FieldsEquations

/-! Print shows types and structures. -/

/--
info: structure Pt : Type
number of parameters: 0
fields:
  Pt.x : Nat
  Pt.y : Nat
constructor:
  Pt.mk (x y : Nat) : Pt
-/
#guard_msgs in
#print Pt

/--
info: inductive Or : Prop → Prop → Prop
number of parameters: 2
constructors:
Or.inl : ∀ {a b : Prop}, a → a ∨ b
Or.inr : ∀ {a b : Prop}, b → a ∨ b
-/
#guard_msgs in
#print Or

theorem t {p q : Prop} (hp : p) (_ : q) : p := hp
/--
info: theorem t : ∀ {p q : Prop}, p → q → p :=
fun {p q} hp x => hp
-/
#guard_msgs in
#print t

/-! Indices of a family without constructors are parameters. -/

namespace Ex1
inductive E : Nat → Prop
/-- info: @E.rec : {a : Nat} → (motive : E a → Sort u_1) → (t : E a) → motive t -/
#guard_msgs in
#check @E.rec

/--
info: inductive Ex1.E : Nat → Prop
number of parameters: 1
constructors:
-/
#guard_msgs in
#print E
end Ex1
