-- Checked with Lean 4.35.0.

/-! # `s!".."`: pieces of text with terms between them -/

set_option linter.unusedVariables false

/-! Pieces are joined by append. Empty pieces of the text are left out, those in braces are not. -/

/-- info: fun n => toString "n = " ++ toString n ++ toString "" : Nat → String -/
#guard_msgs in
#check fun n : Nat => s!"n = {n}{""}"

/-- info: fun n => toString n ++ toString " " ++ toString n : Nat → String -/
#guard_msgs in
#check fun n : Nat => s!"{n} {n}"

/-! The type of a piece needs a text. -/

namespace Ex3
structure P where
  x : Nat
/--
error: failed to synthesize instance of type class
  ToString P

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
def f (p : P) : String := s!"{p}"
end Ex3
