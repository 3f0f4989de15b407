-- Checked with Lean 4.35.0.

/-! # `simp` on recursive functions and on functions applied to more arguments than in its rules; attacks on `simp` -/

set_option linter.unusedVariables false

/-! `simp [f]` unfolds a recursive function where its cases are decided, as Lean's smart unfolding does: unfolding comes
before the arguments are visited, a case is decided at default transparency, and the argument that gets smaller has to be
a constructor. -/

namespace DecidedCaseTaken
def snoc : List Nat → Nat → List Nat
  | [], a => [a]
  | x :: xs, a => x :: snoc xs a
def rev : List Nat → List Nat
  | [] => []
  | x :: xs => snoc (rev xs) x
def single (a : Nat) : List Nat := [a]
def sum (n : Nat) : Nat := 1 + match n with
  | 0 => 0
  | k + 1 => sum k
def g : Nat → Bool → Nat
  | _, true => 7
  | 0, false => 1
  | n + 1, false => g n true
variable (a b n : Nat) (l : List Nat)

example : rev (single a) = single a := by simp [rev, snoc, single]

-- a `match` that is not at the head
example : sum (n + 2) = sum n + 2 := by simp [sum]; omega

example : g n true = 7 := by simp [g]

example : g (n + 1) true = 7 := rfl

/-! A case that is not decided stays. -/

/-- error: `simp` made no progress -/
#guard_msgs in
example : rev (snoc l b) = l := by simp [rev]

/-- error: `simp` made no progress -/
#guard_msgs in
example : sum n = 3 := by simp [sum]

/-- error: `simp` made no progress -/
#guard_msgs in
example : g n false = 7 := by simp [g]

/--
error: Type mismatch
  rfl
has type
  ?m.6 = ?m.6
but is expected to have type
  g n true = 7
-/
#guard_msgs in
example : g n true = 7 := by exact rfl

/-! Commutativity orders as Lean does. -/

-- functions are compared before the numbers of their arguments: `HAdd.hAdd`, `List.length`, `OfNat.ofNat`
/--
error: unsolved goals
a b n : Nat
l : List Nat
⊢ b + l.length + 1 = 5
-/
#guard_msgs in
example : l.length + b + 1 = 5 := by simp only [Nat.add_comm]

/--
error: unsolved goals
a b n : Nat
l : List Nat
⊢ a + b + 1 = 5
-/
#guard_msgs in
example : 1 + (a + b) = 5 := by simp only [Nat.add_comm]

/--
error: unsolved goals
a b n : Nat
l : List Nat
⊢ a + b + l.length = 5
-/
#guard_msgs in
example : l.length + (a + b) = 5 := by simp only [Nat.add_comm]

/--
error: unsolved goals
a b n : Nat
l : List Nat
⊢ l.length + 1 = 5
-/
#guard_msgs in
example : 1 + l.length = 5 := by simp only [Nat.add_comm]

end DecidedCaseTaken

/-! A rule for a function serves its applications. -/

example (xs : List Nat) : xs.map id = xs := by simp

example (f g : Nat → Nat → Nat) (h : f = g) : f 2 3 = g 2 3 := by simp [h]

example (f g : Nat → Nat → Nat) (h : f 2 = g 3) : f 2 1 = g 3 1 := by simp only [h]

example (f : Nat → Nat → Nat) (h : f 2 = fun x => x) : f 2 3 = 3 := by simp [h]

example (p : Nat → Prop) (h : p = fun x => x = 1) : p 1 := by simp [h]

/-! A rule for a function serves no other applications. -/

/-- error: `simp` made no progress -/
#guard_msgs in
example (f g : Nat → Nat → Nat) (h : f 2 = g 3) : f 3 1 = g 3 1 := by simp [h]

/-- error: `simp` made no progress -/
#guard_msgs in
example (f g : Nat → Nat → Nat) (h : f 2 = g 3) (k : f 2 3 = 7) : g 3 3 = 7 := by simp only [h, k]

/-- error: `dsimp` made no progress -/
#guard_msgs in
example (f : Nat → Nat → Nat) (h : f 2 = fun x => x) : f 2 3 = 3 := by dsimp [h]

/--
error: unsolved goals
p : Nat → Nat → Prop
h : p 1 = fun x => x = 1
⊢ False
-/
#guard_msgs in
example (p : Nat → Nat → Prop) (h : p 1 = fun x => x = 1) : p 1 2 := by simp [h]

/-! False or unprovable statements are refused. -/

/-- error: simp_all made no progress -/
#guard_msgs in
example (p q : Prop) (h : p → q) (h2 : q → p) : p := by simp_all

/--
error: unsolved goals
a b : Nat
h2 : b = a
⊢ a = 0
-/
#guard_msgs in
example (a b : Nat) (h : a = b) (h2 : b = a) : a = 0 := by simp_all

/--
error: Tactic `simp` failed with a nested error:
maximum recursion depth has been reached
use `set_option maxRecDepth <num>` to increase limit
use `set_option diagnostics true` to get diagnostic information
-/
#guard_msgs in
example (f : Nat → Nat) (h : ∀ x, f x = f (x + 1)) : f 0 = 7 := by simp_all

/--
error: unsolved goals
p : Prop
⊢ p
-/
#guard_msgs in
example (p : Prop) (h : ¬¬p → p) : p := by simp_all +contextual

/--
error: unsolved goals
⊢ False
-/
#guard_msgs in
example : (2 : Nat) + 2 = 5 := by simp +arith

/-- error: `dsimp` made no progress -/
#guard_msgs in
example (a : Nat) : a = a + 1 := by dsimp

/--
error: Type mismatch: After simplification, term
  h
 has type
  a = b
but is expected to have type
  b = a + 1
-/
#guard_msgs in
example (a b : Nat) (h : a = b) : b = a + 1 := by simpa using h
