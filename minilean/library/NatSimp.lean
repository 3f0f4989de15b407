/- Natural numbers: what `simp` knows of products, quotients, remainders and powers beyond their first facts. -/

namespace Nat

variable {a b c d k l m n w x : Nat}

@[simp] protected theorem min_self_assoc : min m (min m n) = min m n := by
  rw [← Nat.min_assoc, Nat.min_self]

@[simp] protected theorem min_self_assoc' : min n (min m n) = min n m := by
  rw [Nat.min_comm m n, ← Nat.min_assoc, Nat.min_self]

@[simp] protected theorem sub_add_min_cancel (n m : Nat) : n - m + min n m = n := by
  cases Nat.le_total n m with
  | inl h => rw [Nat.sub_eq_zero_of_le h, Nat.min_eq_left h, Nat.zero_add]
  | inr h => rw [Nat.min_eq_right h, Nat.sub_add_cancel h]

@[simp] theorem min_eq_zero_iff : min m n = 0 ↔ m = 0 ∨ n = 0 := by
  constructor
  · intro h
    cases Nat.le_total m n with
    | inl k => rw [Nat.min_eq_left k] at h; exact Or.inl h
    | inr k => rw [Nat.min_eq_right k] at h; exact Or.inr h
  · intro h
    cases h with
    | inl e => rw [e, Nat.zero_min]
    | inr e => rw [e, Nat.min_zero]

@[simp] theorem max_eq_zero_iff : max m n = 0 ↔ m = 0 ∧ n = 0 := by
  constructor
  · intro h
    have k := Nat.le_max_left m n
    have l := Nat.le_max_right m n
    rw [h] at k l
    exact ⟨Nat.eq_zero_of_le_zero k, Nat.eq_zero_of_le_zero l⟩
  · intro h
    rw [h.left, h.right]
    rfl

@[simp] protected theorem mul_pos_iff_of_pos_left (h : 0 < a) : 0 < a * b ↔ 0 < b :=
  ⟨Nat.pos_of_mul_pos_left, Nat.mul_pos h⟩

@[simp] protected theorem mul_pos_iff_of_pos_right (h : 0 < b) : 0 < a * b ↔ 0 < a :=
  ⟨Nat.pos_of_mul_pos_right, fun w => Nat.mul_pos w h⟩

@[simp] protected theorem mul_lt_mul_left (a0 : 0 < a) : a * b < a * c ↔ b < c := by
  rw [← Nat.not_le, ← Nat.not_le, Nat.mul_le_mul_left_iff a0]

@[simp] protected theorem mul_lt_mul_right (a0 : 0 < a) : b * a < c * a ↔ b < c := by
  rw [Nat.mul_comm b a, Nat.mul_comm c a, Nat.mul_lt_mul_left a0]

protected theorem mul_dvd_mul_iff_left (h : 0 < a) : a * b ∣ a * c ↔ b ∣ c := by
  constructor
  · intro w
    obtain ⟨k, e⟩ := w
    rw [Nat.mul_assoc] at e
    exact ⟨k, Nat.mul_left_cancel h e⟩
  · exact Nat.mul_dvd_mul_left a

@[simp] protected theorem lt_mul_iff_one_lt_left (hb : 0 < b) : b < a * b ↔ 1 < a := by
  have e := Nat.mul_lt_mul_right (b := 1) (c := a) hb
  rw [Nat.one_mul] at e
  exact e

@[simp] protected theorem lt_mul_iff_one_lt_right (ha : 0 < a) : a < a * b ↔ 1 < b := by
  have e := Nat.mul_lt_mul_left (b := 1) (c := b) ha
  rw [Nat.mul_one] at e
  exact e

@[simp] theorem lt_mul_self_iff : ∀ {n : Nat}, n < n * n ↔ 1 < n
  | 0 => ⟨fun h => absurd h (Nat.lt_irrefl 0), fun h => absurd h (Nat.not_lt_zero 1)⟩
  | n + 1 => Nat.lt_mul_iff_one_lt_left n.succ_pos

@[simp] theorem mod_two_bne_zero : ((a % 2) != 0) = (a % 2 == 1) := by
  cases mod_two_eq_zero_or_one a with
  | inl h => rw [h]; rfl
  | inr h => rw [h]; rfl

@[simp] theorem mod_two_bne_one : ((a % 2) != 1) = (a % 2 == 0) := by
  cases mod_two_eq_zero_or_one a with
  | inl h => rw [h]; rfl
  | inr h => rw [h]; rfl

@[simp] theorem mul_mod_mod (m n l : Nat) : (m * (n % l)) % l = (m * n) % l := by
  rw [mul_mod, mod_mod, ← mul_mod]

@[simp] theorem self_sub_mod (n k : Nat) [NeZero k] : (n - k) % n = n - k := by
  cases n with
  | zero => rw [Nat.zero_sub, Nat.zero_mod]
  | succ n => exact mod_eq_of_lt (Nat.sub_lt n.succ_pos (Nat.pos_of_ne_zero (NeZero.ne k)))

@[simp] theorem div_dvd_iff_dvd_mul (h : b ∣ a) (hb : 0 < b) : a / b ∣ c ↔ a ∣ b * c := by
  obtain ⟨k, e⟩ := h
  subst e
  rw [Nat.mul_div_cancel_left _ hb, Nat.mul_dvd_mul_iff_left hb]

@[simp] protected theorem div_eq_zero_iff : a / b = 0 ↔ b = 0 ∨ a < b := by
  constructor
  · intro h
    rcases Nat.eq_zero_or_pos b with hb | hb
    · exact .inl hb
    · have e := Nat.div_add_mod a b
      rw [h, Nat.mul_zero, Nat.zero_add] at e
      rw [← e]
      exact .inr (Nat.mod_lt a hb)
  · intro h
    cases h with
    | inl h => rw [h, Nat.div_zero]
    | inr h => exact Nat.div_eq_of_lt h

protected theorem div_ne_zero_iff : a / b ≠ 0 ↔ b ≠ 0 ∧ b ≤ a := by
  rw [ne_eq, Nat.div_eq_zero_iff, not_or, Nat.not_lt]

@[simp] protected theorem div_pos_iff : 0 < a / b ↔ 0 < b ∧ b ≤ a := by
  rw [Nat.pos_iff_ne_zero, Nat.div_ne_zero_iff, Nat.pos_iff_ne_zero]

@[simp] protected theorem div_left_inj (hda : d ∣ a) (hdb : d ∣ b) : a / d = b / d ↔ a = b :=
  ⟨fun h => by rw [← Nat.mul_div_cancel' hda, ← Nat.mul_div_cancel' hdb, h], congrArg fun b => b / d⟩

@[simp] theorem pow_eq : m.pow n = m ^ n := rfl

protected theorem one_lt_two_pow (h : n ≠ 0) : 1 < 2 ^ n :=
  Nat.lt_of_le_of_lt (Nat.pos_of_ne_zero h) Nat.lt_two_pow_self

@[simp] protected theorem one_lt_two_pow_iff : 1 < 2 ^ n ↔ n ≠ 0 :=
  ⟨fun h e => by subst e; exact Nat.lt_irrefl 1 h, Nat.one_lt_two_pow⟩

@[simp] theorem one_mod_two_pow_eq_one : 1 % 2 ^ n = 1 ↔ 0 < n := by
  cases n with
  | zero => decide
  | succ n => exact ⟨fun _ => n.succ_pos, fun _ => mod_eq_of_lt (Nat.one_lt_two_pow n.succ_ne_zero)⟩

@[simp] theorem one_mod_two_pow (h : 0 < n) : 1 % 2 ^ n = 1 := one_mod_two_pow_eq_one.mpr h

@[simp] protected theorem pow_pred_mul (h : 0 < w) : x ^ (w - 1) * x = x ^ w := by
  rw [← Nat.pow_succ, succ_eq_add_one, Nat.sub_add_cancel h]

@[simp] protected theorem two_pow_pred_add_two_pow_pred (h : 0 < w) :
    2 ^ (w - 1) + 2 ^ (w - 1) = 2 ^ w := by
  rw [← Nat.pow_pred_mul h, Nat.mul_two]

@[simp] protected theorem two_pow_sub_two_pow_pred (h : 0 < w) :
    2 ^ w - 2 ^ (w - 1) = 2 ^ (w - 1) := by
  rw [← Nat.two_pow_pred_add_two_pow_pred h, Nat.add_sub_cancel]

@[simp] protected theorem two_pow_pred_mod_two_pow (h : 0 < w) :
    2 ^ (w - 1) % 2 ^ w = 2 ^ (w - 1) :=
  mod_eq_of_lt (Nat.pow_lt_pow_right (by decide) (Nat.sub_lt h (by decide)))

@[simp] protected theorem mod_two_pow_self : n % 2 ^ n = n := Nat.mod_eq_of_lt Nat.lt_two_pow_self

@[simp] theorem two_pow_pred_mul_two (h : 0 < w) : 2 ^ (w - 1) * 2 = 2 ^ w := Nat.pow_pred_mul h

@[simp high] protected theorem pow_eq_zero {a : Nat} : ∀ {n : Nat}, a ^ n = 0 ↔ a = 0 ∧ n ≠ 0
  | 0 => ⟨fun h => absurd h Nat.one_ne_zero, fun h => absurd rfl h.2⟩
  | n + 1 => by
    rw [Nat.pow_succ, Nat.mul_eq_zero, Nat.pow_eq_zero]
    exact ⟨fun h => ⟨h.elim (fun h => h.1) id, n.succ_ne_zero⟩, fun h => .inr h.1⟩

theorem one_lt_pow (hn : n ≠ 0) (ha : 1 < a) : 1 < a ^ n := by
  cases n with
  | zero => exact absurd rfl hn
  | succ n =>
    rw [Nat.pow_succ]
    exact Nat.lt_of_lt_of_le ha (Nat.le_mul_of_pos_left a (Nat.pow_pos (Nat.lt_trans Nat.zero_lt_one ha)))

@[simp] theorem one_lt_pow_iff {n : Nat} (hn : n ≠ 0) : ∀ {a : Nat}, 1 < a ^ n ↔ 1 < a
  | 0 => by rw [Nat.zero_pow (Nat.pos_of_ne_zero hn)]
  | 1 => by rw [Nat.one_pow]
  | a + 2 => ⟨fun _ => Nat.succ_lt_succ a.succ_pos, one_lt_pow hn⟩

@[simp] protected theorem pow_le_one_iff (hn : n ≠ 0) : a ^ n ≤ 1 ↔ a ≤ 1 := by
  rw [← Nat.not_lt, one_lt_pow_iff hn, Nat.not_lt]

@[simp] protected theorem pow_eq_one : a ^ n = 1 ↔ a = 1 ∨ n = 0 := by
  constructor
  · intro h
    rcases Nat.eq_zero_or_pos n with hn | hn
    · exact .inr hn
    · have hn := Nat.ne_of_gt hn
      have le := (Nat.pow_le_one_iff hn).mp (Nat.le_of_eq h)
      have ne : a ≠ 0 := fun e => by
        rw [e, Nat.zero_pow (Nat.pos_of_ne_zero hn)] at h
        exact absurd h (by decide)
      exact .inl (Nat.le_antisymm le (Nat.pos_of_ne_zero ne))
  · intro h
    cases h with
    | inl h => rw [h, Nat.one_pow]
    | inr h => rw [h, Nat.pow_zero]

theorem mod_eq_iff_lt (hn : n ≠ 0) : m % n = m ↔ m < n :=
  ⟨fun h => by rw [← h]; exact mod_lt _ (Nat.pos_of_ne_zero hn), mod_eq_of_lt⟩

@[simp] theorem mod_succ_eq_iff_lt : m % n.succ = m ↔ m < n.succ := mod_eq_iff_lt (succ_ne_zero _)

@[simp] theorem mod_succ (n : Nat) : n % n.succ = n := mod_eq_of_lt n.lt_succ_self

@[simp] theorem one_mod (n : Nat) : 1 % (n + 2) = 1 := Nat.mod_eq_of_lt (Nat.add_lt_add_right n.succ_pos 1)

@[simp] theorem mod_div_self (m n : Nat) : m % n / n = 0 := by
  cases n with
  | zero => exact (m % 0).div_zero
  | succ n => exact Nat.div_eq_of_lt (m.mod_lt n.succ_pos)

theorem mul_dvd_of_dvd_div (hcb : c ∣ b) (h : a ∣ b / c) : c * a ∣ b := by
  obtain ⟨d, hd⟩ := h
  exact ⟨d, by rw [Nat.mul_assoc, ← hd, Nat.mul_div_cancel' hcb]⟩

theorem dvd_div_of_mul_dvd (h : a * b ∣ c) : b ∣ c / a := by
  rcases Nat.eq_zero_or_pos a with ha | ha
  · rw [ha, Nat.div_zero]
    exact Nat.dvd_zero b
  · obtain ⟨d, hd⟩ := h
    exact ⟨d, by rw [hd, Nat.mul_assoc, Nat.mul_div_cancel_left _ ha]⟩

@[simp] theorem dvd_div_iff_mul_dvd (hbc : c ∣ b) : a ∣ b / c ↔ c * a ∣ b :=
  ⟨fun h => mul_dvd_of_dvd_div hbc h, fun h => dvd_div_of_mul_dvd h⟩

end Nat
