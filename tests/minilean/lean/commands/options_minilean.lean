-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `set_option`: an option has its effect, or is refused, or a warning says that it has none -/

set_option linter.unusedVariables false

/-! An option that would change verdicts is refused. -/

-- Lean accepts this.
namespace Ex1
/-- error: unsupported: `set_option tactic.hygienic false`: the names that tactics choose are always inaccessible -/
#guard_msgs in
set_option tactic.hygienic false
end Ex1

-- Lean accepts this.
/-- error: unsupported: `set_option tactic.hygienic false`: the names that tactics choose are always inaccessible -/
#guard_msgs in
example : 1 = 1 := by
  set_option tactic.hygienic false in
  rfl

-- Lean accepts this.
namespace Ex3
/-- error: unsupported: `set_option warningAsError true`: warnings are not errors -/
#guard_msgs in
set_option warningAsError true
end Ex3

-- Lean accepts this.
/-- error: unsupported: `set_option warningAsError true`: warnings are not errors -/
#guard_msgs in
example : 1 = 1 := by
  set_option warningAsError true in
  rfl

-- Lean accepts this.
namespace Ex5
/-- error: unsupported: `set_option debug.skipKernelTC true`: the kernel checks every proof -/
#guard_msgs in
set_option debug.skipKernelTC true
end Ex5

-- Lean accepts this.
/-- error: unsupported: `set_option debug.skipKernelTC true`: the kernel checks every proof -/
#guard_msgs in
example : 1 = 1 := by
  set_option debug.skipKernelTC true in
  rfl

/-! An option without effect says so. -/

-- Lean says nothing here.
namespace Ex7
/-- warning: the option `pp.all` has no effect in minilean -/
#guard_msgs in
set_option pp.all true
end Ex7

-- Lean says nothing here.
/-- warning: the option `pp.all` has no effect in minilean -/
#guard_msgs in
example : 1 = 1 := by
  set_option pp.all true in
  rfl

-- Lean says nothing here.
namespace Ex9
/-- warning: the option `maxRecDepth` has no effect in minilean -/
#guard_msgs in
set_option maxRecDepth 1000
end Ex9

-- Lean says nothing here.
/-- warning: the option `maxRecDepth` has no effect in minilean -/
#guard_msgs in
example : 1 = 1 := by
  set_option maxRecDepth 1000 in
  rfl

-- Lean says nothing here.
namespace Ex11
/-- warning: the option `trace.Meta.synthInstance` has no effect in minilean -/
#guard_msgs in
set_option trace.Meta.synthInstance true
end Ex11

-- Lean says nothing here.
/-- warning: the option `trace.Meta.synthInstance` has no effect in minilean -/
#guard_msgs in
example : 1 = 1 := by
  set_option trace.Meta.synthInstance true in
  rfl

-- Lean says nothing here.
namespace Ex13
/-- warning: the option `exponentiation.threshold` has no effect in minilean -/
#guard_msgs in
set_option exponentiation.threshold 9
end Ex13

-- Lean says nothing here.
/-- warning: the option `exponentiation.threshold` has no effect in minilean -/
#guard_msgs in
example : 1 = 1 := by
  set_option exponentiation.threshold 9 in
  rfl

/-! An option of commands has no effect in tactics. -/

-- Lean says nothing here.
/-- warning: the option `autoImplicit` has no effect in minilean -/
#guard_msgs in
example : 1 = 1 := by
  set_option autoImplicit false in
  rfl

/-! An unknown option in tactics. -/

-- Lean: error: Unknown option `no.such`
/-- warning: unknown option `no.such` -/
#guard_msgs in
example : 1 = 1 := by
  set_option no.such true in
  rfl

-- Lean: error: set_option value type mismatch: The value true has type Bool but the option `maxRecDepth`
-- expects a value of type Nat
/-- error: type mismatch: the option `maxRecDepth` has type `Nat` -/
#guard_msgs in
example : 1 = 1 := by
  set_option maxRecDepth true in
  rfl
