-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `fun_induction` and `fun_cases`: their goals, and what they refuse -/

set_option linter.unusedVariables false

/-! Accepted. -/

namespace GoalsFollowDefinition
def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)

-- Lean: 'GoalsFollowDefinition.GoalsFollowDefinitionEx.t' depends on axioms: [propext, Quot.sound]
namespace GoalsFollowDefinitionEx
theorem t : ack n m > 0 := by
  fun_induction ack with
  | case1 y => simp
  | case2 x ih => exact ih
  | case3 x y ih1 ih2 => exact ih2
/-- info: 'GoalsFollowDefinition.GoalsFollowDefinitionEx.t' depends on axioms: [propext] -/
#guard_msgs in
#print axioms t
end GoalsFollowDefinitionEx

-- Lean: 'GoalsFollowDefinition.GoalsFollowDefinitionEx2.t' depends on axioms: [propext, Quot.sound]
namespace GoalsFollowDefinitionEx2
theorem t (n m : Nat) : ack n m > 0 := by
  fun_induction ack n m <;> simp [*]
/-- info: 'GoalsFollowDefinition.GoalsFollowDefinitionEx2.t' depends on axioms: [propext] -/
#guard_msgs in
#print axioms t
end GoalsFollowDefinitionEx2

end GoalsFollowDefinition

namespace Accepted2
def count (n limit : Nat) : Nat := if n < limit then count (n + 1) limit + 1 else 0
def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2

-- Lean: 'Accepted2.Accepted2Ex.t' depends on axioms: [propext, Quot.sound]
namespace Accepted2Ex
theorem t (n k : Nat) : count n k = k - n := by
  fun_induction count <;> omega
/-- info: 'Accepted2.Accepted2Ex.t' does not depend on any axioms -/
#guard_msgs in
#print axioms t
end Accepted2Ex

-- Lean: 'Accepted2.Accepted2Ex2.t' depends on axioms: [propext]
namespace Accepted2Ex2
theorem t (n : Nat) : twice n = n + n := by
  fun_induction twice <;> omega
/-- info: 'Accepted2.Accepted2Ex2.t' does not depend on any axioms -/
#guard_msgs in
#print axioms t
end Accepted2Ex2

-- Lean: 'Accepted2.Accepted2Ex3.t' depends on axioms: [propext, Quot.sound]
namespace Accepted2Ex3
theorem t (n k : Nat) (h : k = n) : count n k = 0 := by
  fun_cases count <;> omega
/-- info: 'Accepted2.Accepted2Ex3.t' does not depend on any axioms -/
#guard_msgs in
#print axioms t
end Accepted2Ex3

end Accepted2

/-! Refused. -/

-- Lean: Could not find suitable call of `ack` in the goal
namespace Refused
def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)
/-- error: Could not find suitable call of `Refused.ack` in the goal -/
#guard_msgs in
example : ack 1 1 > 0 := by fun_induction ack
end Refused

-- Lean: No functional induction theorem for `g`, or the function is mutually recursive
namespace Refused2
def g (n : Nat) := n + 1
/-- error: No functional induction theorem for `Refused2.g`, or the function is mutually recursive -/
#guard_msgs in
example (n : Nat) : g n > 0 := by fun_induction g
end Refused2

/-! The principle is a theorem. -/

-- Lean: PrincipleTheorem.twice.induct (motive : Nat → Prop) (case1 : motive 0) (case2 : ∀ (n : Nat), motive n → motive n.succ)
namespace PrincipleTheorem
def count (n limit : Nat) : Nat := if n < limit then count (n + 1) limit + 1 else 0
def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2
/-- info: PrincipleTheorem.twice.induct (motive : Nat → Prop) (case1 : motive 0) (case2 : ∀ (n : Nat), motive n → motive n.succ) : ∀ (x : Nat), motive x -/
#guard_msgs in
#check twice.induct
/-- info: 'PrincipleTheorem.twice.induct' does not depend on any axioms -/
#guard_msgs in
#print axioms twice.induct
end PrincipleTheorem

/-! The theorem can be used. -/

-- Lean: failed to declare `TheoremCanBe4.twice` because `TheoremCanBe4.twice.induct` has already been declared
namespace TheoremCanBe4
def twice.induct := 5
def count (n limit : Nat) : Nat := if n < limit then count (n + 1) limit + 1 else 0
def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2
example : twice.induct = 5 := rfl
end TheoremCanBe4

/-! The theorem proves no more. -/

namespace TheoremProvesNo
def count (n limit : Nat) : Nat := if n < limit then count (n + 1) limit + 1 else 0
def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2

-- the hypothesis is about smaller arguments, not about the argument of the call around
-- Lean: `?m.3 = ?m.3` in place of `?m.2 = ?m.2`
/--
error: Application type mismatch: The argument
  rfl
has type
  ?m.2 = ?m.2
but is expected to have type
  (fun x => False) 0
in the application
  twice.induct (fun x => False) rfl
-/
#guard_msgs in
example : False := twice.induct (fun _ => False) rfl (fun _ h => h) 0

end TheoremProvesNo

-- Lean: TheoremProvesNo4.twice.induct (motive : Nat → Prop) (case1 : motive 0) (case2 : ∀ (n : Nat), motive n → motive n.succ); `TheoremProvesNo4.twice.induct` is a reserved name
namespace TheoremProvesNo4
def count (n limit : Nat) : Nat := if n < limit then count (n + 1) limit + 1 else 0
def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2
/-- info: TheoremProvesNo4.twice.induct (motive : Nat → Prop) (case1 : motive 0) (case2 : ∀ (n : Nat), motive n → motive n.succ) : ∀ (x : Nat), motive x -/
#guard_msgs in
#check twice.induct
/-- error: `TheoremProvesNo4.twice.induct` has already been declared -/
#guard_msgs in
theorem twice.induct : False := twice.induct
end TheoremProvesNo4
