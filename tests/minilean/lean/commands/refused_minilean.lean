-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Commands and terms that Lean refuses although their meaning could be guessed; each with its counterpart -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Refused. -/

-- Lean: error: Type mismatch proof_irrel ?m.3 ?m.4 has type Eq.{0} ?m.3 ?m.4 but is expected to have type
-- Eq.{u_1} x y
/--
error: Application type mismatch: The argument
  x
has type
  α
of sort `Sort u_1` but is expected to have type
  ?m.2
of sort `Prop` in the application
  proof_irrel x
-/
#guard_msgs in
example (α : Sort _) (x y : α) : x = y := proof_irrel x y

-- Lean: error: Tactic `clear` failed: unknown variable '_fvar.640' n : Nat ⊢ True
/--
error: Tactic `clear` failed: unknown variable 'h'

n : Nat
h : n = n
⊢ True
-/
#guard_msgs in
example (n : Nat) (h : n = n) : True := by
  clear h h
  trivial

-- deriving
-- Lean has `Hint: Type class instance resolution failures can be inspected with the `set_option
-- trace.Meta.synthInstance true` command.` there.
namespace Ex3
/--
error: failed to synthesize instance of type class
  BEq (Nat → Nat)
-/
#guard_msgs in
structure S where
  f : Nat → Nat
  deriving BEq
end Ex3

namespace Ex4

/--
error: failed to synthesize instance of type class
  Repr (Nat → Nat)
-/
#guard_msgs in
structure S where
  f : Nat → Nat
  deriving Repr
end Ex4

-- Lean has `Decidable (a✝ = b✝)` there.
namespace Ex5
/--
error: failed to synthesize instance of type class
  DecidableEq (Type)
-/
#guard_msgs in
structure S where
  f : Type
  deriving DecidableEq
end Ex5

-- Lean accepts this.
namespace Ex6
/-- error: None of the deriving handlers for class `DecidableEq` applied to `Ex6.P` -/
#guard_msgs in
inductive P : Prop | a
  deriving DecidableEq
end Ex6

-- Lean: error: failed to generate `Inhabited` instance for `E`
namespace Ex7
/-- error: None of the deriving handlers for class `Inhabited` applied to `Ex7.E` -/
#guard_msgs in
inductive E
  deriving Inhabited
end Ex7

-- Lean: error: No deriving handlers have been implemented for class `C`
namespace Ex8
class C (α : Type) where
  x : α
/-- error: No deriving handlers have been implemented for class `Ex8.C` -/
#guard_msgs in
inductive T | a
  deriving C
end Ex8

-- Lean: error: Cannot add `simp` attribute to `T`: It is not a proposition nor a definition (to unfold) Note:
-- The `[simp]` attribute can be added to lemmas that should be ..
namespace Ex9
/-- error: Cannot add `simp` attribute to `Ex9.T`: It is not a proposition nor a definition -/
#guard_msgs in
@[simp] inductive T | a
end Ex9

-- Lean: error: invalid 'class', declaration 'A' must be inductive datatype, structure, or constant
namespace Ex10
/-- error: invalid `class`, declaration `Ex10.A` must be inductive datatype, structure, or constant -/
#guard_msgs in
@[class] def A := Nat
end Ex10

-- Lean: error: failed to set `[local reducible]` for `f`, recall that `[reducible]` affects the term indexing
-- data structures used by `simp` and type class resolution Note: ..
namespace Ex11
def f := 1

/--
error: failed to set `[local reducible]` for `Ex11.f`, recall that `[reducible]` affects the term indexing data structures used by `simp` and type class resolution

Note: Use `set_option allowUnsafeReducibility true` to override reducibility status validation
-/
#guard_msgs in
attribute [local reducible] f
end Ex11

-- Lean: error: unexpected identifier; expected ']'
namespace Ex12
/-- error: unexpected `foo` in an attribute; expected a priority -/
#guard_msgs in
@[simp foo] theorem t (n : Nat) : n + 0 = n := rfl
end Ex12

-- Lean: error: unexpected token; expected ']'
namespace Ex13
/-- error: unexpected `100 200` in an attribute; expected a priority -/
#guard_msgs in
@[simp 100 200] theorem t (n : Nat) : n + 0 = n := rfl
end Ex13

-- Lean: error: unexpected identifier; expected ']'
namespace Ex14
/-- error: unexpected `foo` in an attribute; expected a priority -/
#guard_msgs in
@[instance foo] def f : Inhabited Nat := ⟨1⟩
end Ex14

-- Lean: error: Unexpected attribute argument: This attribute takes no arguments
namespace Ex15
/-- error: unexpected `foo` behind the attribute `reducible` -/
#guard_msgs in
@[reducible foo] def f := 1
end Ex15

-- Lean: error: 'theorem' subsumes 'noncomputable', code is not generated for theorems
namespace Ex16
/-- error: 'theorem' subsumes 'noncomputable' -/
#guard_msgs in
noncomputable theorem t : 1 = 1 := rfl
end Ex16

-- Lean: error: Failed to infer type of binder `t` Note: Examples do not have names. The identifier `t` is
-- being interpreted as a parameter `(t : _)`.
/--
error: Failed to infer type of binder `t`

Note: Because this declaration's type has been explicitly provided, all parameter types and holes (e.g., `_`) in its header are resolved before its body is processed; information from the declaration body cannot be used to infer what these values should be
-/
#guard_msgs in
example t : 1 = 1 := rfl

-- Lean: error: set_option value type mismatch: The value 3 has type Nat but the option `autoImplicit` expects
-- a value of type Bool
namespace Ex18
/-- error: type mismatch: the option `autoImplicit` has type `Bool` -/
#guard_msgs in
set_option autoImplicit 3
end Ex18

-- Lean: error: set_option value type mismatch: The value true has type Bool but the option `maxRecDepth`
-- expects a value of type Nat
namespace Ex19
/-- error: type mismatch: the option `maxRecDepth` has type `Nat` -/
#guard_msgs in
set_option maxRecDepth true
end Ex19

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.3 = ?m.3
but is expected to have type
  Nat.gcd 0 n = n
-/
#guard_msgs in
example (n : Nat) : Nat.gcd 0 n = n := rfl

-- Lean has `Hint: Using one of these would be unambiguous:` there.
/-- error: Invalid dotted identifier notation: The expected type of `.refl` could not be determined -/
#guard_msgs in
example (n : Nat) : n = n := by
  apply .refl

/-! Accepted. -/

namespace Ex22
structure S where
  x : Nat
  h : x = x
  deriving BEq, Repr, Hashable
end Ex22

namespace Ex23
structure S (α : Type) where
  f : α
  deriving DecidableEq, Repr
end Ex23

-- Lean: warning: Left-hand side of simp theorem has a variable as head symbol. This means the theorem will be
-- tried on every simp step, which can be expensive. This may be ..
namespace Ex24
@[simp] theorem t (f : Nat → Nat) (a b : Nat) : f a = f b → f a = f b := id
end Ex24

namespace Ex25
local instance : Inhabited Nat := ⟨1⟩
local infixl:65 " ⊞ " => Nat.add
example := 1 ⊞ 2
end Ex25

-- `Type (max ..)` is `List`'s universe here: a successor is unified with a maximum of successors
-- Lean: error: stuck at solving universe constraint ?u.4 + 1 =?= imax (?u.3 + 1) ?u.3 while trying to unify
-- {α : Sort ?u.3} → α → α : Sort (imax (?u.3 + 1) ?u.3) with {α : ..
namespace Ex26
example := [HAdd]
example := (HAdd, 1)
example := some HAdd
def f := [@id]
end Ex26
