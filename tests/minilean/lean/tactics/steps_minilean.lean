-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Steps from textbooks, `decide` over `Bool`, several errors of one proof -/

set_option linter.unusedVariables false

/-! A goal does not close itself. -/

-- Lean: `this is often due to an occurs-check failure` in place of `this is often due occurs-check failure`
/--
error: Tactic `exact` failed: attempting to close the goal using
  ?x
this is often due occurs-check failure

case x
⊢ False
-/
#guard_msgs in
example : False := by
  refine id ?x
  exact ?x

-- Lean: `refine` tactic failed, value
/--
error: Tactic `refine` failed: value
  id ?x
depends on the main goal metavariable `?x`

case x
⊢ False
-/
#guard_msgs in
example : False := by
  refine id ?x
  refine id ?x

-- Lean: don't know how to synthesize placeholder for argument `a`
/-- error: the goal occurs in the term that is to close it -/
#guard_msgs in
example : False := by
  refine id ?x
  apply id ?x

/-- error: the goal occurs in the term that is to close it -/
#guard_msgs in
example : False := by
  refine id ?x
  cases ?x

-- Lean: `refine` tactic failed, value
/-- error: the goal occurs in the term that is to close it -/
#guard_msgs in
example : False := by
  refine id ?x
  have h : False := ?x; exact h

/-! Two goals do not close each other. -/

-- Lean: `this is often due to an occurs-check failure` in place of `this is often due occurs-check failure`
/--
error: Tactic `exact` failed: attempting to close the goal using
  ?b
this is often due occurs-check failure

case b
⊢ False
-/
#guard_msgs in
example : False ∧ False := by
  refine ⟨?a, ?b⟩
  exact ?b
  exact ?a

/-! Options and documented operators. -/

-- Lean: says nothing
/-- warning: the option `pp.all` has no effect in minilean -/
#guard_msgs in
example : 1 = 1 := by
  set_option pp.all true in
  rfl

-- Lean: Unknown constant `Lean.ParserDescr.trailingNode`; expected token failed to synthesize instance of type class OfNat (Sort ?u.1) 2
namespace OptionsAndDocumented
@[inherit_doc] infix:50 " ≼ " => Nat.le
example : 2 ≼ 2 := Nat.le_refl 2
end OptionsAndDocumented

/-! Refused. -/

-- Lean: Expected type must not contain free variables
/-- error: unsupported: `decide` with `+native` -/
#guard_msgs in
example (b : Bool) : b = b := by decide +native

/-! Each bullet that fails is reported. -/

-- Lean: says in addition: Unknown identifier `y`
/-- error: Unknown identifier `x` -/
#guard_msgs in
example (p q : Prop) : p ∧ q := by
  constructor
  case' left => exact x
  · exact y
