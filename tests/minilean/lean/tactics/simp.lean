-- Checked with Lean 4.35.0.

/-! # `simp`, `simp_all` and `dsimp`: dependent arguments, priorities, recursive functions, attacks -/

set_option linter.unusedVariables false

/-! True statements are proved. -/

example (a b c d : α) (h : (a, c).1 = (b, d).1) : b = a := by simp_all

example (a b c d : α) (h : (a, c).1 = (b, d).1) (k : (a, c).2 = (b, d).2) : b = a ∧ d = c := by simp_all

example (p q : Prop) (h : (p, q).1) (k : p → q) : q := by simp_all

/-! Other components of a pair do not follow. -/

/--
error: unsolved goals
α : Type u_1
a b c d : α
h : a = b
⊢ d = c
-/
#guard_msgs in
example (a b c d : α) (h : (a, c).1 = (b, d).1) : d = c := by simp_all

/--
error: unsolved goals
p q : Prop
h : p
⊢ q
-/
#guard_msgs in
example (p q : Prop) (h : (p, q).1) : q := by simp_all

/-! Arguments that others depend on are rewritten: `mkCongrSimp?` synthesizes the instance of `Decidable` and casts proofs,
`dite_congr` passes the proof to the branches, `simpMatchDiscrs?` rewrites discriminants. -/

namespace ArgumentsOthersDepend
def ev (n : Nat) : Nat := n
theorem sound (n : Nat) : ev n = n := rfl
def g (b a : Nat) (h : a > 0) : Nat := b
inductive L where | a | b
def cmp : L → L → Nat
  | .a, .a => 0 | .b, .b => 0 | .a, .b => 1 | .b, .a => 2
theorem cmp_eq (l : L) : cmp l l = 0 := by cases l <;> rfl
def Map := Nat → Option Nat
def upd (m : Map) (x : Nat) : Map := fun y => if x = y then some 1 else m y
theorem upd_eq (m : Map) (x : Nat) : upd m x x = some 1 := by simp [upd]

example (p q : Prop) [Decidable p] [Decidable q] (h : p = q) : decide p = decide q := by simp only [h]

example (a : Nat) (k : ev a > 0) (p : a > 0) : g 3 (ev a) k = g 3 a p := by simp only [sound]

example (l : L) : (match cmp l l with | 0 => 7 | k + 1 => k) = 7 := by simp only [cmp_eq]

/-! The branches of a dependent if get the proof. -/

/--
error: unsolved goals
a b : Nat
⊢ (if h : a > 0 then g b a ⋯ else 0) = 9
-/
#guard_msgs in
example (a b : Nat) : (if h : ev a > 0 then g b (ev a) h else 0) = 9 := by
  simp only [sound]
  skip

/-! Rewriting looks through types that are functions. -/

example (m : Map) (x y : Nat) (h : x = y) : upd m x y = some 1 := by
  rw [h, upd_eq]

/-! `contradiction` evaluates both sides (`matchConstructorApp?`) and compares constructors at the head only. -/

example (n : Nat) (h : n * 2 + 1 = 0) : False := by contradiction

example (n : Nat) (h : [n] ++ [] = []) : False := by contradiction

/--
error: Tactic `contradiction` failed

n : Nat
h : n + 2 = 1
⊢ False
-/
#guard_msgs in
example (n : Nat) (h : n + 2 = 1) : False := by contradiction

/--
error: Tactic `contradiction` failed

n : Nat
h : [n, n] = [n]
⊢ False
-/
#guard_msgs in
example (n : Nat) (h : [n, n] = [n]) : False := by contradiction

end ArgumentsOthersDepend

/-! `simp` ends on truth values that differ. -/

example : ¬false = true := by simp

example : ¬true = false := by simp

example : (false = true) = False := by simp

example : false ≠ true := by simp

/-! A contradiction of truth values closes the goal. -/

example (c : Bool) (h : (false && c) = true) : c = true := by simp at h

/-! The higher priority comes first. `Simp.rewriteUsingDiscrTree` sorts by priority, and of two lemmas of one priority that
with a variable where the other has a symbol comes first; core's `Bool.false_eq` is `@[simp low]` for that reason. -/

namespace HigherPriorityComes
opaque f : Nat → Nat
axiom any (n : Nat) : f n = 1
axiom two : f 2 = 5
attribute [simp] any two

example : f 2 = 1 := by simp

namespace HigherPriorityComesEx
attribute [simp low] any
example : f 2 = 5 := by simp
end HigherPriorityComesEx

namespace HigherPriorityComesEx2
attribute [simp high] two
example : f 2 = 5 := by simp
end HigherPriorityComesEx2

namespace HigherPriorityComesEx3
attribute [simp 1001] two
example : f 2 = 5 := by simp
end HigherPriorityComesEx3

end HigherPriorityComes

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
