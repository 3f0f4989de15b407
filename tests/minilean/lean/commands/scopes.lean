-- Checked with Lean 4.35.0.

/-! # Effects that end with a scope: local and scoped attributes, options, included variables; errors of `end` -/

set_option linter.unusedVariables false

/-! An instance that has passed is not found. -/

namespace InstanceThatHasPassed

namespace Ex1
structure Pair where
  left : Nat
  right : Nat
section
local instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
end
/--
error: failed to synthesize instance of type class
  HAdd Pair Pair ?m.3

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (p : Pair) : Pair := p + p
end Ex1

namespace Ex2
structure Pair where
  left : Nat
  right : Nat
namespace Pair
scoped instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
def twice (p : Pair) : Pair := p + p
end Pair
/--
error: failed to synthesize instance of type class
  HAdd Pair Pair ?m.3

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (p : Pair) : Pair := p + p
end Ex2

end InstanceThatHasPassed

/-! An instance holds in its scope. -/

namespace InstanceHoldsScope

namespace Ex1
structure Pair where
  left : Nat
  right : Nat
section
local instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
example (p : Pair) : Pair := p + p
end
end Ex1

namespace Ex2
structure Pair where
  left : Nat
  right : Nat
namespace Pair
scoped instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
def twice (p : Pair) : Pair := p + p
end Pair
open Pair
example (p : Pair) : Pair := p + p
end Ex2

namespace Ex3
structure Pair where
  left : Nat
  right : Nat
namespace Pair
scoped instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
def twice (p : Pair) : Pair := p + p
end Pair
open scoped Pair in
example (p : Pair) : Pair := p + p
end Ex3

namespace Ex4
structure Pair where
  left : Nat
  right : Nat
namespace Pair
scoped instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
def twice (p : Pair) : Pair := p + p
end Pair
namespace Pair
example (p : Pair) : Pair := p + p
end Pair
end Ex4

end InstanceHoldsScope

/-! Open scoped brings no names. -/

namespace OpenScopedBrings

namespace Ex
structure Pair where
  left : Nat
  right : Nat
namespace Pair
scoped instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
def twice (p : Pair) : Pair := p + p
end Pair
open scoped Pair
/-- error: Unknown identifier `twice` -/
#guard_msgs in
#check twice
end Ex

end OpenScopedBrings

/-! A local `simp` lemma passes with its section. -/

namespace LocalSimpLemma

namespace Ex1
def same (a b : Nat) : Prop := a = b
section
attribute [local simp] same
example : same 1 1 := by simp
end
end Ex1

namespace Ex2
def same (a b : Nat) : Prop := a = b
section
attribute [local simp] same
end
/-- error: `simp` made no progress -/
#guard_msgs in
example : same 1 1 := by simp
end Ex2

end LocalSimpLemma

/-! What is marked in between outlives a local attribute. -/

namespace MarkedBetweenOutlives

namespace Ex1
structure Pair where
  left : Nat
  right : Nat
theorem one (p q : Pair) (h : p.left = q.left) (k : p.right = q.right) : p = q := by cases p; cases q; cases h; cases k; rfl
section
attribute [local ext] one
@[ext] theorem two (p q : Pair) (h : p.left = q.left) (k : p.right = q.right) : p = q := by cases p; cases q; cases h; cases k; rfl
end
example (p q : Pair) (h : p.left = q.left) (k : p.right = q.right) : p = q := by ext; exact h; exact k
end Ex1

namespace Ex2
structure Pair where
  left : Nat
  right : Nat
theorem one (p q : Pair) (h : p.left = q.left) (k : p.right = q.right) : p = q := by cases p; cases q; cases h; cases k; rfl
section
attribute [local ext] one
theorem two (p q : Pair) (h : p.left = q.left) (k : p.right = q.right) : p = q := by cases p; cases q; cases h; cases k; rfl
end
/--
error: No applicable extensionality theorem found for type
  Pair

Note: Extensionality theorems can be registered by marking them with the `[ext]` attribute
-/
#guard_msgs in
example (p q : Pair) (h : p.left = q.left) (k : p.right = q.right) : p = q := by ext; exact h; exact k
end Ex2

end MarkedBetweenOutlives

/-! A local eliminator passes with its section. -/

namespace LocalEliminatorPasses

namespace Ex1
theorem up {motive : Nat → Prop} (zero : motive 0) (up : ∀ n, motive n → motive (n + 1)) (n : Nat) :
    motive n := Nat.rec zero up n
section
attribute [local induction_eliminator] up
example (n : Nat) : 0 + n = n := by
  induction n with
  | zero => rfl
  | up n h => rw [← Nat.add_assoc, h]
end
end Ex1

namespace Ex2
theorem up {motive : Nat → Prop} (zero : motive 0) (up : ∀ n, motive n → motive (n + 1)) (n : Nat) :
    motive n := Nat.rec zero up n
section
attribute [local induction_eliminator] up
end
/--
error: Invalid alternative name `up`: Expected `succ`
---
error: Alternative `succ` has not been provided
-/
#guard_msgs in
example (n : Nat) : 0 + n = n := by
  induction n with
  | zero => rfl
  | up n h => rw [← Nat.add_assoc, h]
end Ex2

end LocalEliminatorPasses

/-! A theorem sees the variables of its statement and included ones. -/

section
variable (n : Nat) (h : n = n)
/--
warning: automatically included section variable(s) unused in theorem `t`:
  h
consider restructuring your `variable` declarations so that the variables are not in scope or explicitly omit them:
  omit h in theorem ...

Note: This linter can be disabled with `set_option linter.unusedSectionVars false`
-/
#guard_msgs in
include h in
theorem t (m : Nat) : m = m := by
  have : n = n := rfl
  rfl
/-- info: t (n : Nat) (h : n = n) (m : Nat) : m = m -/
#guard_msgs in
#check t
end

/-! Variables that cannot be changed or left out. -/

namespace FixedVariables

namespace Ex1
variable (n : Nat)
/-- error: redundant binder annotation update -/
#guard_msgs in
variable (n)
end Ex1

namespace Ex2
variable (h : 1 = 1 := rfl)
/-- error: cannot update binder annotation of variables with default values/tactics -/
#guard_msgs in
variable {h}
end Ex2

namespace Ex3
variable (n)
/--
error: cannot update binder annotation of variable `n` to instance implicit:
variable was originally declared without an explicit type
-/
#guard_msgs in
variable [n]
end Ex3

namespace Ex4
variable (n : Nat)
/--
error: cannot update binder annotation of variable `n` to instance implicit:
invalid binder annotation, type is not a class instance
  Nat

Note: Use the command `set_option checkBinderAnnotations false` to disable the check
-/
#guard_msgs in
variable [n]
end Ex4

namespace Ex5
variable (α : Type)
/-- error: cannot omit referenced section variable `α` -/
#guard_msgs in
omit α in
theorem t (a : α) : True := trivial
end Ex5

namespace Ex6
variable [Inhabited α]
/-- error: cannot omit referenced section variable `inst✝` -/
#guard_msgs in
omit [Inhabited α] in
theorem t : (default : α) = default := rfl
end Ex6

/-- error: `[Inhabited Nat]` did not match any variables in the current scope -/
#guard_msgs in
omit [Inhabited Nat]

end FixedVariables

/-! An instance that is left out is not found. -/

namespace InstanceLeftOut

namespace Ex1
variable {α : Type} [Inhabited α]
theorem t (a : α) : ∃ b : α, b = b := ⟨default, rfl⟩
end Ex1

namespace Ex2
variable {α : Type} [Inhabited α]
/--
error: failed to synthesize instance of type class
  Inhabited α

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
omit [Inhabited α] in
theorem t (a : α) : ∃ b : α, b = b := ⟨default, rfl⟩
end Ex2

end InstanceLeftOut

/-! A definition takes the instances that it speaks of. -/

section
variable {α : Type} [Add α]
def same (a : α) := a
/-- info: same {α : Type} (a : α) : α -/
#guard_msgs in
#check same
end

/-! Variables of a section can be taken apart. -/

namespace VariablesSectionCan

namespace Ex1
variable {m n : Nat}
theorem t : m + n = n + m := by
  cases n with
  | zero => simp
  | succ n => rw [Nat.add_comm]
end Ex1

namespace Ex2
variable {m n : Nat}
theorem t : m + n = n + m := by
  induction n with
  | zero => simp
  | succ n ih => rw [Nat.add_comm]
end Ex2

namespace Ex3
variable {m n : Nat}
theorem t : m + n = n + m := by
  obtain _ | n := n
  · simp
  · rw [Nat.add_comm]
end Ex3

namespace Ex4
variable {m n : Nat}
theorem t : m + n = n + m := by
  revert n
  intro n
  rw [Nat.add_comm]
end Ex4

namespace Ex5
variable {m n : Nat}
theorem t : m + n = n + m := by
  obtain ⟨k, e⟩ : ∃ k, n = k := ⟨n, rfl⟩
  subst e
  rw [Nat.add_comm]
end Ex5

end VariablesSectionCan

/-! Goals show no variable that is left out. -/

namespace GoalsShowVariable

namespace Ex
variable (n : Nat)
/--
error: unsolved goals
m : Nat
⊢ m = m
-/
#guard_msgs in
theorem t (m : Nat) : m = m := by
  skip
end Ex

end GoalsShowVariable

/-! Auto implicit follows its options. -/

namespace AutoImplicitFollows

/--
error: Unknown identifier `α`

Note: It is not possible to treat `α` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
-/
#guard_msgs in
set_option autoImplicit false in
def f (x : α) := x

/--
error: Unknown identifier `item`

Note: It is not possible to treat `item` as an implicitly bound variable here because it has multiple characters while the `relaxedAutoImplicit` option is set to `false`.
-/
#guard_msgs in
set_option relaxedAutoImplicit false in
def f2 (x : item) := x

set_option relaxedAutoImplicit false in
def f3 (x : α₁) := x

/-- error: unknown universe level `u` -/
#guard_msgs in
set_option autoImplicit false in
def f4 (x : Type u) := x

end AutoImplicitFollows

/-! A binder in brackets is a class. -/

namespace BinderBracketsClass

/--
error: invalid binder annotation, type is not a class instance
  Nat

Note: Use the command `set_option checkBinderAnnotations false` to disable the check
-/
#guard_msgs in
def f [n : Nat] : Nat := n

set_option checkBinderAnnotations false in
def f2 [n : Nat] : Nat := n

end BinderBracketsClass

/-! An unnamed instance gets a name of its own. -/

structure Pair where
  left : Nat
  right : Nat
instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
/-- info: instAddPair_1 : Add Pair -/
#guard_msgs in
#check instAddPair_1
