-- Checked with Lean 4.35.0.

/-! # Functions and theorems that call themselves: through tactics, through `simp`, and without a type of their own -/

set_option linter.unusedVariables false

/-! A call on anything else proves nothing. -/

namespace Ex1

/--
error: fail to show termination for
  Ex1.t
with errors
failed to infer structural recursion:
Not considering parameter n of Ex1.t:
  it is unchanged in the recursive calls
no parameters suitable for structural recursion

well-founded recursion cannot be used, `Ex1.t` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t (n : Nat) : False := by
  have h : n < n + 1 → False := fun _ => t n
  exact h (by omega)
end Ex1

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

-- `cases`, `rcases`, names or none
namespace Ex1
theorem t (xs : Chain α) : join xs stop = xs := by
  cases xs with
  | stop => rfl
  | link x l => rw [join, t]
end Ex1

namespace Ex2
theorem t (xs : Chain α) : join xs stop = xs := by
  rcases xs with _ | ⟨x, l⟩
  · rfl
  · simp [join]; apply t
end Ex2

-- a call under `simp` is applied to what it rewrites
namespace Ex3
theorem t (xs ys zs : Chain α) : join (join xs ys) zs = join xs (join ys zs) := match xs with
  | stop => rfl
  | link x l => by simp [join, t]
end Ex3

namespace Ex4
theorem t (n : Nat) : 0 + n = n := by
  cases n with
  | zero => rfl
  | succ n => rw [← Nat.add_assoc, t]
end Ex4

namespace Ex5
theorem t (n m : Nat) : n + m = m + n := by
  cases m with
  | zero => simp
  | succ m =>
    cases n with
    | zero => simp
    | succ n => rw [← Nat.add_assoc, t (n + 1) m]; omega
end Ex5

namespace Ex6
theorem t (v : Vec n) : ∃ k, k = n := by
  cases v with
  | nil => exact ⟨0, rfl⟩
  | cons a w => obtain ⟨k, h⟩ := t w; exact ⟨k + 1, by rw [h]⟩
end Ex6

-- the body determines the type
namespace Ex7
inductive Num where | one | next (n : Num)
open Num
def add (x y : Num) := match x with
  | one => y
  | next n => next (add n y)
example : add (next one) one = next one := rfl
end Ex7

namespace Ex8
def f (n : Nat) (b : Bool) := match b, n with
  | true, 0 => 'a'
  | false, 0 => 'b'
  | _, n + 1 => f n (!b)
example : f 3 true = 'b' := rfl
end Ex8

end WithTypes
