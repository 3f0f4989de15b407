-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Fields of structures: brackets, binders, tactics, instances found for them; types in dotted names -/

set_option linter.unusedVariables false

/-! Lean accepts. -/

namespace LeanAccepts

namespace Ex
namespace A.B
def x := 3
end A.B
open A B in
example : x = 3 := rfl
end Ex

end LeanAccepts

/-! Lean refuses. -/

/-- error: Fields missing: `pure` -/
#guard_msgs in
instance : Monad List where
  bind x f := []

/-- error: Fields missing: `seq` -/
#guard_msgs in
instance : Applicative List where
  pure x := [x]

/-! A parameter that nothing determines is shown. -/

namespace ParameterNothingDetermines

class A (α : Type) where
  a : Nat

/--
error: failed to synthesize instance of type class
  OfNat ((α : Type) → [self : A α] → Nat) 4
numerals are polymorphic in Lean, but the numeral `4` cannot be used in a context where the expected type is
  (α : Type) → [self : A α] → Nat
due to the absence of the instance above

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example (α : Type) [A α] : A.a = 4 := by
  skip

end ParameterNothingDetermines

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Lean accepts. -/

namespace Ex1
structure P where
/-- info: 3 -/
#guard_msgs in
#eval 3
end Ex1

/-! Lean refuses. -/

-- Lean: error: could not synthesize default value for field 'h' of 'Ex2.C' using tactics
namespace Ex2
class C (α) where
  a : α
  h (b : α) : a = b := by intros; rfl
/--
error: Tactic `rfl` failed: The left-hand side
  0
is not definitionally equal to the right-hand side
  b✝

b✝ : Nat
⊢ 0 = b✝
-/
#guard_msgs in
example : C Nat := { a := 0 }
end Ex2

-- Lean numbers the metavariables otherwise.
namespace Ex3
/--
error: Constructor field `A` of `Ex3.P.mk` contains universe level metavariables at the expression
  Sort ?u.1
in its type
  Sort ?u.1
-/
#guard_msgs in
inductive P : Type where
  | mk : A → P
end Ex3

-- Lean numbers the metavariables otherwise.
namespace Ex4
/--
error: Constructor field `A` of `Ex4.P.mk` contains universe level metavariables at the expression
  Sort ?u.1
in its type
  Sort ?u.1
-/
#guard_msgs in
inductive P : Type u where
  | mk : A → P
end Ex4

-- Lean numbers the metavariables otherwise.
namespace Ex5
/--
error: Constructor field `A` of `Ex5.P.mk` contains universe level metavariables at the expression
  Sort ?u.1
in its type
  Sort ?u.1
-/
#guard_msgs in
inductive P where
  | mk : A → P
end Ex5

-- Lean: error: Invalid field notation: Function `Q.f` does not have a usable parameter of type `Q` for which
-- to substitute `q` Note: Such a parameter must be explicit, or ..
namespace Ex6
structure Q where
  v : Nat
def Q.f {b : Nat} : Nat := b

/--
error: Invalid field notation: Function `Ex6.Q.f` does not have a usable parameter of type `Ex6.Q` for which to substitute `q`

Note: Such a parameter must be explicit, or implicit with a unique name, to be used by field notation
-/
#guard_msgs in
example (q : Q) : q.f = 0 := rfl
end Ex6

/-! Tactics stand right of their command. -/

namespace Ex7
def f (x : Nat) : Nat := by
 cases x
 exact 1
 exact 2

/-- info: 1 -/
#guard_msgs in
#eval f 0
end Ex7
