-- Checked with Lean 4.35.0.

/-! # Characters and strings: literals, decidable properties, and the parts of their representation that stay hidden -/

set_option linter.unusedVariables false

/-! Proved. -/

example : "ab" ++ "cd" = "abcd" := by simp
example : 'a' ≠ 'b' := by decide
example : 'a' ≠ 'b' := by simp
example : '\n'.toNat = 10 := rfl
example : 'a'.isAlpha = true := by decide
example : "abc" = String.ofList ['a', 'b', 'c'] := rfl
example (s t : String) : (s ++ t).length = s.length + t.length := by simp
example (s : String) : s ++ "" = s := by simp

/-! Shown. -/

/-- info: "a\"b" : String -/
#guard_msgs in
#check "a\"b"

/-- info: 'x' : Char -/
#guard_msgs in
#check 'x'

/-! How strings are kept is not to be seen. -/

/--
error: Type mismatch
  rfl
has type
  ?m.11 = ?m.11
but is expected to have type
  (s ++ t).toList = s.toList ++ t.toList
-/
#guard_msgs in
example (s t : String) : (s ++ t).toList = s.toList ++ t.toList := rfl

/--
error: Tactic `rfl` failed: The left-hand side
  (s ++ t).length
is not definitionally equal to the right-hand side
  s.length + t.length

s t : String
⊢ (s ++ t).length = s.length + t.length
-/
#guard_msgs in
example (s t : String) : (s ++ t).length = s.length + t.length := by rfl

/--
error: Type mismatch
  rfl
has type
  ?m.3 = ?m.3
but is expected to have type
  (String.ofList l).toList = l
-/
#guard_msgs in
example (l : List Char) : (String.ofList l).toList = l := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.4 = ?m.4
but is expected to have type
  s.length = s.toList.length
-/
#guard_msgs in
example (s : String) : s.length = s.toList.length := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.7 = ?m.7
but is expected to have type
  "" ++ s = s
-/
#guard_msgs in
example (s : String) : "" ++ s = s := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  "abc".length = 3
-/
#guard_msgs in
example : "abc".length = 3 := rfl

/-! False statements stay unproved. -/

namespace Ex17

/--
error: Type mismatch
  rfl
has type
  ?m.3 = ?m.3
but is expected to have type
  "a" = "b"
---
error: Not a definitional equality: the left-hand side
  "a"
is not definitionally equal to the right-hand side
  "b"
-/
#guard_msgs in
theorem t : "a" = "b" := rfl
end Ex17

namespace Ex18

/--
error: Tactic `decide` proved that the proposition
  'a' = 'b'
is false
-/
#guard_msgs in
theorem t : 'a' = 'b' := by decide
end Ex18

namespace Ex19

/--
error: Application type mismatch: The argument
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  'a'.val = 'b'.val
in the application
  Char.ext rfl
-/
#guard_msgs in
theorem t : 'a' = 'b' := Char.ext rfl
end Ex19

-- 0xD800 is a surrogate and stands for the character 0, as in Lean
namespace Ex20
/--
error: Tactic `decide` proved that the proposition
  Char.ofNat 55296 ≠ Char.ofNat 0
is false
-/
#guard_msgs in
theorem t : Char.ofNat 0xD800 ≠ Char.ofNat 0 := by decide
end Ex20

namespace Ex21

/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  "é".length = 2
---
error: Not a definitional equality: the left-hand side
  "é".length
is not definitionally equal to the right-hand side
  2
-/
#guard_msgs in
theorem t : "é".length = 2 := rfl
end Ex21

namespace Ex22

/--
error: Tactic `assumption` failed

h : "a" ≠ "a" ++ ""
⊢ "a" = "b"
-/
#guard_msgs in
theorem t (h : "a" ≠ "a" ++ "") : "a" = "b" := by assumption
end Ex22

/-! A type of ones own named string is another type. -/

namespace Ex23
namespace A
inductive String where | mk (n : Nat)
/--
error: Type mismatch
  "a"
has type
  _root_.String
but is expected to have type
  String
-/
#guard_msgs in
example : String := "a"
end A
end Ex23
