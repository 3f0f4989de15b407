-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Terms and fields that are notation for others, and queries about them -/

set_option linter.unusedVariables false

/-! Abbreviations mean what Lean says. -/

/-- info: 4 -/
#guard_msgs in
#eval if let some x := some 4 then x else 0

/-- info: 11 -/
#guard_msgs in
#eval let f : Nat → Nat
  | 0 => 7
  | n + 1 => n
  f 5 + f 0

/-- info: 12345 -/
#guard_msgs in
#eval 12_345

/-! A structure takes fields from several sources. -/

namespace StructureTakesFields

structure Pt where
  x : Nat
  y : Nat

structure Hue where
  hue : Nat

structure Both extends Pt, Hue

def p : Pt := { x := 1, y := 2 }

def h : Hue := { hue := 3 }

def b : Both := { p, h with y := 9 }

def c : Both := { p with hue := 5 }

example : (b.x, b.y, b.hue) = (1, 9, 3) := rfl
example : (c.x, c.y, c.hue) = (1, 2, 5) := rfl

/-- error: Fields missing: `hue` -/
#guard_msgs in
def d : Both := { p with x := 1 }

end StructureTakesFields

/-! Functions are not evaluated. -/

/--
error: Could not synthesize a `ToExpr`, `Repr`, or `ToString` instance for type
  Nat → Nat
-/
#guard_msgs in
#eval fun n : Nat => n

/-! What is outside is refused by name and once. -/

-- Lean: error: Unknown constant `HAnd.hAnd✝`
/-- error: unsupported: the operator `&&&` -/
#guard_msgs in
#check 1 &&& 2
