-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Functions marked `@[coe]` are shown as `↑`; `↑e` coerces to a type that may be known later -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! A constant is no coercion. -/

-- Lean: error: Ex1.three has no explicit arguments
namespace Ex1
/-- error: expected at least one explicit argument -/
#guard_msgs in
@[coe] def three : Nat := 3
end Ex1

section

def Set (α : Type u) := α → Prop
def Set.union {α : Type u} (a b : Set α) : Set α := fun x => a x ∨ b x
infix:55 " ∪∪ " => Set.union

def List.toSet : List α → Set α
  | []    => fun _ => False
  | a::as => fun x => x = a ∨ as.toSet x

instance : Coe (List α) (Set α) where
  coe a := a.toSet

def s : Set Nat := fun x => x = 1

/-! A coercion waits for its types. -/

/--
info: let x := [2, 3].toSet;
s ∪∪ x : Set Nat
-/
#guard_msgs in
#check let x := ↑[2, 3]; s ∪∪ x

/--
info: let x := [2, 3];
s ∪∪ x.toSet : Set Nat
-/
#guard_msgs in
#check let x := [2, 3]; s ∪∪ x

/-- info: [2, 3].toSet : Set Nat -/
#guard_msgs in
#check (↑[2, 3] : Set Nat)

/-- info: fun n => n : Nat → Nat -/
#guard_msgs in
#check fun (n : Nat) => (↑n : Nat)

/-- info: fun n => ↑n : Nat → Int -/
#guard_msgs in
#check fun (n : Nat) => (↑n : Int)

/-! An arrow proves nothing. -/

/--
error: Type mismatch
  n
has type
  Nat
but is expected to have type
  Set Nat
-/
#guard_msgs in
example (n : Nat) : Set Nat := ↑n

end
