-- Checked with Lean 4.35.0.

/-! # Tactics of the command `syntax`, whose expansions `macro_rules` give -/

set_option linter.unusedVariables false

/-! Unhygienic names are accessible. -/

example : ∀ a b : Nat, a = b → b = a := by
  unhygienic intros
  exact a_1.symm

/-- error: Unknown identifier `a_1.symm` -/
#guard_msgs in
example : ∀ a b : Nat, a = b → b = a := by
  intros
  exact a_1.symm

/-! Let rec at the beginning of a proof. -/

namespace Ex3
def count (n : Nat) (xs : List α) : Nat :=
  match xs with
  | [] => n
  | _ :: ys => count (n + 1) ys
theorem count_eq (xs : List α) : count 0 xs = xs.length := by
  let rec from_any (n : Nat) (ys : List α) : count n ys = n + ys.length := by
    match ys with
    | [] => rfl
    | _ :: zs => rw [count, from_any (n + 1) zs, List.length_cons]; omega
  have h := from_any 0 xs
  omega

/-- info: @count_eq.from_any : ∀ {α : Type u_1} (n : Nat) (ys : List α), count n ys = n + ys.length -/
#guard_msgs in
#check @count_eq.from_any
end Ex3

namespace Ex4

/--
error: fail to show termination for
  Ex4.t.f
with errors
failed to infer structural recursion:
Not considering parameter n of Ex4.t.f:
  it is unchanged in the recursive calls
no parameters suitable for structural recursion

well-founded recursion cannot be used, `Ex4.t.f` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t : False := by
  let rec f (n : Nat) : False := f n
  exact f 0
end Ex4
