-- Checked with Lean 4.35.0.

/-! # `SizeOf` instances of inductive types, and recursion along sizes -/

set_option linter.unusedVariables false

namespace WithTypes

inductive Tree (α : Type u) where
  | leaf : Tree α
  | node (left : Tree α) (value : α) (right : Tree α) : Tree α

inductive Rose where
  | mk : Nat → List Rose → Rose

mutual
inductive A where | a : Nat → B → A | nil
inductive B where | b : A → A → B
end

inductive Vec (α : Type u) : Nat → Type u where
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)

structure Pair where
  x : Nat
  h : x = 2

inductive Fn where
  | mk : (Nat → Fn) → Fn

inductive Name where
  | str : String → Name → Name

/-! What is generated. -/

/--
info: @Tree.node.sizeOf_spec : ∀ {α : Type u_1} [inst : SizeOf α] (left : Tree α) (value : α) (right : Tree α),
  sizeOf (left.node value right) = 1 + sizeOf left + sizeOf value + sizeOf right
-/
#guard_msgs in
#check @Tree.node.sizeOf_spec

/-- info: Rose.mk.sizeOf_spec : ∀ (a : Nat) (a_1 : List Rose), sizeOf (Rose.mk a a_1) = 1 + sizeOf a + sizeOf a_1 -/
#guard_msgs in
#check @Rose.mk.sizeOf_spec

/-- info: B.b.sizeOf_spec : ∀ (a a_1 : A), sizeOf (B.b a a_1) = 1 + sizeOf a + sizeOf a_1 -/
#guard_msgs in
#check @B.b.sizeOf_spec

/--
info: @Vec.cons.sizeOf_spec : ∀ {α : Type u_1} [inst : SizeOf α] {n : Nat} (a : α) (a_1 : Vec α n),
  sizeOf (Vec.cons a a_1) = 1 + sizeOf n + sizeOf a + sizeOf a_1
-/
#guard_msgs in
#check @Vec.cons.sizeOf_spec

/-- info: Pair.mk.sizeOf_spec : ∀ (x : Nat) (h : x = 2), sizeOf { x := x, h := h } = 1 + sizeOf x + sizeOf h -/
#guard_msgs in
#check @Pair.mk.sizeOf_spec

/-- info: Fn.mk.sizeOf_spec : ∀ (a : Nat → Fn), sizeOf (Fn.mk a) = 1 -/
#guard_msgs in
#check @Fn.mk.sizeOf_spec

/-- info: Name.str.sizeOf_spec : ∀ (a : String) (a_1 : Name), sizeOf (Name.str a a_1) = 1 + sizeOf a + sizeOf a_1 -/
#guard_msgs in
#check @Name.str.sizeOf_spec

/-! Sizes are Lean's. -/

example (l r : Tree α) (a : α) : sizeOf l < sizeOf (Tree.node l a r) := by simp; omega
example : sizeOf (Tree.node .leaf 5 .leaf) = 8 := rfl
example : sizeOf (Rose.mk 3 [.mk 0 []]) = 8 := rfl
example (f : Nat → Nat) : sizeOf f = 0 := rfl
example (p : Prop) (h : p) : sizeOf h = 0 := rfl
example (s : String) : sizeOf (Name.str s n) = 1 + sizeOf s + sizeOf n := rfl

/-! No type has size zero by default. -/

/--
error: Type mismatch
  rfl
has type
  ?m.7 = ?m.7
but is expected to have type
  sizeOf "a" = 0
-/
#guard_msgs in
example : sizeOf "a" = 0 := rfl

/-- error: `simp` made no progress -/
#guard_msgs in
example : sizeOf "a" = 2 := by simp

/-- error: `simp` made no progress -/
#guard_msgs in
example (r : Rose) : sizeOf r = 0 := by simp

/--
error: unsolved goals
case mk
x✝ : Nat
h✝ : x✝ = 2
⊢ x✝ = 0
-/
#guard_msgs in
example (p : Pair) : sizeOf p = 1 := by cases p; simp

/--
error: unsolved goals
α : Type u_1
l r : Tree α
a : α
⊢ 1 + sizeOf l + sizeOf r < sizeOf l
-/
#guard_msgs in
example (l r : Tree α) (a : α) : sizeOf (Tree.node l a r) < sizeOf l := by simp

/-! Recursion along sizes. -/

namespace Ex19
def merge : Tree Nat → Tree Nat → Nat
  | .leaf, _ => 0
  | .node l _ r, t => merge t l + 1 + merge r t
termination_by x y => sizeOf x + sizeOf y
inductive E where
  | num : Nat → E
  | add : E → E → E
def E.size : E → Nat
  | num _ => 1
  | add (add a b) c => 1 + (add b c).size + a.size
  | add (num _) b => b.size
def E.right : E → Nat
  | num _ => 1
  | add a b => if a.right = 1 then 2 else b.right
termination_by e => e

/-- info: 'WithTypes.Ex19.E.size' depends on axioms: [propext] -/
#guard_msgs in
#print axioms E.size
end Ex19

end WithTypes
