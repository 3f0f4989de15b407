-- Checked with Lean 4.35.0.

/-! # `fun_induction` and `fun_cases`: their goals, and what they refuse -/

set_option linter.unusedVariables false

/-! The goals follow the definition. -/

namespace GoalsFollowDefinition
def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)

/--
trace: case case1
y✝ : Nat
⊢ y✝ + 1 > 0
case case2
x✝ : Nat
ih1✝ : ack x✝ 1 > 0
⊢ ack x✝ 1 > 0
case case3
x✝ y✝ : Nat
ih2✝ : ack (x✝ + 1) y✝ > 0
ih1✝ : ack x✝ (ack (x✝ + 1) y✝) > 0
⊢ ack x✝ (ack (x✝ + 1) y✝) > 0
-/
#guard_msgs in
example : ack n m > 0 := by
  fun_induction ack
  all_goals trace_state
  all_goals simp [*]

end GoalsFollowDefinition

/-! Accepted. -/

namespace Accepted
def f : Bool → Bool → Bool
  | true, _ => true
  | _, x => x
theorem t (a b : Bool) : f a b = (a || b) := by
  fun_cases f <;> simp_all
/-- info: 'Accepted.t' depends on axioms: [propext] -/
#guard_msgs in
#print axioms t
end Accepted

/-! Overlapping alternatives exclude the earlier ones. -/

namespace OverlappingAlternativesExclude
def f : Bool → Bool → Bool
  | true, _ => true
  | _, x => x
/--
trace: case case1
b : Bool
⊢ true = (true || b)
case case2
a b : Bool
x✝ : a = true → False
⊢ b = (a || b)
-/
#guard_msgs in
example (a b : Bool) : f a b = (a || b) := by
  fun_cases f
  all_goals trace_state
  all_goals simp_all
end OverlappingAlternativesExclude

/-! Refused. -/

/-- error: Unknown constant `nothing` -/
#guard_msgs in
example (n : Nat) : n = n := by fun_induction nothing

namespace Refused3
def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)

/-- error: Alternative `case3` has not been provided -/
#guard_msgs in
example : ack n m > 0 := by
  fun_induction ack with
  | case1 y => simp
  | case2 x ih => exact ih

/--
error: Tactic `assumption` failed

case case1
y✝ : Nat
⊢ y✝ + 1 = 0
-/
#guard_msgs in
example : ack n m = 0 := by fun_induction ack <;> assumption

end Refused3

/-! The principle is a theorem. -/

namespace PrincipleTheorem2
def f : Bool → Bool → Bool
  | true, _ => true
  | _, x => x
/--
info: f.fun_cases : ∀ (motive : Bool → Bool → Prop),
  (∀ (x : Bool), motive true x) → (∀ (x x_1 : Bool), (x = true → False) → motive x x_1) → ∀ (x x_1 : Bool), motive x x_1
-/
#guard_msgs in
#check @f.fun_cases
end PrincipleTheorem2

/-! The theorem can be used. -/

namespace TheoremCanBe
def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)
example (n m : Nat) : ack n m > 0 := by
  induction n, m using ack.induct with
  | case1 y => simp [ack]
  | case2 x ih => rw [ack]; exact ih
  | case3 x y ih1 ih2 => rw [ack]; exact ih2
end TheoremCanBe

namespace TheoremCanBe2
def count (n limit : Nat) : Nat := if n < limit then count (n + 1) limit + 1 else 0
def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2
example : ∀ n, twice n = n + n := by
  apply twice.induct
  · rfl
  · intro n ih; simp [twice, ih]; omega
end TheoremCanBe2

namespace TheoremCanBe3
def f : Bool → Bool → Bool
  | true, _ => true
  | _, x => x
example (a b : Bool) : f a b = (a || b) := by
  cases a, b using f.fun_cases <;> simp_all [f]
end TheoremCanBe3

/-! The theorem proves no more. -/

namespace TheoremProvesNo
def count (n limit : Nat) : Nat := if n < limit then count (n + 1) limit + 1 else 0
def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2

/--
error: unsolved goals
case case2
n✝ : Nat
ih1✝ : twice n✝ = n✝
⊢ False
-/
#guard_msgs in
example (n : Nat) : twice n = n := by
  induction n using twice.induct <;> simp_all [twice]

end TheoremProvesNo

namespace TheoremProvesNo2
def f : Bool → Bool → Bool
  | true, _ => true
  | _, x => x
-- it does not call itself
/-- error: Unknown constant `TheoremProvesNo2.f.induct` -/
#guard_msgs in
#check f.induct
end TheoremProvesNo2

namespace TheoremProvesNo3
theorem g : 1 = 1 := rfl
/--
error: Invalid field `induct`: The environment does not contain `Eq.induct`, so it is not possible to project the field `induct` from an expression
  g
of type `1 = 1`
-/
#guard_msgs in
#check g.induct
end TheoremProvesNo3
