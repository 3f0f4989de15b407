-- Checked with Lean 4.35.0.

/-! # Effects that end with a scope: local and scoped attributes, options, included variables; errors of `end` -/

set_option linter.unusedVariables false

/-! A theorem that takes more variables than it needs is warned of. -/

namespace Ex1
variable {α : Type} [Inhabited α] (n : Nat)

/--
warning: automatically included section variable(s) unused in theorem `Ex1.t`:
  [Inhabited α]
  n
consider restructuring your `variable` declarations so that the variables are not in scope or explicitly omit them:
  omit [Inhabited α] n in theorem ...

Note: This linter can be disabled with `set_option linter.unusedSectionVars false`
-/
#guard_msgs in
include n in
theorem t (a : α) : a = a := rfl
end Ex1

namespace Ex2
variable {α : Type} [Inhabited α] (n : Nat)
include n in
set_option linter.all false in
theorem t (a : α) : a = a := rfl
end Ex2

namespace Ex3
variable {α : Type} [Inhabited α] (n : Nat)

/-- warning: declaration uses `sorry` -/
#guard_msgs in
include n in
theorem t (a : α) : a = a := sorry
end Ex3

/-! A theorem is out of sight where its variable was taken apart. -/

namespace Ex4
variable {n : Nat}

/-- error: Unknown identifier `t` -/
#guard_msgs in
theorem t : n = 0 := by
  cases n with
  | zero => rfl
  | succ n => exact t
end Ex4

/-! All unknown names of a header are told. an unknown name stands for no proposition that something else could
settle -/

namespace Ex5

/--
error: Unknown identifier `β`

Note: It is not possible to treat `β` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
---
error: Unknown identifier `γ`

Note: It is not possible to treat `γ` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
---
error: Unknown identifier `β`

Note: It is not possible to treat `β` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
---
error: Unknown identifier `γ`

Note: It is not possible to treat `γ` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
-/
#guard_msgs in
set_option autoImplicit false in
def f (g : β → γ) (x : Nat) (y : β) : γ := g y
end Ex5

namespace WithPair

structure Pair where
  left : Nat
  right : Nat

/-! An instance that has passed is not found. -/

namespace Ex1
section
instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
attribute [-instance] instAddPair

/--
error: failed to synthesize instance of type class
  HAdd Pair Pair ?m.3

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (p : Pair) : Pair := p + p
end
end Ex1

/-! An instance holds in its scope. -/

namespace Ex2
instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
section
attribute [-instance] instAddPair
end
example (p : Pair) : Pair := p + p
end Ex2

/-! What is registered in between outlives an erased instance. -/

namespace Ex3
instance : Add Pair where
  add a b := ⟨a.left + b.left, a.right⟩
section
attribute [-instance] instAddPair
instance : Mul Pair where
  mul a _ := a
end
example (p : Pair) : Pair := p + p
example (p : Pair) : Pair := p * p + p
end Ex3

end WithPair
