/- Division, remainder, divisibility. Both recursions count down from the dividend.

The facts from which the kernel's equations follow (`by_zero`, `by_succ`) are proved without axioms. -/

namespace Nat

/-- How often `y` fits into `x`, in at most `fuel` steps. -/
protected def div.go (y : Nat) : (fuel x : Nat) → Nat
  | 0, _ => 0
  | fuel + 1, x => if y ≤ x then div.go y fuel (x - y) + 1 else 0

/-- The quotient, rounded down; 0 for the divisor 0. -/
@[extern "lean_nat_div"] protected def div (x y : Nat) : Nat :=
  match y with
  | 0 => 0
  | k + 1 => div.go (k + 1) x x

instance instDivNat : Div Nat := ⟨Nat.div⟩

/-- What is left of `x` when `y` is taken away, in at most `fuel` steps. -/
protected def modCore.go (y : Nat) : (fuel x : Nat) → Nat
  | 0, x => x
  | fuel + 1, x => if y ≤ x then modCore.go y fuel (x - y) else x

/-- The remainder by counting down. -/
protected def modCore (x y : Nat) : Nat :=
  match y with
  | 0 => x
  | k + 1 => modCore.go (k + 1) x x

/-- The remainder; the dividend itself for the divisor 0. As in core, it computes on the dividend first. -/
@[extern "lean_nat_mod"] protected def mod : Nat → Nat → Nat
  | 0, _ => 0
  | n + 1, m => if m ≤ n + 1 then Nat.modCore (n + 1) m else n + 1

instance instModNat : Mod Nat := ⟨Nat.mod⟩

instance instDvdNat : Dvd Nat := ⟨fun a b => Exists (fun c => b = a * c)⟩

protected theorem modCore_eq_mod (n m : Nat) : Nat.modCore n m = n % m := by
  cases n with
  | zero => cases m <;> rfl
  | succ n =>
    show Nat.modCore (n + 1) m = if m ≤ n + 1 then Nat.modCore (n + 1) m else n + 1
    cases Nat.lt_or_ge (n + 1) m with
    | inr h => rw [if_pos h]
    | inl h =>
      rw [if_neg (Nat.not_le_of_gt h)]
      cases m with
      | zero => exact absurd h (Nat.not_lt_zero _)
      | succ k => exact if_neg (Nat.not_le_of_gt h)

theorem div.go_add_mod (k : Nat) : ∀ fuel x : Nat,
    (k + 1) * div.go (k + 1) fuel x + modCore.go (k + 1) fuel x = x := by
  intro fuel
  induction fuel with
  | zero => intro x; show (k + 1) * 0 + x = x; rw [Nat.mul_zero, Nat.zero_add]
  | succ fuel ih =>
    intro x
    show (k + 1) * (if k + 1 ≤ x then div.go (k + 1) fuel (x - (k + 1)) + 1 else 0)
      + (if k + 1 ≤ x then modCore.go (k + 1) fuel (x - (k + 1)) else x) = x
    cases Nat.lt_or_ge x (k + 1) with
    | inr h =>
      rw [if_pos h, if_pos h, Nat.mul_add, Nat.mul_one, Nat.add_right_comm, ih]
      exact Nat.sub_add_cancel h
    | inl h => rw [if_neg (Nat.not_le_of_gt h), if_neg (Nat.not_le_of_gt h), Nat.mul_zero, Nat.zero_add]

theorem modCore.go_lt (k : Nat) : ∀ fuel x : Nat, x ≤ fuel → modCore.go (k + 1) fuel x < k + 1 := by
  intro fuel
  induction fuel with
  | zero =>
    intro x h
    have e : x = 0 := Nat.eq_zero_of_le_zero h
    rw [e]
    exact Nat.zero_lt_succ k
  | succ fuel ih =>
    intro x h
    show (if k + 1 ≤ x then modCore.go (k + 1) fuel (x - (k + 1)) else x) < k + 1
    cases Nat.lt_or_ge x (k + 1) with
    | inr hk =>
      rw [if_pos hk]
      apply ih
      have a : x - (k + 1) < x := Nat.sub_lt (Nat.lt_of_lt_of_le (Nat.zero_lt_succ k) hk) (Nat.zero_lt_succ k)
      exact Nat.le_of_lt_succ (Nat.lt_of_lt_of_le a h)
    | inl hk =>
      rw [if_neg (Nat.not_le_of_gt hk)]
      exact hk

theorem div_add_mod (m k : Nat) : k * (m / k) + m % k = m := by
  rw [← Nat.modCore_eq_mod]
  cases k with
  | zero => show 0 * 0 + m = m; rw [Nat.zero_mul, Nat.zero_add]
  | succ k => exact div.go_add_mod k m m

theorem mod_add_div (m k : Nat) : m % k + k * (m / k) = m := by
  rw [Nat.add_comm]
  exact div_add_mod m k

theorem mod_lt (x : Nat) {y : Nat} : y > 0 → x % y < y := by
  cases y with
  | zero => intro h; exact absurd h (Nat.lt_irrefl 0)
  | succ k => intro _; rw [← Nat.modCore_eq_mod]; exact modCore.go_lt k x x (Nat.le_refl x)

@[simp] theorem mod_zero (a : Nat) : a % 0 = a := by cases a <;> rfl

@[simp] protected theorem div_zero (b : Nat) : b / 0 = 0 := by rfl

@[simp] protected theorem zero_div (b : Nat) : 0 / b = 0 := by cases b <;> rfl

@[simp] theorem zero_mod (b : Nat) : 0 % b = 0 := rfl

theorem mod_le (x y : Nat) : x % y ≤ x := by
  have h : x % y ≤ x % y + y * (x / y) := Nat.le_add_right (x % y) (y * (x / y))
  rw [mod_add_div] at h
  exact h

theorem div_mod_unique {a b q r : Nat} (hb : 0 < b) (h : b * q + r = a) (hr : r < b) : a / b = q ∧ a % b = r := by
  have e : b * (a / b) + a % b = b * q + r := by rw [div_add_mod, h]
  have hlt : a % b < b := mod_lt a hb
  have hq : a / b = q := by
    cases Nat.lt_or_ge (a / b) q with
    | inl l =>
      have s : b * (a / b) + b ≤ b * q := by
        rw [← Nat.mul_succ]
        exact Nat.mul_le_mul_left b l
      have t : b * (a / b) + a % b < b * q + r :=
        Nat.lt_of_lt_of_le (Nat.add_lt_add_left hlt _) (Nat.le_trans s (Nat.le_add_right _ _))
      exact absurd e (Nat.ne_of_lt t)
    | inr g =>
      cases Nat.eq_or_lt_of_le g with
      | inl e => exact e.symm
      | inr l =>
        have s : b * q + b ≤ b * (a / b) := by
          rw [← Nat.mul_succ]
          exact Nat.mul_le_mul_left b l
        have t : b * q + r < b * (a / b) + a % b :=
          Nat.lt_of_lt_of_le (Nat.add_lt_add_left hr _) (Nat.le_trans s (Nat.le_add_right _ _))
        exact absurd e.symm (Nat.ne_of_lt t)
  rw [hq] at e
  exact ⟨hq, Nat.add_left_cancel e⟩

/- The equations with which the kernel starts to compute quotients and remainders of literals. -/

theorem div.by_zero (x : Nat) : Nat.div x Nat.zero = Nat.zero := rfl

theorem div.by_succ (k q r : Nat) (h : Nat.ble (Nat.succ r) (Nat.succ k) = Bool.true) :
    Nat.div (Nat.add (Nat.mul (Nat.succ k) q) r) (Nat.succ k) = q :=
  (div_mod_unique (Nat.zero_lt_succ k) rfl (Nat.le_of_ble_eq_true h)).left

theorem mod.by_zero (x : Nat) : Nat.mod x Nat.zero = x := by cases x <;> rfl

theorem mod.by_succ (k q r : Nat) (h : Nat.ble (Nat.succ r) (Nat.succ k) = Bool.true) :
    Nat.mod (Nat.add (Nat.mul (Nat.succ k) q) r) (Nat.succ k) = r :=
  (div_mod_unique (Nat.zero_lt_succ k) rfl (Nat.le_of_ble_eq_true h)).right

theorem mod_eq_of_lt {a b : Nat} (h : a < b) : a % b = a :=
  (div_mod_unique (q := 0) (Nat.lt_of_le_of_lt (Nat.zero_le a) h) (by rw [Nat.mul_zero, Nat.zero_add]) h).right

theorem div_eq_of_lt {a b : Nat} (h : a < b) : a / b = 0 :=
  (div_mod_unique (q := 0) (Nat.lt_of_le_of_lt (Nat.zero_le a) h) (by rw [Nat.mul_zero, Nat.zero_add]) h).left

@[simp] theorem mod_self (n : Nat) : n % n = 0 := by
  cases n with
  | zero => rfl
  | succ n => exact (div_mod_unique (q := 1) (Nat.zero_lt_succ n) (by rw [Nat.mul_one, Nat.add_zero]) (Nat.zero_lt_succ n)).right

@[simp] theorem mod_one (x : Nat) : x % 1 = 0 :=
  Nat.eq_zero_of_le_zero (Nat.le_of_lt_succ (mod_lt x (Nat.zero_lt_succ 0)))

@[simp] protected theorem div_one (n : Nat) : n / 1 = n :=
  (div_mod_unique (r := 0) (Nat.zero_lt_succ 0) (by rw [Nat.one_mul, Nat.add_zero]) (Nat.zero_lt_succ 0)).left

protected theorem div_self {n : Nat} (h : 0 < n) : n / n = 1 :=
  (div_mod_unique (r := 0) h (by rw [Nat.mul_one, Nat.add_zero]) h).left

@[simp] theorem mul_mod_right (x z : Nat) : (x * z) % x = 0 := by
  cases x with
  | zero => rw [Nat.zero_mul, zero_mod]
  | succ x => exact (div_mod_unique (q := z) (Nat.zero_lt_succ x) (by rw [Nat.add_zero]) (Nat.zero_lt_succ x)).right

@[simp] theorem mul_mod_left (x z : Nat) : (x * z) % z = 0 := by
  rw [Nat.mul_comm, mul_mod_right]

protected theorem mul_div_cancel_left (m : Nat) {n : Nat} (H : 0 < n) : n * m / n = m :=
  (div_mod_unique (r := 0) H (by rw [Nat.add_zero]) H).left

protected theorem mul_div_cancel (m : Nat) {n : Nat} (H : 0 < n) : m * n / n = m := by
  rw [Nat.mul_comm]
  exact Nat.mul_div_cancel_left m H

@[simp] theorem add_mod_right (x z : Nat) : (x + z) % z = x % z := by
  cases z with
  | zero => rfl
  | succ z =>
    refine (div_mod_unique (q := x / (z + 1) + 1) (Nat.zero_lt_succ z) ?_ (mod_lt x (Nat.zero_lt_succ z))).right
    rw [Nat.mul_add, Nat.mul_one, Nat.add_right_comm, div_add_mod]

@[simp] theorem add_mod_left (x z : Nat) : (x + z) % x = z % x := by
  rw [Nat.add_comm, add_mod_right]

theorem mod_two_eq_zero_or_one (n : Nat) : n % 2 = 0 ∨ n % 2 = 1 := by
  have h : n % 2 < 2 := mod_lt n (Nat.zero_lt_succ 1)
  cases Nat.eq_or_lt_of_le (Nat.le_of_lt_succ h) with
  | inl e => exact Or.inr e
  | inr l => exact Or.inl (Nat.eq_zero_of_le_zero (Nat.le_of_lt_succ l))

/- Divisibility -/

protected theorem dvd_refl (a : Nat) : a ∣ a := ⟨1, (Nat.mul_one a).symm⟩

protected theorem dvd_zero (a : Nat) : a ∣ 0 := ⟨0, rfl⟩

protected theorem dvd_mul_right (a b : Nat) : a ∣ a * b := ⟨b, rfl⟩

protected theorem dvd_mul_left (a b : Nat) : a ∣ b * a := ⟨b, Nat.mul_comm b a⟩

protected theorem dvd_trans {a b c : Nat} (h₁ : a ∣ b) (h₂ : b ∣ c) : a ∣ c := by
  cases h₁ with
  | intro x hx =>
    cases h₂ with
    | intro y hy => exact ⟨x * y, by rw [hy, hx, Nat.mul_assoc]⟩

protected theorem eq_zero_of_zero_dvd {a : Nat} (h : 0 ∣ a) : a = 0 := by
  cases h with
  | intro x hx => rw [hx, Nat.zero_mul]

@[simp] protected theorem zero_dvd {n : Nat} : 0 ∣ n ↔ n = 0 :=
  ⟨Nat.eq_zero_of_zero_dvd, fun h => by rw [h]; exact Nat.dvd_zero 0⟩

protected theorem dvd_add {m n k : Nat} (h₁ : k ∣ m) (h₂ : k ∣ n) : k ∣ m + n := by
  cases h₁ with
  | intro x hx =>
    cases h₂ with
    | intro y hy => exact ⟨x + y, by rw [hx, hy, Nat.mul_add]⟩

theorem one_dvd (n : Nat) : 1 ∣ n := ⟨n, (Nat.one_mul n).symm⟩

theorem dvd_mul_left_of_dvd {a b : Nat} (h : a ∣ b) (c : Nat) : a ∣ c * b :=
  Nat.dvd_trans h (Nat.dvd_mul_left b c)

theorem dvd_mul_right_of_dvd {a b : Nat} (h : a ∣ b) (c : Nat) : a ∣ b * c :=
  Nat.dvd_trans h (Nat.dvd_mul_right b c)

theorem le_of_dvd {m n : Nat} (h1 : 0 < n) : m ∣ n → m ≤ n := by
  intro h
  cases h with
  | intro k e =>
    cases k with
    | zero =>
      rw [e] at h1
      exact absurd h1 (Nat.lt_irrefl 0)
    | succ k =>
      rw [e]
      exact Nat.le_add_left m (m * k)

theorem dvd_of_mod_eq_zero {k n : Nat} (h : n % k = 0) : k ∣ n :=
  ⟨n / k, by have e := div_add_mod n k; rw [h, Nat.add_zero] at e; exact e.symm⟩

theorem mod_eq_zero_of_dvd {k n : Nat} (h : k ∣ n) : n % k = 0 := by
  cases h with
  | intro x hx => rw [hx, mul_mod_right]

theorem dvd_iff_mod_eq_zero {k n : Nat} : k ∣ n ↔ n % k = 0 := ⟨mod_eq_zero_of_dvd, dvd_of_mod_eq_zero⟩

protected theorem dvd_antisymm {m n : Nat} : m ∣ n → n ∣ m → m = n := by
  intro h₁ h₂
  cases Nat.eq_zero_or_pos n with
  | inl z =>
    rw [z] at h₂
    rw [z]
    exact Nat.eq_zero_of_zero_dvd h₂
  | inr p =>
    cases Nat.eq_zero_or_pos m with
    | inl z =>
      rw [z] at h₁
      rw [z]
      exact (Nat.eq_zero_of_zero_dvd h₁).symm
    | inr q => exact Nat.le_antisymm (le_of_dvd p h₁) (le_of_dvd q h₂)

instance decidable_dvd (k n : Nat) : Decidable (k ∣ n) :=
  decidable_of_iff (n % k = 0) dvd_iff_mod_eq_zero.symm

end Nat
