-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Files that check themselves: `#guard_msgs`, `#guard`, `guard_hyp`, `trace_state`; the warning about `sorry` -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! What holds is silent. -/

-- Lean: error: unreachable code
#guard 1 + 1 == 2

/-! What does not hold is told. -/

-- two metavariables do not pass for one
/--
info: "?m.2 ?m.3"
---
error: ❌️ Docstring on `#guard_msgs` does not match generated message:

- info: "?m.1 ?m.1"
+ info: "?m.2 ?m.3"
-/
#guard_msgs in
/-- info: "?m.1 ?m.1" -/
#guard_msgs in
#eval "?m.2 ?m.3"

-- Lean: error: unreachable code
/--
error: Expression
  1 == 2
did not evaluate to `true`
-/
#guard_msgs in
#guard 1 == 2

-- Lean: info: 1 : Nat
/-- error: unexpected success -/
#guard_msgs in
#check_failure 1

-- a message of a tactic that was undone is not reported
-- Lean: info: a
/-- trace: b -/
#guard_msgs in
example : True := by
  first
  | trace "a"; fail
  | trace "b"; trivial

/-! A guarded error leaves the environment as it was. -/

-- Lean: info: t : 1 = 2
#guard_msgs (drop all) in
theorem t : 1 = 2 := rfl

/-- error: Unknown identifier `t` -/
#guard_msgs in
#check t

/-! Nothing passes for a proof because its error was expected. -/

-- Lean accepts this.
namespace Ex7
#guard_msgs (drop error) in
theorem f : False := by trivial

/-- error: Unknown identifier `f` -/
#guard_msgs in
theorem g : False := f
end Ex7

/-! What is not reflexive or symmetric is refused. -/

-- Lean: error: `[refl]` attribute may not be used on `Eq.refl`
namespace Ex8
/-- error: `@[refl]` attribute only applies to lemmas proving x ∼ x -/
#guard_msgs in
@[refl] theorem bad (n m : Nat) : n + m = m + n := Nat.add_comm n m
end Ex8

/-! Traces of one place are one message behind the others. -/

-- Lean: warning: declaration uses `sorry`
/-- trace: p : Prop
h : p
⊢ p
p : Prop
h : p
⊢ p
---
warning: declaration uses `sorry` -/
#guard_msgs in
example (p : Prop) (h : p) : p := by
  iterate 2 trace_state
  sorry

/-! A theorem states a proposition. -/

-- Lean: error: type of theorem `Ex10.t` is not a proposition Nat
namespace Ex10
/--
error: type of theorem `t` is not a proposition
  Nat
-/
#guard_msgs in
theorem t : Nat := 3
end Ex10

/-! Evaluation of sorry is an error and a warning. -/

/--
error: Aborting evaluation since the expression depends on the 'sorry' axiom, which can lead to runtime
instability and crashes.

To attempt to evaluate anyway despite the risks, use the '#eval!' command.
---
warning: declaration uses `sorry`
-/
#guard_msgs in
#eval (sorry : Nat)

-- Lean says nothing here.
/-- warning: declaration uses `sorry` -/
#guard_msgs in
#guard_msgs (drop error) in
#eval (sorry : Nat)
