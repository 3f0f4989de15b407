-- Checked with Lean 4.35.0.

/-! # `split` on overlapping alternatives: each goal excludes the earlier ones, and nothing else -/

set_option linter.unusedVariables false

/-! Hypotheses that cannot hold do not decide what computes. -/

namespace HypothesesCannotHold
def f (x y z : Nat) : Nat :=
  match x, y, z with
  | 5, _, _ => y
  | _, 5, _ => y
  | _, _, 5 => y
  | _, _, _ => 1

-- lean4 tests/lean/run/split2.lean: `y ≠ 5` becomes `5 ≠ 5` in the second goal, which needs `y = 5`
example (x y z : Nat) : x ≠ 5 → y ≠ 5 → z ≠ 5 → f x y z = 1 := by
  intros
  simp [f]
  split
  . contradiction
  . contradiction
  . contradiction
  . rfl

end HypothesesCannotHold

/-! Numbers are excluded as well. -/

-- the example in the reference manual's description of `split`
namespace NumbersExcludedAs
def cl (n : Nat) : Option Nat :=
  match n with
  | 7 => some 1
  | 12 => some 2
  | _ => none
example (n : Nat) : cl n = some 1 ∨ cl n = some 2 ∨ (n ≠ 7 ∧ n ≠ 12) := by
  unfold cl
  split
  · simp
  · simp
  · right; right; constructor <;> assumption
end NumbersExcludedAs

/-! `y ≠ 5` is a hypothesis in the alternative for `y = 5`. -/

namespace HypothesisDeniesPattern
def f (x y z : Nat) : Nat :=
  match x, y, z with
  | 5, _, _ => y
  | _, 5, _ => y
  | _, _, 5 => y
  | _, _, _ => 1

example (x y w : Nat) : y ≠ 5 → f x y w = f x y w := by
  intro h
  unfold f
  split
  · rfl
  · contradiction
  · rfl
  · rfl

example (x y w : Nat) : y ≠ 5 → f x y w = f x y w := by
  intro h
  unfold f
  split
  · rfl
  · exact absurd rfl (by assumption)
  · rfl
  · rfl

example (x y w : Nat) : y ≠ 5 → f x y w = f x y w := by
  intro h
  unfold f
  split
  · rfl
  · (exfalso; simp_all)
  · rfl
  · rfl

/-! Every pattern of three may be denied. -/

example (x y z : Nat) : x ≠ 5 → y ≠ 5 → z ≠ 5 → z = w → f x y w = 1 := by
  intros
  simp [f]
  split
  · contradiction
  · contradiction
  · contradiction
  · rfl

end HypothesisDeniesPattern

/-! The last alternative applies to any term. -/

example (f : Nat → Nat) (q : Nat → Prop) (a : Nat) (h0 : q 1) (h : ∀ n, q (n + 5)) :
    q (match f a with | 0 => 1 | n => n + 5) := by
  split
  · exact h0
  · exact h _
