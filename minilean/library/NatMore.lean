/- Natural numbers: more about successors, differences, minima and maxima, powers, bounded quantifiers. -/

universe u

namespace Nat

variable {a b c d k m n x y : Nat}

/- Successors -/

theorem one_lt_succ_succ (n : Nat) : 1 < n.succ.succ := succ_lt_succ (succ_pos n)

theorem not_succ_lt_self : ¬succ n < n := Nat.not_lt_of_ge (le_succ n)

theorem le_succ_iff {m n : Nat} : m ≤ n.succ ↔ m ≤ n ∨ m = n.succ := le_add_one_iff

theorem lt_iff_le_pred {m n : Nat} (h : 0 < n) : m < n ↔ m ≤ n - 1 := (le_pred_iff_lt h).symm

theorem lt_one_add_iff : m < 1 + n ↔ m ≤ n := by rw [Nat.add_comm]; exact Nat.lt_succ_iff

theorem one_add_le_iff : 1 + m ≤ n ↔ m < n := by rw [Nat.add_comm]; exact Iff.rfl

theorem one_lt_iff_ne_zero_and_ne_one : ∀ {n : Nat}, 1 < n ↔ n ≠ 0 ∧ n ≠ 1
  | 0 => by decide
  | 1 => by decide
  | n + 2 => ⟨fun _ => ⟨succ_ne_zero _, fun h => succ_ne_zero n (succ.inj h)⟩, fun _ => one_lt_succ_succ n⟩

theorem le_one_iff_eq_zero_or_eq_one {n : Nat} : n ≤ 1 ↔ n = 0 ∨ n = 1 := by rw [le_add_one_iff, Nat.le_zero]

theorem add_eq_one_iff : m + n = 1 ↔ m = 0 ∧ n = 1 ∨ m = 1 ∧ n = 0 := by
  cases n with
  | zero => exact ⟨fun h => Or.inr ⟨h, rfl⟩, fun h => Or.elim h (fun k => nomatch k.right) (fun k => k.left)⟩
  | succ n =>
    refine ⟨fun h => ?_, fun h => ?_⟩
    · have e := Nat.add_eq_zero_iff.mp (succ.inj h)
      exact Or.inl ⟨e.left, congrArg succ e.right⟩
    · cases h with
      | inl h => rw [h.left, h.right]
      | inr h => cases h.right

theorem add_pos_iff_pos_or_pos : 0 < m + n ↔ 0 < m ∨ 0 < n :=
  ⟨fun h => by
    cases n with
    | zero => exact Or.inl h
    | succ n => exact Or.inr (succ_pos n), fun h =>
    Or.elim h (fun k => Nat.lt_of_lt_of_le k (le_add_right m n)) (fun k => Nat.lt_of_lt_of_le k (le_add_left n m))⟩

protected theorem add_self_ne_one (n : Nat) : n + n ≠ 1 := by
  cases n with
  | zero => exact Nat.zero_ne_one
  | succ n => exact fun h => Nat.succ_ne_zero n (Nat.eq_zero_of_add_eq_zero (Nat.succ.inj h)).left

theorem pred_eq_self_iff : n.pred = n ↔ n = 0 := by
  cases n with
  | zero => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | succ n => exact ⟨fun h => absurd h (Nat.ne_of_lt (lt_succ_self n)), fun h => absurd h (succ_ne_zero n)⟩

theorem pred_eq_of_eq_succ {m n : Nat} (H : m = n.succ) : m.pred = n := by rw [H]; rfl

@[simp] theorem pred_eq_succ_iff : n - 1 = m + 1 ↔ n = m + 2 := by
  cases n with
  | zero => exact ⟨fun h => absurd h.symm (succ_ne_zero m), fun h => absurd h.symm (succ_ne_zero (m + 1))⟩
  | succ n => exact ⟨fun h => congrArg succ h, fun h => succ.inj h⟩

@[simp] theorem add_succ_sub_one (m n : Nat) : m + succ n - 1 = m + n := rfl

@[simp] theorem succ_add_sub_one (n m : Nat) : succ m + n - 1 = m + n := by rw [succ_add]; rfl

theorem lt_succ : m < succ n ↔ m ≤ n := Nat.lt_succ_iff

theorem sub_one_lt_of_le (h₀ : 0 < a) (h₁ : a ≤ b) : a - 1 < b := Nat.lt_of_lt_of_le (pred_lt_self h₀) h₁

theorem sub_one_lt_of_lt {n m : Nat} (h : m < n) : n - 1 < n := sub_one_lt (Nat.ne_of_gt (Nat.zero_lt_of_lt h))

theorem sub_lt_succ (a b : Nat) : a - b < succ a := lt_succ_of_le (sub_le a b)

theorem sub_succ_lt_self {a i : Nat} (h : i < a) : a - (i + 1) < a - i :=
  pred_lt_self (Nat.sub_pos_of_lt h)

theorem le_sub_one_iff_lt {a b : Nat} (h : 0 < b) : a ≤ b - 1 ↔ a < b := le_pred_iff_lt h

/- Differences -/

protected theorem sub_le_iff_le_add' : a - b ≤ c ↔ a ≤ b + c := by rw [Nat.add_comm, Nat.sub_le_iff_le_add]

protected theorem exists_eq_add_of_le (h : m ≤ n) : ∃ k : Nat, n = m + k := ⟨n - m, (add_sub_of_le h).symm⟩

protected theorem exists_eq_add_of_le' (h : m ≤ n) : ∃ k : Nat, n = k + m := ⟨n - m, (Nat.sub_add_cancel h).symm⟩

protected theorem exists_eq_add_of_lt (h : m < n) : ∃ k : Nat, n = m + k + 1 :=
  ⟨n - (m + 1), by rw [Nat.add_right_comm, add_sub_of_le h]⟩

protected theorem sub_eq_of_eq_add' (h : a = b + c) : a - b = c := by rw [h, Nat.add_sub_cancel_left]

protected theorem eq_sub_of_add_eq (h : c + b = a) : c = a - b := by rw [← h, Nat.add_sub_cancel]

protected theorem eq_sub_of_add_eq' (h : b + c = a) : c = a - b := by rw [← h, Nat.add_sub_cancel_left]

protected theorem sub_lt_iff_lt_add (h : b ≤ a) : a - b < c ↔ a < c + b := by
  obtain ⟨k, e⟩ := Nat.exists_eq_add_of_le' h
  rw [e, Nat.add_sub_cancel]
  exact Nat.add_lt_add_iff_right.symm

protected theorem sub_lt_iff_lt_add' (h : b ≤ a) : a - b < c ↔ a < b + c :=
  by rw [Nat.add_comm b c]; exact Nat.sub_lt_iff_lt_add h

protected theorem lt_sub_iff_add_lt' : a < c - b ↔ b + a < c := by rw [Nat.add_comm]; exact Nat.lt_sub_iff_add_lt

protected theorem sub_lt_self (h₀ : 0 < a) (h₁ : a ≤ b) : b - a < b := Nat.sub_lt (Nat.lt_of_lt_of_le h₀ h₁) h₀

protected theorem sub_lt_sub_left {k m n : Nat} (h₁ : k < m) (h₂ : k < n) : m - n < m - k := by
  obtain ⟨d, e⟩ := Nat.exists_eq_add_of_lt h₂
  rw [e, Nat.add_assoc, Nat.sub_add_eq]
  exact Nat.sub_lt (Nat.sub_pos_of_lt h₁) (Nat.succ_pos d)

protected theorem sub_add_sub_cancel (hab : b ≤ a) (hcb : c ≤ b) : a - b + (b - c) = a - c := by
  obtain ⟨k, e⟩ := Nat.exists_eq_add_of_le' hab
  rw [e, Nat.add_sub_cancel]
  exact (Nat.add_sub_assoc hcb k).symm

protected theorem sub_le_sub_iff_left (h : n ≤ k) : k - m ≤ k - n ↔ n ≤ m := by
  have e := Nat.sub_add_cancel h
  rw [Nat.sub_le_iff_le_add]
  exact ⟨fun g => Nat.le_of_add_le_add_left (Nat.le_trans (Nat.le_of_eq e) g), fun g =>
    Nat.le_trans (Nat.le_of_eq e.symm) (Nat.add_le_add_left g (k - n))⟩

protected theorem sub_le_sub_iff_right (h : k ≤ m) : n - k ≤ m - k ↔ n ≤ m :=
  by rw [Nat.sub_le_iff_le_add, Nat.sub_add_cancel h]

/- Minima and maxima -/

@[simp] protected theorem min_self (a : Nat) : min a a = a := Nat.min_eq_left (Nat.le_refl a)

@[simp] protected theorem max_self (a : Nat) : max a a = a := Nat.max_eq_left (Nat.le_refl a)

@[simp] protected theorem zero_min (a : Nat) : min 0 a = 0 := Nat.min_eq_left (zero_le a)

@[simp] protected theorem min_zero (a : Nat) : min a 0 = 0 := Nat.min_eq_right (zero_le a)

@[simp] protected theorem zero_max (a : Nat) : max 0 a = a := Nat.max_eq_right (zero_le a)

@[simp] protected theorem max_zero (a : Nat) : max a 0 = a := Nat.max_eq_left (zero_le a)

theorem succ_min_succ (x y : Nat) : min (succ x) (succ y) = succ (min x y) := Nat.add_min_add_right x y 1

theorem succ_max_succ (x y : Nat) : max (succ x) (succ y) = succ (max x y) := Nat.add_max_add_right x y 1

protected theorem le_min {a b c : Nat} : a ≤ min b c ↔ a ≤ b ∧ a ≤ c :=
  ⟨fun h => ⟨Nat.le_trans h (Nat.min_le_left b c), Nat.le_trans h (Nat.min_le_right b c)⟩, fun ⟨h, k⟩ => by
    rw [Nat.min_def]
    by_cases e : b ≤ c
    · rw [if_pos e]; exact h
    · rw [if_neg e]; exact k⟩

protected theorem le_min_of_le_of_le {a b c : Nat} (h : a ≤ b) (k : a ≤ c) : a ≤ min b c := Nat.le_min.mpr ⟨h, k⟩

protected theorem lt_min {a b c : Nat} : a < min b c ↔ a < b ∧ a < c := Nat.le_min

protected theorem max_le {a b c : Nat} : max a b ≤ c ↔ a ≤ c ∧ b ≤ c :=
  ⟨fun h => ⟨Nat.le_trans (Nat.le_max_left a b) h, Nat.le_trans (Nat.le_max_right a b) h⟩, fun ⟨h, k⟩ => by
    rw [Nat.max_def]
    by_cases e : a ≤ b
    · rw [if_pos e]; exact k
    · rw [if_neg e]; exact h⟩

protected theorem max_le_of_le_of_le {a b c : Nat} (h : a ≤ c) (k : b ≤ c) : max a b ≤ c := Nat.max_le.mpr ⟨h, k⟩

protected theorem max_lt {a b c : Nat} : max a b < c ↔ a < c ∧ b < c := by
  cases c with
  | zero => exact ⟨fun h => absurd h (not_lt_zero _), fun h => absurd h.left (not_lt_zero _)⟩
  | succ c => rw [Nat.lt_succ_iff, Nat.max_le, Nat.lt_succ_iff, Nat.lt_succ_iff]

@[simp] protected theorem min_assoc (a b c : Nat) : min (min a b) c = min a (min b c) :=
  Nat.le_antisymm
    (Nat.le_min.mpr ⟨Nat.le_trans (Nat.min_le_left _ c) (Nat.min_le_left a b),
      Nat.le_min.mpr ⟨Nat.le_trans (Nat.min_le_left _ c) (Nat.min_le_right a b), Nat.min_le_right _ c⟩⟩)
    (Nat.le_min.mpr ⟨Nat.le_min.mpr ⟨Nat.min_le_left a _, Nat.le_trans (Nat.min_le_right a _) (Nat.min_le_left b c)⟩,
      Nat.le_trans (Nat.min_le_right a _) (Nat.min_le_right b c)⟩)

@[simp] protected theorem max_assoc (a b c : Nat) : max (max a b) c = max a (max b c) :=
  Nat.le_antisymm
    (Nat.max_le.mpr ⟨Nat.max_le.mpr ⟨Nat.le_max_left a _, Nat.le_trans (Nat.le_max_left b c) (Nat.le_max_right a _)⟩,
      Nat.le_trans (Nat.le_max_right b c) (Nat.le_max_right a _)⟩)
    (Nat.max_le.mpr ⟨Nat.le_trans (Nat.le_max_left a b) (Nat.le_max_left _ c),
      Nat.max_le.mpr ⟨Nat.le_trans (Nat.le_max_right a b) (Nat.le_max_left _ c), Nat.le_max_right _ c⟩⟩)

protected theorem min_left_comm (a b c : Nat) : min a (min b c) = min b (min a c) := by
  rw [← Nat.min_assoc, Nat.min_comm a b, Nat.min_assoc]

protected theorem max_left_comm (a b c : Nat) : max a (max b c) = max b (max a c) := by
  rw [← Nat.max_assoc, Nat.max_comm a b, Nat.max_assoc]

protected theorem min_le_min_left (a : Nat) {b c : Nat} (h : b ≤ c) : min a b ≤ min a c :=
  Nat.le_min.mpr ⟨Nat.min_le_left a b, Nat.le_trans (Nat.min_le_right a b) h⟩

protected theorem min_le_min_right {a b : Nat} (c : Nat) (h : a ≤ b) : min a c ≤ min b c :=
  Nat.le_min.mpr ⟨Nat.le_trans (Nat.min_le_left a c) h, Nat.min_le_right a c⟩

/- Products -/

protected theorem eq_zero_of_mul_eq_zero {n m : Nat} (h : n * m = 0) : n = 0 ∨ m = 0 := Nat.mul_eq_zero.mp h

protected theorem mul_self_inj {m n : Nat} : m * m = n * n ↔ m = n := by
  refine ⟨fun h => ?_, fun h => by rw [h]⟩
  cases Nat.lt_trichotomy m n with
  | inl l => exact absurd h (Nat.ne_of_lt (Nat.mul_self_lt_mul_self l))
  | inr r =>
    cases r with
    | inl e => exact e
    | inr g => exact absurd h.symm (Nat.ne_of_lt (Nat.mul_self_lt_mul_self g))

theorem mul_eq_right {a b : Nat} (h : b ≠ 0) : a * b = b ↔ a = 1 := by
  conv => lhs; rhs; rw [← Nat.one_mul b]
  exact Nat.mul_right_cancel_iff (Nat.pos_of_ne_zero h)

theorem mul_eq_left {a b : Nat} (h : a ≠ 0) : a * b = a ↔ b = 1 := by rw [Nat.mul_comm]; exact mul_eq_right h

protected theorem pos_of_mul_pos_left {a b : Nat} (h : 0 < a * b) : 0 < b := by
  cases b with
  | zero => exact h
  | succ b => exact succ_pos b

protected theorem pos_of_mul_pos_right {a b : Nat} (h : 0 < a * b) : 0 < a := by
  rw [Nat.mul_comm] at h
  exact Nat.pos_of_mul_pos_left h

/- Powers -/

protected theorem pow_lt_pow_right {a n m : Nat} (h : 1 < a) (k : n < m) : a ^ n < a ^ m := by
  obtain ⟨d, e⟩ := Nat.exists_eq_add_of_lt k
  rw [e, Nat.pow_succ, Nat.pow_add]
  have p : 0 < a := Nat.lt_trans Nat.zero_lt_one h
  have q : a ^ n ≤ a ^ n * a ^ d := Nat.le_mul_of_pos_right (a ^ n) (Nat.pow_pos p)
  refine Nat.lt_of_le_of_lt q ?_
  have r := Nat.mul_lt_mul_of_pos_left h (Nat.mul_pos (Nat.pow_pos (n := n) p) (Nat.pow_pos (n := d) p))
  rw [Nat.mul_one] at r
  exact r

theorem pow_lt_pow_succ {a n : Nat} (h : 1 < a) : a ^ n < a ^ (n + 1) := Nat.pow_lt_pow_right h (Nat.lt_succ_self n)

protected theorem lt_two_pow_self {n : Nat} : n < 2 ^ n := by
  induction n with
  | zero => exact Nat.zero_lt_one
  | succ n ih =>
    rw [Nat.pow_succ, Nat.mul_two]
    exact Nat.lt_of_le_of_lt (Nat.succ_le_of_lt ih) (Nat.lt_add_of_pos_right (Nat.two_pow_pos n))

protected theorem pow_right_comm (a m n : Nat) : (a ^ m) ^ n = (a ^ n) ^ m := by
  rw [← Nat.pow_mul, ← Nat.pow_mul, Nat.mul_comm]

protected theorem pow_mul' (a m n : Nat) : a ^ (m * n) = (a ^ n) ^ m := by rw [Nat.mul_comm, Nat.pow_mul]

protected theorem two_pow_succ (n : Nat) : 2 ^ (n + 1) = 2 ^ n + 2 ^ n := by rw [Nat.pow_succ, Nat.mul_two]

protected theorem pow_eq_zero_iff {a n : Nat} (h : n ≠ 0) : a ^ n = 0 ↔ a = 0 := by
  refine ⟨fun e => ?_, fun e => by rw [e]; exact Nat.zero_pow (Nat.pos_of_ne_zero h)⟩
  cases Nat.eq_zero_or_pos a with
  | inl z => exact z
  | inr p => exact absurd e (Nat.ne_of_gt (Nat.pow_pos p))

protected theorem one_le_pow (n m : Nat) (h : 0 < m) : 1 ≤ m ^ n := Nat.pow_pos h

protected theorem one_le_two_pow {n : Nat} : 1 ≤ 2 ^ n := Nat.two_pow_pos n

/- Bounded quantifiers -/

theorem forall_lt_succ_right {p : Nat → Prop} : (∀ m, m < n + 1 → p m) ↔ (∀ m, m < n → p m) ∧ p n :=
  ⟨fun h => ⟨fun m k => h m (lt_succ_of_lt k), h n (lt_succ_self n)⟩, fun h m k =>
    Or.elim (Nat.lt_or_eq_of_le (le_of_lt_succ k)) (h.left m) (fun e => by rw [e]; exact h.right)⟩

theorem forall_lt_succ_left {p : Nat → Prop} : (∀ m, m < n + 1 → p m) ↔ p 0 ∧ (∀ m, m < n → p (m + 1)) :=
  ⟨fun h => ⟨h 0 (succ_pos n), fun m k => h (m + 1) (succ_lt_succ k)⟩, fun h m => by
    cases m with
    | zero => exact fun _ => h.left
    | succ m => exact fun k => h.right m (lt_of_succ_lt_succ k)⟩

theorem exists_lt_succ_right {p : Nat → Prop} : (∃ m, m < n + 1 ∧ p m) ↔ (∃ m, m < n ∧ p m) ∨ p n := by
  constructor
  · intro ⟨m, k, h⟩
    cases Nat.lt_or_eq_of_le (le_of_lt_succ k) with
    | inl l => exact Or.inl ⟨m, l, h⟩
    | inr e => rw [e] at h; exact Or.inr h
  · intro h
    cases h with
    | inl h =>
      obtain ⟨m, k, h⟩ := h
      exact ⟨m, lt_succ_of_lt k, h⟩
    | inr h => exact ⟨n, lt_succ_self n, h⟩

instance decidableBallLT (n : Nat) (P : (k : Nat) → k < n → Prop) [H : (n_1 : Nat) → (h : n_1 < n) → Decidable (P n_1 h)] :
    Decidable (∀ n_1 h, P n_1 h) :=
  match n, P, H with
  | 0, _, _ => isTrue (fun n h => absurd h (not_lt_zero n))
  | n + 1, P, H =>
    match decidableBallLT n (fun k h => P k (lt_succ_of_lt h)), H n (lt_succ_self n) with
    | isFalse h, _ => isFalse (fun k => h (fun m l => k m (lt_succ_of_lt l)))
    | isTrue _, isFalse h => isFalse (fun k => h (k n (lt_succ_self n)))
    | isTrue h, isTrue p => isTrue (fun m l =>
      if e : m = n then by subst e; exact p else h m (Nat.lt_of_le_of_ne (le_of_lt_succ l) e))

instance decidableForallLT (n : Nat) (P : Nat → Prop) [DecidablePred P] : Decidable (∀ k, k < n → P k) :=
  decidableBallLT n (fun k _ => P k)

end Nat

/- What `simp` does to tests of equations that it simplifies -/

theorem Nat.Simproc.beqEqOfEqEq {a b c d : Nat} (p : (a = b) = (c = d)) : (a == b) = (c == d) := by
  rw [Bool.beq_eq_decide_eq, Bool.beq_eq_decide_eq, decide_eq_decide]
  exact Iff.of_eq p

theorem Nat.Simproc.beqFalseOfEqFalse {a b : Nat} (p : (a = b) = False) : (a == b) = false := by
  rw [Bool.beq_eq_decide_eq]
  exact decide_eq_false (of_eq_false p)

theorem Nat.Simproc.bneEqOfEqEq {a b c d : Nat} (p : (a = b) = (c = d)) : (a != b) = (c != d) :=
  congrArg (!·) (Nat.Simproc.beqEqOfEqEq p)

theorem Nat.Simproc.bneTrueOfEqFalse {a b : Nat} (p : (a = b) = False) : (a != b) = true :=
  congrArg (!·) (Nat.Simproc.beqFalseOfEqFalse p)
