-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Attacks on `grind`: false statements that look provable -/

-- Lean's `grind` needs theorems that minilean's library lacks, parses modifiers otherwise, and prints its facts below the goal.

set_option linter.unusedVariables false

/-! False statements, and true ones that need a solver that minilean's `grind` lacks. -/

/--
error: `grind` failed
case grind
a b c : Nat
h : a < b
h2 : b < c
h_1 : ¬a + 2 < c
⊢ False
-/
#guard_msgs in
example (a b c : Nat) (h : a < b) (h2 : b < c) : a + 2 < c := by grind

/--
error: `grind` failed
case grind
a b : Nat
h : a ≤ b
h_1 : ¬a < b
⊢ False
-/
#guard_msgs in
example (a b : Nat) (h : a ≤ b) : a < b := by grind

/--
error: `grind` failed
case grind
a b : Nat
h : ¬a - b + b = a
⊢ False
-/
#guard_msgs in
example (a b : Nat) : a - b + b = a := by grind

/--
error: `grind` failed
case grind
x : Int
h : 2 * x = 6
h_1 : ¬x = 4
⊢ False
-/
#guard_msgs in
example (x : Int) (h : 2 * x = 6) : x = 4 := by grind

/--
error: `grind` failed
case grind
α : Type
R : α → α → Prop
h : ∀ (x : α), ∃ y, R x y
h_1 : ¬∃ y, ∀ (x : α), R x y
⊢ False
-/
#guard_msgs in
example (α : Type) (R : α → α → Prop) (h : ∀ x, ∃ y, R x y) : ∃ y, ∀ x, R x y := by grind

/--
error: `grind` failed
case grind
α : Type
p : α → Prop
h : ∀ (x : α), p x
h_1 : ¬∃ x, p x
⊢ False
-/
#guard_msgs in
example (α : Type) (p : α → Prop) (h : ∀ x, p x) : ∃ x, p x := by grind

/--
error: `grind` failed
case grind
α : Type
p : α → Prop
h : ∃ x, p x
x : α
h_1 : ¬p x
w : α
h_2 : p w
⊢ False
-/
#guard_msgs in
example (α : Type) (p : α → Prop) (h : ∃ x, p x) : ∀ x, p x := by grind

/--
error: `grind` failed
case grind
α : Type
p q : α → Prop
h : ∃ x, p x
h2 : ∃ x, q x
h_1 : ¬∃ x, p x ∧ q x
w : α
h_2 : p w
w_1 : α
h_3 : q w_1
⊢ False
-/
#guard_msgs in
example (α : Type) (p q : α → Prop) (h : ∃ x, p x) (h2 : ∃ x, q x) : ∃ x, p x ∧ q x := by grind

/--
error: `grind` failed
case grind
α : Type
p q : α → Prop
h : ∀ (x : α), p x ∨ q x
h_1 : ¬((∀ (x : α), p x) ∨ ∀ (x : α), q x)
w : α
h_2 : ¬p w
w_1 : α
h_3 : ¬q w_1
⊢ False
-/
#guard_msgs in
example (α : Type) (p q : α → Prop) (h : ∀ x, p x ∨ q x) : (∀ x, p x) ∨ ∀ x, q x := by grind

/--
error: `grind` failed
case grind
α β : Type
f : α → β
a b : α
h : f a = f b
h_1 : ¬a = b
⊢ False
-/
#guard_msgs in
example (α β : Type) (f : α → β) (a b : α) (h : f a = f b) : a = b := by grind

/--
error: `grind` failed
case grind
f : Nat → Nat
a b : Nat
h : f a ≤ f b
h_1 : ¬a ≤ b
⊢ False
-/
#guard_msgs in
example (f : Nat → Nat) (a b : Nat) (h : f a ≤ f b) : a ≤ b := by grind

/--
error: `grind` failed
case grind
f : Nat → Nat
a b : Nat
h : a ≤ b
h_1 : ¬f a ≤ f b
⊢ False
-/
#guard_msgs in
example (f : Nat → Nat) (a b : Nat) (h : a ≤ b) : f a ≤ f b := by grind

/--
error: `grind` failed
case grind
f : Nat → Nat
h : ∀ (x : Nat), f (f x) = x
h_1 : ¬f 0 = 0
⊢ False
-/
#guard_msgs in
example (f : Nat → Nat) (h : ∀ x, f (f x) = x) : f 0 = 0 := by grind

/--
error: `grind` failed
case grind
f : Nat → Nat
h : ∀ (x : Nat), f x = f (x + 1)
h_1 : ¬f 0 = 7
⊢ False
-/
#guard_msgs in
example (f : Nat → Nat) (h : ∀ x, f x = f (x + 1)) : f 0 = 7 := by grind

/--
error: `grind` failed
case grind
α : Type
a b : α
h : ¬a = b
⊢ False
-/
#guard_msgs in
example (α : Type) (a b : α) : a = b := by grind

/--
error: `grind` failed
case grind
α : Type
f g : α → α
a : α
h : f a = g a
h_1 : ¬f = g
w : α
h_2 : ¬f w = g w
⊢ False
-/
#guard_msgs in
example (α : Type) (f g : α → α) (a : α) (h : f a = g a) : f = g := by grind

/--
error: `grind` failed
case grind
α : Type
a b : α
xs ys : List α
h : xs = ys
h_1 : ¬a :: xs = b :: ys
⊢ False
-/
#guard_msgs in
example (α : Type) (a b : α) (xs ys : List α) (h : xs = ys) : a :: xs = b :: ys := by grind

/--
error: `grind` failed
case grind
α : Type
xs ys zs : List α
h : xs ++ ys = zs ++ ys
h_1 : ¬ys = zs
⊢ False
-/
#guard_msgs in
example (α : Type) (xs ys zs : List α) (h : xs ++ ys = zs ++ ys) : ys = zs := by grind

/--
error: `grind` failed
case grind
p q : Prop
h : p → q
h_1 : q
h_2 : ¬p
⊢ False
-/
#guard_msgs in
example (p q : Prop) (h : p → q) : q → p := by grind

/--
error: `grind` failed
case grind
p q : Prop
h : p → q
h2 : ¬p
h_1 : q
⊢ False
-/
#guard_msgs in
example (p q : Prop) (h : p → q) (h2 : ¬p) : ¬q := by grind

/--
error: `grind` failed
case grind.1.1.2
p q r : Prop
h : ¬(((p ↔ q) ↔ r) ↔ p ∧ (q ↔ r))
h_1 : (p ↔ q) ↔ r
h_2 : p ↔ q
h_3 : ¬p
⊢ False
-/
#guard_msgs in
example (p q r : Prop) : ((p ↔ q) ↔ r) ↔ (p ∧ (q ↔ r)) := by grind

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
h2 : q ∨ r
h3 : r ∨ s
h_1 : ¬(p ∧ r ∨ q ∧ s)
h_2 : q
⊢ False
-/
#guard_msgs in
example (p q r s : Prop) (h : p ∨ q) (h2 : q ∨ r) (h3 : r ∨ s) : (p ∧ r) ∨ (q ∧ s) := by grind

/--
error: `grind` failed
case grind
b c : Bool
h : (b || c) = true
h_1 : ¬(b && c) = true
⊢ False
-/
#guard_msgs in
example (b c : Bool) (h : (b || c) = true) : (b && c) = true := by grind

/--
error: `grind` failed
case grind
p : Prop
inst : Decidable p
h : decide p = false
h_1 : ¬p
⊢ False
-/
#guard_msgs in
example (p : Prop) [Decidable p] (h : decide p = false) : p := by grind

/--
error: `grind` failed
case grind
p : Prop
a b : Nat
inst : Decidable p
h : (if p then a else b) = a
h_1 : ¬p
⊢ False
-/
#guard_msgs in
example (p : Prop) (a b : Nat) [Decidable p] (h : (if p then a else b) = a) : p := by grind

/--
error: `grind` failed
case grind
o : Option Nat
h : o ≠ none
h_1 : ¬o = some 0
⊢ False
-/
#guard_msgs in
example (o : Option Nat) (h : o ≠ none) : o = some 0 := by grind

/--
error: `grind` failed
case grind
a b c d : Nat
h : (a, b) = (c, d)
h_1 : ¬a = d
⊢ False
-/
#guard_msgs in
example (a b c d : Nat) (h : (a, b) = (c, d)) : a = d := by grind

/--
error: `grind` failed
case grind
n : Nat
x y : Fin n
h : ¬x = y
⊢ False
-/
#guard_msgs in
example (n : Nat) (x y : Fin n) : x = y := by grind

/--
error: `grind` failed
case grind
h : 3 = 3
⊢ False
-/
#guard_msgs in
example (h : (3 : Nat) = 3) : False := by grind

/--
error: `grind` failed
case grind
a b : Nat
h : a * b = 0
h_1 : ¬a = 0
⊢ False
-/
#guard_msgs in
example (a b : Nat) (h : a * b = 0) : a = 0 := by grind

/--
error: `grind` failed
case grind
a b c : Nat
h : ¬a * (b + c) = a * b + a * c
⊢ False
-/
#guard_msgs in
example (a b c : Nat) : a * (b + c) = a * b + a * c := by grind

/--
error: `grind` failed
case grind
a b : Int
h : a + b = 1
h_1 : ¬a * a + 2 * a * b + b * b = 1
⊢ False
-/
#guard_msgs in
example (a b : Int) (h : a + b = 1) : a * a + 2 * a * b + b * b = 1 := by grind

/--
error: `grind` failed
case grind
n : Nat
h : ¬n ≤ n * n
⊢ False
-/
#guard_msgs in
example (n : Nat) : n * n ≥ n := by grind

/--
error: `grind` failed
case grind
n : Nat
h : n < 2
h_1 : ¬n * n = n
⊢ False
-/
#guard_msgs in
example (n : Nat) (h : n < 2) : n * n = n := by grind

/--
error: `grind` failed
case grind
α : Type
xs : List α
h : ¬xs ++ [] = xs
⊢ False
-/
#guard_msgs in
example (α : Type) (xs : List α) : xs ++ [] = xs := by grind
