-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Patterns in `let`, `have` and `fun` expand to `match`; cases ruled out by hypotheses; projections of a `match` -/

set_option linter.unusedVariables false

/-! Words and functions of core that are not here are named. -/

-- Lean: error: Unknown constant `Ord.toLT`
/-- error: unsupported: Ord.toLT is not in minilean's library -/
#guard_msgs in
example (n : Nat) : Nat := Ord.toLT

-- Lean: error: Invalid field `splitToList`: The environment does not contain `String.splitToList`, so it is
-- not possible to project the field `splitToList` from an expression ..
/-- error: unsupported: String.splitToList is not in minilean's library -/
#guard_msgs in
example (n : Nat) : Nat := "a".splitToList

-- Lean: error: Unknown constant `Array.modify`
/-- error: unsupported: Array.modify is not in minilean's library -/
#guard_msgs in
example (n : Nat) : Nat := Array.modify #[1] 0 id

namespace WithHalves

def halves : List α → List α × List α
  | [] => ([], [])
  | x :: xs =>
    let (a, b) := halves xs
    (x :: b, a)

/-! A projection of a match on a pair is one of the pair. -/

-- Lean has these messages in another order.
/--
trace: x : Nat
xs : List Nat
⊢ (halves xs).fst = [5]
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x : Nat) (xs : List Nat) : (halves (x :: xs)).snd = [5] := by
  simp [halves]
  trace_state
  sorry

-- Lean has these messages in another order.
/--
trace: x : Nat
xs : List Nat
⊢ (halves xs).fst = [5]
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x : Nat) (xs : List Nat) : (halves (x :: xs)).snd = [5] := by
  simp only [halves]
  trace_state
  sorry

-- Lean has these messages in another order.
/--
trace: x : Nat
xs : List Nat
⊢ (halves xs).fst = [5]
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x : Nat) (xs : List Nat) : (halves (x :: xs)).snd = [5] := by
  rw [halves]; simp
  trace_state
  sorry

-- Lean has these messages in another order.
/--
trace: x : Nat
xs : List Nat
⊢ (halves xs).fst = [5]
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (x : Nat) (xs : List Nat) : (halves (x :: xs)).snd = [5] := by
  rw [halves]; dsimp only
  trace_state
  sorry

end WithHalves
