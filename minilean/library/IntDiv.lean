/- Division, remainder and divisibility of integers. -/

theorem Nat.emod_pos_of_not_dvd {a b : Nat} (h : ¬a ∣ b) : 0 < b % a :=
  Nat.pos_of_ne_zero (fun e => h (Nat.dvd_of_mod_eq_zero e))

protected theorem Nat.div_eq_of_lt_le {k n m : Nat} (lo : k * n ≤ m) (hi : m < (k + 1) * n) : m / n = k := by
  have e : n * k + (m - k * n) = m := by rw [Nat.mul_comm n k]; exact Nat.add_sub_of_le lo
  rw [Nat.succ_mul] at hi
  have small : m - k * n < n := (Nat.sub_lt_iff_lt_add' lo).mpr hi
  exact (Nat.div_mod_unique (Nat.lt_of_le_of_lt (Nat.zero_le (m - k * n)) small) e small).left

namespace Int

/- Casts -/

theorem natCast_ediv (m n : Nat) : (↑(m / n) : Int) = ↑m / ↑n := rfl

@[simp] theorem natCast_emod (m n : Nat) : (↑(m % n) : Int) = m % n := rfl

/- Zero -/

@[simp] theorem zero_ediv (b : Int) : 0 / b = 0 := by
  cases b with
  | ofNat n => exact congrArg ofNat (Nat.zero_div n)
  | negSucc n => exact congrArg (fun x => -ofNat x) (Nat.zero_div (n + 1))

@[simp] protected theorem ediv_zero (a : Int) : a / 0 = 0 := by
  cases a with
  | ofNat n => exact congrArg ofNat (Nat.div_zero n)
  | negSucc n => rfl

@[simp] theorem zero_emod (b : Int) : 0 % b = 0 := congrArg ofNat (Nat.zero_mod (natAbs b))

@[simp] theorem emod_zero (a : Int) : a % 0 = a := by
  cases a with
  | ofNat n => exact congrArg ofNat (Nat.mod_zero n)
  | negSucc n => exact congrArg negSucc (Nat.mod_zero n)

/- Quotient and remainder -/

theorem emod_add_ediv (a b : Int) : a % b + b * (a / b) = a := by
  have neg : ∀ m n : Nat, subNatNat n (m % n + 1) + (ofNat n * -(ofNat (m / n) + 1)) = negSucc m := fun m n => by
    rw [subNatNat_eq_coe, Int.mul_neg, Int.mul_add, Int.mul_one, Int.neg_add]
    have e : (↑(m % n) : Int) + ↑n * ↑(m / n) = ↑m := congrArg ofNat (Nat.mod_add_div m n)
    show (↑n : Int) + -(↑(m % n) + 1) + (-(↑n * ↑(m / n)) + -↑n) = -(↑m + 1)
    rw [← e, Int.add_comm (-(↑n * ↑(m / n))), Int.add_assoc, Int.add_left_comm _ (-↑n), ← Int.add_assoc,
      Int.add_right_neg, Int.zero_add, ← Int.neg_add, Int.add_right_comm]
  cases a with
  | ofNat m =>
    cases b with
    | ofNat n => exact congrArg ofNat (Nat.mod_add_div m n)
    | negSucc n =>
      show ofNat (m % (n + 1)) + -ofNat (n + 1) * -ofNat (m / (n + 1)) = ofNat m
      rw [Int.neg_mul_neg]
      exact congrArg ofNat (Nat.mod_add_div m (n + 1))
  | negSucc m =>
    cases b with
    | ofNat n =>
      cases n with
      | zero =>
        show negSucc m % 0 + 0 * (negSucc m / 0) = negSucc m
        rw [emod_zero, Int.zero_mul, Int.add_zero]
      | succ n => exact neg m (n + 1)
    | negSucc n =>
      have e := neg m (n + 1)
      rw [← Int.neg_mul_comm] at e
      exact e

theorem ediv_add_emod (a b : Int) : b * (a / b) + a % b = a := by rw [Int.add_comm, emod_add_ediv]

theorem emod_add_ediv' (a b : Int) : a % b + a / b * b = a := by rw [Int.mul_comm, emod_add_ediv]

theorem ediv_add_emod' (a b : Int) : a / b * b + a % b = a := by rw [Int.mul_comm, ediv_add_emod]

theorem emod_def (a b : Int) : a % b = a - b * (a / b) := by
  have e := Int.add_sub_cancel (a % b) (b * (a / b))
  rw [emod_add_ediv] at e
  exact e.symm

protected theorem div_def (a b : Int) : a / b = Int.ediv a b := rfl

theorem emod_nonneg (a : Int) {b : Int} (h : b ≠ 0) : 0 ≤ a % b := by
  cases a with
  | ofNat m => exact ofNat_zero_le (m % natAbs b)
  | negSucc m =>
    show 0 ≤ subNatNat (natAbs b) (m % natAbs b + 1)
    rw [subNatNat_of_le (Nat.mod_lt m (natAbs_pos.mpr h))]
    exact ofNat_zero_le _

theorem emod_lt_of_pos (a : Int) {b : Int} (H : 0 < b) : a % b < b := by
  have ⟨n, e⟩ := eq_succ_of_zero_lt H
  have e' : b = ofNat (n + 1) := e
  rw [e']
  cases a with
  | ofNat m => exact ofNat_lt.mpr (Nat.mod_lt m (Nat.succ_pos n))
  | negSucc m =>
    show subNatNat (n + 1) (m % (n + 1) + 1) < ofNat (n + 1)
    rw [subNatNat_of_le (Nat.mod_lt m (Nat.succ_pos n))]
    exact ofNat_lt.mpr (Nat.sub_lt (Nat.succ_pos n) (Nat.succ_pos _))

@[simp] theorem ediv_neg (a b : Int) : a / (-b) = -(a / b) := by
  cases a with
  | ofNat m =>
    cases b with
    | ofNat n =>
      cases n with
      | zero =>
        show ofNat m / 0 = -(ofNat m / 0)
        rw [Int.ediv_zero]
        rfl
      | succ n => rfl
    | negSucc n => exact (Int.neg_neg (ofNat (m / (n + 1)))).symm
  | negSucc m =>
    cases b with
    | ofNat n => cases n <;> rfl
    | negSucc n => rfl

@[simp] theorem emod_neg (a b : Int) : a % -b = a % b := by
  rw [emod_def, emod_def, ediv_neg, Int.neg_mul_neg]

theorem mul_ediv_self_le {x k : Int} (h : k ≠ 0) : k * (x / k) ≤ x := by
  have e := Int.add_le_add_left (emod_nonneg x h) (k * (x / k))
  rw [Int.add_zero, ediv_add_emod] at e
  exact e

theorem lt_mul_ediv_self_add {x k : Int} (h : 0 < k) : x < k * (x / k) + k := by
  have e := Int.add_lt_add_left (emod_lt_of_pos x h) (k * (x / k))
  rw [ediv_add_emod] at e
  exact e

/- Divisibility -/

protected theorem dvd_def (a b : Int) : (a ∣ b) = Exists (fun c => b = a * c) := rfl

@[simp] protected theorem dvd_zero (n : Int) : n ∣ 0 := ⟨0, (Int.mul_zero n).symm⟩

@[simp] protected theorem dvd_refl (n : Int) : n ∣ n := ⟨1, (Int.mul_one n).symm⟩

@[simp] protected theorem one_dvd (n : Int) : 1 ∣ n := ⟨n, (Int.one_mul n).symm⟩

protected theorem dvd_trans {a b c : Int} (h₁ : a ∣ b) (h₂ : b ∣ c) : a ∣ c :=
  have ⟨d, hd⟩ := h₁
  have ⟨e, he⟩ := h₂
  ⟨d * e, by rw [he, hd, Int.mul_assoc]⟩

@[simp] protected theorem zero_dvd {n : Int} : 0 ∣ n ↔ n = 0 :=
  ⟨fun ⟨k, e⟩ => by rw [e, Int.zero_mul], fun h => by rw [h]; exact Int.dvd_refl 0⟩

@[simp] protected theorem dvd_mul_right (a b : Int) : a ∣ a * b := ⟨b, rfl⟩

@[simp] protected theorem dvd_mul_left (a b : Int) : b ∣ a * b := ⟨a, Int.mul_comm a b⟩

protected theorem dvd_add {a b c : Int} (h₁ : a ∣ b) (h₂ : a ∣ c) : a ∣ b + c :=
  have ⟨d, hd⟩ := h₁
  have ⟨e, he⟩ := h₂
  ⟨d + e, by rw [hd, he, Int.mul_add]⟩

protected theorem dvd_sub {a b c : Int} (h₁ : a ∣ b) (h₂ : a ∣ c) : a ∣ b - c :=
  have ⟨d, hd⟩ := h₁
  have ⟨e, he⟩ := h₂
  ⟨d - e, by rw [hd, he, Int.mul_sub]⟩

@[simp] protected theorem neg_dvd {a b : Int} : -a ∣ b ↔ a ∣ b :=
  ⟨fun ⟨k, e⟩ => ⟨-k, by rw [e, Int.neg_mul_comm]⟩, fun ⟨k, e⟩ => ⟨-k, by rw [e, Int.neg_mul_neg]⟩⟩

@[simp] protected theorem dvd_neg {a b : Int} : a ∣ -b ↔ a ∣ b :=
  ⟨fun ⟨k, e⟩ => ⟨-k, by rw [Int.mul_neg, ← e, Int.neg_neg]⟩, fun ⟨k, e⟩ => ⟨-k, by rw [e, Int.mul_neg]⟩⟩

@[simp] theorem natAbs_dvd_natAbs {a b : Int} : natAbs a ∣ natAbs b ↔ a ∣ b := by
  constructor
  · intro ⟨k, e⟩
    rw [← natAbs_natCast k, ← natAbs_mul] at e
    cases natAbs_eq_natAbs_iff.mp e with
    | inl h => exact ⟨k, h⟩
    | inr h => exact ⟨-k, by rw [h, Int.mul_neg]⟩
  · intro ⟨k, e⟩
    exact ⟨natAbs k, by rw [e, natAbs_mul]⟩

theorem ofNat_dvd {m n : Nat} : (↑m : Int) ∣ ↑n ↔ m ∣ n := @Iff.symm _ _ (@natAbs_dvd_natAbs m n)

@[simp] theorem mul_emod_right (a b : Int) : (a * b) % a = 0 := by
  have h : natAbs a ∣ natAbs (a * b) := natAbs_dvd_natAbs.mpr (Int.dvd_mul_right a b)
  cases e : a * b with
  | ofNat m =>
    rw [e] at h
    exact congrArg ofNat (Nat.mod_eq_zero_of_dvd h)
  | negSucc m =>
    rw [e] at h
    have ⟨k, ek⟩ := h
    show subNatNat (natAbs a) (m % natAbs a + 1) = 0
    cases ha : natAbs a with
    | zero => rw [ha, Nat.zero_mul] at ek; cases ek
    | succ c =>
      cases k with
      | zero => rw [Nat.mul_zero] at ek; cases ek
      | succ k =>
        rw [ha, Nat.mul_succ] at ek
        have em : m = (c + 1) * k + c := Nat.succ.inj ek
        rw [(Nat.div_mod_unique (Nat.succ_pos c) em.symm (Nat.lt_succ_self c)).right]
        exact subNatNat_self (c + 1)

@[simp] theorem mul_emod_left (a b : Int) : (a * b) % b = 0 := by rw [Int.mul_comm, mul_emod_right]

@[simp] theorem emod_self {a : Int} : a % a = 0 := by
  have e := mul_emod_left 1 a
  rw [Int.one_mul] at e
  exact e

theorem dvd_of_emod_eq_zero {a b : Int} (H : b % a = 0) : a ∣ b :=
  ⟨b / a, by have e := ediv_add_emod b a; rw [H, Int.add_zero] at e; exact e.symm⟩

theorem emod_eq_zero_of_dvd {a b : Int} (h : a ∣ b) : b % a = 0 := by
  have ⟨k, e⟩ := h
  rw [e, mul_emod_right]

theorem dvd_iff_emod_eq_zero {a b : Int} : a ∣ b ↔ b % a = 0 := ⟨emod_eq_zero_of_dvd, dvd_of_emod_eq_zero⟩

instance decidable_dvd (a b : Int) : Decidable (a ∣ b) :=
  decidable_of_iff (b % a = 0) dvd_iff_emod_eq_zero.symm

theorem emod_pos_of_not_dvd {a b : Int} (h : ¬a ∣ b) : a = 0 ∨ 0 < b % a := by
  by_cases w : a = 0
  · exact Or.inl w
  · exact Or.inr (Int.lt_of_le_of_ne (emod_nonneg b w) (fun e => h (dvd_of_emod_eq_zero e.symm)))

end Int
