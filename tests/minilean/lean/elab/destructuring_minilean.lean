-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Patterns in `let`, `have` and `fun` expand to `match`; cases ruled out by hypotheses; projections of a `match` -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Patterns of functions. -/

/-- info: 14 -/
#guard_msgs in
#eval (fun (a, b) (c, d) => a + 2 * b + 3 * c + 4 * d : Nat × Nat → Nat × Nat → Nat) (1, 1) (1, 2)

/-! Pairs are not taken apart by simp without need. -/

-- Lean has these messages in another order.
/--
trace: p : Nat × Nat
⊢ (p.snd, p.fst) = p
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (p : Nat × Nat) : (match p with | (a, b) => (b, a)) = p := by
  simp
  trace_state
  sorry

/-! Hypotheses rule alternatives out. -/

namespace Ex3
def f (n : Nat) (h : n > 0) : Nat := match n with
  | k + 1 => k

/-- info: 4 -/
#guard_msgs in
#eval f 5 (by decide)
end Ex3

/-! What is outside is refused by name. -/

-- Lean: error: Function expected at Vector but this term has type ?m.1 Note: Expected a function because this
-- term is being applied to the argument Nat Hint: The identifier ..
/-- error: unsupported: Vector is not in minilean's library -/
#guard_msgs in
example (xs : Vector Nat 2) : 1 = 1 := rfl

-- Lean: error: invalid binder annotation, type is not a class instance ?m.2 Note: Use the command `set_option
-- checkBinderAnnotations false` to disable the check
namespace Ex5
/-- error: unsupported: Hashable is not in minilean's library -/
#guard_msgs in
theorem t [Hashable m] : True := trivial
end Ex5

-- Lean: error: Unknown identifier `repr`
/-- error: unsupported: repr is not in minilean's library -/
#guard_msgs in
#check repr 3

-- Lean: error: unknown namespace `ExceptT`
namespace Ex7
/-- error: unsupported: ExceptT is not in minilean's library -/
#guard_msgs in
open ExceptT
end Ex7
