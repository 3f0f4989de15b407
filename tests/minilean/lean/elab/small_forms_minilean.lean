-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Short ways to write bullets, functions, instances and local recursion -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Refused. -/

-- Lean accepts this.
namespace Ex2
inductive P : Prop | a
/-- error: None of the deriving handlers for class `DecidableEq` applied to `Ex2.P` -/
#guard_msgs in
deriving instance DecidableEq for P
end Ex2

-- Lean has `a✝ : ∀ (y : Nat), InvImage (fun a b => a < b) (fun x => x) y n → 1 = 2` there.
namespace Ex3
/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
n : Nat
x✝ : ∀ (y : Nat), WellFoundedRelation.rel y n → 1 = 2
⊢ n + 1 < n
-/
#guard_msgs in
theorem t : 1 = 2 := by
  skip
  let rec q (n : Nat) : 1 = 2 := q (n + 1)
  termination_by n
  exact q 0
end Ex3

-- Lean: error: Invalid field notation: Function `Q.f` does not have a usable parameter of type `Q` for which
-- to substitute `{ v := 3 }` Note: Such a parameter must be ..
namespace Ex4
structure Q where
  v : Nat
def Q.f {b : Nat} : Nat := b

/--
error: Invalid field notation: Function `Ex4.Q.f` does not have a usable parameter of type `Ex4.Q` for which to substitute `{ v := 3 }`

Note: Such a parameter must be explicit, or implicit with a unique name, to be used by field notation
-/
#guard_msgs in
#eval (Q.mk 3).f
end Ex4

-- Lean: error: unexpected identifier; expected command
namespace Ex5
/--
error: unexpected identifier; expected command

Hint: `lemma` belongs to Mathlib; use `theorem`
-/
#guard_msgs in
lemma l : 1 = 1 := rfl
end Ex5

/-! An instance that is not made is said so. -/

-- Lean says nothing here.
namespace Ex6
/-- warning: unsupported: `deriving DecidableEq` for `Ex6.E`: no instance is made -/
#guard_msgs in
inductive E : Nat → Type | a : E 0
  deriving DecidableEq
end Ex6

/-! Panic proves nothing that has no value. -/

-- Lean has `Hint: Adding the command `deriving instance Inhabited for False` may allow Lean to derive the
-- missing instance.` there.
namespace Ex7
/--
error: failed to synthesize instance of type class
  Inhabited False

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
theorem t : False := panic! "x"

/--
error: failed to synthesize instance of type class
  Inhabited α

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
def g (α : Type) : α := panic! "x"
end Ex7

-- Lean has `Hint: Adding the command `deriving instance Inhabited for False` may allow Lean to derive the
-- missing instance.` there.
namespace Ex8
/--
error: failed to synthesize instance of type class
  Inhabited False

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
theorem t : False := unreachable!

/--
error: failed to synthesize instance of type class
  Inhabited α

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
def g (α : Type) : α := unreachable!
end Ex8

-- Lean has `Hint: Adding the command `deriving instance Inhabited for False` may allow Lean to derive the
-- missing instance.` there.
namespace Ex9
/--
error: failed to synthesize instance of type class
  Inhabited False

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
theorem t : False := panic! (panic! "x")

/--
error: failed to synthesize instance of type class
  Inhabited α

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
def g (α : Type) : α := panic! (panic! "x")
end Ex9

/-! Older names of strings and arrays. -/

/-- info: ["a", "b", "c"] -/
#guard_msgs in
#eval "a b c".splitOn

/-- info: ["a", "b-c", ""] -/
#guard_msgs in
#eval "a--b-c--".splitOn "--"

/-- info: ["", "a"] -/
#guard_msgs in
#eval "aaa".splitOn "aa"

/-- info: ["ab"] -/
#guard_msgs in
#eval "ab".splitOn ""

/-- info: [""] -/
#guard_msgs in
#eval "".splitOn

/-- info: "ab" -/
#guard_msgs in
#eval String.mk ['a', 'b']

/-- info: ['a', 'b'] -/
#guard_msgs in
#eval "ab".data

/-- info: #[] -/
#guard_msgs in
#eval (Array.mkEmpty 3 : Array Nat)
