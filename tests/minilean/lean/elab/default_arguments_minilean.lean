-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Arguments that may be left out: `(x : A := v)` and `(h : p := by tac)` -/

set_option linter.unusedVariables false

/-! A value is left out. -/

namespace ValueLeftOut

def add (x : Nat) (y : Nat := 5) (z := 7) : Nat := x + y + z

/-- info: [13, 10, 6, 7] -/
#guard_msgs in
#eval [add 1, add 1 2, add (z := 0) 1, add 1 (z := 1)]

def q (n : Nat) (k : Nat := 2) : Nat := match n with
  | 0 => k
  | n + 1 => q n + 1

/-- info: (9, 5) -/
#guard_msgs in
#eval (q 0 9, q 3 9)

end ValueLeftOut

section
variable (w : Nat := 4)
def one := w + 1
/-- info: one (w : Nat := 4) : Nat -/
#guard_msgs in
#check one
/-- info: 5 -/
#guard_msgs in
#eval one
end

/-! A proof is left out. -/

namespace ProofLeftOut

-- the tactic proves the statement with the caller's arguments
theorem pos (n : Nat) (h : 0 < n := by omega) : n ≠ 0 := by
  intro e
  rw [e] at h
  exact absurd h (by decide)

/-- error: could not synthesize default value for parameter 'h' using tactics -/
#guard_msgs in
example (n : Nat) : n ≠ 0 := pos n

theorem bad (h : False := by trivial) : 1 = 2 := h.elim

/-- error: could not synthesize default value for parameter 'h' using tactics -/
#guard_msgs in
example : 1 = 2 := bad

theorem bad2 (h : False := by trivial) : False := by assumption

/--
error: Type mismatch
  bad2
has type
  autoParam False bad2._auto_1 → False
but is expected to have type
  False
-/
#guard_msgs in
example : False := @bad2

/-- error: unsupported: `apply` with the optional argument `h`: use `exact` or `refine` -/
#guard_msgs in
example (n : Nat) (h : 0 < n) : n ≠ 0 := by
  apply pos

end ProofLeftOut

/-! Attacks. -/

namespace Attacks

-- source text cannot refer to the syntax constant of an `autoParam`
/-- error: unsupported: `Lean.Syntax`, which stands for what Lean represents otherwise -/
#guard_msgs in
example : Lean.Syntax := Lean.Syntax.missing

/-- error: unsupported: `Lean.Syntax`, which stands for what Lean represents otherwise -/
#guard_msgs in
example (s : Lean.Syntax) : s = s := by cases s; rfl

theorem t (h : False := by trivial) : False := h

/-- error: could not synthesize default value for parameter 'h' using tactics -/
#guard_msgs in
example : False := t t

theorem t2 (h : False := by exact t2) : False := h

/-- error: could not synthesize default value for parameter 'h' using tactics -/
#guard_msgs in
example : False := t2

end Attacks

/-! A constructor without the fields that have defaults is refused. -/

namespace ConstructorWithoutFields

-- in Lean `S.mk 3` is `S.mk 3 4`, not a function
structure S where
  a : Nat
  b : Nat := 4

/-- error: unsupported: `S.mk` without the fields that have defaults: use `{ x := a, .. }` -/
#guard_msgs in
example : Nat → S := S.mk 3

end ConstructorWithoutFields
