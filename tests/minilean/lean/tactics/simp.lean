-- Checked with Lean 4.35.0.

/-! # `simp` and `simp_all`: dependent arguments, priorities, `contradiction` -/

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

namespace HigherPriority1
opaque f : Nat → Nat
axiom any (n : Nat) : f n = 1
axiom two : f 2 = 5
attribute [simp] any two
example : f 2 = 1 := by simp
end HigherPriority1

namespace HigherPriority2
opaque f : Nat → Nat
axiom any (n : Nat) : f n = 1
axiom two : f 2 = 5
attribute [simp] any two
attribute [simp low] any
example : f 2 = 5 := by simp
end HigherPriority2

namespace HigherPriority3
opaque f : Nat → Nat
axiom any (n : Nat) : f n = 1
axiom two : f 2 = 5
attribute [simp] any two
attribute [simp high] two
example : f 2 = 5 := by simp
end HigherPriority3

namespace HigherPriority4
opaque f : Nat → Nat
axiom any (n : Nat) : f n = 1
axiom two : f 2 = 5
attribute [simp] any two
attribute [simp 1001] two
example : f 2 = 5 := by simp
end HigherPriority4
