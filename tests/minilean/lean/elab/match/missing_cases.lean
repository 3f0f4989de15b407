-- Checked with Lean 4.35.0.

/-! # Cases that no alternative covers: accepted where an index or a hypothesis makes them impossible, else reported -/

set_option linter.unusedVariables false

/-! Impossible cases need no alternative. -/

namespace Ex1
def get {α} : (as : List α) → Fin as.length → α
  | x :: _, ⟨0, _⟩ => x
  | _ :: xs, ⟨i + 1, h⟩ => get xs ⟨i, Nat.lt_of_succ_lt_succ h⟩
example : get [1, 2, 3] ⟨2, by decide⟩ = 3 := rfl
example (x : α) (xs : List α) (h) : get (x :: xs) ⟨0, h⟩ = x := rfl
end Ex1

namespace Ex2
def hd (xs : List Nat) (h : xs.length > 0) : Nat := match xs, h with
  | x :: _, _ => x
example : hd [4, 5] (by decide) = 4 := rfl
end Ex2

namespace Ex3
def hd (xs : List Nat) (h : xs ≠ []) : Nat := match xs with
  | x :: _ => x
end Ex3

namespace Ex4
theorem ex : (xs : List Nat) → xs.length = 1 → ∃ x, xs = [x]
  | [x], _ => ⟨x, rfl⟩
end Ex4

namespace Ex5
theorem ex (xs : List Nat) (h : xs.length = 2) : ∃ x y, xs = [x, y] :=
  match xs, h with
  | [x, y], _ => ⟨x, y, rfl⟩
end Ex5

namespace Ex6
def f (i : Fin 0) : Nat := nomatch i
end Ex6

namespace Ex7
def f : Fin 0 ⊕ Fin 0 → Nat := nofun
end Ex7

namespace Ex8
def f (x : Option (Fin 0)) : Nat := match x with
  | none => 1
end Ex8

namespace Ex9
theorem f (n : Nat) (h : n + 1 ≤ 0) : False := nomatch h
end Ex9

namespace Ex10
theorem f (n : Nat) : ¬ n + 1 ≤ 0 := nofun
end Ex10

namespace Ex11
theorem f : ∀ n : Nat, n < 0 → 1 = 2 := nofun
end Ex11

namespace Ex12
theorem f (p : Prop) : p ∧ False → False := nofun
end Ex12

-- `h` depends on `n`, so it is matched as well
namespace Ex13
theorem f (n : Nat) (h : n < 0) : n = 7 := nomatch n
end Ex13

namespace Ex14
def f (n : Nat) (h : n < 2) : Nat := match n, h with
  | 0, _ => 5
  | 1, _ => 6
end Ex14

namespace Ex15
def f : (n : Nat) → n < 3 → Nat
  | 0, _ => 5
  | 1, _ => 6
  | 2, _ => 7
end Ex15

namespace Ex16
def f : Nat → Fin 0 → Nat
  | 0, _ => 1
end Ex16

/-! Possible cases are missing. -/

namespace Ex17

/--
error: Missing cases:
[], _
-/
#guard_msgs in
def f (xs : List Nat) (h : xs.length ≥ 0) : Nat := match xs, h with
  | x :: _, _ => x
end Ex17

namespace Ex18

/--
error: Missing cases:
(List.cons _ (List.cons _ _)), _
-/
#guard_msgs in
theorem f : (xs : List Nat) → xs.length = 2 → ∃ x, xs = [x]
  | [x], _ => ⟨x, rfl⟩
end Ex18

namespace Ex19

/--
error: Missing cases:
(Nat.succ (Nat.succ _)), _
-/
#guard_msgs in
def f (n : Nat) (h : n < 3) : Nat := match n, h with
  | 0, _ => 5
  | 1, _ => 6
end Ex19

namespace Ex20

/--
error: Missing cases:
(Fin.mk _ _)
-/
#guard_msgs in
def f (i : Fin 1) : Nat := nomatch i
end Ex20

namespace Ex21

/--
error: Missing cases:
(Fin.mk _ _)
-/
#guard_msgs in
def f : Fin 1 → False := nofun
end Ex21

namespace Ex22

/--
error: Missing cases:
_
-/
#guard_msgs in
theorem f (n : Nat) (h : n ≤ 0) : False := nomatch h
end Ex22

namespace Ex23

/--
error: Missing cases:
_, _
-/
#guard_msgs in
theorem f : ∀ n : Nat, n < 1 → False := nofun
end Ex23

-- a value whose patterns cannot fail is not taken apart
namespace Ex24
/--
error: Missing cases:
_, (Nat.succ _)
-/
#guard_msgs in
def f : Fin 0 → Nat → Nat
  | _, 0 => 1
end Ex24

-- only what is matched can be contradictory
namespace Ex25
/--
error: Missing cases:
_
-/
#guard_msgs in
def f (h : False) (n : Nat) : Nat := nomatch n
end Ex25

namespace Ex26

/--
error: Missing cases:
(Nat.succ _)
-/
#guard_msgs in
def f (h : 1 = 2) (k : Nat) : Nat := match k with
  | 0 => 1
end Ex26

/-! Contradictions are searched through as many variables as in Lean. -/

example (n : Nat) (h : n + 15 < 15) : False := by contradiction

/--
error: Tactic `contradiction` failed

n : Nat
h : n + 16 < 16
⊢ False
-/
#guard_msgs in
example (n : Nat) (h : n + 16 < 16) : False := by contradiction

/-! Contradiction takes only families and empty types apart. -/

namespace Ex29
inductive Wrapped : Nat → Prop
  | mk (h : n < 0 ∨ n < 0) : Wrapped n
/--
error: Tactic `contradiction` failed

n : Nat
h : Wrapped n
⊢ False
-/
#guard_msgs in
example (n : Nat) (h : Wrapped n) : False := by contradiction
end Ex29

namespace WithVec

inductive Vec (α : Type) : Nat → Type
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)

/-! Impossible cases need no alternative. -/

section
def Vec.get : Vec α n → Fin n → α
  | .cons a _, ⟨0, _⟩ => a
  | .cons _ v, ⟨i + 1, h⟩ => v.get ⟨i, Nat.lt_of_succ_lt_succ h⟩
example : (Vec.cons 1 (.cons 2 .nil)).get ⟨1, by decide⟩ = 2 := rfl
end

section
def Vec.head : Vec α (n + 1) → α
  | .cons a _ => a
end

section
def Vec.zip : Vec α n → Vec β n → Vec (α × β) n
  | .nil, .nil => .nil
  | .cons a v, .cons b w => .cons (a, b) (v.zip w)
end

end WithVec
