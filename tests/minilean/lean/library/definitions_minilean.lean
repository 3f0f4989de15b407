-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Equations of the first functions, `Int`, where `simp` ends on core's functions -/

set_option linter.unusedVariables false

/-! The equations are those of core's definitions by patterns. -/

-- Lean: Nat.add.eq_1 : ∀ (x : Nat), x.add Nat.zero = x
/-- info: Nat.add.eq_1 : ∀ (n : Nat), n.add Nat.zero = n -/
#guard_msgs in
#check @Nat.add.eq_1

-- Lean: Nat.add.eq_2 : ∀ (x m : Nat), x.add m.succ = (x.add m).succ
/-- info: Nat.add.eq_2 : ∀ (n m : Nat), n.add m.succ = (n.add m).succ -/
#guard_msgs in
#check @Nat.add.eq_2

-- Lean: Nat.mul.eq_2 : ∀ (x b : Nat), x.mul b.succ = (x.mul b).add x
/-- info: Nat.mul.eq_2 : ∀ (a b : Nat), a.mul b.succ = (a.mul b).add a -/
#guard_msgs in
#check @Nat.mul.eq_2

-- Lean: Nat.pred.eq_2 : ∀ (n : Nat), n.succ.pred = n
/-- info: Nat.pred.eq_2 : ∀ (a : Nat), a.succ.pred = a -/
#guard_msgs in
#check @Nat.pred.eq_2

-- Lean: Nat.sub.eq_2 : ∀ (x b : Nat), x.sub b.succ = (x.sub b).pred
/-- info: Nat.sub.eq_2 : ∀ (n m : Nat), n.sub m.succ = (n.sub m).pred -/
#guard_msgs in
#check @Nat.sub.eq_2

-- Lean: @ite.eq_1 : ∀ {α : Sort u_1} (c : Prop) (t e : α) (h_2 : c), (if c then t else e) = t
/-- info: @ite.eq_1 : ∀ {α : Sort u_1} (c : Prop) (h : c) (t e : α), (if c then t else e) = t -/
#guard_msgs in
#check @ite.eq_1

/-! Goals show no recursor. -/

-- Lean: declaration uses `sorry` a b : Nat ⊢ (a.add b).succ = b
/--
trace: a b : Nat
⊢ (a.add b).succ = b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : a.add b.succ = b := by
  rw [Nat.add]
  trace_state
  sorry

/--
trace: a b : Nat
⊢ (a.add b).succ = b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : a.add (b + 1) = b := by
  unfold Nat.add
  trace_state
  sorry

/--
trace: a b : Nat
⊢ (a.add b).succ = b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : a.add (b + 1) = b := by
  simp only [Nat.add]
  trace_state
  sorry

-- Lean: declaration uses `sorry` a b : Nat ⊢ (a.mul b).add a = b
/--
trace: a b : Nat
⊢ (a.mul b).add a = b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : a.mul (b + 1) = b := by
  rw [Nat.mul]
  trace_state
  sorry

-- Lean: declaration uses `sorry` a b : Nat ⊢ a.add b = b + a
/--
trace: a b : Nat
⊢ a.add b = b + a
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : a + b = b + a := by
  conv => lhs; whnf
  trace_state
  sorry

-- Lean: declaration uses `sorry` a b : Nat ⊢ (a.add b).succ = b
/--
trace: a b : Nat
⊢ (a.add b).succ = b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : a + (b + 1) = b := by
  conv => lhs; whnf
  trace_state
  sorry

-- Lean: declaration uses `sorry` a b : Nat ⊢ a - b = b
/--
trace: a b : Nat
⊢ a - b = b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : (a + 1).pred - b = b := by
  simp only [Nat.pred]
  trace_state
  sorry

-- Lean: declaration uses `sorry` c : Bool a b : Nat
/--
trace: c : Bool
a b : Nat
⊢ a.beq b = c
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Nat) : Nat.beq (a + 1) (b + 1) = c := by
  simp only [Nat.beq]
  trace_state
  sorry

-- Lean: declaration uses `sorry` a b : Bool h :
/--
trace: a b : Bool
h :
  (match a with
    | false => false
    | true => b) =
    true
⊢ a = b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (h : (a && b) = true) : a = b := by
  dsimp [Bool.and] at h
  trace_state
  sorry

-- Lean: declaration uses `sorry` a b : Bool ⊢ (match a with
/--
trace: a b : Bool
⊢ (match a with
    | true => false
    | false => true) =
    b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Bool) : not a = b := by
  simp [not]
  trace_state
  sorry

/--
trace: a b : Bool
⊢ (match a with
    | true => false
    | false => true) =
    b
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (a b : Bool) : (!a) = b := by
  unfold not
  trace_state
  sorry

-- Lean: declaration uses `sorry` p : Prop i : Decidable p
/--
trace: p : Prop
i : Decidable p
a : Nat
⊢ (match i with
    | isTrue h => 1
    | isFalse h => 2) =
    a
---
warning: declaration uses `sorry`
-/
#guard_msgs in
example (p : Prop) [i : Decidable p] (a : Nat) : (if p then 1 else 2) = a := by
  unfold ite
  trace_state
  sorry

/-! Equations prove no more. -/

-- Lean: in addition the hint to try `Nat.add.eq_def`
/-- error: Failed to rewrite using equation theorems for `Nat.add` -/
#guard_msgs in
example (a b : Nat) : a.add b = b := by rw [Nat.add]

/-! Casts are put at the leaves. -/

-- Lean: -[3+1] : Int
/-- info: Int.negSucc 3 : Int -/
#guard_msgs in
#check Int.negSucc 3

/-! Evaluation writes numerals. -/

-- Lean: could not synthesize a `Repr` or `ToString` instance for type; -[3+1]
/-- info: -4 -/
#guard_msgs in
#eval (-7 : Int) / 2
/-- info: (2, [3, -2], 0) -/
#guard_msgs in
#eval ((2 : Int), [3, -1 - 1], Int.toNat (-3))
/-- info: Int.negSucc 3 -/
#guard_msgs in
#reduce (-7 : Int) / 2

/-! `cases` has Lean's names and goals. -/

-- Lean: `⊢ -[n+1] = -[n+1]` in place of `⊢ Int.negSucc n = Int.negSucc n`
/--
error: unsolved goals
case ofNat
n : Nat
⊢ Int.ofNat n = Int.ofNat n
---
error: unsolved goals
case negSucc
n : Nat
⊢ Int.negSucc n = Int.negSucc n
-/
#guard_msgs in
example (z : Int) : z = z := by
  cases z with
  | ofNat n => done
  | negSucc n => done
