-- Checked with Lean 4.35.0.

/-! # Characters and strings as patterns: they are compared, not taken apart -/

set_option linter.unusedVariables false

namespace WithVowels

def vowel : Char → Nat
  | 'a' => 1
  | 'e' => 2
  | _ => 0

/-! Accepted. -/

example : (vowel 'a', vowel 'e', vowel 'x') = (1, 2, 0) := rfl
example : vowel 'y' = 0 := by decide
example (c : Char) (h : c = 'a') : vowel c = 1 := by subst h; rfl

/-! Refused. -/

/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  vowel c = 0
-/
#guard_msgs in
example (c : Char) : vowel c = 0 := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.5 = ?m.5
but is expected to have type
  vowel 'a' = 2
-/
#guard_msgs in
example : vowel 'a' = 2 := rfl

/--
error: Type mismatch
  rfl
has type
  ?m.4 = ?m.4
but is expected to have type
  vowel 'a' = vowel 'e'
-/
#guard_msgs in
example : False := by have : vowel 'a' = vowel 'e' := rfl; contradiction

end WithVowels

namespace WithBlanks

def squeeze : List Char → List Char
  | [] => []
  | ' ' :: cs => squeeze cs
  | c :: cs => c :: squeeze cs

/-! Accepted. -/

example : squeeze ['p', ' ', 'q'] = ['p', 'q'] := by decide

end WithBlanks

namespace WithCommand

def code (s : String) (b : Bool) : Nat :=
  match s, b with
  | "go", true => 1
  | "go", false => 2
  | "", _ => 3
  | _, _ => 4

/-! Refused. -/

/--
error: Type mismatch
  rfl
has type
  ?m.3 = ?m.3
but is expected to have type
  code "go" true = code "stop" true
-/
#guard_msgs in
example : code "go" true = code "stop" true := rfl

end WithCommand
