-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `simp` on recursive functions and on functions applied to more arguments than in its rules; attacks on `simp` -/

set_option linter.unusedVariables false

/-! `simp [f]` unfolds a recursive function where its cases are decided, as Lean's smart unfolding does: unfolding comes
before the arguments are visited, a case is decided at default transparency, and the argument that gets smaller has to be
a constructor. -/

namespace DecidedCaseTaken
def snoc : List Nat → Nat → List Nat
  | [], a => [a]
  | x :: xs, a => x :: snoc xs a
def rev : List Nat → List Nat
  | [] => []
  | x :: xs => snoc (rev xs) x
def single (a : Nat) : List Nat := [a]
def sum (n : Nat) : Nat := 1 + match n with
  | 0 => 0
  | k + 1 => sum k
def g : Nat → Bool → Nat
  | _, true => 7
  | 0, false => 1
  | n + 1, false => g n true
variable (a b n : Nat) (l : List Nat)

-- the case depends on another function, which is not unfolded itself
-- Lean: unsolved goals a b n : Nat l : List Nat
example : rev (single a) = snoc (rev []) a := by simp only [rev]

-- Lean: `simp` made no progress
example : rev (snoc (a :: l) b) = snoc (rev (snoc l b)) a := by simp [rev]

end DecidedCaseTaken

/-! A rule for a function serves its applications. -/

-- rules with more arguments are tried first
-- Lean: This simp argument is unused:
example (f g : Nat → Nat → Nat) (h : f 2 = g 2) (k : f 2 3 = 7) : f 2 3 = 7 := by simp only [h, k]

/-! False or unprovable statements are refused. -/

-- Lean: Tactic `simp` failed with a nested error:
/--
error: maximum recursion depth has been reached
use `set_option maxRecDepth <num>` to increase limit
use `set_option diagnostics true` to get diagnostic information
-/
#guard_msgs in
example (f : Nat → Nat) (h : ∀ x, f x = f (f x)) : f 0 = 1 := by simp [h]

-- Lean: `simp` made no progress
/--
error: unsolved goals
a b : Nat
⊢ b + (a - b) = a
-/
#guard_msgs in
example (a b : Nat) : a - b + b = a := by simp +arith

/--
error: unsolved goals
a b : Nat
⊢ a + 1 ≤ b
-/
#guard_msgs in
example (a b : Nat) : a < b := by simp +arith
