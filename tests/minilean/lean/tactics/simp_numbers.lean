-- Checked with Lean 4.35.0.

/-! # `simp` on `x + k` and on literals of `Nat` and `Fin n`, with `+arith` -/

set_option linter.unusedVariables false

/-! Normal forms. Lean's own tests `simprocNat`, `simprocFin`, `simp_int_arith`, `list_simp`, `bool_simp` have similar
examples. -/

example (P : Nat → Prop) (a b : Nat) (h : P (a + 600 - b)) : P ((a + 1000) - (b + 400)) := by simp; exact h

example (P : Nat → Prop) (a b : Nat) (h : P (0)) : P (400 - (a + 1000)) := by simp; exact h

example (P : Nat → Prop) (a b : Nat) (h : P (2 - a)) : P (7 - (a + 5)) := by simp; exact h

example (P : Nat → Prop) (a b : Nat) (h : P (a - b)) : P (a + 1 - (b + 1)) := by simp; exact h

example (P : Nat → Prop) (a b : Nat) (h : P (a - 600)) : P ((a + 400) - 1000) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (False)) : P (a + 1000 = 400) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (a = 600)) : P (1000 = a + 400) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (a = b + 600)) : P (a + 400 = b + 1000) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (a + 600 ≤ b)) : P (a + 1000 ≤ b + 400) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (600 ≤ a)) : P (1000 ≤ a + 400) := by simp; exact h

example (P : Bool → Prop) (a b : Nat) (h : P (a == 600)) : P (a + 400 == 1000) := by simp; exact h

example (P : Bool → Prop) (a b : Nat) (h : P (true)) : P (a + 1000 != 400) := by simp; exact h

example (P : Bool → Prop) (a b : Nat) (h : P (false)) : P ((1234567 : Nat) == 123456) := by simp; exact h

example (P : Fin 7 → Prop) (a b : Nat) (h : P (4)) : P ((3 : Fin 7) * 3 - 5) := by simp; exact h

example (P : Fin 8 → Prop) (a b : Nat) (h : P (7)) : P ((6 : Fin 7).succ) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (True)) : P ((3 : Fin 7) < 5) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (False)) : P ((3 : Fin 7) = 1) := by simp; exact h

example (P : Bool → Prop) (a b : Nat) (h : P (false)) : P ((3 : Fin 7) != 3) := by simp; exact h

example (P : List Nat → Prop) (a b : Nat) (h : P (List.replicate (b - 1) a)) : P ((List.replicate b a).dropLast) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (a = b)) : P (List.replicate 3 a = List.replicate 3 b) := by simp; exact h

example (P : Bool → Prop) (a b : Nat) (h : P (!decide (a = 1) || !decide (b = 1))) : P (decide (a = 1 → ¬b = 1)) := by simp; exact h

example (P : Prop → Prop) (a b : Nat) (h : P (¬a = 1 → b = 1)) : P (if a = 1 then a = 1 else b = 1) := by simp; exact h

/-! What does not hold is not proved. -/

/--
error: unsolved goals
x : Nat
⊢ False
-/
#guard_msgs in
example (x : Nat) : x + 7 = x + 5 := by simp

/--
error: unsolved goals
x : Nat
⊢ x - 2 = x
-/
#guard_msgs in
example (x : Nat) : x + 3 - 5 = x := by simp

/--
error: unsolved goals
x : Nat
⊢ 2 - x = 2
-/
#guard_msgs in
example (x : Nat) : 5 - (x + 3) = 2 := by simp

/--
error: unsolved goals
x : Nat
⊢ False
-/
#guard_msgs in
example (x : Nat) : x + 5 ≤ x + 3 := by simp

/--
error: unsolved goals
x : Nat
⊢ x = 4
-/
#guard_msgs in
example (x : Nat) : 7 = x + 3 := by simp

/-! Integers are left to their own rules. -/

/-- error: `simp` made no progress -/
#guard_msgs in
example (x y : Int) : 3 - (x + 5) = -2 - x := by simp

/-- error: `simp` made no progress -/
#guard_msgs in
example (x y : Int) : x - y = 3 := by simp
