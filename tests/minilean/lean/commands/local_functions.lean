-- Checked with Lean 4.35.0.

/-! # `where` and an outermost `let rec`: functions inside a definition become declarations that take what they mention -/

set_option linter.unusedVariables false

def replicate (n : Nat) (a : α) : List α :=
  let rec loop : Nat → List α → List α
    | 0, as => as
    | n + 1, as => loop n (a :: as)
  loop n []

def sumTo (n : Nat) : Nat := go n 0
where
  /-- The numbers up to `n`, added to `acc`. -/
  go : Nat → Nat → Nat
    | 0, acc => acc
    | n + 1, acc => go n (acc + n + 1)

def two (n : Nat) : Nat := f n + g n
where
  f (k : Nat) : Nat := k + n
  g (k : Nat) : Nat := f k * 2

def count [DecidableEq α] (x : α) (xs : List α) : Nat := go xs
where go : List α → Nat
  | [] => 0
  | y :: ys => if x = y then go ys + 1 else go ys

/-! A function takes the parameters that it mentions. -/

namespace FunctionTakesParameters

/-- info: @replicate.loop : {α : Type u_1} → α → Nat → List α → List α -/
#guard_msgs in
#check @replicate.loop

/-- info: sumTo.go : Nat → Nat → Nat -/
#guard_msgs in
#check @sumTo.go

/-- info: two.g : Nat → Nat → Nat -/
#guard_msgs in
#check @two.g

/-- info: @count.go : {α : Type u_1} → [DecidableEq α] → α → List α → Nat -/
#guard_msgs in
#check @count.go

def id' {α : Type} (x : α) : α := go x
where go (y : α) : α := y

/-- info: @id'.go : {α : Type} → α → α -/
#guard_msgs in
#check @id'.go

theorem length_replicate (n : Nat) (a : α) : (replicate n a).length = n := by
  exact aux n []
where
  aux (n : Nat) (as : List α) : (replicate.loop a n as).length = n + as.length := by
    induction n generalizing as with
    | zero => simp [replicate.loop]
    | succ n ih => simp [replicate.loop, ih]; omega

/--
info: @length_replicate.aux : ∀ {α : Type u_1} (a : α) (n : Nat) (as : List α), (replicate.loop a n as).length = n + as.length
-/
#guard_msgs in
#check @length_replicate.aux

end FunctionTakesParameters

/-! The functions compute. -/

namespace FunctionsCompute

example : replicate 2 5 = [5, 5] := rfl
example (a : Nat) : replicate.loop a 1 [] = [a] := by simp [replicate.loop]
example : sumTo 10 = 55 := by decide
example (k : Nat) : sumTo.go (k + 1) 0 = sumTo.go k (0 + k + 1) := rfl
example : two 3 = 18 := rfl
example : count 2 [1, 2, 2] = 2 := rfl

-- a variable of the same name hides the function
def f (n : Nat) : Nat := (fun go => go + 1) (go n)
where go (k : Nat) : Nat := k * k

example : f 4 = 17 := rfl

structure S where
  x : Nat

def s : S where
  x := 1

example : s.x = 1 := rfl

end FunctionsCompute

/-! What is refused. -/

namespace Refused

/--
error: Type mismatch
  h
has type
  True
but is expected to have type
  False
-/
#guard_msgs in
theorem t : False := h
where h : True := trivial

/--
error: omega could not prove the goal:
a possible counterexample may satisfy the constraints
  0 ≤ a ≤ 1
where
 a := ↑n
-/
#guard_msgs in
theorem t2 : 1 = 2 := go 1
where go (n : Nat) : n = 2 := by omega

/-- error: Unknown identifier `go` -/
#guard_msgs in
def f : Nat := go 1
where

end Refused

/--
error: fail to show termination for
  t.h
with errors
failed to infer structural recursion:
no parameters suitable for structural recursion

well-founded recursion cannot be used, `t.h` does not take any (non-fixed) arguments
-/
#guard_msgs in
theorem t : False := h
where h : False := h

/-- error: `f.go` has already been declared -/
#guard_msgs in
def f : Nat := go 1
where
  go (n : Nat) : Nat := n
  go (n : Nat) : Nat := n
