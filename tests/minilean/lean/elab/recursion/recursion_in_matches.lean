-- Checked with Lean 4.35.0.

/-! # Structural recursion where the call is deeper than the match, or in another match -/

set_option linter.unusedVariables false

/-! Calls inside of matches. -/

-- the argument of the call is a variable of the outer match
namespace Ex1
def runs (xs : List Nat) : Nat :=
  match xs with
  | [] => 0
  | _ :: ys =>
    match ys with
    | [] => 1
    | _ => runs ys + 1
example : runs [4, 5, 6] = 3 := rfl
end Ex1

namespace Ex2
def half (n : Nat) : Nat :=
  match n with
  | 0 => 0
  | m + 1 =>
    match m with
    | 0 => 0
    | k + 1 => half k + 1
example : half 9 = 4 := rfl
end Ex2

namespace Ex3
def f : Nat → Nat → Nat
  | 0, y => y
  | x + 1, y =>
    match f x y with
    | 0 => f x y
    | v => f x v + 1
example : f 2 1 = 4 := rfl
end Ex3

/-! No part of the argument. -/

namespace Ex4

/--
error: fail to show termination for
  Ex4.f
with errors
failed to infer structural recursion:
Cannot use parameter xs:
  failed to eliminate recursive application
    Ex4.f (y :: ys)


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
y : Nat
ys x✝ : List Nat
⊢ sizeOf ys < sizeOf x✝
-/
#guard_msgs in
def f (xs : List Nat) : Nat :=
  match xs with
  | [] => 0
  | y :: ys =>
    match ys with
    | [] => 1
    | _ => f (y :: ys)
end Ex4

/-! Alternatives of the tactic match may be goals. -/

/--
error: unsolved goals
case match_1
x : Nat
⊢ {h : 0 = 0} → Nat

case match_2
x n : Nat
⊢ {h : n + 1 = n + 1} → Nat
-/
#guard_msgs in
example : ∀ (x : Nat) {h : x = x}, Nat := by
  intro x
  match x with
  | 0 => _
  | n + 1 => _

example (h : p ∨ q) : (q ∨ p) ∧ True := by
  constructor
  case right => trivial
  match h with
  | .inl h => exact .inr h
  | .inr h => _
  case left.match_1 => exact .inl h
