-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `xs[i]`, `xs[i]?`, `xs[i]!`, `xs[i]'h`: parsed, elaborated with the proof that the index is valid, and printed -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Places. -/

/-- info: (2, some 2, none, 0) -/
#guard_msgs in
#eval ([1, 2, 3][1], [1, 2, 3][1]?, [1, 2, 3][7]?, [1, 2, 3][7]!)

namespace Ex2
def third (xs : List α) (ok : xs.length > 2) : α := xs[2]

/-- info: 3 -/
#guard_msgs in
#eval third [1, 2, 3] (by decide)
end Ex2

-- a field's default may have parameters
namespace Ex3
structure S where
  f (n : Nat) : Nat := n + 1
/-- info: 4 -/
#guard_msgs in
#eval ({} : S).f 3
end Ex3

namespace Ex4
structure S where
  n := 3
/-- info: 3 -/
#guard_msgs in
#eval ({} : S).n
end Ex4

/-! No such place. the book prints Lean's own number of the universe -/

-- Lean numbers the metavariables otherwise.
namespace Ex5
/--
error: failed to prove index is valid, possible solutions:
  - Use `have`-expressions to prove the index is valid
  - Use `a[i]!` notation instead, runtime check is performed, and 'Panic' error message is produced if index is not valid
  - Use `a[i]?` notation instead, result is an `Option` type
  - Use `a[i]'h` notation instead, where `h` is a proof that index is valid
α : Type ?u.849442
xs : List α
⊢ 2 < xs.length
-/
#guard_msgs in
def third (xs : List α) : α := xs[2]
end Ex5

/-! Attacks. -/

-- Lean: error: Application type mismatch: The argument False has type Prop of sort `Type` but is expected to
-- have type Type ?u.2 of sort `Type (?u.2 + 1)` in the application List False
/--
error: Application type mismatch: The argument
  False
has type
  Prop
of sort `Type` but is expected to have type
  Type ?u.860916
of sort `Type (?u.860916 + 1)` in the application
  List False
-/
#guard_msgs in
example (xs : List False) : False := xs[0]

-- Lean numbers the metavariables otherwise.
/--
error: Application type mismatch: The argument
  False
has type
  Prop
of sort `Type` but is expected to have type
  Type ?u.860944
of sort `Type (?u.860944 + 1)` in the application
  List False
-/
#guard_msgs in
example (xs : List False) (h : 1 < xs.length → False) : False := xs[1]'h

-- Lean numbers the metavariables otherwise.
/--
error: Application type mismatch: The argument
  False
has type
  Prop
of sort `Type` but is expected to have type
  Type ?u.860972
of sort `Type (?u.860972 + 1)` in the application
  List False
-/
#guard_msgs in
example (xs : List False) (i : Fin 0) : False := xs[i]

-- Lean: error: Application type mismatch: The argument False has type Prop of sort `Type` but is expected to
-- have type Type ?u.7 of sort `Type (?u.7 + 1)` in the application List False
/--
error: Application type mismatch: The argument
  False
has type
  Prop
of sort `Type` but is expected to have type
  Type ?u.861008
of sort `Type (?u.861008 + 1)` in the application
  List False
-/
#guard_msgs in
example : ([] : List False)[0]? = some (by contradiction) := rfl

-- `!` needs a default value of the element type
-- Lean numbers the metavariables otherwise.
/--
error: Application type mismatch: The argument
  False
has type
  Prop
of sort `Type` but is expected to have type
  Type ?u.861036
of sort `Type (?u.861036 + 1)` in the application
  List False
-/
#guard_msgs in
example (xs : List False) : False := xs[0]!

-- an instance whose validity is `True` must still give an element
-- Lean: error: Application type mismatch: The argument False has type Prop of sort `Type` but is expected to
-- have type Type ?u.5 of sort `Type (?u.5 + 1)` in the application List False
namespace Ex11
/--
error: Application type mismatch: The argument
  False
has type
  Prop
of sort `Type` but is expected to have type
  Type ?u.864930
of sort `Type (?u.864930 + 1)` in the application
  List False
-/
#guard_msgs in
instance : GetElem (List False) Nat False (fun _ _ => True) where
  getElem xs i _ := xs[i]
end Ex11

-- an instance whose validity is `False` cannot be used
-- Lean numbers the metavariables otherwise.
namespace Ex12
/--
error: Application type mismatch: The argument
  False
has type
  Prop
of sort `Type` but is expected to have type
  outParam (Type ?u.864963)
of sort `Type (?u.864963 + 1)` in the application
  GetElem Nat Nat False
-/
#guard_msgs in
instance : GetElem Nat Nat False (fun _ _ => False) where
  getElem _ _ h := h

/--
error: failed to synthesize instance of type class
  GetElem Nat Nat ?m.3 ?m.4

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example : False := (3 : Nat)[(2 : Nat)]
end Ex12

-- another instance does not change the elements of lists
-- Lean numbers the metavariables otherwise.
namespace Ex13
instance : GetElem (List Nat) Nat Nat (fun _ _ => True) where
  getElem _ _ _ := 0

/--
error: Type mismatch
  rfl
has type
  ?m.19 = ?m.19
but is expected to have type
  [1, 2][0] = 1
-/
#guard_msgs in
example : [1, 2][0] = 1 := rfl
end Ex13

namespace WithNonEmpty

structure NonEmptyList (α : Type) where
  head : α
  tail : List α

abbrev NonEmptyList.inBounds (xs : NonEmptyList α) (i : Nat) : Prop := i ≤ xs.tail.length

def NonEmptyList.get (xs : NonEmptyList α) (i : Nat) (ok : xs.inBounds i) : α :=
  match i with
  | 0 => xs.head
  | n + 1 => xs.tail[n]

instance : GetElem (NonEmptyList α) Nat α NonEmptyList.inBounds where
  getElem := NonEmptyList.get

def three : NonEmptyList Nat := ⟨1, [2, 3]⟩

/-! Places. -/

-- Functional Programming in Lean (4.32), "Overloading Indexing"
/-- info: (1, 3, some 3, none) -/
#guard_msgs in
#eval (three[0], three[2], three[2]?, three[3]?)

end WithNonEmpty
