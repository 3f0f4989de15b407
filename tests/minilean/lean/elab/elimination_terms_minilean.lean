-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Recursors in terms find their motive; holes in `simp` arguments; implicit parameters of types; `(x : A) × B x` -/

set_option linter.unusedVariables false

/-! What Lean accepts. -/

-- Lean: warning: Definition `absurdly` is a proposition; use `theorem` instead of `def` Note: This linter can
-- be disabled with `set_option linter.defProp false`
namespace Ex1
def absurdly {p : Prop} (h : False) : p := h.rec
end Ex1

/-! What Lean refuses. -/

-- Lean numbers the metavariables otherwise.
/--
error: Application type mismatch: The argument
  h
has type
  False
of sort `Prop` but is expected to have type
  False → Sort ?u.834100
of sort `Type ?u.834100` in the application
  False.rec h
-/
#guard_msgs in
example (p : Prop) (h : False) : p := False.rec h

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.10 = ?m.10
but is expected to have type
  n.succ = 0
-/
#guard_msgs in
example (n : Nat) : n = 0 := Nat.rec rfl (fun n ih => rfl) n

-- Lean accepts this.
/-- error: `simp` made no progress -/
#guard_msgs in
example (h : ∀ n : Nat, n = 0 → False) : False := by simp only [h _] at *
