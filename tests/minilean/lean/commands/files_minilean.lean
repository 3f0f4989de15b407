-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Whole files: messages with positions, recovery after errors, scopes, queries -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Queries. -/

namespace Ex1

/-- info: 14 -/
#guard_msgs in
#eval 2 + 3 * 4

/-- info: [1, 2, 3] -/
#guard_msgs in
#eval [1, 2] ++ [3]

/-- info: true -/
#guard_msgs in
#eval decide (2 < 3)

/-- info: (3, 1) -/
#guard_msgs in
#eval (7 / 2, 7 % 2)
theorem em' (p : Prop) : p ∨ ¬p := Classical.em p

/-- info: 'Ex1.em'' depends on axioms: [propext, Classical.choice, Quot.sound] -/
#guard_msgs in
#print axioms em'
theorem id' (p : Prop) (h : p) : p := h

/-- info: 'Ex1.id'' does not depend on any axioms -/
#guard_msgs in
#print axioms id'

/-- warning: unknown option `no.such.option` -/
#guard_msgs in
set_option no.such.option true
end Ex1

/-! What is not supported is named. -/

-- Lean accepts this.
namespace Ex2
/-- error: unsupported: `partial` of `f`: only definitions that terminate are accepted -/
#guard_msgs in
partial def f (n : Nat) : Nat := f n
end Ex2

-- Lean accepts this.
namespace Ex3
/-- error: unsupported: `unsafe` of `f`: only definitions that terminate are accepted -/
#guard_msgs in
unsafe def f (n : Nat) : Nat := n
end Ex3

/-! Structures extend and update. -/

namespace Ex4
structure Point where
  x : Nat
  y : Nat
structure Point3 extends Point where
  z : Nat
def p : Point3 := { x := 1, y := 2, z := 3 }

/-- info: 4 -/
#guard_msgs in
#eval p.x + p.z

/-- info: 9 -/
#guard_msgs in
#eval { p with z := 9 }.z
end Ex4

/-! Classes of the user. -/

namespace Ex5
class Shape (α : Type u) where
  area : α → Nat
structure Square where
  side : Nat
instance : Shape Square where
  area s := s.side * s.side
instance [Shape α] [Shape β] : Shape (α × β) := ⟨fun p => Shape.area p.1 + Shape.area p.2⟩

/-- info: 13 -/
#guard_msgs in
#eval Shape.area (Square.mk 3, Square.mk 2)
end Ex5
