-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Inductive types that Lean refuses, with its messages; inductive types over section variables -/

set_option linter.unusedVariables false

/-! A declaration is refused in Lean's words. -/

-- Lean: error: failed to generate projection `Ex1.E.w` for the 'Prop'-valued type `E`, field must be a proof,
-- but it has type Nat
namespace Ex1
/--
error: failed to generate projection `Ex1.E.w` for the 'Prop'-valued type `Ex1.E`, field must be a proof, but it has type
  Nat
-/
#guard_msgs in
structure E (p : Nat → Prop) : Prop where
  w : Nat
  h : p w
end Ex1

-- Lean: error: type of theorem `Ex2.t` is not a proposition Nat → Nat
namespace Ex2
/--
error: type of theorem `t` is not a proposition
  Nat → Nat
-/
#guard_msgs in
theorem t (n : Nat) : Nat := n
end Ex2

-- Lean: error: Failed to infer type of binder `x`
namespace Ex3
/-- error: Failed to infer type of definition `f` -/
#guard_msgs in
def f x := x
end Ex3

-- Lean: error: don't know how to synthesize placeholder for argument `α` context: ⊢ Type ?u.2 Note: Because
-- this declaration's type has been explicitly provided, all ..
/--
error: Failed to infer type of binder `x`

Note: Because this declaration's type has been explicitly provided, all parameter types and holes (e.g., `_`) in its header are resolved before its body is processed; information from the declaration body cannot be used to infer what these values should be
-/
#guard_msgs in
example (x : List _) : Nat := x.length

-- Lean: error: Invalid dotted identifier notation: The expected type of `.z` could not be determined Hint:
-- Using `N.z would be unambiguous: [apply] `N.z`
namespace Ex5
inductive N | z | s (n : N)
/--
error: Failed to infer type of binder `x`

Note: Because this declaration's type has been explicitly provided, all parameter types and holes (e.g., `_`) in its header are resolved before its body is processed; information from the declaration body cannot be used to infer what these values should be
-/
#guard_msgs in
def f x (y : N) : N := match x with
  | .z => y
  | .s k => .s (f k y)
end Ex5

-- Lean: error: don't know how to synthesize implicit argument `α` @Eq ?m.3 x x context: x : ?m.3 ⊢ Sort ?u.3
-- Note: All parameter types and holes (e.g., `_`) in the header of ..
namespace Ex6
/--
error: Failed to infer type of binder `x`

Note: All parameter types and holes (e.g., `_`) in the header of a theorem are resolved before the proof is processed; information from the proof cannot be used to infer what these values should be
-/
#guard_msgs in
theorem t x : x = x := rfl
end Ex6

-- Lean: error: don't know how to synthesize placeholder context: x n : Nat table : Nat.below n ⊢ Nat
namespace Ex7
/-- error: don't know how to synthesize placeholder -/
#guard_msgs in
def f : Nat → Nat := fun x => x.brecOn fun n table => _
end Ex7

/-! Patterns determine the type of a binder. -/

-- Lean has `Hint: Using one of these would be unambiguous:` there.
namespace Ex8
inductive N | z
/-- error: Invalid dotted identifier notation: The expected type of `.z` could not be determined -/
#guard_msgs in
def f x (y : N) := match x with
  | .z => y
end Ex8
