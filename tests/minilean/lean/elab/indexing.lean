-- Checked with Lean 4.35.0.

/-! # `xs[i]`, `xs[i]?`, `xs[i]!`, `xs[i]'h`: parsed, elaborated with the proof that the index is valid, and printed -/

set_option linter.unusedVariables false

/-! Places. -/

example : [1, 2, 3][1] = 2 := rfl
example : [1, 2][5]? = none := rfl

/-- info: [1, 2, 3][1] : Nat -/
#guard_msgs in
#check [1, 2, 3][1]

/-- info: fun xs => xs.tail[0]! : List Nat → Nat -/
#guard_msgs in
#check fun (xs : List Nat) => xs.tail[0]!

/-- info: fun f => (f 1)[0]? : (Nat → List Nat) → Option Nat -/
#guard_msgs in
#check fun (f : Nat → List Nat) => (f 1)[0]?

/--
info: fun xs i j h h' => xs[i][j] : (xs : List (List Nat)) → (i j : Nat) → (h : i < xs.length) → j < xs[i].length → Nat
-/
#guard_msgs in
#check fun (xs : List (List Nat)) i j (h : i < xs.length) (h' : j < xs[i].length) => xs[i][j]

example (xs : List Nat) (i : Nat) (h : i < xs.length) : xs[i] ∈ xs := by simp
example (xs : List Nat) (i : Nat) (h : i + 1 < xs.length) : xs[i]'(by omega) = xs[i] := rfl
example (f : Nat → Nat) (xs : List Nat) : (xs.map f)[0]? = xs[0]?.map f := by simp

example (xs : List Nat) (h : xs[0]? = some 3) : 3 ∈ xs := by
  obtain ⟨h, e⟩ := List.getElem?_eq_some_iff.mp h
  exact e ▸ List.getElem_mem h

/-! No such place. the book prints Lean's own number of the universe -/

-- Functional Programming in Lean (4.32), "Interlude: Propositions, Proofs, and Indexing"
namespace Ex10
def woodland : List String := ["a", "b", "c"]

/--
error: failed to prove index is valid, possible solutions:
  - Use `have`-expressions to prove the index is valid
  - Use `a[i]!` notation instead, runtime check is performed, and 'Panic' error message is produced if index is not valid
  - Use `a[i]?` notation instead, result is an `Option` type
  - Use `a[i]'h` notation instead, where `h` is a proof that index is valid
⊢ 3 < woodland.length
-/
#guard_msgs in
def oops := woodland[3]
end Ex10

/-! Attacks. -/

/--
error: failed to prove index is valid, possible solutions:
  - Use `have`-expressions to prove the index is valid
  - Use `a[i]!` notation instead, runtime check is performed, and 'Panic' error message is produced if index is not valid
  - Use `a[i]?` notation instead, result is an `Option` type
  - Use `a[i]'h` notation instead, where `h` is a proof that index is valid
⊢ 2 < [1, 2].length
-/
#guard_msgs in
example : [1, 2][2] = 0 := rfl

/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
example : [1, 2][0]? = some 2 := by simp

-- the tactic proves validity only
namespace Ex13
/--
error: failed to prove index is valid, possible solutions:
  - Use `have`-expressions to prove the index is valid
  - Use `a[i]!` notation instead, runtime check is performed, and 'Panic' error message is produced if index is not valid
  - Use `a[i]?` notation instead, result is an `Option` type
  - Use `a[i]'h` notation instead, where `h` is a proof that index is valid
⊢ 1 = 2
-/
#guard_msgs in
theorem t : 1 = 2 := by get_elem_tactic
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

/-! No such place. the book prints Lean's own number of the universe -/

namespace Ex1

/--
error: failed to prove index is valid, possible solutions:
  - Use `have`-expressions to prove the index is valid
  - Use `a[i]!` notation instead, runtime check is performed, and 'Panic' error message is produced if index is not valid
  - Use `a[i]?` notation instead, result is an `Option` type
  - Use `a[i]'h` notation instead, where `h` is a proof that index is valid
⊢ three.inBounds 9
-/
#guard_msgs in
def oops := three[9]
end Ex1

end WithNonEmpty
