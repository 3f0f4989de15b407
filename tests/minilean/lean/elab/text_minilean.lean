-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Characters and strings: literals, decidable properties, and the parts of their representation that stay hidden -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Proved. -/

-- Lean: error: Type mismatch rfl has type ?m.7 = ?m.7 but is expected to have type "ab" ++ "cd" = "abcd"
example : "ab" ++ "cd" = "abcd" := rfl

-- Lean: error: Tactic `decide` failed to reduce @decide ("ab" ++ "cd" = "abcd") (instDecidableEqString ("ab"
-- ++ "cd") "abcd") to `true` or `false`. After unfolding the ..
example : "ab" ++ "cd" = "abcd" := by decide

-- Lean: error: Tactic `decide` failed to reduce @decide ("ab".append "c" = "abc" ∧ ("ab" == "a" ++ "b") =
-- true) instDecidableAnd to `true` or `false`. After unfolding the ..
example : "ab".append "c" = "abc" ∧ ("ab" == "a" ++ "b") = true := by decide

-- Lean: error: Tactic `decide` failed to reduce @decide ("ab" ≠ "cd") instDecidableNot to `true` or `false`.
-- After unfolding the instances `decEq`, `instDecidableEqString`, ..
example : "ab" ≠ "cd" := by decide

-- Lean: error: (kernel) unknown constant 'String.ofList_injective'
example : "ab" ≠ "cd" := by simp

-- Lean: error: Tactic `contradiction` failed h : "a" = "b" ⊢ False
example (h : "a" = "b") : False := by contradiction

-- Lean: error: (kernel) unknown constant 'String.ofList_injective'
example (h : "a" = "b") : False := by simp at h

-- Lean: error: (kernel) unknown constant 'String.ofList_injective'
example (f : String → Nat) : (if "a" = "b" then f "a" else 3) = 3 := by simp

-- Lean: error: Tactic `decide` failed to reduce @decide ({ name := "Ann", age := 3 } ≠ { name := "Bob", age
-- := 3 }) instDecidableNot to `true` or `false`. After unfolding the ..
namespace Ex9
structure P where
  name : String
  age : Nat
deriving DecidableEq
example : (⟨"Ann", 3⟩ : P) ≠ ⟨"Bob", 3⟩ := by decide
end Ex9

-- Lean: error: Type mismatch rfl has type ?m.3 = ?m.3 but is expected to have type f "Bob" = "Hello, Bob"
namespace Ex10
def f (n : String) : String := "Hello, " ++ n
example : f "Bob" = "Hello, Bob" := rfl
end Ex10

/-! Shown. -/

/-- info: "abc" -/
#guard_msgs in
#eval "ab" ++ "c"

/-- info: ['a', 'b'] -/
#guard_msgs in
#eval "ab".toList

/-- info: 5 -/
#guard_msgs in
#eval "naïve".length

/-- info: '\t' -/
#guard_msgs in
#eval '\t'

/-! How strings are kept is not to be seen. -/

-- Lean: error: Tactic `decide` failed to reduce @decide ("abc".toList = ['a', 'b', 'c'])
-- ("abc".toList.instDecidableEq ['a', 'b', 'c']) to `true` or `false`. After unfolding ..
/--
error: Tactic `decide` failed for proposition
  "abc".toList = ['a', 'b', 'c']
because its `Decidable` instance
  List.instDecidableEq "abc".toList ['a', 'b', 'c']
did not reduce to `isTrue` or `isFalse`.

After unfolding, reduction got stuck at the `Decidable` instance
  "abc".toList.hasDecEq ['a', 'b', 'c']
-/
#guard_msgs in
example : "abc".toList = ['a', 'b', 'c'] := by decide

/-! Refused by name. -/

-- Lean accepts this.
/-- error: unsupported: the constructors of `String` -/
#guard_msgs in
example (s : String) : s = s := by cases s; rfl

-- Lean accepts this.
/-- error: unsupported: the constructors of `String` -/
#guard_msgs in
example (s : String) : s = s := by induction s; rfl

-- Lean accepts this.
/-- error: unsupported: the constructors of `String` -/
#guard_msgs in
example (s : String) : True := by rcases s with ⟨l⟩; trivial

-- Lean accepts this.
/-- error: unsupported: the constructors of `String` -/
#guard_msgs in
example (s : String) : True := match s with | ⟨_⟩ => trivial

-- Lean accepts this.
/-- error: unsupported: the constructors of `String` -/
#guard_msgs in
example : String := ⟨['a']⟩

-- Lean accepts this.
/-- error: unsupported: the constructors of `String` -/
#guard_msgs in
example : String := by constructor; exact ['a']

-- Lean accepts this.
/-- error: unsupported: `String.literal`, which stands for what Lean represents otherwise -/
#guard_msgs in
example : String := String.literal ['a']

-- Lean accepts this.
/-- error: unsupported: `String.ofChars`, which stands for what Lean represents otherwise -/
#guard_msgs in
example : String := .ofChars ['a']

-- Lean accepts this.
/-- error: unsupported: `String.casesOn`, which stands for what Lean represents otherwise -/
#guard_msgs in
example (s : String) : Nat := s.casesOn (motive := fun _ => Nat) List.length

-- Lean accepts this.
namespace Ex25
/-- error: unsupported: `String.literal`, which stands for what Lean represents otherwise -/
#guard_msgs in
open String in
example : String := literal ['a']
end Ex25

-- Lean: error: Tactic `unfold` failed to unfold `String.literal` in s = s
/-- error: unsupported: `String.literal`, which stands for what Lean represents otherwise -/
#guard_msgs in
example (s : String) : s = s := by unfold String.literal

/-! False statements stay unproved. -/

-- Lean: error: Tactic `decide` failed to reduce @decide ("a" = "b") (instDecidableEqString "a" "b") to `true`
-- or `false`. After unfolding the instances `decEq`, ..
namespace Ex27
/--
error: Tactic `decide` proved that the proposition
  "a" = "b"
is false
-/
#guard_msgs in
theorem t : "a" = "b" := by decide
end Ex27

-- Lean: error: (kernel) unknown constant 'String.ofList_injective'
namespace Ex28
/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
theorem t : "a" = "a" ++ "b" := by simp
end Ex28
