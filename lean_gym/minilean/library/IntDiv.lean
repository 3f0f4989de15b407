/- Division, remainder and divisibility of integers. -/

theorem Nat.emod_pos_of_not_dvd {a b : Nat} (h : ¬a ∣ b) : 0 < b % a :=
  Nat.pos_of_ne_zero (fun e => h (Nat.dvd_of_mod_eq_zero e))

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

@[simp] theorem emod_zero (a : Int) : a % 0 = a := by cases a <;> rfl

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

end Int
