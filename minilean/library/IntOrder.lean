/- The order of the integers, absolute value, `toNat`, minimum and maximum. -/

namespace Int

theorem nonneg_def {a : Int} : NonNeg a ↔ ∃ n : Nat, a = n := by
  constructor
  · intro h
    cases h with
    | mk n => exact ⟨n, rfl⟩
  · intro ⟨n, e⟩
    rw [e]
    exact NonNeg.mk n

theorem le_def {a b : Int} : a ≤ b ↔ NonNeg (b - a) := Iff.rfl

theorem lt_iff_add_one_le {a b : Int} : a < b ↔ a + 1 ≤ b := Iff.rfl

theorem add_one_le_iff {a b : Int} : a + 1 ≤ b ↔ a < b := Iff.rfl

theorem add_one_le_of_lt {a b : Int} (H : a < b) : a + 1 ≤ b := H

theorem lt_of_add_one_le {a b : Int} (H : a + 1 ≤ b) : a < b := H

theorem le.intro_sub {a b : Int} (n : Nat) (h : b - a = n) : a ≤ b := nonneg_def.mpr ⟨n, h⟩

theorem le.intro {a b : Int} (n : Nat) (h : a + n = b) : a ≤ b :=
  le.intro_sub n (by rw [← h, Int.add_comm, Int.add_sub_cancel])

theorem le.dest_sub {a b : Int} (h : a ≤ b) : ∃ n : Nat, b - a = n := nonneg_def.mp h

theorem le.dest {a b : Int} (h : a ≤ b) : ∃ n : Nat, a + n = b :=
  have ⟨n, e⟩ := le.dest_sub h
  ⟨n, by rw [← e, Int.add_comm, Int.sub_add_cancel]⟩

@[simp] theorem ofNat_le {m n : Nat} : (↑m : Int) ≤ ↑n ↔ m ≤ n :=
  ⟨fun h => have ⟨_, e⟩ := le.dest h; Nat.le.intro (ofNat_inj.mp e),
   fun h => have ⟨k, e⟩ := Nat.le.dest h; le.intro k (by rw [← e]; rfl)⟩

@[simp] theorem ofNat_lt {n m : Nat} : (↑n : Int) < ↑m ↔ n < m := @ofNat_le (n + 1) m

@[simp] theorem ofNat_zero_le (n : Nat) : 0 ≤ (↑n : Int) := ofNat_le.mpr (Nat.zero_le n)

theorem natCast_nonneg (n : Nat) : 0 ≤ (n : Int) := ofNat_zero_le n

@[simp] theorem natCast_pos {n : Nat} : (0 : Int) < n ↔ 0 < n := ofNat_lt

theorem ofNat_succ_pos (n : Nat) : 0 < (Nat.succ n : Int) := ofNat_lt.mpr (Nat.succ_pos n)

theorem eq_ofNat_of_zero_le {a : Int} (h : 0 ≤ a) : ∃ n : Nat, a = n :=
  have ⟨n, e⟩ := le.dest h
  ⟨n, by rw [← e, Int.zero_add]⟩

theorem eq_succ_of_zero_lt {a : Int} (h : 0 < a) : ∃ n : Nat, a = n + 1 :=
  have ⟨n, e⟩ := le.dest h
  ⟨n, by rw [← e, Int.zero_add, Int.add_comm]⟩

@[simp] protected theorem le_refl (a : Int) : a ≤ a := le.intro 0 (Int.add_zero a)

protected theorem le_rfl {a : Int} : a ≤ a := Int.le_refl a

protected theorem le_of_eq {a b : Int} (hab : a = b) : a ≤ b := by rw [hab]; exact Int.le_refl b

protected theorem ge_of_eq {a b : Int} (hab : a = b) : b ≤ a := Int.le_of_eq hab.symm

protected theorem le_trans {a b c : Int} (h₁ : a ≤ b) (h₂ : b ≤ c) : a ≤ c :=
  have ⟨n, hn⟩ := le.dest h₁
  have ⟨m, hm⟩ := le.dest h₂
  le.intro (n + m) (by rw [← hm, ← hn, Int.add_assoc, natCast_add])

protected theorem le_antisymm {a b : Int} (h₁ : a ≤ b) (h₂ : b ≤ a) : a = b := by
  have ⟨n, hn⟩ := le.dest h₁
  have ⟨m, hm⟩ := le.dest h₂
  rw [← hn, Int.add_assoc] at hm
  have e : n + m = 0 := ofNat_inj.mp (Int.add_left_cancel (hm.trans (Int.add_zero a).symm))
  rw [← hn, (Nat.add_eq_zero_iff.mp e).left]
  exact (Int.add_zero a).symm

protected theorem le_total (a b : Int) : a ≤ b ∨ b ≤ a := by
  have e : -(b - a) = a - b := Int.neg_sub b a
  cases h : b - a with
  | ofNat n => exact Or.inl (le.intro_sub n h)
  | negSucc n =>
    rw [h] at e
    exact Or.inr (le.intro_sub (n + 1) e.symm)

protected theorem add_le_add_left {a b : Int} (h : a ≤ b) (c : Int) : c + a ≤ c + b :=
  have ⟨n, e⟩ := le.dest h
  le.intro n (by rw [Int.add_assoc, e])

protected theorem add_le_add_right {a b : Int} (h : a ≤ b) (c : Int) : a + c ≤ b + c := by
  rw [Int.add_comm a, Int.add_comm b]
  exact Int.add_le_add_left h c

protected theorem add_lt_add_left {a b : Int} (h : a < b) (c : Int) : c + a < c + b := by
  rw [lt_iff_add_one_le, Int.add_assoc]
  exact Int.add_le_add_left h c

protected theorem add_lt_add_right {a b : Int} (h : a < b) (c : Int) : a + c < b + c := by
  rw [Int.add_comm a, Int.add_comm b]
  exact Int.add_lt_add_left h c

protected theorem le_of_add_le_add_left {a b c : Int} (h : a + b ≤ a + c) : b ≤ c := by
  have e := Int.add_le_add_left h (-a)
  rw [Int.neg_add_cancel_left, Int.neg_add_cancel_left] at e
  exact e

protected theorem le_of_add_le_add_right {a b c : Int} (h : a + b ≤ c + b) : a ≤ c :=
  Int.le_of_add_le_add_left (by rw [Int.add_comm b, Int.add_comm b]; exact h)

@[simp] protected theorem lt_irrefl (a : Int) : ¬a < a := fun h =>
  have ⟨n, e⟩ := le.dest h
  Nat.succ_ne_zero n (ofNat_inj.mp (Int.add_left_cancel
    (show a + (↑(n + 1) : Int) = a + 0 from by rw [Int.add_zero, natCast_add, Int.add_comm ↑n, ← Int.add_assoc]; exact e)))

protected theorem lt_succ (a : Int) : a < a + 1 := Int.le_refl (a + 1)

protected theorem le_of_lt {a b : Int} (h : a < b) : a ≤ b := Int.le_trans (le.intro 1 rfl) h

protected theorem lt_of_lt_of_le {a b c : Int} (h₁ : a < b) (h₂ : b ≤ c) : a < c := Int.le_trans h₁ h₂

protected theorem lt_of_le_of_lt {a b c : Int} (h₁ : a ≤ b) (h₂ : b < c) : a < c :=
  Int.le_trans (Int.add_le_add_right h₁ 1) h₂

protected theorem lt_trans {a b c : Int} (h₁ : a < b) (h₂ : b < c) : a < c :=
  Int.lt_of_le_of_lt (Int.le_of_lt h₁) h₂

protected theorem lt_of_le_of_ne {a b : Int} (h₁ : a ≤ b) (h₂ : a ≠ b) : a < b := by
  have ⟨n, e⟩ := le.dest h₁
  cases n with
  | zero => exact absurd ((Int.add_zero a).symm.trans e) h₂
  | succ n => exact le.intro n (by rw [← e, Int.add_assoc, Int.add_comm 1]; rfl)

protected theorem not_le_of_gt {a b : Int} (h : b < a) : ¬a ≤ b :=
  fun h' => Int.lt_irrefl b (Int.lt_of_lt_of_le h h')

protected theorem not_lt_of_ge {a b : Int} (h : b ≤ a) : ¬a < b :=
  fun h' => Int.lt_irrefl a (Int.lt_of_lt_of_le h' h)

protected theorem lt_of_not_ge {a b : Int} (h : ¬a ≤ b) : b < a :=
  Int.lt_of_le_of_ne (Or.resolve_left (Int.le_total a b) h) (fun e => h (Int.ge_of_eq e))

protected theorem le_of_not_gt {a b : Int} (h : ¬a > b) : a ≤ b :=
  Decidable.byContradiction (fun h' => h (Int.lt_of_not_ge h'))

protected theorem le_of_not_lt {a b : Int} (h : ¬a < b) : b ≤ a := Int.le_of_not_gt h

protected theorem le_of_not_le {a b : Int} (h : ¬a ≤ b) : b ≤ a := Or.resolve_left (Int.le_total a b) h

protected theorem lt_trichotomy (a b : Int) : a < b ∨ a = b ∨ b < a :=
  if h : a ≤ b then
    if e : a = b then Or.inr (Or.inl e) else Or.inl (Int.lt_of_le_of_ne h e)
  else Or.inr (Or.inr (Int.lt_of_not_ge h))

protected theorem lt_or_gt_of_ne {a b : Int} (h : a ≠ b) : a < b ∨ b < a :=
  Or.elim (Int.lt_trichotomy a b) Or.inl (fun h' => Or.inr (Or.resolve_left h' h))

protected theorem ne_of_lt {a b : Int} (h : a < b) : a ≠ b := fun e => by rw [e] at h; exact Int.lt_irrefl b h

protected theorem ne_of_gt {a b : Int} (h : b < a) : a ≠ b := Ne.symm (Int.ne_of_lt h)

@[simp] protected theorem not_le {a b : Int} : ¬a ≤ b ↔ b < a := ⟨Int.lt_of_not_ge, Int.not_le_of_gt⟩

@[simp] protected theorem not_lt {a b : Int} : ¬a < b ↔ b ≤ a := ⟨Int.le_of_not_lt, Int.not_lt_of_ge⟩

protected theorem lt_or_le (a b : Int) : a < b ∨ b ≤ a :=
  if h : a < b then Or.inl h else Or.inr (Int.le_of_not_lt h)

instance instTransLe : Trans (@LE.le Int instLEInt) (@LE.le Int instLEInt) (@LE.le Int instLEInt) :=
  ⟨fun h₁ h₂ => Int.le_trans h₁ h₂⟩

instance instTransLtLe : Trans (@LT.lt Int instLTInt) (@LE.le Int instLEInt) (@LT.lt Int instLTInt) :=
  ⟨fun h₁ h₂ => Int.lt_of_lt_of_le h₁ h₂⟩

instance instTransLeLt : Trans (@LE.le Int instLEInt) (@LT.lt Int instLTInt) (@LT.lt Int instLTInt) :=
  ⟨fun h₁ h₂ => Int.lt_of_le_of_lt h₁ h₂⟩

instance instTransLt : Trans (@LT.lt Int instLTInt) (@LT.lt Int instLTInt) (@LT.lt Int instLTInt) :=
  ⟨fun h₁ h₂ => Int.lt_trans h₁ h₂⟩

/- Signs -/

@[simp] theorem negSucc_lt_zero (n : Nat) : negSucc n < 0 :=
  le.intro n (by rw [Int.add_assoc, Int.add_comm 1]; exact subNatNat_self (n + 1))

theorem negSucc_le_zero (n : Nat) : negSucc n ≤ 0 := Int.le_of_lt (negSucc_lt_zero n)

theorem eq_negSucc_of_lt_zero {a : Int} (h : a < 0) : ∃ n : Nat, a = negSucc n := by
  cases a with
  | ofNat n => exact absurd h (Int.not_lt_of_ge (ofNat_zero_le n))
  | negSucc n => exact ⟨n, rfl⟩

protected theorem neg_le_neg {a b : Int} (h : a ≤ b) : -b ≤ -a := by
  have ⟨n, e⟩ := le.dest h
  exact le.intro n (by rw [← e, Int.neg_add, Int.add_assoc, Int.add_left_neg, Int.add_zero])

protected theorem sub_nonneg_of_le {a b : Int} (h : b ≤ a) : 0 ≤ a - b := by
  have e := Int.add_le_add_right h (-b)
  rw [Int.add_right_neg] at e
  exact e

/- Natural numbers from integers -/

theorem toNat_sub_toNat_neg (n : Int) : ↑n.toNat - ↑(-n).toNat = n := by
  cases n with
  | ofNat n => cases n <;> rfl
  | negSucc n => rfl

@[simp] theorem toNat_add_toNat_neg_eq_natAbs (n : Int) : n.toNat + (-n).toNat = n.natAbs := by
  cases n with
  | ofNat n => cases n <;> rfl
  | negSucc n => exact Nat.zero_add (n + 1)

@[simp] theorem toNat_zero : (0 : Int).toNat = 0 := rfl

@[simp] theorem toNat_one : (1 : Int).toNat = 1 := rfl

@[simp] theorem toNat_natCast (n : Nat) : toNat ↑n = n := rfl

@[simp] theorem toNat_natCast_add_one {n : Nat} : ((n : Int) + 1).toNat = n + 1 := rfl

@[simp] theorem toNat_negSucc (n : Nat) : (negSucc n).toNat = 0 := rfl

@[simp] theorem toNat_neg_nat (n : Nat) : (-(n : Int)).toNat = 0 := by cases n <;> rfl

theorem toNat_of_nonneg {a : Int} (h : 0 ≤ a) : (toNat a : Int) = a := by
  have ⟨n, e⟩ := eq_ofNat_of_zero_le h
  rw [e]
  rfl

theorem toNat_of_nonpos {z : Int} (h : z ≤ 0) : z.toNat = 0 := by
  cases z with
  | ofNat n => exact Nat.eq_zero_of_le_zero (ofNat_le.mp h)
  | negSucc n => rfl

@[simp] theorem natAbs_natCast (n : Nat) : natAbs ↑n = n := rfl

@[simp] theorem natAbs_ofNat' (n : Nat) : natAbs (ofNat n) = n := rfl

@[simp] theorem natAbs_negSucc (n : Nat) : natAbs (negSucc n) = Nat.succ n := rfl

@[simp] theorem natAbs_zero : natAbs (0 : Int) = (0 : Nat) := rfl

@[simp] theorem natAbs_one : natAbs (1 : Int) = (1 : Nat) := rfl

@[simp] theorem natAbs_eq_zero {a : Int} : natAbs a = 0 ↔ a = 0 := by
  constructor
  · intro h
    cases a with
    | ofNat n => exact congrArg ofNat h
    | negSucc n => cases h
  · intro h
    rw [h]
    rfl

@[simp] theorem natAbs_pos {a : Int} : 0 < natAbs a ↔ a ≠ 0 := by
  rw [Nat.pos_iff_ne_zero, ne_eq, natAbs_eq_zero]

@[simp] theorem natAbs_neg (a : Int) : natAbs (-a) = natAbs a := by
  cases a with
  | ofNat n => cases n <;> rfl
  | negSucc n => rfl

theorem natAbs_eq (a : Int) : a = natAbs a ∨ a = -↑(natAbs a) := by
  cases a with
  | ofNat n => exact Or.inl rfl
  | negSucc n => exact Or.inr rfl

theorem natAbs_negOfNat (n : Nat) : natAbs (negOfNat n) = n := by cases n <;> rfl

theorem natAbs_mul (a b : Int) : natAbs (a * b) = natAbs a * natAbs b := by
  cases a <;> cases b <;> first | rfl | exact natAbs_negOfNat _

theorem natAbs_of_nonneg {a : Int} (H : 0 ≤ a) : (natAbs a : Int) = a := by
  have ⟨n, e⟩ := eq_ofNat_of_zero_le H
  rw [e]
  rfl

theorem ofNat_natAbs_of_nonpos {a : Int} (H : a ≤ 0) : (natAbs a : Int) = -a := by
  rw [← natAbs_neg, natAbs_of_nonneg (Int.neg_le_neg H)]

theorem eq_natAbs_of_nonneg {a : Int} (h : 0 ≤ a) : a = natAbs a := (natAbs_of_nonneg h).symm

theorem natAbs_eq_natAbs_iff {a b : Int} : a.natAbs = b.natAbs ↔ a = b ∨ a = -b := by
  constructor
  · intro h
    cases natAbs_eq a with
    | inl h₁ =>
      cases natAbs_eq b with
      | inl h₂ => exact Or.inl (by rw [h₁, h₂, h])
      | inr h₂ => exact Or.inr (by rw [h₁, h₂, h, Int.neg_neg])
    | inr h₁ =>
      cases natAbs_eq b with
      | inl h₂ => exact Or.inr (by rw [h₁, h, ← h₂])
      | inr h₂ => exact Or.inl (by rw [h₁, h, ← h₂])
  · intro h
    cases h with
    | inl h => rw [h]
    | inr h => rw [h, natAbs_neg]

/- Minimum and maximum -/

protected theorem min_def (n m : Int) : min n m = if n ≤ m then n else m := rfl

protected theorem max_def (n m : Int) : max n m = if n ≤ m then m else n := rfl

protected theorem min_eq_left {a b : Int} (h : a ≤ b) : min a b = a := if_pos h

protected theorem max_eq_right {a b : Int} (h : a ≤ b) : max a b = b := if_pos h

protected theorem min_eq_right {a b : Int} (h : b ≤ a) : min a b = b :=
  if h' : a ≤ b then (if_pos h').trans (Int.le_antisymm h' h) else if_neg h'

protected theorem max_eq_left {a b : Int} (h : b ≤ a) : max a b = a :=
  if h' : a ≤ b then (if_pos h').trans (Int.le_antisymm h h') else if_neg h'

end Int
