-- Checked with Lean 4.35.0.

/-! # `set_option`: an option has its effect, or is refused, or a warning says that it has none -/

set_option linter.unusedVariables false

/-! What is so anyway is silent. -/

namespace Ex1
set_option tactic.hygienic true
end Ex1

example : 1 = 1 := by
  set_option tactic.hygienic true in
  rfl

namespace Ex3
set_option linter.unusedVariables false
end Ex3

example : 1 = 1 := by
  set_option linter.unusedVariables false in
  rfl

namespace Ex5
set_option trace.Meta.debug false
end Ex5

example : 1 = 1 := by
  set_option trace.Meta.debug false in
  rfl

namespace Ex7
set_option profiler false
end Ex7

example : 1 = 1 := by
  set_option profiler false in
  rfl

/-! An option of commands has no effect in tactics. -/

namespace Ex9
set_option autoImplicit false
end Ex9
