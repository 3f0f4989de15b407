-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Characters and strings as patterns: they are compared, not taken apart -/

set_option linter.unusedVariables false

/-! Refused. -/

-- Lean: error: Failed to compile pattern matching: Stuck at remaining variables: [x✝:(Char)] alternatives: |-
-- ['a'] => h_1 () examples:_
namespace Ex1
/--
error: Missing cases:
(Char.mk (UInt32.ofBitVec (BitVec.ofFin (Fin.mk _ _))) (Or.inr (And.intro _ _)))
(Char.mk (UInt32.ofBitVec (BitVec.ofFin (Fin.mk _ _))) (Or.inl _))
-/
#guard_msgs in
def f : Char → Nat
  | 'a' => 1
end Ex1

namespace WithVowels

def vowel : Char → Nat
  | 'a' => 1
  | 'e' => 2
  | _ => 0

/-! Accepted. -/

-- Lean: error: failed to compile definition, consider marking it as 'noncomputable' because it depends on
-- 'instDecidableEqChar', which is 'noncomputable'
example : vowel 'e' = 2 := by simp [vowel]

-- Lean: error: Tactic `split` failed: Could not split an `if` or `match` expression in the goal Hint: Use
-- `set_option trace.split.failure true` to display additional ..
example (c : Char) : vowel c < 3 := by unfold vowel; split <;> decide

/-! The last equation excludes the literals. -/

-- Lean: error: Unknown identifier `vowel.eq_3`
/-- info: vowel.eq_3 : ∀ (x : Char), (x = 'a' → False) → (x = 'e' → False) → vowel x = 0 -/
#guard_msgs in
#check @vowel.eq_3

end WithVowels

namespace WithBlanks

def squeeze : List Char → List Char
  | [] => []
  | ' ' :: cs => squeeze cs
  | c :: cs => c :: squeeze cs

/-! Accepted. -/

-- Lean: error: failed to generate equational theorem for `squeeze` failed to compile definition, consider
-- marking it as 'noncomputable' because it depends on ..
example (cs) : squeeze (' ' :: cs) = squeeze cs := by simp [squeeze]

-- Lean: error: failed to generate equational theorem for `squeeze` failed to compile definition, consider
-- marking it as 'noncomputable' because it depends on ..
example (cs) : squeeze ('-' :: cs) = '-' :: squeeze cs := by simp [squeeze]

end WithBlanks

namespace WithCommand

def code (s : String) (b : Bool) : Nat :=
  match s, b with
  | "go", true => 1
  | "go", false => 2
  | "", _ => 3
  | _, _ => 4

/-! Accepted. -/

-- Lean: error: Type mismatch rfl has type ?m.5 = ?m.5 but is expected to have type code "go" false = 2
example : code "go" false = 2 := rfl

-- Lean: error: Type mismatch rfl has type ?m.5 = ?m.5 but is expected to have type code "stop" true = 4
example : code "stop" true = 4 := rfl

end WithCommand
