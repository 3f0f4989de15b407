-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Functions and theorems that call themselves: through tactics, through `simp`, and without a type of their own -/

set_option linter.unusedVariables false

/-! A call on anything else proves nothing. -/

-- Lean has `n : Nat` there.
namespace Ex1
/--
error: fail to show termination for
  Ex1.t
with errors
failed to infer structural recursion:
Cannot use parameter n:
  failed to eliminate recursive application
    Ex1.t 0


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
⊢ False
-/
#guard_msgs in
theorem t (n : Nat) : False := by
  cases n with
  | zero => exact t 0
  | succ n => exact t n
end Ex1

-- Lean has `n : Nat` there.
namespace Ex2
/--
error: fail to show termination for
  Ex2.t
with errors
failed to infer structural recursion:
Cannot use parameter n:
  failed to eliminate recursive application
    Ex2.t 1


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
⊢ False
-/
#guard_msgs in
theorem t (n : Nat) : False := by
  cases n with
  | zero => exact t 1
  | succ n => exact t n
end Ex2

-- Lean has `a✝ : ∀ (y : Nat), InvImage (fun a b => a < b) (fun x => x) y n → False` there.
namespace Ex3
/--
error: fail to show termination for
  Ex3.t
with errors
failed to infer structural recursion:
Cannot use parameter n:
  failed to eliminate recursive application
    Ex3.t n


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
n : Nat
x✝¹ : ∀ (y : Nat), WellFoundedRelation.rel y n → False
x✝ : Nat
h✝ : n = x✝
h : n = 0
⊢ False
-/
#guard_msgs in
theorem t (n : Nat) : False := by
  cases h : n with
  | zero => exact t n
  | succ k => exact t k
end Ex3

-- Lean has `n : Nat` there.
namespace Ex4
/--
error: fail to show termination for
  Ex4.t
with errors
failed to infer structural recursion:
Cannot use parameter n:
  failed to eliminate recursive application
    Ex4.t 0


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
⊢ False
-/
#guard_msgs in
theorem t (n : Nat) : False := by
  induction n with
  | zero => exact t 0
  | succ n ih => exact ih
end Ex4

-- Lean has `n : Nat` there.
namespace Ex5
/--
error: fail to show termination for
  Ex5.t
with errors
failed to infer structural recursion:
Cannot use parameter n:
  failed to eliminate recursive application
    Ex5.t (0 + 0)


failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
⊢ False
-/
#guard_msgs in
theorem t (n : Nat) : False := by
  rcases n with _ | k
  · simpa using t (0 + 0)
  · simpa using t k
end Ex5

/-! A result type that depends on the arguments has to be given. -/

-- Lean: error: Type mismatch: Alternative has type n = n but is expected to have type ?m.2 0
namespace Ex6
/-- error: `Ex6.f` is recursive: its type must be given -/
#guard_msgs in
def f (n : Nat) := match n with
  | 0 => (rfl : n = n)
  | m + 1 => have := f m; (rfl : n = n)
end Ex6

namespace WithTypes

inductive Chain (α : Type) where
  | stop | link (a : α) (rest : Chain α)

open Chain

def join {α : Type} (xs ys : Chain α) : Chain α := match xs with
  | stop => ys
  | link x xs => link x (join xs ys)

inductive Vec : Nat → Type where
  | nil : Vec 0
  | cons {n} (a : Nat) (v : Vec n) : Vec (n + 1)

/-! A call on a part is allowed. -/

-- the case distinction leaves an equation, is on another variable first, is on an indexed type
-- Lean: error: Type mismatch rfl has type ?m.7 = ?m.7 but is expected to have type f 3 = 6
namespace Ex1
def f (n : Nat) : Nat := by
  cases n with
  | zero => exact 0
  | succ n => exact f n + 2
example : f 3 = 6 := rfl
theorem t (n : Nat) : f n = n + n := by
  cases h : n with
  | zero => rfl
  | succ k => show f k + 2 = _; rw [t k]; omega
end Ex1

end WithTypes
