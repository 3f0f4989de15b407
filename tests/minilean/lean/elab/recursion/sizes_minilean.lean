-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `SizeOf` instances of inductive types, and recursion along sizes -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

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

-- Lean: info: Tree._sizeOf_inst : (α : Type u_1) → [SizeOf α] → SizeOf (Tree α)
/-- info: @Tree._sizeOf_inst : {α : Type u_1} → [SizeOf α] → SizeOf (Tree α) -/
#guard_msgs in
#check @Tree._sizeOf_inst

-- Lean: error: Unknown constant `Fin.mk.sizeOf_spec`
/--
info: @Fin.mk.sizeOf_spec : ∀ {n : Nat} (val : Nat) (isLt : val < n), sizeOf ⟨val, isLt⟩ = 1 + sizeOf val + sizeOf isLt
-/
#guard_msgs in
#check @Fin.mk.sizeOf_spec

/-! Sizes are Lean's. -/

-- Lean: error: Type mismatch rfl has type ?m.7 = ?m.7 but is expected to have type sizeOf true = 1
example : sizeOf true = 1 := rfl

-- Lean: error: Type mismatch rfl has type ?m.11 = ?m.11 but is expected to have type sizeOf 2 = 3
example : sizeOf (2 : Fin 5) = 3 := rfl

-- Lean: error: unsolved goals ⊢ False
example : sizeOf (Sum.inl 3 : Sum Nat Bool) = 4 := by simp

-- Lean: error: failed to synthesize instance of type class OfNat (Option (Option (Option (Option (Option
-- (Option (Option (Option (Option (Option (Option (Option (Option ..
example : sizeOf (fun _ : Unit => 5) = 5 := rfl

/-! No type has size zero by default. -/

-- Lean accepts this.
/--
error: Type mismatch
  rfl
has type
  ?m.7 = ?m.7
but is expected to have type
  sizeOf true = 0
-/
#guard_msgs in
example : sizeOf true = 0 := rfl

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.12 = ?m.12
but is expected to have type
  sizeOf (Tree.leaf.node 5 Tree.leaf) = 3
-/
#guard_msgs in
example : sizeOf (Tree.node .leaf 5 .leaf) = 3 := rfl

-- Lean: error: failed to synthesize instance of type class OfNat (Option (Option (Option (Option (Option
-- (Option (Option (Option (Option (Option (Option (Option (Option ..
/--
error: Type mismatch
  rfl
has type
  ?m.12 = ?m.12
but is expected to have type
  (sizeOf fun x => 5) = 0
-/
#guard_msgs in
example : sizeOf (fun _ : Unit => 5) = 0 := rfl

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.8 = ?m.8
but is expected to have type
  sizeOf a = 0
-/
#guard_msgs in
example (α : Type) [SizeOf α] (a : α) : sizeOf a = 0 := rfl

/-! Recursion along sizes. -/

namespace Ex11
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

/-- info: 3 -/
#guard_msgs in
#eval (E.add (.add (.num 1) (.num 2)) (.num 3)).size
def E.right : E → Nat
  | num _ => 1
  | add a b => if a.right = 1 then 2 else b.right
termination_by e => e
end Ex11

/-! Sizes prove no endless recursion. -/

-- Lean: error: well-founded recursion cannot be used, `WithTypes.Ex12.f` does not take any (non-fixed)
-- arguments
namespace Ex12
/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
r : Rose
x✝ : ∀ (y : Rose), WellFoundedRelation.rel y r → False
⊢ False
-/
#guard_msgs in
def f : Rose → False
  | r => f r
termination_by r => sizeOf r

/-- error: Unknown constant `f` -/
#guard_msgs in
#print axioms f
end Ex12

-- Lean has `x✝ : ∀ (y : Rose), (invImage (fun x => x) instWellFoundedRelationOfSizeOf).1 y (Rose.mk n rs) →
-- False` there.
namespace Ex13
/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
n : Nat
rs : List Rose
x✝ : ∀ (y : Rose), WellFoundedRelation.rel y (Rose.mk n rs) → False
⊢ False
-/
#guard_msgs in
def f : Rose → False
  | .mk n rs => f (.mk n rs)
termination_by r => r

/-- error: Unknown constant `f` -/
#guard_msgs in
#print axioms f
end Ex13

-- Lean has `x✝ : ∀ (y : Rose), InvImage (fun a b => a < b) (fun x => sizeOf x) y (Rose.mk n rs) → False`
-- there.
namespace Ex14
/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
n : Nat
rs : List Rose
x✝ : ∀ (y : Rose), WellFoundedRelation.rel y (Rose.mk n rs) → False
⊢ 1 + (1 + n + sizeOf rs) + 1 < sizeOf rs
-/
#guard_msgs in
def f : Rose → False
  | .mk n rs => f (.mk n [.mk n rs])
termination_by r => sizeOf r

/-- error: Unknown constant `f` -/
#guard_msgs in
#print axioms f
end Ex14

-- Lean has `a✝ : ∀ (y : Name), InvImage (fun a b => a < b) (fun x => sizeOf x) y r → False` there.
namespace Ex15
/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
s : String
r : Name
x✝ : ∀ (y : Name), WellFoundedRelation.rel y r → False
⊢ 1 + sizeOf s + sizeOf r < sizeOf r
-/
#guard_msgs in
theorem f (s : String) (r : Name) : False := f s (.str s r)
termination_by sizeOf r

/-- error: Unknown constant `f` -/
#guard_msgs in
#print axioms f
end Ex15

-- Lean has `WithTypes.Ex16.f` there.
namespace Ex16
/--
error: fail to show termination for
  WithTypes.Ex16.f
with errors
failed to infer structural recursion:
Cannot use parameter t:
  failed to eliminate recursive application
    WithTypes.Ex16.f Tree.leaf


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
⊢ False
-/
#guard_msgs in
theorem f (t : Tree Nat) : False := match t with
  | .leaf => f .leaf
  | .node l _ _ => f l

/-- error: Unknown constant `f` -/
#guard_msgs in
#print axioms f
end Ex16

end WithTypes

namespace WithLazy

-- Lean: error: failed to generate `SizeOf` instance for `Forest`: failed to generate sizeOf theorem for
-- WithLazy.Forest.mk, (use `set_option genSizeOfSpec false` to disable ..
inductive Lazy where
  | nil
  | cons (n : Nat) (rest : Unit → Lazy)

inductive Forest where
  | mk (n : Nat) (kids : Unit → List Forest)

inductive Wide where
  | mk (f : Unit → Nat → Wide)

/-! A delayed value of the type itself has the size of its value. -/

section

/--
info: WithLazy.Lazy.cons.sizeOf_spec (n : Nat) (rest : Unit → Lazy) : sizeOf (Lazy.cons n rest) = 1 + sizeOf n + sizeOf rest
-/
#guard_msgs in
#check Lazy.cons.sizeOf_spec
example (n : Nat) (t : Unit → Lazy) : sizeOf (Lazy.cons n t) = 1 + n + sizeOf (t ()) := by simp
example : sizeOf (Lazy.cons 3 fun _ => .cons 2 fun _ => .nil) = 8 := rfl
example (k : Unit → List Forest) : sizeOf (Forest.mk 4 k) = 5 + sizeOf (k ()) := by simp
def Lazy.sum : Lazy → Nat
  | nil => 0
  | cons n rest => n + (rest ()).sum
termination_by s => sizeOf s

/-- info: 5 -/
#guard_msgs in
#eval (Lazy.cons 3 fun _ => .cons 2 fun _ => .nil).sum
end

/-! A delayed value is not free. -/

/--
error: unsolved goals
t : Unit → Lazy
⊢ sizeOf (t ()) = 0
-/
#guard_msgs in
example (t : Unit → Lazy) : sizeOf (Lazy.cons 0 t) = 1 := by simp

/--
error: unsolved goals
t : Unit → Lazy
⊢ 1 + sizeOf (t ()) < sizeOf (t ())
-/
#guard_msgs in
example (t : Unit → Lazy) : sizeOf (Lazy.cons 0 t) < sizeOf (t ()) := by simp

/--
error: unsolved goals
k : Unit → List Forest
⊢ sizeOf (k ()) = 0
-/
#guard_msgs in
example (k : Unit → List Forest) : sizeOf (Forest.mk 0 k) = 1 := by simp

/--
error: failed to synthesize instance of type class
  SizeOf Wide

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (w : Wide) : sizeOf w = sizeOf w := rfl

/-! No recursion goes on without forcing a delayed value. -/

namespace Ex6

/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
n : Nat
t : Unit → Lazy
⊢ False
-/
#guard_msgs in
def f : Lazy → Nat
  | .nil => 0
  | .cons n t => f (.cons n t) + 1
termination_by s => sizeOf s
end Ex6

end WithLazy
