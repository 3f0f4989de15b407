/- Integers: what follows by linear arithmetic, products and order, division of sums and products. -/

namespace Int

/- Order -/

protected theorem lt_iff_le_and_ne {a b : Int} : a < b ↔ a ≤ b ∧ a ≠ b :=
  ⟨fun h => ⟨Int.le_of_lt h, Int.ne_of_lt h⟩, fun h => Int.lt_of_le_of_ne h.left h.right⟩

protected theorem lt_iff_le_not_le {a b : Int} : a < b ↔ a ≤ b ∧ ¬b ≤ a :=
  ⟨fun h => ⟨Int.le_of_lt h, Int.not_le_of_gt h⟩, fun h => Int.lt_of_not_ge h.right⟩

protected theorem le_iff_lt_or_eq {a b : Int} : a ≤ b ↔ a < b ∨ a = b :=
  ⟨fun h => if e : a = b then Or.inr e else Or.inl (Int.lt_of_le_of_ne h e), fun h =>
    Or.elim h Int.le_of_lt Int.le_of_eq⟩

protected theorem le_iff_eq_or_lt {a b : Int} : a ≤ b ↔ a = b ∨ a < b := Int.le_iff_lt_or_eq.trans or_comm

protected theorem le_antisymm_iff {a b : Int} : a = b ↔ a ≤ b ∧ b ≤ a :=
  ⟨fun h => ⟨Int.le_of_eq h, Int.ge_of_eq h⟩, fun h => Int.le_antisymm h.left h.right⟩

protected theorem ne_iff_lt_or_gt {a b : Int} : a ≠ b ↔ a < b ∨ b < a :=
  ⟨Int.lt_or_gt_of_ne, fun h => Or.elim h Int.ne_of_lt Int.ne_of_gt⟩

protected theorem lt_asymm {a b : Int} (h : a < b) : ¬b < a := Int.not_lt_of_ge (Int.le_of_lt h)

protected theorem le_iff_lt_add_one {a b : Int} : a ≤ b ↔ a < b + 1 :=
  ⟨fun h => Int.add_le_add_right h 1, fun h => Int.le_of_add_le_add_right (add_one_le_of_lt h)⟩

theorem lt_add_one_iff {a b : Int} : a < b + 1 ↔ a ≤ b := Int.le_iff_lt_add_one.symm

theorem lt_add_one_of_le {a b : Int} (H : a ≤ b) : a < b + 1 := Int.le_iff_lt_add_one.mp H

theorem le_of_lt_add_one {a b : Int} (H : a < b + 1) : a ≤ b := Int.le_iff_lt_add_one.mpr H

theorem le_sub_one_of_lt {a b : Int} (H : a < b) : a ≤ b - 1 :=
  Int.le_trans (Int.le_of_eq (Int.add_sub_cancel a 1).symm) (Int.add_le_add_right (add_one_le_of_lt H) (-1))

theorem lt_of_le_sub_one {a b : Int} (H : a ≤ b - 1) : a < b :=
  Int.le_trans (Int.add_le_add_right H 1) (Int.le_of_eq (Int.sub_add_cancel b 1))

theorem le_sub_one_iff {m n : Int} : m ≤ n - 1 ↔ m < n := ⟨lt_of_le_sub_one, le_sub_one_of_lt⟩

theorem sub_one_lt_iff {m n : Int} : m - 1 < n ↔ m ≤ n := by rw [lt_iff_add_one_le, Int.sub_add_cancel]

protected theorem zero_lt_one : (0 : Int) < 1 := ofNat_succ_pos 0

protected theorem one_pos : 0 < (1 : Int) := ofNat_succ_pos 0

protected theorem one_ne_zero : (1 : Int) ≠ 0 := Ne.symm Int.zero_ne_one

protected theorem one_nonneg : 0 ≤ (1 : Int) := ofNat_zero_le 1

@[simp] theorem negSucc_not_pos (n : Nat) : 0 < negSucc n ↔ False :=
  ⟨fun h => Int.not_lt_of_ge (negSucc_le_zero n) h, False.elim⟩

@[simp] theorem negSucc_not_nonneg (n : Nat) : 0 ≤ negSucc n ↔ False :=
  ⟨fun h => Int.not_le_of_gt (negSucc_lt_zero n) h, False.elim⟩

@[simp] theorem succ_ofNat_pos (n : Nat) : 0 < (n : Int) + 1 := ofNat_succ_pos n

/- Sums -/

@[simp] protected theorem add_le_add_iff_left {b c : Int} (a : Int) : a + b ≤ a + c ↔ b ≤ c :=
  ⟨Int.le_of_add_le_add_left, fun h => Int.add_le_add_left h a⟩

@[simp] protected theorem add_le_add_iff_right {a b : Int} (c : Int) : a + c ≤ b + c ↔ a ≤ b :=
  ⟨Int.le_of_add_le_add_right, fun h => Int.add_le_add_right h c⟩

@[simp] protected theorem add_lt_add_iff_left {b c : Int} (a : Int) : a + b < a + c ↔ b < c :=
  ⟨fun h => Int.lt_of_not_ge (fun h' => Int.not_le_of_gt h (Int.add_le_add_left h' a)), fun h =>
    Int.add_lt_add_left h a⟩

@[simp] protected theorem add_lt_add_iff_right {a b : Int} (c : Int) : a + c < b + c ↔ a < b :=
  ⟨fun h => Int.lt_of_not_ge (fun h' => Int.not_le_of_gt h (Int.add_le_add_right h' c)), fun h =>
    Int.add_lt_add_right h c⟩

protected theorem add_le_add {a b c d : Int} (h₁ : a ≤ b) (h₂ : c ≤ d) : a + c ≤ b + d :=
  Int.le_trans (Int.add_le_add_right h₁ c) (Int.add_le_add_left h₂ b)

protected theorem add_lt_add {a b c d : Int} (h₁ : a < b) (h₂ : c < d) : a + c < b + d :=
  Int.lt_trans (Int.add_lt_add_right h₁ c) (Int.add_lt_add_left h₂ b)

protected theorem lt_of_add_lt_add_left {a b c : Int} (h : a + b < a + c) : b < c :=
  (Int.add_lt_add_iff_left a).mp h

protected theorem lt_of_add_lt_add_right {a b c : Int} (h : a + b < c + b) : a < c :=
  (Int.add_lt_add_iff_right b).mp h

protected theorem le_add_of_nonneg_right {a b : Int} (h : 0 ≤ b) : a ≤ a + b :=
  Int.le_trans (Int.ge_of_eq (Int.add_zero a)) (Int.add_le_add_left h a)

protected theorem le_add_of_nonneg_left {a b : Int} (h : 0 ≤ b) : a ≤ b + a :=
  Int.le_trans (Int.ge_of_eq (Int.zero_add a)) (Int.add_le_add_right h a)

protected theorem lt_add_of_pos_right (a : Int) {b : Int} (h : 0 < b) : a < a + b :=
  Int.lt_of_le_of_lt (Int.ge_of_eq (Int.add_zero a)) (Int.add_lt_add_left h a)

protected theorem lt_add_of_pos_left (a : Int) {b : Int} (h : 0 < b) : a < b + a :=
  Int.lt_of_le_of_lt (Int.ge_of_eq (Int.zero_add a)) (Int.add_lt_add_right h a)

protected theorem add_nonneg {a b : Int} (ha : 0 ≤ a) (hb : 0 ≤ b) : 0 ≤ a + b :=
  Int.le_trans ha (Int.le_add_of_nonneg_right hb)

protected theorem add_pos {a b : Int} (ha : 0 < a) (hb : 0 < b) : 0 < a + b :=
  Int.lt_trans ha (Int.lt_add_of_pos_right a hb)

/- Negation and subtraction -/

@[simp] protected theorem neg_le_neg_iff {a b : Int} : -a ≤ -b ↔ b ≤ a :=
  ⟨fun h => by
    have e := Int.neg_le_neg h
    rw [Int.neg_neg, Int.neg_neg] at e
    exact e, Int.neg_le_neg⟩

@[simp] protected theorem neg_lt_neg_iff {a b : Int} : -a < -b ↔ b < a :=
  ⟨fun h => Int.lt_of_not_ge (fun h' => Int.not_le_of_gt h (Int.neg_le_neg h')), fun h =>
    Int.lt_of_not_ge (fun h' => Int.not_le_of_gt h (Int.neg_le_neg_iff.mp h'))⟩

@[simp] protected theorem neg_le_zero_iff {a : Int} : -a ≤ 0 ↔ 0 ≤ a := @Int.neg_le_neg_iff a 0

@[simp] protected theorem zero_le_neg_iff {a : Int} : 0 ≤ -a ↔ a ≤ 0 := @Int.neg_le_neg_iff 0 a

@[simp] protected theorem neg_lt_zero_iff {a : Int} : -a < 0 ↔ 0 < a := @Int.neg_lt_neg_iff a 0

@[simp] protected theorem zero_lt_neg_iff {a : Int} : 0 < -a ↔ a < 0 := @Int.neg_lt_neg_iff 0 a

protected theorem neg_lt_neg {a b : Int} (h : a < b) : -b < -a := Int.neg_lt_neg_iff.mpr h

protected theorem le_of_neg_le_neg {a b : Int} (h : -b ≤ -a) : a ≤ b := Int.neg_le_neg_iff.mp h

protected theorem lt_of_neg_lt_neg {a b : Int} (h : -b < -a) : a < b := Int.neg_lt_neg_iff.mp h

protected theorem neg_nonneg_of_nonpos {a : Int} (h : a ≤ 0) : 0 ≤ -a := Int.zero_le_neg_iff.mpr h

protected theorem neg_nonpos_of_nonneg {a : Int} (h : 0 ≤ a) : -a ≤ 0 := Int.neg_le_zero_iff.mpr h

protected theorem neg_pos_of_neg {a : Int} (h : a < 0) : 0 < -a := Int.zero_lt_neg_iff.mpr h

protected theorem neg_neg_of_pos {a : Int} (h : 0 < a) : -a < 0 := Int.neg_lt_zero_iff.mpr h

@[simp high] protected theorem sub_nonneg {a b : Int} : 0 ≤ a - b ↔ b ≤ a :=
  ⟨fun h => by
    have e := Int.add_le_add_right h b
    rw [Int.zero_add, Int.sub_add_cancel] at e
    exact e, Int.sub_nonneg_of_le⟩

@[simp high] protected theorem sub_pos {a b : Int} : 0 < a - b ↔ b < a :=
  ⟨fun h => by
    have e := Int.add_lt_add_right h b
    rw [Int.zero_add, Int.sub_add_cancel] at e
    exact e, fun h => by
    have e := Int.add_lt_add_right h (-b)
    rw [Int.add_right_neg] at e
    exact e⟩

protected theorem le_of_sub_nonneg {a b : Int} (h : 0 ≤ a - b) : b ≤ a := Int.sub_nonneg.mp h

protected theorem sub_pos_of_lt {a b : Int} (h : b < a) : 0 < a - b := Int.sub_pos.mpr h

protected theorem lt_of_sub_pos {a b : Int} (h : 0 < a - b) : b < a := Int.sub_pos.mp h

protected theorem sub_nonpos_of_le {a b : Int} (h : a ≤ b) : a - b ≤ 0 :=
  Int.le_trans (Int.add_le_add_right h (-b)) (Int.le_of_eq (Int.add_right_neg b))

protected theorem sub_le_self (a : Int) {b : Int} (h : 0 ≤ b) : a - b ≤ a :=
  Int.le_trans (Int.add_le_add_left (Int.neg_nonpos_of_nonneg h) a) (Int.le_of_eq (Int.add_zero a))

protected theorem sub_lt_self (a : Int) {b : Int} (h : 0 < b) : a - b < a :=
  Int.lt_of_lt_of_le (Int.add_lt_add_left (Int.neg_neg_of_pos h) a) (Int.le_of_eq (Int.add_zero a))

protected theorem sub_le_sub_left {a b : Int} (h : a ≤ b) (c : Int) : c - b ≤ c - a :=
  Int.add_le_add_left (Int.neg_le_neg h) c

protected theorem sub_le_sub_right {a b : Int} (h : a ≤ b) (c : Int) : a - c ≤ b - c :=
  Int.add_le_add_right h (-c)

protected theorem sub_le_sub {a b c d : Int} (hab : a ≤ b) (hcd : c ≤ d) : a - d ≤ b - c :=
  Int.add_le_add hab (Int.neg_le_neg hcd)

@[simp] protected theorem sub_le_sub_left_iff {a b c : Int} : c - a ≤ c - b ↔ b ≤ a :=
  ⟨fun h => Int.neg_le_neg_iff.mp (Int.le_of_add_le_add_left h), fun h => Int.sub_le_sub_left h c⟩

@[simp] protected theorem sub_le_sub_right_iff {a b c : Int} : a - c ≤ b - c ↔ a ≤ b :=
  Int.add_le_add_iff_right (-c)

protected theorem add_le_of_le_sub_right {a b c : Int} (h : a ≤ c - b) : a + b ≤ c :=
  Int.le_trans (Int.add_le_add_right h b) (Int.le_of_eq (Int.sub_add_cancel c b))

protected theorem le_sub_right_of_add_le {a b c : Int} (h : a + b ≤ c) : a ≤ c - b :=
  Int.le_trans (Int.ge_of_eq (Int.add_sub_cancel a b)) (Int.sub_le_sub_right h b)

protected theorem add_le_iff_le_sub {a b c : Int} : a + b ≤ c ↔ a ≤ c - b :=
  ⟨Int.le_sub_right_of_add_le, Int.add_le_of_le_sub_right⟩

protected theorem le_add_iff_sub_le {a b c : Int} : a ≤ b + c ↔ a - c ≤ b :=
  ⟨fun h => Int.le_trans (Int.sub_le_sub_right h c) (Int.le_of_eq (Int.add_sub_cancel b c)), fun h =>
    Int.le_trans (Int.ge_of_eq (Int.sub_add_cancel a c)) (Int.add_le_add_right h c)⟩

protected theorem sub_lt_iff {a b c : Int} : a - b < c ↔ a < c + b :=
  ⟨fun h => Int.lt_of_le_of_lt (Int.ge_of_eq (Int.sub_add_cancel a b)) (Int.add_lt_add_right h b), fun h =>
    Int.lt_of_lt_of_le (Int.add_lt_add_right h (-b)) (Int.le_of_eq (Int.add_sub_cancel c b))⟩

/- Minimum and maximum -/

protected theorem min_comm (a b : Int) : min a b = min b a :=
  if h : a ≤ b then (Int.min_eq_left h).trans (Int.min_eq_right h).symm
  else (Int.min_eq_right (Int.le_of_not_le h)).trans (Int.min_eq_left (Int.le_of_not_le h)).symm

protected theorem max_comm (a b : Int) : max a b = max b a :=
  if h : a ≤ b then (Int.max_eq_right h).trans (Int.max_eq_left h).symm
  else (Int.max_eq_left (Int.le_of_not_le h)).trans (Int.max_eq_right (Int.le_of_not_le h)).symm

protected theorem min_le_left (a b : Int) : min a b ≤ a :=
  if h : a ≤ b then Int.le_of_eq (Int.min_eq_left h)
  else Int.le_trans (Int.le_of_eq (Int.min_eq_right (Int.le_of_not_le h))) (Int.le_of_not_le h)

protected theorem min_le_right (a b : Int) : min a b ≤ b :=
  if h : a ≤ b then Int.le_trans (Int.le_of_eq (Int.min_eq_left h)) h
  else Int.le_of_eq (Int.min_eq_right (Int.le_of_not_le h))

protected theorem le_max_left (a b : Int) : a ≤ max a b :=
  if h : a ≤ b then Int.le_trans h (Int.ge_of_eq (Int.max_eq_right h))
  else Int.ge_of_eq (Int.max_eq_left (Int.le_of_not_le h))

protected theorem le_max_right (a b : Int) : b ≤ max a b :=
  if h : a ≤ b then Int.ge_of_eq (Int.max_eq_right h)
  else Int.le_trans (Int.le_of_not_le h) (Int.ge_of_eq (Int.max_eq_left (Int.le_of_not_le h)))

protected theorem le_min {a b c : Int} : a ≤ min b c ↔ a ≤ b ∧ a ≤ c :=
  ⟨fun h => ⟨Int.le_trans h (Int.min_le_left b c), Int.le_trans h (Int.min_le_right b c)⟩, fun ⟨h, k⟩ =>
    if e : b ≤ c then Int.le_trans h (Int.ge_of_eq (Int.min_eq_left e))
    else Int.le_trans k (Int.ge_of_eq (Int.min_eq_right (Int.le_of_not_le e)))⟩

protected theorem max_le {a b c : Int} : max a b ≤ c ↔ a ≤ c ∧ b ≤ c :=
  ⟨fun h => ⟨Int.le_trans (Int.le_max_left a b) h, Int.le_trans (Int.le_max_right a b) h⟩, fun ⟨h, k⟩ =>
    if e : a ≤ b then Int.le_trans (Int.le_of_eq (Int.max_eq_right e)) k
    else Int.le_trans (Int.le_of_eq (Int.max_eq_left (Int.le_of_not_le e))) h⟩

@[simp] protected theorem min_self (a : Int) : min a a = a := Int.min_eq_left (Int.le_refl a)

@[simp] protected theorem max_self (a : Int) : max a a = a := Int.max_eq_left (Int.le_refl a)

/- Natural numbers from integers -/

theorem self_le_toNat (a : Int) : a ≤ toNat a :=
  if h : 0 ≤ a then Int.ge_of_eq (toNat_of_nonneg h)
  else Int.le_trans (Int.le_of_not_le h) (ofNat_zero_le a.toNat)

theorem toNat_eq_max (a : Int) : (toNat a : Int) = max a 0 :=
  if h : 0 ≤ a then (toNat_of_nonneg h).trans (Int.max_eq_left h).symm
  else (congrArg ofNat (toNat_of_nonpos (Int.le_of_not_le h))).trans (Int.max_eq_right (Int.le_of_not_le h)).symm

@[simp] theorem ofNat_toNat (a : Int) : (a.toNat : Int) = max a 0 := toNat_eq_max a

@[simp] theorem le_toNat {n : Nat} {z : Int} (h : 0 ≤ z) : n ≤ z.toNat ↔ (n : Int) ≤ z :=
  by rw [← ofNat_le, toNat_of_nonneg h]

@[simp] theorem toNat_lt {n : Nat} {z : Int} (h : 0 ≤ z) : z.toNat < n ↔ z < (n : Int) :=
  by rw [← ofNat_lt, toNat_of_nonneg h]

theorem toNat_add {a b : Int} (ha : 0 ≤ a) (hb : 0 ≤ b) : (a + b).toNat = a.toNat + b.toNat := by
  have ⟨m, hm⟩ := eq_ofNat_of_zero_le ha
  have ⟨n, hn⟩ := eq_ofNat_of_zero_le hb
  rw [hm, hn]
  rfl

theorem le_natAbs {a : Int} : a ≤ natAbs a := by
  cases a with
  | ofNat n => exact Int.le_refl _
  | negSucc n => exact Int.le_trans (negSucc_le_zero n) (ofNat_zero_le (n + 1))

/- Products -/

protected theorem mul_nonneg {a b : Int} (ha : 0 ≤ a) (hb : 0 ≤ b) : 0 ≤ a * b := by
  have ⟨n, hn⟩ := eq_ofNat_of_zero_le ha
  have ⟨m, hm⟩ := eq_ofNat_of_zero_le hb
  rw [hn, hm]
  exact natCast_nonneg (n * m)

protected theorem mul_le_mul_of_nonneg_left {a b c : Int} (h₁ : a ≤ b) (h₂ : 0 ≤ c) : c * a ≤ c * b := by
  have h := Int.mul_nonneg h₂ (Int.sub_nonneg_of_le h₁)
  rw [Int.mul_sub] at h
  exact Int.le_of_sub_nonneg h

protected theorem mul_le_mul_of_nonneg_right {a b c : Int} (h₁ : a ≤ b) (h₂ : 0 ≤ c) : a * c ≤ b * c := by
  rw [Int.mul_comm a, Int.mul_comm b]
  exact Int.mul_le_mul_of_nonneg_left h₁ h₂

protected theorem mul_le_mul {a b c d : Int} (hac : a ≤ c) (hbd : b ≤ d) (nn_b : 0 ≤ b) (nn_c : 0 ≤ c) :
    a * b ≤ c * d :=
  Int.le_trans (Int.mul_le_mul_of_nonneg_right hac nn_b) (Int.mul_le_mul_of_nonneg_left hbd nn_c)

protected theorem mul_lt_mul_of_pos_left {a b c : Int} (h₁ : a < b) (h₂ : 0 < c) : c * a < c * b := by
  have h := Int.mul_le_mul_of_nonneg_left (add_one_le_of_lt h₁) (Int.le_of_lt h₂)
  rw [Int.mul_add, Int.mul_one] at h
  exact Int.lt_of_lt_of_le (Int.lt_add_of_pos_right (c * a) h₂) h

protected theorem mul_lt_mul_of_pos_right {a b c : Int} (h₁ : a < b) (h₂ : 0 < c) : a * c < b * c := by
  rw [Int.mul_comm a, Int.mul_comm b]
  exact Int.mul_lt_mul_of_pos_left h₁ h₂

protected theorem mul_pos {a b : Int} (ha : 0 < a) (hb : 0 < b) : 0 < a * b := by
  have h := Int.mul_lt_mul_of_pos_left hb ha
  rw [Int.mul_zero] at h
  exact h

protected theorem lt_of_mul_lt_mul_left {a b c : Int} (h : a * b < a * c) (a_nonneg : 0 ≤ a) : b < c :=
  Int.lt_of_not_ge (fun h' => Int.not_le_of_gt h (Int.mul_le_mul_of_nonneg_left h' a_nonneg))

protected theorem le_of_mul_le_mul_left {a b c : Int} (h : a * b ≤ a * c) (a_pos : 0 < a) : b ≤ c :=
  Int.le_of_not_gt (fun h' => Int.not_le_of_gt (Int.mul_lt_mul_of_pos_left h' a_pos) h)

protected theorem mul_self_nonneg {a : Int} : 0 ≤ a * a := by
  cases Int.le_total 0 a with
  | inl h => exact Int.mul_nonneg h h
  | inr h =>
    rw [← Int.neg_mul_neg]
    exact Int.mul_nonneg (Int.neg_nonneg_of_nonpos h) (Int.neg_nonneg_of_nonpos h)

/- Division -/

theorem ediv_emod_unique {a b r q : Int} (h : 0 < b) : a / b = q ∧ a % b = r ↔ r + b * q = a ∧ 0 ≤ r ∧ r < b := by
  constructor
  · intro ⟨hq, hr⟩
    rw [← hq, ← hr]
    exact ⟨emod_add_ediv a b, emod_nonneg a (Int.ne_of_gt h), emod_lt_of_pos a h⟩
  · intro ⟨e, h₁, h₂⟩
    have e' := emod_add_ediv a b
    have h₁' := emod_nonneg a (Int.ne_of_gt h)
    have h₂' := emod_lt_of_pos a h
    have up : b * (a / b) < b * (q + 1) := by
      rw [Int.mul_add, Int.mul_one, Int.add_comm]
      exact Int.lt_of_le_of_lt (Int.le_add_of_nonneg_left h₁')
        (Int.lt_of_le_of_lt (Int.le_of_eq (e'.trans e.symm)) (Int.add_lt_add_right h₂ (b * q)))
    have down : b * q < b * (a / b + 1) := by
      rw [Int.mul_add, Int.mul_one, Int.add_comm]
      exact Int.lt_of_le_of_lt (Int.le_add_of_nonneg_left h₁)
        (Int.lt_of_le_of_lt (Int.le_of_eq (e.trans e'.symm)) (Int.add_lt_add_right h₂' (b * (a / b))))
    have hq : a / b = q :=
      Int.le_antisymm (le_of_lt_add_one (Int.lt_of_mul_lt_mul_left up (Int.le_of_lt h)))
        (le_of_lt_add_one (Int.lt_of_mul_lt_mul_left down (Int.le_of_lt h)))
    rw [hq] at e'
    exact ⟨hq, (Int.add_left_inj (b * q)).mp (e'.trans e.symm)⟩

theorem add_mul_ediv_right (a b : Int) {c : Int} (H : c ≠ 0) : (a + b * c) / c = a / c + b := by
  have pos : ∀ b d : Int, 0 < d → (a + b * d) / d = a / d + b := fun b d hd => by
    refine ((ediv_emod_unique (r := a % d) hd).mpr ⟨?_, emod_nonneg a (Int.ne_of_gt hd), emod_lt_of_pos a hd⟩).left
    rw [Int.mul_add, ← Int.add_assoc, emod_add_ediv, Int.mul_comm]
  cases Int.lt_or_gt_of_ne H with
  | inl h =>
    have e := pos (-b) (-c) (Int.neg_pos_of_neg h)
    rw [Int.neg_mul_neg, ediv_neg, ediv_neg, ← Int.neg_add] at e
    exact Int.neg_inj.mp e
  | inr h => exact pos b c h

theorem add_mul_ediv_left (a : Int) {b : Int} (c : Int) (H : b ≠ 0) : (a + b * c) / b = a / b + c := by
  rw [Int.mul_comm, add_mul_ediv_right a c H]

@[simp] theorem mul_ediv_cancel (a : Int) {b : Int} (H : b ≠ 0) : (a * b) / b = a := by
  have e := add_mul_ediv_right 0 a H
  rw [Int.zero_add, zero_ediv, Int.zero_add] at e
  exact e

@[simp] theorem mul_ediv_cancel_left {a : Int} (b : Int) (H : a ≠ 0) : (a * b) / a = b := by
  rw [Int.mul_comm, mul_ediv_cancel b H]

@[simp] theorem add_mul_emod_self_right (a b c : Int) : (a + b * c) % c = a % c := by
  by_cases h : c = 0
  · rw [h, Int.mul_zero, Int.add_zero]
  · rw [emod_def, emod_def, add_mul_ediv_right a b h, Int.mul_add, Int.mul_comm c b, Int.add_comm (c * (a / c)),
      ← Int.sub_sub, Int.add_sub_cancel]

@[simp] theorem add_mul_emod_self_left (a b c : Int) : (a + b * c) % b = a % b := by
  rw [Int.mul_comm, add_mul_emod_self_right]

@[simp] theorem emod_emod (a b : Int) : (a % b) % b = a % b := by
  have e := add_mul_emod_self_left (a % b) b (a / b)
  rw [emod_add_ediv] at e
  exact e.symm

@[simp] theorem emod_add_emod (m n k : Int) : (m % n + k) % n = (m + k) % n := by
  have e := add_mul_emod_self_left (m % n + k) n (m / n)
  rw [Int.add_right_comm, emod_add_ediv] at e
  exact e.symm

@[simp] theorem add_emod_emod (m n k : Int) : (m + n % k) % k = (m + n) % k := by
  rw [Int.add_comm, emod_add_emod, Int.add_comm]

theorem add_emod (a b n : Int) : (a + b) % n = (a % n + b % n) % n := by rw [add_emod_emod, emod_add_emod]

theorem mul_emod (a b n : Int) : (a * b) % n = (a % n) * (b % n) % n := by
  have e : a * b = a % n * (b % n) + n * (a / n * b + a % n * (b / n)) := by
    have ha : a * b = a % n * b + n * (a / n) * b := by rw [← Int.add_mul, emod_add_ediv]
    have hb : a % n * b = a % n * (b % n) + a % n * (n * (b / n)) := by rw [← Int.mul_add, emod_add_ediv]
    rw [Int.mul_add, ha, hb, Int.mul_assoc, Int.mul_left_comm (a % n) n, Int.add_assoc,
      Int.add_comm (n * (a % n * (b / n)))]
  rw [e, add_mul_emod_self_left]

theorem emod_eq_of_lt {a b : Int} (H1 : 0 ≤ a) (H2 : a < b) : a % b = a :=
  ((ediv_emod_unique (q := 0) (Int.lt_of_le_of_lt H1 H2)).mpr ⟨by rw [Int.mul_zero, Int.add_zero], H1, H2⟩).right

theorem ediv_eq_zero_of_lt {a b : Int} (H1 : 0 ≤ a) (H2 : a < b) : a / b = 0 :=
  ((ediv_emod_unique (r := a) (Int.lt_of_le_of_lt H1 H2)).mpr ⟨by rw [Int.mul_zero, Int.add_zero], H1, H2⟩).left

theorem emod_two_eq (x : Int) : x % 2 = 0 ∨ x % 2 = 1 := by
  have ⟨n, e⟩ := eq_ofNat_of_zero_le (emod_nonneg x (nofun : (2 : Int) ≠ 0))
  have h : x % 2 < ((2 : Nat) : Int) := emod_lt_of_pos x (ofNat_succ_pos 1)
  rw [e] at h ⊢
  exact Or.imp (congrArg ofNat) (congrArg ofNat)
    (Nat.le_one_iff_eq_zero_or_eq_one.mp (Nat.le_of_lt_succ (ofNat_lt.mp h)))

@[simp] protected theorem ediv_one (a : Int) : a / 1 = a := by
  have e := mul_ediv_cancel a Int.one_ne_zero
  rw [Int.mul_one] at e
  exact e

@[simp] theorem emod_one (a : Int) : a % 1 = 0 := emod_eq_zero_of_dvd (Int.one_dvd a)

@[simp] protected theorem ediv_self {a : Int} (H : a ≠ 0) : a / a = 1 := by
  have e := mul_ediv_cancel 1 H
  rw [Int.one_mul] at e
  exact e

protected theorem mul_ediv_cancel' {a b : Int} (H : a ∣ b) : a * (b / a) = b := by
  have e := ediv_add_emod b a
  rw [emod_eq_zero_of_dvd H, Int.add_zero] at e
  exact e

protected theorem ediv_mul_cancel {a b : Int} (H : b ∣ a) : a / b * b = a := by
  rw [Int.mul_comm, Int.mul_ediv_cancel' H]

theorem le_of_dvd {a b : Int} (bpos : 0 < b) (H : a ∣ b) : a ≤ b := by
  have h := Nat.le_of_dvd (natAbs_pos.mpr (Int.ne_of_gt bpos)) (natAbs_dvd_natAbs.mpr H)
  exact Int.le_trans le_natAbs
    (Int.le_trans (ofNat_le.mpr h) (Int.le_of_eq (natAbs_of_nonneg (Int.le_of_lt bpos))))

end Int

attribute [norm_cast] Int.natCast_add Int.natCast_mul Int.ofNat_le Int.ofNat_lt Int.natCast_inj Int.natCast_zero
  Int.natCast_one Int.ofNat_dvd Int.natCast_ediv Int.natCast_emod Int.natCast_ofNat
