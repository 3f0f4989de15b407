-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Constructors with undeclared names, `deriving`, `@[ext]`, coercions, priorities, `open Classical` -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Lean accepts. -/

-- Lean: warning: Definition `Classical.propDecidable` of class type is semireducible. Most type class
-- instances should be instance-reducible, so consider marking this ..
namespace Ex1
theorem t (p : Prop) : (∃ n, n = 1) := by
  classical
  exact ⟨if p then 1 else 1, by split <;> rfl⟩
end Ex1

/-! Lean refuses. -/

-- Lean: error: Tactic `split` failed: Could not split an `if` or `match` expression in the goal Hint: Use
-- `set_option trace.split.failure true` to display additional ..
namespace Ex2
/--
error: failed to synthesize instance of type class
  Decidable p

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
theorem t (p : Prop) : (if p then 1 else 1) = 1 := by
  split <;> rfl
end Ex2

-- Lean: error: Tactic `decide` failed to reduce @decide (∀ (p : Prop), p ∨ ¬p) (propDecidable (∀ (p : Prop),
-- p ∨ ¬p)) to `true` or `false`. After unfolding the instance ..
namespace Ex3
/--
error: Tactic `decide` failed for proposition
  ∀ (p : Prop), p ∨ ¬p
because its `Decidable` instance
  propDecidable (∀ (p : Prop), p ∨ ¬p)
did not reduce to `isTrue` or `isFalse`.

After unfolding, reduction got stuck at the `Decidable` instance
  choice ⋯
-/
#guard_msgs in
open Classical in
example : ∀ p : Prop, p ∨ ¬p := by decide
end Ex3

-- Lean accepts this.
namespace Ex4
/-- error: Unknown identifier `b` -/
#guard_msgs in
structure B where
  a : Nat := b
  b : Nat
end Ex4

-- Lean: error: `<identifier>@<term>` is a named pattern and can only be used in pattern matching contexts x@y
/-- error: `<identifier>@<term>` is a named pattern and can only be used in pattern matching contexts -/
#guard_msgs in
example (x y : Nat) : x@y = y := rfl

-- Lean: error: Invalid pattern variable: Variable name `l` was already used
namespace Ex6
/-- error: Invalid pattern(s): Variable `l` occurred more than once -/
#guard_msgs in
def f : List Nat → Nat
  | l@(l :: _) => 0
  | [] => 0
end Ex6

/-! Classical ends with its block. -/

-- Lean: warning: Definition `Classical.propDecidable` of class type is semireducible. Most type class
-- instances should be instance-reducible, so consider marking this ..
example (p : Prop) : ∃ n, n = 1 := by
  constructor
  · classical
    rfl

-- Lean: warning: Definition `Classical.propDecidable` of class type is semireducible. Most type class
-- instances should be instance-reducible, so consider marking this ..
/--
error: failed to synthesize instance of type class
  Decidable p

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (p : Prop) : True ∧ ∃ n, n = 1 := by
  constructor
  · classical
    trivial
  · exact ⟨if p then 1 else 1, by split <;> rfl⟩

/-! What a refused command declared can be declared. -/

-- same name, another meaning: no cache may hold the first one
-- Lean: error: Unknown attribute `[nonsense]`
namespace Ex9
/-- error: unsupported: the attribute `nonsense` -/
#guard_msgs in
@[nonsense, simp] theorem f : 1 = 1 := rfl
def f (n : Nat) : Nat := n + 1
example : f 1 = 2 := by simp [f]
end Ex9

namespace WithTree

inductive Tree (α : Type u) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α
  deriving DecidableEq, Inhabited

inductive Color where | red | green | blue
  deriving DecidableEq, Repr, Inhabited

structure Bounded where
  val : Nat
  low : 0 < val
  deriving DecidableEq

/-! Lean accepts. -/

example : Tree.node .leaf 1 .leaf ≠ Tree.node .leaf 2 .leaf := by decide
example : Tree.node .leaf 1 .leaf = Tree.node .leaf 1 .leaf := by decide
example : Color.red ≠ .blue ∧ (default : Color) = .red := by decide
example : (⟨1, by decide⟩ : Bounded) ≠ ⟨2, by decide⟩ := by decide

/-! Lean refuses. -/

/--
error: Tactic `decide` proved that the proposition
  Tree.leaf.node 1 Tree.leaf = Tree.leaf.node 2 Tree.leaf
is false
-/
#guard_msgs in
example : Tree.node .leaf 1 .leaf = Tree.node .leaf 2 .leaf := by decide

/--
error: Tactic `decide` proved that the proposition
  Color.red = Color.blue
is false
-/
#guard_msgs in
example : Color.red = .blue := by decide

end WithTree

namespace WithParity

def parity : Setoid Nat where
  r a b := a % 2 = b % 2
  iseqv := ⟨fun _ => rfl, fun h => h.symm, fun h k => h.trans k⟩

/-! Lean refuses. -/

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  Quotient.mk parity 1 = Quotient.mk parity 2
-/
#guard_msgs in
example : Quotient.mk parity 1 = Quotient.mk parity 2 := rfl

end WithParity

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

/-! Lean refuses. -/

-- Lean: error: Type mismatch rfl has type ?m.12 = ?m.12 but is expected to have type { x := 3 } = { x := 3, y
-- := 5 }
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  { x := 3, y := 3 + 1 } = { x := 3, y := 5 }
-/
#guard_msgs in
example : ({x := 3} : P) = {x := 3, y := 5} := rfl

-- Lean: error: could not synthesize default value for field 'low' of 'WithDefaults.Small' using tactics
/--
error: Tactic `decide` proved that the proposition
  30 < 10
is false
-/
#guard_msgs in
example : Small := {n := 30}

end WithDefaults

namespace WithOpaque

opaque f : Nat → Nat
opaque P : Prop
opaque T : Type
opaque g (n : Nat) : Nat := n + 1

/-! Nobody knows which one. -/

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  g 2 = 3
-/
#guard_msgs in
example : g 2 = 3 := rfl

-- Lean: error: Tactic `decide` failed to reduce @decide (g 2 = 3) (instDecidableEqNat (g 2) 3) to `true` or
-- `false`. After unfolding the instances `instDecidableEqBool`, ..
/--
error: Tactic `decide` failed for proposition
  g 2 = 3
because its `Decidable` instance
  instDecidableEqNat (g 2) 3
did not reduce to `isTrue` or `isFalse`.

After unfolding, reduction got stuck at the `Decidable` instance
  match instDecidableEqBool ((g 2).beq 3) true with
  | isTrue h => (fun h => isTrue ⋯) h
  | isFalse h => (fun h => isFalse ⋯) h
-/
#guard_msgs in
example : g 2 = 3 := by decide

-- Lean: error: Tactic `unfold` failed to unfold `g` in g 2 = 3
/--
error: Tactic `unfold` failed to unfold `WithOpaque.g` in
  g 2 = 3
-/
#guard_msgs in
example : g 2 = 3 := by unfold g; rfl

-- Lean: error: Tactic `unfold` failed to unfold `P` in P
/--
error: Tactic `unfold` failed to unfold `WithOpaque.P` in
  P
-/
#guard_msgs in
example : P := by unfold P; trivial

-- Lean: error: Cannot add `simp` attribute to `g`: It is not a proposition nor a definition (to unfold) Note:
-- The `[simp]` attribute can be added to lemmas that should be ..
namespace Ex5
attribute [simp] g

/-- error: `simp` made no progress -/
#guard_msgs in
example : g 2 = 3 := by simp
end Ex5

-- Lean: error: failed to synthesize 'Inhabited' or 'Nonempty' instance for None If this type is defined using
-- the 'structure' or 'inductive' command, you can try adding a ..
namespace Ex6
inductive None
/--
error: failed to synthesize `Inhabited` or `Nonempty` instance for
  WithOpaque.Ex6.None

If this type is defined using the `structure` or `inductive` command, you can try adding a `deriving Nonempty` clause to the command.
-/
#guard_msgs in
opaque x : None
end Ex6

-- Lean: error: failed to synthesize 'Inhabited' or 'Nonempty' instance for False If this type is defined
-- using the 'structure' or 'inductive' command, you can try adding a ..
namespace Ex7
/--
error: failed to synthesize `Inhabited` or `Nonempty` instance for
  False

If this type is defined using the `structure` or `inductive` command, you can try adding a `deriving Nonempty` clause to the command.
-/
#guard_msgs in
opaque x : False
end Ex7

-- Lean: error: failed to synthesize 'Inhabited' or 'Nonempty' instance for ∀ (n : Nat), n = 0 If this type is
-- defined using the 'structure' or 'inductive' command, you can ..
namespace Ex8
/--
error: failed to synthesize `Inhabited` or `Nonempty` instance for
  ∀ (n : Nat), n = 0

If this type is defined using the `structure` or `inductive` command, you can try adding a `deriving Nonempty` clause to the command.
-/
#guard_msgs in
opaque x : ∀ n : Nat, n = 0
end Ex8

end WithOpaque
