-- Checked with Lean 4.35.0.

/-! # Files that check themselves: `#guard_msgs`, `#guard`, `guard_hyp`, `trace_state`; the warning about `sorry` -/

set_option linter.unusedVariables false

/-! What holds is silent. -/

/-- info: 1 : Nat -/
#guard_msgs in
#check 1

/-- trace: p : Prop
h : p
⊢ p -/
#guard_msgs in
example (p : Prop) (h : p) : p := by
  trace_state
  exact h

/-- error: Unknown identifier `nope` -/
#guard_msgs in
example : 1 = 1 := nope

#guard_msgs (drop info) in
#check 1

#guard_msgs (drop all) in
example : 1 = 2 := rfl

/-- warning: declaration uses `sorry` -/
#guard_msgs in
theorem t : 1 = 2 := sorry

/-- trace: one
---
trace: two -/
#guard_msgs (ordering := sorted) in
example : True := by
  trace "two"
  trace "one"
  trivial

/-- info:   1    : Nat -/
#guard_msgs (whitespace := lax) in
#check 1

-- Theorem Proving in Lean 4 (4.34), "Type Classes", with Lean's number of the metavariable
namespace Ex9
structure P where
/-- error: failed to synthesize instance of type class
  HAdd P P ?m.5

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command. -/
#guard_msgs in
def three (p : P) := p + p + p
end Ex9

#guard 1 < 2

example (p : Prop) (h : p) : p := by
  guard_hyp h : p
  guard_target = p
  exact h

example : True := by
  let x : Nat := 2
  guard_hyp x : Nat := 2
  guard_hyp x :~ Nat :=~ 1 + 1
  trivial

/-! What does not hold is told. -/

/--
info: 1 : Nat
---
error: ❌️ Docstring on `#guard_msgs` does not match generated message:

- info: 2 : Nat
+ info: 1 : Nat

-/
#guard_msgs in
/-- info: 2 : Nat -/
#guard_msgs in
#check 1

/-- info: 1 : Nat -/
#guard_msgs in
#guard_msgs (error) in
#check 1

/--
error: Hypothesis `h` has type
  p
but was expected to have type
  q
-/
#guard_msgs in
example (p q : Prop) (h : p) : p := by
  guard_hyp h : q
  exact h

/--
error: The main goal is
  p
but was expected to be
  q
-/
#guard_msgs in
example (p q : Prop) (h : p) : p := by
  guard_target = q
  exact h

/-- error: `n` is not a let binding -/
#guard_msgs in
example (n : Nat) : n = n := by
  guard_hyp n := 1
  rfl

namespace Ex18

/-- warning: declaration uses `sorry` -/
#guard_msgs in
theorem t : 1 = 2 := by sorry

/-- info: 'Ex18.t' depends on axioms: [sorryAx] -/
#guard_msgs in
#print axioms t
end Ex18

/-! Relations and definitions. -/

namespace Ex19
inductive P : Nat → Nat → Prop where
  | refl (n : Nat) : P n n
attribute [refl] P.refl
example (n : Nat) : P n (n + 0) := by rfl
end Ex19

namespace Ex20
def Same (a b : Nat) : Prop := a = b
example : Same 1 1 := by rfl
end Ex20

namespace Ex21
def R (a b : Nat) : Prop := a = b
@[symm] theorem R.turn {a b : Nat} (h : R a b) : R b a := Eq.symm h
example (a b : Nat) (h : R a b) : R b a := by symm; exact h
example (a b : Nat) (h : R a b) : R b a := by
  symm at h
  exact h
end Ex21

example (n m : Nat) (h : n + 2 = m) : n + 1 + 1 = m := by
  change _ + 1 = _ at h
  guard_hyp h :ₛ n + 1 + 1 = m
  exact h

namespace Ex23
def f : Nat → Nat
  | 0 => 1
  | n + 1 => f n + 1
/-- trace: n : Nat
⊢ (match n with
    | 0 => 1
    | n.succ => f n + 1) >
    0 -/
#guard_msgs in
example (n : Nat) : f n > 0 := by
  unfold f
  trace_state
  cases n <;> simp
end Ex23

/-! What is not reflexive or symmetric is refused. -/

/--
error: Tactic `rfl` failed: No `[refl]` lemma registered for relation
  LE.le

Hint: Add the `[refl]` attribute to reflexivity lemmas for `LE.le` to use this tactic

n : Nat
⊢ n ≤ n
-/
#guard_msgs in
example (n : Nat) : n ≤ n := by rfl

/--
error: unsolved goals
n m : Nat
h : n = m
⊢ m ≤ m
-/
#guard_msgs in
example (n m : Nat) (h : n = m) : n ≤ m := by rw [h]

namespace Ex26

/-- warning: declaration uses `sorry` -/
#guard_msgs in
theorem bad (n m : Nat) (h : n < m) : m < n + m := sorry
attribute [symm] bad

/--
error: No applicable symmetry lemma found for
  m < n

Note: Additional symmetry lemmas can be registered using the `[symm]` attribute
-/
#guard_msgs in
example (n m : Nat) (h : n < m) : m < n := by symm; exact h
end Ex26

/-! Wildcards in patterns are named and ordered as Lean names them. -/

namespace Ex27
def f (a b : Nat) : Nat :=
  match a, b with
  | _ + 1, 5 => 1
  | _, _ => 2
/-- trace: ⊢ (match 1, 2 with
    | n.succ, 5 => 1
    | x, x_1 => 2) =
    2 -/
#guard_msgs in
example : f 1 2 = 2 := by
  unfold f
  trace_state
  rfl
end Ex27
