-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Goals and messages of single steps -/

set_option linter.unusedVariables false

/-! Of equal arguments the last one is called so. -/

-- Lean: says in addition: unsolved goals
/--
error: Application type mismatch: The argument
  h
has type
  a = b
of sort `Prop` but is expected to have type
  Nat
of sort `Type` in the application
  f a h
-/
#guard_msgs in
example (a b : Nat) (f : Nat → Nat → Nat) (h : a = b) : a = b := by have := f a h
