-- Checked with Lean 4.35.0.

/-! # Whole files: messages with positions, recovery after errors, scopes, queries -/

set_option linter.unusedVariables false

/-! Namespaces sections variables and open. -/

namespace Ex1
namespace A
section
variable (p : Prop)
def same : Prop := p
end
theorem t : same True := trivial
end A

/-- info: Ex1.A.same (p : Prop) : Prop -/
#guard_msgs in
#check A.same

/-- info: Ex1.A.same (p : Prop) : Prop -/
#guard_msgs in
open A in
#check same

/-- error: Unknown identifier `t` -/
#guard_msgs in
#check t
open A (t)

/-- info: Ex1.A.t : A.same True -/
#guard_msgs in
#check t
end Ex1

/-! Structures extend and update. -/

namespace Ex2
structure Point where
  x : Nat
  y : Nat
structure Point3 extends Point where
  z : Nat
def p : Point3 := { x := 1, y := 2, z := 3 }
example (a b : Nat) : ({ x := a, y := b } : Point).y = b := rfl
example (q : Point) : { x := q.x, y := q.y } = q := rfl
end Ex2

/-! Classes of the user. -/

namespace Ex3
class Shape (α : Type u) where
  area : α → Nat
structure Square where
  side : Nat
instance : Shape Square where
  area s := s.side * s.side
instance [Shape α] [Shape β] : Shape (α × β) := ⟨fun p => Shape.area p.1 + Shape.area p.2⟩

/--
error: failed to synthesize instance of type class
  Shape Nat

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
#eval Shape.area 5
end Ex3
