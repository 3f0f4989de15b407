-- Checked with Lean 4.35.0.

/-! # Inductive types that Lean refuses, with its messages; inductive types over section variables -/

set_option linter.unusedVariables false

/-! A declaration is refused in Lean's words. -/

namespace Ex1

/-- error: (kernel) arg #1 of 'Ex1.B.mk' has a non positive occurrence of the datatypes being declared -/
#guard_msgs in
inductive B where | mk : (B → Nat) → B
end Ex1

namespace Ex2

/-- error: (kernel) arg #2 of 'Ex2.F.mk' contains a non valid occurrence of the datatypes being declared -/
#guard_msgs in
inductive F (f : Type → Type) : Type where | mk : f (F f) → F f
end Ex2

namespace Ex3

/--
error: Mismatched inductive type parameter in
  P 4 5
The provided argument
  4
is not definitionally equal to the expected parameter
  n

Note: The value of parameter `n` must be fixed throughout the inductive declaration. Consider making this parameter an index if it must vary.
-/
#guard_msgs in
inductive P (n : Nat) : Nat → Type where | five : P 4 5
end Ex3

namespace Ex4

/--
error: Invalid universe level in constructor `Ex4.U.mk`: Parameter `α` has type
  Type
at universe level
  2
which is not less than or equal to the inductive type's resulting universe level
  1
-/
#guard_msgs in
inductive U : Type where | mk : (α : Type) → α → U
end Ex4

namespace Ex5

/--
error: Invalid universe level in constructor `Ex5.L.mk`: Parameter has type
  α
at universe level
  2
which is not less than or equal to the inductive type's resulting universe level
  1
-/
#guard_msgs in
inductive L (α : Type 1) : Type where | mk : α → L α
end Ex5

namespace Ex6
abbrev Kids (α : Type) := List α

/-- error: (kernel) arg #1 of 'Ex6.R.mk' contains a non valid occurrence of the datatypes being declared -/
#guard_msgs in
inductive R where | mk (kids : Kids R)
end Ex6

namespace Ex7

/--
error: Failed to infer type of binder `x`

Note: Because this declaration's type has been explicitly provided, all parameter types and holes (e.g., `_`) in its header are resolved before its body is processed; information from the declaration body cannot be used to infer what these values should be
-/
#guard_msgs in
def f x : Nat := x + 2
end Ex7

/-! Constructors use the variables of the section. -/

namespace Ex8
variable {α : Type} (R : α → α → Prop)
inductive Cl : α → α → Prop where
  | base {x y : α} (h : R x y) : Cl x y
  | trans {x y z : α} : Cl x y → Cl y z → Cl x z
/-- info: @Cl.trans : ∀ {α : Type} {R : α → α → Prop} {x y z : α}, Cl R x y → Cl R y z → Cl R x z -/
#guard_msgs in
#check @Cl.trans
end Ex8

/-! A list in an index is elaborated in full. -/

namespace Ex9
inductive Pal : List α → Prop
  | nil : Pal []
  | wrap {a : α} {as : List α} : Pal as → Pal ([a] ++ as ++ [a])
/-- info: @Pal.wrap : ∀ {α : Type u_1} {a : α} {as : List α}, Pal as → Pal ([a] ++ as ++ [a]) -/
#guard_msgs in
#check @Pal.wrap
end Ex9

/-! Patterns determine the type of a binder. -/

namespace Ex10
inductive N | z | s (n : N)
def f x := match x with
  | N.z => N.z
  | N.s k => k
def g x (y : N) := match x with
  | N.z => y
  | N.s k => N.s k

/-- info: Ex10.f (x : N) : N -/
#guard_msgs in
#check f

/-- info: Ex10.g (x y : N) : N -/
#guard_msgs in
#check g
end Ex10
