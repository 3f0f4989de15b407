-- Checked with Lean 4.35.0.

/-! # Well-founded recursion: what is compiled, the goals that are shown, and the equations of the functions -/

set_option linter.unusedVariables false

/-! Accepted. -/

-- the measure is guessed: the size of an argument, a difference, two arguments in lexicographic order
namespace Ex1
def f : List Nat → List Nat → Nat
  | [], _ => 0
  | _ :: xs, ys => f ys xs + 1
termination_by a b => a.length + b.length
end Ex1

namespace Ex2
def up (n : Nat) : Nat := if n < 10 then up (n + 1) else n
end Ex2

namespace Ex3
def g (a b : Nat) : Nat := if a = 0 then b else if b = 0 then g (a - 1) 5 else g a (b - 1)
end Ex3

-- tactics of the user
namespace Ex4
def h (m n : Nat) : Nat := if m = 0 then n else h (n % m) m
termination_by m
decreasing_by exact Nat.mod_lt _ (by omega)
end Ex4

namespace Ex5
def h (m n : Nat) : Nat := if m = 0 then n else h (n % m) m
termination_by m
decreasing_by decreasing_with exact Nat.mod_lt _ (by omega)
end Ex5

-- a relation of the user
namespace Ex6
structure P where
  a : Nat
instance : WellFoundedRelation P := measure P.a
def k (p : P) : Nat := if p.a = 0 then 0 else k ⟨p.a - 1⟩
termination_by p
decreasing_by
  show p.a - 1 < p.a
  omega
end Ex6

namespace Ex7
def s (n : Nat) : Nat := match n with | 0 => 0 | n + 1 => s n
termination_by structural n
end Ex7

/-! An unused hint is a warning. -/

namespace Ex8

/-- warning: unused `termination_by`, function is not recursive -/
#guard_msgs in
def f (n : Nat) : Nat := n
termination_by n
end Ex8

/-! Sorry in decreasing by is an axiom. -/

namespace Ex9

/-- warning: declaration uses `sorry` -/
#guard_msgs in
theorem t (n : Nat) : False := t (n + 1)
decreasing_by sorry

/-- info: 'Ex9.t' depends on axioms: [sorryAx] -/
#guard_msgs in
#print axioms t
end Ex9

namespace WithDiv

def div (x y : Nat) : Nat :=
  if h : 0 < y ∧ y ≤ x then
    have : x - y < x := Nat.sub_lt (Nat.lt_of_lt_of_le h.1 h.2) h.1
    div (x - y) y + 1
  else
    0

/-! Recursion with a proof in the context. -/

/-- info: 'WithDiv.div' does not depend on any axioms -/
#guard_msgs in
#print axioms div

/-! Unfolding. -/

example (x y : Nat) (h : 0 < y ∧ y ≤ x) : div x y = div (x - y) y + 1 := by rw [div]; simp [h]

example (x y : Nat) (h : 0 < y ∧ y ≤ x) : div x y = div (x - y) y + 1 := by
  conv => lhs; unfold div
  simp [h]

example (x y : Nat) (h : 0 < y ∧ y ≤ x) : div x y = div (x - y) y + 1 := by
  conv => lhs; rw [div]
  simp [h]

/-! Simp computes by the equations. -/

example : div 8 2 = 4 := by simp [div]

/-! The function is irreducible. -/

/--
error: Tactic `rfl` failed: The left-hand side
  div 8 2
is not definitionally equal to the right-hand side
  4

⊢ div 8 2 = 4
-/
#guard_msgs in
example : div 8 2 = 4 := by rfl

end WithDiv

namespace WithAck

def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)

/-! Accepted. -/

-- a theorem
namespace Ex1
theorem pos : ∀ n m, 0 < ack n m
  | 0, m => by simp [ack]
  | n + 1, 0 => by rw [ack]; exact pos n 1
  | n + 1, m + 1 => by rw [ack]; exact pos n _
termination_by n m => (n, m)
end Ex1

end WithAck
