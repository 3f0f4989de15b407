-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `simp` and `simp_all`: dependent arguments, priorities, `contradiction` -/

set_option linter.unusedVariables false

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

-- Lean: unsolved goals a b : Nat ⊢ decide (a ≤ b) = decide (a ≤ b)
example (a b : Nat) : decide (ev a ≤ ev b) = decide (a ≤ b) := by simp only [sound]

-- Lean: unsolved goals a b : Nat ⊢ (if a ≤ b then 1 else 2) = if a ≤ b then 1 else 2
example (a b : Nat) : (if ev a ≤ b then 1 else 2) = if a ≤ b then 1 else 2 := by simp only [sound]

/-! Types that change with an argument keep it. -/

-- Lean: unsolved goals P : (n : Nat) → Fin n → Prop a : Nat
/-- error: `simp` made no progress -/
#guard_msgs in
example (P : (n : Nat) → Fin n → Prop) (a : Nat) (i : Fin (ev a)) : P (ev a) i := by simp only [sound]

/-! `contradiction` evaluates both sides (`matchConstructorApp?`) and compares constructors at the head only. -/

-- Lean: mkNoConfusion: No manifest constructors in 0 + 0 = n + 1 + (n + 1)
example (n : Nat) (h : 0 + 0 = n + 1 + (n + 1)) : False := by contradiction

end ArgumentsOthersDepend
