-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Attacks on what the language adds: none of them may end in a proof of `False`, or of another statement -/

set_option linter.unusedVariables false

/-! An instance that lies proves nothing without `sorry`. -/

-- Lean: `lie p` in place of `LyingInstanceConvinces2.lie p`
namespace LyingInstanceConvinces2
/--
error: Type mismatch
  LyingInstanceConvinces2.lie p
has type
  Decidable p
of sort `Type` but is expected to have type
  False
of sort `Prop`
-/
#guard_msgs in
local instance lie (p : Prop) : Decidable p := isFalse (fun _ => lie p)
/--
error: Tactic `decide` proved that the proposition
  ¬True
is false
-/
#guard_msgs in
example : ¬True := by decide
end LyingInstanceConvinces2

/-! Axioms are reported. -/

-- Lean: 'AxiomsReportedAnd.t' depends on axioms: [cheat]
namespace AxiomsReportedAnd
axiom cheat : False
theorem t : 1 = 2 := cheat.elim
/-- info: 'AxiomsReportedAnd.t' depends on axioms: [AxiomsReportedAnd.cheat] -/
#guard_msgs in
#print axioms t
end AxiomsReportedAnd

/-! Notations do not capture. -/

-- Lean: Unknown constant `Lean.ParserDescr.node`; Function expected at twice but this term has type; Type mismatch rfl has type
namespace NotationsDoNot
local notation "twice" x => (fun y : Nat => x + y) x
example (y : Nat) : (twice y) = y + y := rfl
def secret : Nat := 1
local notation "hidden" => secret
example (secret : Nat) : hidden = 1 := rfl
end NotationsDoNot
