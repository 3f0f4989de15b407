-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `grind`: statements that it proves, and what it reports when it fails -/

-- Lean's `grind` needs theorems that minilean's library lacks, parses modifiers otherwise, and prints its facts below the goal.

set_option linter.unusedVariables false

/-! True statements are proved. -/

example (p q : Prop) (h : p ∧ q) : q ∧ p := by grind

example (p q : Prop) (h : p ∨ q) : q ∨ p := by grind

example (p : Prop) : p ∨ ¬p := by grind

example (p q : Prop) : ((p → q) → p) → p := by grind

example (p q r : Prop) : (p → r) → (q → r) → p ∨ q → r := by grind

example (p q r : Prop) : ((p ↔ q) ↔ r) ↔ (p ↔ (q ↔ r)) := by grind

example (p q : Prop) : ¬(p ∧ q) ↔ ¬p ∨ ¬q := by grind

example (p q : Prop) : ¬(p → q) ↔ p ∧ ¬q := by grind

example (b c : Bool) (h : (b && c) = true) : b = true := by grind

example (b c : Bool) (h : (b || c) = true) (h2 : b = false) : c = true := by grind

example (b c : Bool) (h : (!b && c) = true) : b = false ∧ c = true := by grind

example (b : Bool) (h : ¬b = true) : b = false := by grind

example (b : Bool) (h : ¬true = b) : false = b := by grind

example (p : Prop) [Decidable p] (h : decide p = true) : p := by grind

example (p : Prop) [Decidable p] (h : decide p = false) : ¬p := by grind

example (a b : Nat) (h : (a == b) = true) : a = b := by grind

example (a b : Nat) (h : (a != b) = true) : a ≠ b := by grind

example (α : Type) (a b : α) (xs ys : List α) (h : a :: xs = b :: ys) : a = b ∧ xs = ys := by grind

example (α : Type) (a : α) (xs : List α) : a :: xs ≠ [] := by grind

example (α β : Type) (x : α × β) : (x.1, x.2) = x := by grind

example (α : Type) (f g : α → Nat) (h : ∀ x, f x = g x) : f = g := by grind

example (x : Empty) : 1 = 2 := by grind

example (a b c : Nat) (h : a < b) (h2 : b < c) : a + 1 < c := by grind

example (x y : Int) (h : 2 * x + 4 * y = 5) : False := by grind

example (f : Nat → Nat) (a b : Nat) (h : a ≤ b) (h2 : b ≤ a) : f a = f b := by grind

example (f : Nat → Nat) (a : Nat) : f (a + 1 - 1) = f a := by grind

example (x y : Nat) (h : (if x < y then x else y) = 3) : x = 3 ∨ y = 3 := by grind

example (x : Nat) (h : x < 3) (h2 : x ≠ 0) (h3 : x ≠ 1) : x = 2 := by grind

example (p : Prop) (a : Nat) (h : a ≤ 2 → p) (h2 : ¬a ≤ 2 → p) : p := by grind

example (f : Nat → Nat) (a b : Nat) (h : f a = b + 1) (h2 : b = 2) : 2 < f a := by grind

example (α : Type) (p q : α → Prop) (h : ∀ x, p x → q x) (h2 : ∃ x, p x) : ∃ x, q x := by grind

example (α : Type) (p : α → Prop) (h : ¬∀ x, p x) : ∃ x, ¬p x := by grind

example (α : Type) (p q : α → Prop) : (∀ x, p x ∧ q x) ↔ (∀ x, p x) ∧ ∀ x, q x := by grind

example (α : Type) (p q : α → Prop) : (∃ x, p x ∨ q x) ↔ (∃ x, p x) ∨ ∃ x, q x := by grind

example (f : Nat → Nat) (h : ∀ x, f (x + 1) = f x) : f 3 = f 0 := by grind

example (α : Type) (R : α → α → Prop) (h : ∀ x y z, R x y → R y z → R x z) (a b c d : α) (h1 : R a b) (h2 : R b c) (h3 : R c d) : R a d := by grind

/-! It unfolds functions that are named. -/

namespace UnfoldsFunctionsNamed
def f : Nat → Nat
  | 0 => 3
  | n + 1 => f n + 4

example : f 2 = 11 := by grind [f]

/--
error: `grind` failed
case grind
h : ¬f 2 = 11
⊢ False
-/
#guard_msgs in
example : f 2 = 11 := by grind

example (n : Nat) : f (n + 2) = f n + 8 := by grind [f]

/--
error: `grind` failed
case grind
n : Nat
h : ¬f (n + 2) = f n + 8
⊢ False
-/
#guard_msgs in
example (n : Nat) : f (n + 2) = f n + 8 := by grind

example (n : Nat) (h : n = 0 ∨ n = 1) : f n ≤ 7 := by grind [f]

/--
error: `grind` failed
case grind.1
n : Nat
h : n = 0 ∨ n = 1
h_1 : ¬f n ≤ 7
h_2 : n = 0
⊢ False
-/
#guard_msgs in
example (n : Nat) (h : n = 0 ∨ n = 1) : f n ≤ 7 := by grind

end UnfoldsFunctionsNamed

namespace UnfoldsFunctionsNamed2
def f (a b : Nat) := a + b

example (a b : Nat) : f a b = f b a := by grind [f]

/--
error: `grind` failed
case grind
a b : Nat
h : ¬f a b = f b a
⊢ False
-/
#guard_msgs in
example (a b : Nat) : f a b = f b a := by grind

end UnfoldsFunctionsNamed2

/-! It splits the discriminant of a match. -/

example (o : Option Nat) (h : (match o with | none => 1 | some x => x + 1) = 1) (h2 : o ≠ some 0) : o = none := by grind

/-! A failure shows the open branch. -/

/--
error: `grind` failed
case grind
p q r : Prop
h : p ∨ q
h_1 : p
h_2 : ¬r
⊢ False
-/
#guard_msgs in
example (p q r : Prop) (h : p ∨ q) : p → r := by grind

/-! A failure names the cases that led to it. -/

/--
error: `grind` failed
case grind
p q r : Prop
h : p ∨ q
h2 : p → r
h_1 : ¬r
⊢ False
-/
#guard_msgs in
example (p q r : Prop) (h : p ∨ q) (h2 : p → r) : r := by grind

/--
error: `grind` failed
case grind.2
p q r s : Prop
h : p ∨ q
h2 : p → r
h3 : p → ¬r
h_1 : ¬(s ∧ ¬q)
h_2 : q
⊢ False
-/
#guard_msgs in
example (p q r s : Prop) (h : p ∨ q) (h2 : p → r) (h3 : p → ¬r) : s ∧ ¬q := by grind
