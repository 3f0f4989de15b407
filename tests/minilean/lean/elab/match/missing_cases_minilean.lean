-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Cases that no alternative covers: accepted where an index or a hypothesis makes them impossible, else reported -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Impossible cases need no alternative. -/

-- Lean: warning: Definition `f` is a proposition; use `theorem` instead of `def` Note: This linter can be
-- disabled with `set_option linter.defProp false`
namespace Ex1
def f : Fin 0 → False := nofun
end Ex1

-- Lean: warning: Definition `f` is a proposition; use `theorem` instead of `def` Note: This linter can be
-- disabled with `set_option linter.defProp false`
namespace Ex2
def f (i : Fin 0) : False := by nomatch i
end Ex2

namespace Ex3
def f : Fin 3 → Nat
  | 0 => 10
  | 1 => 20
  | 2 => 30
example : f 2 = 30 := rfl
example : f ⟨1, by decide⟩ = 20 := rfl
example (i : Fin 3) : f i > 5 := by
  unfold f
  split <;> decide
end Ex3

namespace Ex4
def f : Fin 3 → Nat
  | 0 => 10
  | _ => 3
example : f 2 = 3 := rfl
end Ex4

namespace Ex5
def f : Fin 2 → Fin 2 → Bool
  | 0, 0 => true
  | 1, 1 => true
  | _, _ => false
example : f 1 0 = false := rfl
end Ex5

namespace Ex6
def f : Fin 15 → Nat
  | 0 => 0
  | 1 => 1
  | 2 => 2
  | 3 => 3
  | 4 => 4
  | 5 => 5
  | 6 => 6
  | 7 => 7
  | 8 => 8
  | 9 => 9
  | 10 => 10
  | 11 => 11
  | 12 => 12
  | 13 => 13
  | 14 => 14
example : f 14 = 14 := rfl
end Ex6

/-! Possible cases are missing. -/

-- Lean: error: Missing cases: [], (Fin.mk _ _) (List.cons _ _), (Fin.mk (Nat.succ _) _)
namespace Ex7
/--
error: Missing cases:
(List.cons _ _), (Fin.mk (Nat.succ _) _)
[], (Fin.mk _ _)
-/
#guard_msgs in
def f : (as : List Nat) → Fin (as.length + 1) → Nat
  | x :: _, ⟨0, _⟩ => x
end Ex7

namespace Ex8

/--
error: Missing cases:
(Fin.mk (Nat.succ (Nat.succ _)) _)
-/
#guard_msgs in
def f : Fin 3 → Nat
  | 0 => 10
  | 1 => 20
end Ex8

/-! Numerals of fin are shown as written. -/

namespace Ex9
def f : Fin 2 → Nat
  | 0 => 10
  | 1 => 20

/--
info: def Ex9.f : Fin 2 → Nat :=
fun x =>
  match x with
  | 0 => 10
  | 1 => 20
-/
#guard_msgs in
#print f

/-- info: Ex9.f.eq_2 : f 1 = 20 -/
#guard_msgs in
#check f.eq_2
end Ex9

namespace WithVec

inductive Vec (α : Type) : Nat → Type
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)

/-! Possible cases are missing. -/

-- Lean: error: `WithVec.Vec.get` has already been declared
section
/--
error: Missing cases:
(Nat.succ _), (cons _ _ _), (Fin.mk (Nat.succ _) _)
Nat.zero, nil, (Fin.mk _ _)
-/
#guard_msgs in
def Vec.get : Vec α n → Fin (n + 1) → α
  | .cons a _, ⟨0, _⟩ => a
end

-- Lean: error: Missing cases: _, @Vec.nil
namespace Ex2
/--
error: Missing cases:
Nat.zero, Vec.nil
-/
#guard_msgs in
def f : Vec Nat n → Nat
  | .cons a _ => a
end Ex2

end WithVec
