-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Tactics of the command `syntax`, whose expansions `macro_rules` give -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! All rules are tried. -/

namespace Ex1
local syntax "settle" : tactic
macro_rules
  | `(tactic| settle) => `(tactic| assumption)
macro_rules | `(tactic| settle) => `(tactic| rfl)
example (h : p) : p := by settle
example : 1 + 1 = 2 := by settle
end Ex1

/-! Rules may use the tactic itself. -/

namespace Ex2
local syntax "settle" : tactic
macro_rules
  | `(tactic| settle) => `(tactic| assumption)
macro_rules | `(tactic| settle) => `(tactic| apply And.intro <;> settle)
example (h : p) (k : q) : p ∧ q ∧ p := by settle
end Ex2

namespace Ex3
local syntax "settle" : tactic
macro_rules
  | `(tactic| settle) => `(tactic| assumption)
macro_rules | `(tactic| settle) => `(tactic| apply And.intro <;> settle)

/--
error: Tactic `apply` failed: could not unify the conclusion of `@And.intro`
  ?a ∧ ?b
with the goal
  q✝

Note: The full type of `@And.intro` is
  ∀ {a b : Prop}, a → b → a ∧ b

case right
p✝ q✝ : Prop
h✝ : p✝
⊢ q✝
-/
#guard_msgs in
example (h : p) : p ∧ q := by settle
end Ex3

/-! The error is that of the latest rule. -/

namespace Ex4
local syntax "settle" : tactic
macro_rules | `(tactic| settle) => `(tactic| rfl)
macro_rules
  | `(tactic| settle) => `(tactic| assumption)

/--
error: Tactic `assumption` failed

⊢ 1 = 2
-/
#guard_msgs in
example : 1 = 2 := by settle
end Ex4

/-! Refused. a rule that only calls itself does not terminate -/

namespace Ex5
local syntax "settle" : tactic

/-- error: Tactic `settle` has not been implemented -/
#guard_msgs in
example : True := by settle
end Ex5

namespace Ex7
local syntax "settle" : tactic
macro_rules | `(tactic| settle) => `(tactic| settle)

/--
error: maximum recursion depth has been reached
use `set_option maxRecDepth <num>` to increase limit
use `set_option diagnostics true` to get diagnostic information
-/
#guard_msgs in
example : False := by settle
end Ex7

/-! A notation may stand for a proof. -/

namespace Ex8
local notation "given" p => show p by assumption
example (h : p) : p ∨ q := Or.inl (given p)
end Ex8

namespace Ex9
local notation "given" p => show p by assumption

/--
error: Tactic `assumption` failed

p : Sort ?u.1
⊢ p
-/
#guard_msgs in
example : p := given p
end Ex9

namespace Ex10

/-- error: unsupported: a notation that stands for a tactic block which names hypotheses -/
#guard_msgs in
local notation "bad" p => show p by intro h; exact h
end Ex10
