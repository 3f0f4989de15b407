-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `s!".."`: pieces of text with terms between them -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Values. -/

/-- info: "plain" -/
#guard_msgs in
#eval s!"plain"

/-- info: "" -/
#guard_msgs in
#eval s!""

/-- info: "5" -/
#guard_msgs in
#eval s!"{2 + 3}"

/-- info: "x = 1, y = [2, 3]." -/
#guard_msgs in
#eval s!"x = {1}, y = {[2, 3]}."

-- an interpolated string inside another one
/-- info: "a<1>b" -/
#guard_msgs in
#eval s!"a{s!"<{1}>"}b"

-- braces of its own inside a term
/-- info: "1" -/
#guard_msgs in
#eval s!"{({ val := 1, isLt := by decide } : Fin 2)}"

-- an escaped brace; a closing one needs no escape
/-- info: "{7}" -/
#guard_msgs in
#eval s!"\{{7}}"

/-- info: "tab\tq\"" -/
#guard_msgs in
#eval s!"tab\t{"q\""}"

/-! Eval writes a value by its own text. -/

namespace Ex9
structure P where
  x : Nat
instance : ToString P where
  toString p := s!"at {p.x}"

/-- info: at 3 -/
#guard_msgs in
#eval (⟨3⟩ : P)
end Ex9

namespace Ex10
structure P where
  x : Nat
/-- info: { x := 3 } -/
#guard_msgs in
#eval (⟨3⟩ : P)
end Ex10

-- a derived `Repr` comes before `ToString`
namespace Ex11
structure P where
  x : Nat
deriving Repr
instance : ToString P where
  toString p := s!"at {p.x}"

/-- info: { x := 3 } -/
#guard_msgs in
#eval (⟨3⟩ : P)
end Ex11
