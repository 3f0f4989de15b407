-- Checked with Lean 4.35.0.

/-! # `cases` and `subst` on an equation, `rw [f]` with the equations of a recursive function -/

set_option linter.unusedVariables false

/-! Let variables are replaced or looked through. -/

/--
error: unsolved goals
n : Nat
h : n = 0
m : Nat := n + 1
e : m + 1 = n + 2
⊢ 0 + n = 0
-/
#guard_msgs in
example (n : Nat) (h : n = 0) : 0 + n = 0 := by
  let m := n + 1
  let v := m + 1
  have e : v = n + 2 := rfl
  subst v

/--
error: unsolved goals
m : Nat := 0 + 1
e : m + 1 = 0 + 2
⊢ 0 + 0 = 0
-/
#guard_msgs in
example (n : Nat) (h : n = 0) : 0 + n = 0 := by
  let m := n + 1
  let v := m + 1
  have e : v = n + 2 := rfl
  subst v
  subst n

/--
trace: a : Nat
m : Nat := id a
⊢ 0 + id a = id a
-/
#guard_msgs in
example (n : Nat) : 0 + n = n := by
  let m := n
  obtain ⟨a, e⟩ : ∃ k, id k = m := ⟨m, rfl⟩
  subst e
  trace_state
  exact Nat.zero_add _

/-! An equation applies. -/

namespace EquationApplies
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)
def len {α : Type u} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1

example (n : Nat) (h : fib (n + 2) = 5) : fib n + fib (n + 1) = 5 := by
  rw [fib] at h
  exact h

example (n : Nat) (h : 5 = fib n + fib (n + 1)) : fib (n + 2) = 5 := by
  rw [← fib] at h
  exact h.symm

example (a b : α) (xs : List α) : len (a :: b :: xs) = len xs + 2 := by
  rw [len, len]

example (xs : List α) : len xs + len (xs.head? :: []) = len xs + 1 := by
  rw [len, len]

example (f : α → β) (a : α) (xs : List α) : (a :: xs).map f = f a :: xs.map f := by rw [List.map]

end EquationApplies
