-- Checked with Lean 4.35.0.

/-! # Short ways to write bullets, functions, instances and local recursion -/

set_option linter.unusedVariables false

/-! Accepted. -/

-- bullets without a space
namespace Ex1
theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  .exact hp
  .exact hq
end Ex1

namespace Ex2
theorem t (a b : Nat) : a = a ∧ b = b := by
  constructor
  ·rfl
  .rfl
end Ex2

namespace Ex3
theorem t (a b : Nat) : a = a ∧ b = b := by
  constructor <;> try
    .rfl
end Ex3

namespace Ex4
theorem t (a : Nat) (h : a = a) : a = a ∧ (a = a ∧ a = a) := by
  constructor
  .exact h
  .constructor
   .exact h
   .show a = a
    exact h
end Ex4

-- a name after a dot is an argument where it stands further right
namespace Ex5
theorem t (a : Nat) : a = a := by
  exact
    .refl a
end Ex5

namespace Ex6
theorem t (p q : Prop) (h : p) : p ∨ q := by
  refine id
    (.inl h)
end Ex6

-- `.` as `·`
namespace Ex7
def f : List Nat → List Nat := List.map (. + 1)
example : f [1] = [2] := rfl
end Ex7

example : (. + .) 1 2 = 3 := rfl

namespace Ex9
theorem t (f : Nat → Nat → Nat) (h : ∀ x, f x 1 = x) : (f . 1) 2 = 2 := h 2
end Ex9

-- proofs by cases without cases
namespace Ex10
theorem t (x : Fin 0) : False := nomatch (x : Fin 0)
end Ex10

namespace Ex11
theorem t : ∀ x : Fin 0, False := nofun
end Ex11

-- instances
namespace Ex12
namespace A
inductive R | x deriving DecidableEq, Inhabited
inductive B.R | u | v deriving DecidableEq, Inhabited
end A
inductive A.C.R | u | v deriving DecidableEq
inductive C.R | u | v deriving DecidableEq
example : A.B.R.u ≠ A.B.R.v := by decide
example : C.R.u ≠ C.R.v := by decide
end Ex12

namespace Ex13
structure P where
  a : Nat
deriving instance DecidableEq for P
example : P.mk 1 ≠ P.mk 2 := by decide
end Ex13

namespace Ex14
namespace A
inductive R | u | v
end A
inductive S | u
open A in
deriving instance DecidableEq, Inhabited for R, S
example : A.R.u ≠ A.R.v := by decide
end Ex14

namespace Ex15
def f {α : Type} (xs : List α) : Nat := if xs = [] then 1 else 0
example (f : Nat → Nat) : (if [] = [f] then 1 else 0) = 0 := by simp
end Ex15

-- local recursion
namespace Ex16
def f (n : Nat) : Nat :=
  let rec go (i k : Nat) : Nat := if i < n then go (i + 1) (k + i) else k
  termination_by n - i
  go 0 0
example : f 0 = 0 := by simp [f, f.go]
end Ex16

namespace Ex17
def f (n : Nat) : Nat := 1 + (
  let rec go (i k : Nat) : Nat := if i < n then go (i + 1) (k + i) else k
  termination_by n - i
  decreasing_by omega
  go 0 0)
end Ex17

namespace Ex18
def f (n : Nat) : Nat := by
  skip
  let rec go (i k : Nat) : Nat := if i < n then go (i + 1) (k + i) else k
  termination_by n - i
  decreasing_by omega
  exact go 0 0
end Ex18

-- an implicit argument before the dot
namespace Ex19
structure Q where
  v : Nat
def Q.twice {b : Q} : Nat := b.v * 2
example : (Q.mk 3).twice = 6 := rfl
end Ex19

/-! Refused. -/

namespace Ex20

/--
error: unsolved goals
a : Nat
⊢ a = a
-/
#guard_msgs in
theorem t (a : Nat) : a = a := by
  .
end Ex20

namespace Ex21

/-- error: Unknown constant `Foo` -/
#guard_msgs in
deriving instance DecidableEq for Foo
end Ex21

namespace Ex22
def d := 1

/--
error: Failed to delta derive `Decidable` instance for `d`, the class has no explicit non-out-param parameters where
  d
can be inserted.
-/
#guard_msgs in
deriving instance DecidableEq for d
end Ex22

namespace Ex23

/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
i : Nat
⊢ i + 1 < i
-/
#guard_msgs in
def f (n : Nat) : Nat :=
  let rec go (i : Nat) : Nat := go (i + 1)
  termination_by i
  go n
end Ex23
