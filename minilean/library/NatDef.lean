/- Arithmetic and order on the natural numbers: the definitions, and what the decision procedures rest on. -/

universe u

@[default_instance 100] instance instOfNatNat (n : Nat) : OfNat Nat n := ⟨n⟩

instance instInhabitedNat : Inhabited Nat := ⟨Nat.zero⟩

/-- Addition, by recursion on the second argument. -/
@[extern "lean_nat_add"] protected def Nat.add : Nat → Nat → Nat
  | n, .zero => n
  | n, .succ m => .succ (Nat.add n m)

attribute [match_pattern] Nat.add

instance instAddNat : Add Nat := ⟨Nat.add⟩

/-- Multiplication, by recursion on the second argument. -/
@[extern "lean_nat_mul"] protected def Nat.mul : Nat → Nat → Nat
  | _, 0 => 0
  | a, .succ b => Nat.add (Nat.mul a b) a

/-- Powers, by recursion on the exponent. -/
@[extern "lean_nat_pow"] protected def Nat.pow (m : Nat) : Nat → Nat
  | 0 => 1
  | .succ n => Nat.mul (Nat.pow m n) m

/-- The predecessor; that of zero is zero. -/
@[extern "lean_nat_pred"] def Nat.pred : Nat → Nat
  | 0 => 0
  | .succ a => a

/-- Subtraction, stopping at zero. -/
@[extern "lean_nat_sub"] protected def Nat.sub : Nat → Nat → Nat
  | n, 0 => n
  | n, .succ m => Nat.pred (Nat.sub n m)

/-- The test for `<`. -/
def Nat.blt (n m : Nat) : Bool := Nat.ble (.succ n) m

instance instMulNat : Mul Nat := ⟨Nat.mul⟩

instance instSubNat : Sub Nat := ⟨Nat.sub⟩

instance instNatPowNat : NatPow Nat := ⟨Nat.pow⟩

/-- The recursor, with `0` and `n + 1` in its statement. The tactic `induction` uses it. -/
@[induction_eliminator]
protected abbrev Nat.recAux {motive : Nat → Sort u} (zero : motive 0)
    (succ : (n : Nat) → motive n → motive (n + 1)) (t : Nat) : motive t :=
  Nat.rec (motive := motive) zero succ t

/-- Case analysis, with `0` and `n + 1` in its statement. The tactic `cases` uses it. -/
@[cases_eliminator]
protected abbrev Nat.casesAuxOn {motive : Nat → Sort u} (t : Nat) (zero : motive 0)
    (succ : (n : Nat) → motive (n + 1)) : motive t :=
  Nat.casesOn (motive := motive) t zero succ

/- Equality is decidable -/

theorem Nat.beq_refl (a : Nat) : Nat.beq a a = Bool.true :=
  Nat.rec (motive := fun a => Nat.beq a a = Bool.true) rfl (fun _ ih => ih) a

/-- Equal elements have equal numbers: how constructors are told apart. -/
theorem noConfusion_of_Nat {α : Sort u} (f : α → Nat) {a b : α} (h : a = b) :
    (Nat.beq (f a) (f b)).rec (motive := fun _ => Prop) False True :=
  Eq.rec (motive := fun x _ => (Nat.beq (f a) (f x)).rec (motive := fun _ => Prop) False True)
    (Eq.mpr (congrArg (fun (t : Bool) => t.rec (motive := fun _ => Prop) False True) (Nat.beq_refl (f a))) True.intro) h

theorem Nat.eq_of_beq_eq_true {n m : Nat} : Nat.beq n m = Bool.true → n = m :=
  have aux : ∀ n m : Nat, Nat.beq n m = Bool.true → n = m := fun n =>
    Nat.rec (motive := fun n => ∀ m : Nat, Nat.beq n m = Bool.true → n = m)
      (fun m => Nat.casesOn (motive := fun m => Nat.beq Nat.zero m = Bool.true → Nat.zero = m) m
        (fun _ => rfl)
        (fun _ h => False.elim (Bool.false_ne_true h)))
      (fun n ih m => Nat.casesOn (motive := fun m => Nat.beq (Nat.succ n) m = Bool.true → Nat.succ n = m) m
        (fun h => False.elim (Bool.false_ne_true h))
        (fun m h => congrArg Nat.succ (ih m h)))
      n
  aux n m

theorem Nat.ne_of_beq_eq_false {n m : Nat} : Nat.beq n m = Bool.false → ¬(n = m) :=
  fun h e =>
    have e' : Nat.beq n n = Bool.false := Eq.subst (motive := fun x => Nat.beq n x = Bool.false) (Eq.symm e) h
    Bool.false_ne_true (Eq.trans (Eq.symm e') (Nat.beq_refl n))

/-- Decides an equation between numbers by computation. -/
@[extern "lean_nat_dec_eq"] protected def Nat.decEq (n m : Nat) : Decidable (n = m) :=
  dite (Nat.beq n m = Bool.true)
    (fun h => Decidable.isTrue (Nat.eq_of_beq_eq_true h))
    (fun h => Decidable.isFalse (fun e =>
      h (Eq.subst (motive := fun x => Nat.beq n x = Bool.true) e (Nat.beq_refl n))))

instance instDecidableEqNat : DecidableEq Nat := Nat.decEq

/- Order -/

/-- `n ≤ m`. -/
protected inductive Nat.le (n : Nat) : Nat → Prop where
  | refl : Nat.le n n
  | step {m : Nat} : Nat.le n m → Nat.le n (Nat.succ m)

instance instLENat : LE Nat := ⟨Nat.le⟩

/-- `n < m`, which is `n + 1 ≤ m`. -/
protected def Nat.lt (n m : Nat) : Prop := Nat.le (Nat.succ n) m

instance instLTNat : LT Nat := ⟨Nat.lt⟩

protected theorem Nat.le_refl (n : Nat) : n ≤ n := @Nat.le.refl n

theorem Nat.le_succ (n : Nat) : n ≤ Nat.succ n := Nat.le.step Nat.le.refl

theorem Nat.le_succ_of_le {n m : Nat} (h : n ≤ m) : n ≤ Nat.succ m := Nat.le.step h

theorem Nat.zero_le (n : Nat) : 0 ≤ n :=
  Nat.rec (motive := fun n => 0 ≤ n) (Nat.le_refl 0) (fun _ ih => Nat.le_succ_of_le ih) n

theorem Nat.succ_le_succ {n m : Nat} : n ≤ m → Nat.succ n ≤ Nat.succ m :=
  fun h => Nat.le.rec (motive := fun (k : Nat) _ => Nat.succ n ≤ Nat.succ k)
    (Nat.le_refl (Nat.succ n)) (fun _ ih => Nat.le_succ_of_le ih) h

theorem Nat.zero_lt_succ (n : Nat) : 0 < Nat.succ n :=
  @Nat.succ_le_succ 0 n (Nat.zero_le n)

theorem Nat.succ_pos (n : Nat) : 0 < Nat.succ n := Nat.zero_lt_succ n

protected theorem Nat.le_trans {n m k : Nat} : n ≤ m → m ≤ k → n ≤ k :=
  fun h₁ h₂ => Nat.le.rec (motive := fun (j : Nat) _ => n ≤ j) h₁ (fun _ ih => Nat.le_succ_of_le ih) h₂

protected theorem Nat.lt_of_lt_of_le {n m k : Nat} : n < m → m ≤ k → n < k :=
  @Nat.le_trans (Nat.succ n) m k

protected theorem Nat.lt_trans {n m k : Nat} (h₁ : n < m) : m < k → n < k :=
  @Nat.le_trans (Nat.succ n) (Nat.succ m) k (@Nat.le_succ_of_le (Nat.succ n) m h₁)

protected theorem Nat.lt_of_le_of_lt {n m k : Nat} (h₁ : n ≤ m) (h₂ : m < k) : n < k :=
  @Nat.le_trans (Nat.succ n) (Nat.succ m) k (Nat.succ_le_succ h₁) h₂

theorem Nat.not_succ_le_zero (n : Nat) : Nat.succ n ≤ 0 → False :=
  fun h => Nat.le.rec (n := Nat.succ n)
    (motive := fun (k : Nat) _ => Nat.rec (motive := fun _ => Prop) False (fun _ _ => True) k)
    True.intro (fun _ _ => True.intro) h

theorem Nat.not_lt_zero (n : Nat) : ¬n < 0 := Nat.not_succ_le_zero n

theorem Nat.pred_le (n : Nat) : Nat.pred n ≤ n :=
  Nat.casesOn (motive := fun n => Nat.pred n ≤ n) n (Nat.le_refl 0) (fun n => Nat.le_succ n)

theorem Nat.pred_le_pred {n m : Nat} : n ≤ m → Nat.pred n ≤ Nat.pred m :=
  fun h => Nat.le.rec (motive := fun (k : Nat) _ => Nat.pred n ≤ Nat.pred k)
    (Nat.le_refl (Nat.pred n)) (fun {k} _ ih => Nat.le_trans ih (Nat.pred_le k)) h

theorem Nat.le_of_succ_le_succ {n m : Nat} : Nat.succ n ≤ Nat.succ m → n ≤ m :=
  fun h => @Nat.pred_le_pred (Nat.succ n) (Nat.succ m) h

theorem Nat.le_of_lt_succ {m n : Nat} : m < Nat.succ n → m ≤ n :=
  fun h => @Nat.le_of_succ_le_succ m n h

theorem Nat.lt_succ_of_le {n m : Nat} : n ≤ m → n < Nat.succ m :=
  fun h => @Nat.succ_le_succ n m h

protected theorem Nat.lt_add_one (n : Nat) : n < n + 1 := Nat.le_refl (Nat.succ n)

theorem Nat.lt_succ_self (n : Nat) : n < Nat.succ n := Nat.lt_add_one n

theorem Nat.not_succ_le_self (n : Nat) : ¬Nat.succ n ≤ n :=
  Nat.rec (motive := fun n => ¬Nat.succ n ≤ n) (Nat.not_succ_le_zero Nat.zero)
    (fun _ ih h => ih (Nat.le_of_succ_le_succ h)) n

protected theorem Nat.lt_irrefl (n : Nat) : ¬n < n := Nat.not_succ_le_self n

protected theorem Nat.eq_or_lt_of_le {n m : Nat} : n ≤ m → n = m ∨ n < m :=
  fun h => Nat.le.rec (motive := fun (k : Nat) _ => n = k ∨ n < k)
    (Or.inl rfl) (fun {k} h _ => Or.inr (@Nat.lt_succ_of_le n k h)) h

protected theorem Nat.lt_or_ge (n m : Nat) : n < m ∨ n ≥ m :=
  Nat.rec (motive := fun m => n < m ∨ n ≥ m)
    (Or.inr (Nat.zero_le n))
    (fun m ih => Or.elim ih
      (fun h => Or.inl (@Nat.le_succ_of_le (Nat.succ n) m h))
      (fun h => Or.elim (@Nat.eq_or_lt_of_le m n h)
        (fun e => Or.inl (Eq.subst (motive := fun x => x < Nat.succ m) e (Nat.lt_succ_self m)))
        (fun h' => Or.inr h')))
    m

protected theorem Nat.le_antisymm {n m : Nat} (h₁ : n ≤ m) (h₂ : m ≤ n) : n = m :=
  Or.elim (Nat.eq_or_lt_of_le h₁) (fun e => e)
    (fun h => absurd (Nat.lt_of_lt_of_le h h₂) (Nat.lt_irrefl n))

protected theorem Nat.lt_of_le_of_ne {n m : Nat} (h₁ : n ≤ m) (h₂ : ¬(n = m)) : n < m :=
  Or.elim (Nat.eq_or_lt_of_le h₁) (fun e => absurd e h₂) (fun h => h)

protected theorem Nat.lt_of_not_le {a b : Nat} (h : ¬(a ≤ b)) : b < a :=
  Or.resolve_right (Nat.lt_or_ge b a) h

/- Order is decidable -/

theorem Nat.le_of_ble_eq_true {n m : Nat} (h : Nat.ble n m = Bool.true) : n ≤ m :=
  have aux : ∀ n m : Nat, Nat.ble n m = Bool.true → n ≤ m := fun n =>
    Nat.rec (motive := fun n => ∀ m : Nat, Nat.ble n m = Bool.true → n ≤ m)
      (fun m _ => Nat.zero_le m)
      (fun n ih m => Nat.casesOn (motive := fun m => Nat.ble (Nat.succ n) m = Bool.true → Nat.succ n ≤ m) m
        (fun h => False.elim (Bool.false_ne_true h))
        (fun m h => Nat.succ_le_succ (ih m h)))
      n
  aux n m h

theorem Nat.ble_self_eq_true (n : Nat) : Nat.ble n n = Bool.true :=
  Nat.rec (motive := fun n => Nat.ble n n = Bool.true) rfl (fun _ ih => ih) n

theorem Nat.ble_succ_eq_true {n m : Nat} : Nat.ble n m = Bool.true → Nat.ble n (Nat.succ m) = Bool.true :=
  have aux : ∀ n m : Nat, Nat.ble n m = Bool.true → Nat.ble n (Nat.succ m) = Bool.true := fun n =>
    Nat.rec (motive := fun n => ∀ m : Nat, Nat.ble n m = Bool.true → Nat.ble n (Nat.succ m) = Bool.true)
      (fun _ _ => rfl)
      (fun n ih m => Nat.casesOn (motive := fun m =>
          Nat.ble (Nat.succ n) m = Bool.true → Nat.ble (Nat.succ n) (Nat.succ m) = Bool.true) m
        (fun h => False.elim (Bool.false_ne_true h))
        (fun m h => ih m h))
      n
  aux n m

theorem Nat.ble_eq_true_of_le {n m : Nat} (h : n ≤ m) : Nat.ble n m = Bool.true :=
  Nat.le.rec (motive := fun (k : Nat) _ => Nat.ble n k = Bool.true)
    (Nat.ble_self_eq_true n) (fun _ ih => Nat.ble_succ_eq_true ih) h

theorem Nat.not_le_of_not_ble_eq_true {n m : Nat} (h : ¬(Nat.ble n m = Bool.true)) : ¬(n ≤ m) :=
  fun h' => h (Nat.ble_eq_true_of_le h')

@[extern "lean_nat_dec_le"] instance Nat.decLe (n m : Nat) : Decidable (n ≤ m) :=
  dite (Nat.ble n m = Bool.true)
    (fun h => Decidable.isTrue (Nat.le_of_ble_eq_true h))
    (fun h => Decidable.isFalse (Nat.not_le_of_not_ble_eq_true h))

@[extern "lean_nat_dec_lt"] instance Nat.decLt (n m : Nat) : Decidable (n < m) := Nat.decLe (Nat.succ n) m

instance instMinNat : Min Nat := ⟨fun n m => ite (n ≤ m) n m⟩

instance Nat.instMax : Max Nat := ⟨fun n m => ite (n ≤ m) m n⟩

/-- The lesser of two numbers, as `min n m`. -/
protected abbrev Nat.min (n m : Nat) : Nat := Min.min n m

/-- The greater of two numbers, as `max n m`. -/
protected abbrev Nat.max (n m : Nat) : Nat := Max.max n m

/- Chains of `<` and `≤`, for `calc` -/

instance Nat.instTransLt : Trans (@LT.lt Nat instLTNat) (@LT.lt Nat instLTNat) (@LT.lt Nat instLTNat) :=
  ⟨fun h₁ h₂ => Nat.lt_trans h₁ h₂⟩

instance Nat.instTransLe : Trans (@LE.le Nat instLENat) (@LE.le Nat instLENat) (@LE.le Nat instLENat) :=
  ⟨fun h₁ h₂ => Nat.le_trans h₁ h₂⟩

instance Nat.instTransLtLe : Trans (@LT.lt Nat instLTNat) (@LE.le Nat instLENat) (@LT.lt Nat instLTNat) :=
  ⟨fun h₁ h₂ => Nat.lt_of_lt_of_le h₁ h₂⟩

instance Nat.instTransLeLt : Trans (@LE.le Nat instLENat) (@LT.lt Nat instLTNat) (@LT.lt Nat instLTNat) :=
  ⟨fun h₁ h₂ => Nat.lt_of_le_of_lt h₁ h₂⟩

/- Positivity -/

protected theorem Nat.add_pos_right {b : Nat} (a : Nat) (hb : 0 < b) : 0 < a + b :=
  Nat.casesOn (motive := fun b => 0 < b → 0 < a + b) b
    (fun h => absurd h (Nat.lt_irrefl 0)) (fun b _ => Nat.zero_lt_succ (a + b)) hb

protected theorem Nat.mul_pos {n m : Nat} (hn : 0 < n) (hm : 0 < m) : 0 < n * m :=
  Nat.casesOn (motive := fun m => 0 < m → 0 < n * m) m
    (fun h => absurd h (Nat.lt_irrefl 0)) (fun m _ => Nat.add_pos_right (n * m) hn) hm

protected theorem Nat.pow_pos {a n : Nat} (h : 0 < a) : 0 < a ^ n :=
  Nat.rec (motive := fun n => 0 < a ^ n) (Nat.zero_lt_succ 0) (fun _ ih => Nat.mul_pos ih h) n
