-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Effects that end with a scope: local and scoped attributes, options, included variables; errors of `end` -/

set_option linter.unusedVariables false

/-! A local `simp` lemma passes with its section. -/

/-- error: `Nat.mul_comm` does not have a `[simp]` attribute -/
#guard_msgs in
attribute [-simp] Nat.mul_comm

/-! A theorem sees the variables of its statement and included ones. -/

namespace TheoremSeesVariables

namespace Ex1
variable (n : Nat) (h : n = n)
/-- error: Unknown identifier `n` -/
#guard_msgs in
theorem t (m : Nat) : m = m := by
  have : n = n := rfl
  rfl
end Ex1

namespace Ex2
variable (n : Nat) (h : n = n)
include n
/-- error: Unknown identifier `n` -/
#guard_msgs in
omit n in
theorem t (m : Nat) : m = m := by
  have : n = n := rfl
  rfl
end Ex2

end TheoremSeesVariables

/-! Brackets of a variable can be changed. -/

section
variable {α β : Type}
variable (α γ)
def pick (a : α) (b : β) (c : γ) := (a, b, c)
/-- info: pick.{u_1} (α : Type) {β : Type} (γ : Type u_1) (a : α) (b : β) (c : γ) : α × β × γ -/
#guard_msgs in
#check pick
variable {α} [i : Add α]
variable (i) ⦃γ⦄
def twice (a : α) := a + a
/-- info: twice {α : Type} (i : Add α) (a : α) : α -/
#guard_msgs in
#check twice
end

/-! Variables that cannot be changed or left out. -/

namespace FixedVariables

namespace Ex
variable (a : α)
/-- error: invalid `omit`, `α` has not been declared in the current scope -/
#guard_msgs in
omit α in
theorem t : True := trivial
end Ex

end FixedVariables

/-! All unknown names of a header are told. an unknown name stands for no proposition that something else could
settle -/

-- Lean: error: Unknown identifier `t`
namespace Ex1
/--
error: Unknown identifier `q`

Note: It is not possible to treat `q` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
---
error: Unknown identifier `q`

Note: It is not possible to treat `q` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
-/
#guard_msgs in
set_option autoImplicit false in
theorem t (h : q) : q := h

/-- error: Unknown identifier `t` -/
#guard_msgs in
#check t
end Ex1

-- Lean: info: Ex2.t.{u_1} (h : sorry) : True
namespace Ex2
/--
error: Unknown identifier `q`

Note: It is not possible to treat `q` as an implicitly bound variable here because the `autoImplicit` option is set to `false`.
-/
#guard_msgs in
set_option autoImplicit false in
theorem t (h : q) : True := h

/-- error: Unknown identifier `t` -/
#guard_msgs in
#check t
end Ex2
