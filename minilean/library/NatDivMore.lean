/- Natural numbers: more about quotients, remainders and divisibility, greatest common divisors. -/

namespace Nat

variable {a b c k m n x y : Nat}

theorem mod_lt_of_lt (h : a < c) : a % b < c := Nat.lt_of_le_of_lt (mod_le a b) h

theorem mod_def (m k : Nat) : m % k = m - k * (m / k) :=
  (Nat.sub_eq_of_eq_add (mod_add_div m k).symm).symm

theorem add_mul_div_left (x z : Nat) {y : Nat} (H : 0 < y) : (x + y * z) / y = x / y + z :=
  (div_mod_unique H (by rw [Nat.mul_add, Nat.add_right_comm, div_add_mod]) (mod_lt x H)).left

theorem add_mul_div_right (x y : Nat) {z : Nat} (H : 0 < z) : (x + y * z) / z = x / z + y := by
  rw [Nat.mul_comm, add_mul_div_left x y H]

@[simp] theorem add_div_right (x : Nat) {z : Nat} (H : 0 < z) : (x + z) / z = x / z + 1 := by
  conv => lhs; lhs; rw [← Nat.mul_one z]
  exact add_mul_div_left x 1 H

@[simp] theorem add_div_left (x : Nat) {z : Nat} (H : 0 < z) : (z + x) / z = x / z + 1 := by
  rw [Nat.add_comm, add_div_right x H]

theorem div_eq_sub_div (h₁ : 0 < b) (h₂ : b ≤ a) : a / b = (a - b) / b + 1 := by
  rw [← add_div_right (a - b) h₁, Nat.sub_add_cancel h₂]

theorem div_eq (x y : Nat) : x / y = if 0 < y ∧ y ≤ x then (x - y) / y + 1 else 0 := by
  by_cases h : 0 < y ∧ y ≤ x
  · rw [if_pos h, div_eq_sub_div h.left h.right]
  · rw [if_neg h]
    cases Nat.eq_zero_or_pos y with
    | inl z => rw [z, Nat.div_zero]
    | inr p => exact div_eq_of_lt (Nat.lt_of_not_le (fun k => h ⟨p, k⟩))

@[simp] theorem add_mul_mod_self_left (x y z : Nat) : (x + y * z) % y = x % y := by
  cases Nat.eq_zero_or_pos y with
  | inl e => rw [e, Nat.zero_mul, Nat.add_zero]
  | inr p =>
    exact (div_mod_unique (q := x / y + z) p (by rw [Nat.mul_add, Nat.add_right_comm, div_add_mod]) (mod_lt x p)).right

@[simp] theorem add_mul_mod_self_right (x y z : Nat) : (x + y * z) % z = x % z := by
  rw [Nat.mul_comm, add_mul_mod_self_left]

@[simp] theorem mul_add_mod_self_left (a b c : Nat) : (a * b + c) % a = c % a := by
  rw [Nat.add_comm, add_mul_mod_self_left]

@[simp] theorem mul_add_mod_self_right (a b c : Nat) : (a * b + c) % b = c % b := by
  rw [Nat.add_comm, add_mul_mod_self_right]

theorem mod_eq_sub_mod (h : a ≥ b) : a % b = (a - b) % b := by rw [← add_mod_right (a - b) b, Nat.sub_add_cancel h]

theorem mod_eq (x y : Nat) : x % y = if 0 < y ∧ y ≤ x then (x - y) % y else x := by
  by_cases h : 0 < y ∧ y ≤ x
  · rw [if_pos h, mod_eq_sub_mod h.right]
  · rw [if_neg h]
    cases Nat.eq_zero_or_pos y with
    | inl z => rw [z, mod_zero]
    | inr p => exact mod_eq_of_lt (Nat.lt_of_not_le (fun k => h ⟨p, k⟩))

@[simp] theorem mod_mod (a n : Nat) : (a % n) % n = a % n := by
  cases Nat.eq_zero_or_pos n with
  | inl e => rw [e, mod_zero, mod_zero]
  | inr p => exact mod_eq_of_lt (mod_lt a p)

@[simp] theorem mod_add_mod (m n k : Nat) : (m % n + k) % n = (m + k) % n := by
  have h := add_mul_mod_self_left (m % n + k) n (m / n)
  rw [Nat.add_right_comm, mod_add_div] at h
  exact h.symm

@[simp] theorem add_mod_mod (m n k : Nat) : (m + n % k) % k = (m + n) % k := by
  rw [Nat.add_comm, mod_add_mod, Nat.add_comm]

theorem add_mod (a b n : Nat) : (a + b) % n = ((a % n) + (b % n)) % n := by rw [add_mod_mod, mod_add_mod]

@[simp] theorem mod_mul_mod (a b n : Nat) : (a % n * b) % n = a * b % n := by
  have h := add_mul_mod_self_left (a % n * b) n (a / n * b)
  rw [← Nat.mul_assoc, ← Nat.add_mul, mod_add_div] at h
  exact h.symm

theorem mul_mod (a b n : Nat) : a * b % n = (a % n) * (b % n) % n := by
  rw [mod_mul_mod, Nat.mul_comm a (b % n), mod_mul_mod, Nat.mul_comm]

theorem div_le_self (n k : Nat) : n / k ≤ n := by
  cases Nat.eq_zero_or_pos k with
  | inl e => rw [e, Nat.div_zero]; exact zero_le n
  | inr p =>
    have h : k * (n / k) ≤ n := by
      conv => rhs; rw [← div_add_mod n k]
      exact Nat.le_add_right _ _
    exact Nat.le_trans (Nat.le_mul_of_pos_left (n / k) p) h

theorem div_mul_le_self (m n : Nat) : m / n * n ≤ m := by
  have h := div_add_mod m n
  rw [Nat.mul_comm] at h
  exact Nat.le.intro h

theorem mul_div_le (m n : Nat) : n * (m / n) ≤ m := Nat.le.intro (div_add_mod m n)

theorem lt_mul_div_succ (a : Nat) {b : Nat} (h : 0 < b) : a < b * (a / b + 1) := by
  rw [Nat.mul_add, Nat.mul_one]
  conv => lhs; rw [← div_add_mod a b]
  exact Nat.add_lt_add_left (mod_lt a h) _

theorem le_div_iff_mul_le (k0 : 0 < k) : x ≤ y / k ↔ x * k ≤ y := by
  constructor
  · intro h
    exact Nat.le_trans (Nat.mul_le_mul_right k h) (div_mul_le_self y k)
  · intro h
    apply Nat.le_of_lt_succ
    have l := Nat.lt_of_le_of_lt h (lt_mul_div_succ y k0)
    rw [Nat.mul_comm] at l
    exact Nat.lt_of_not_le (fun g => Nat.not_lt_of_le (Nat.mul_le_mul_left k g) l)

theorem div_lt_iff_lt_mul (Hk : 0 < k) : x / k < y ↔ x < y * k := by
  rw [← Nat.not_le, ← Nat.not_le]
  exact not_congr (le_div_iff_mul_le Hk)

theorem div_lt_self (hLtN : 0 < n) (hLtK : 1 < k) : n / k < n := by
  rw [div_lt_iff_lt_mul (Nat.lt_trans Nat.zero_lt_one hLtK)]
  conv => lhs; rw [← Nat.mul_one n]
  exact Nat.mul_lt_mul_of_pos_left hLtK hLtN

theorem div_le_div_right {a b : Nat} (c : Nat) (h : a ≤ b) : a / c ≤ b / c := by
  cases Nat.eq_zero_or_pos c with
  | inl e => rw [e, Nat.div_zero, Nat.div_zero]; exact Nat.le_refl 0
  | inr p => exact (le_div_iff_mul_le p).mpr (Nat.le_trans (div_mul_le_self a c) h)

theorem div_pos (hba : b ≤ a) (hb : 0 < b) : 0 < a / b :=
  (le_div_iff_mul_le hb).mpr (by rw [Nat.one_mul]; exact hba)

theorem div_mul_cancel {a b : Nat} (H : a ∣ b) : b / a * a = b := by
  have h := div_add_mod b a
  rw [mod_eq_zero_of_dvd H, Nat.add_zero, Nat.mul_comm] at h
  exact h

theorem mul_div_cancel' {n m : Nat} (H : n ∣ m) : n * (m / n) = m := by rw [Nat.mul_comm, div_mul_cancel H]

@[simp] theorem mul_div_right (n : Nat) {m : Nat} (H : 0 < m) : m * n / m = n := Nat.mul_div_cancel_left n H

@[simp] theorem mul_div_left (m : Nat) {n : Nat} (H : 0 < n) : m * n / n = m := Nat.mul_div_cancel m H

theorem mul_div_assoc {k n : Nat} (m : Nat) (H : k ∣ n) : m * n / k = m * (n / k) := by
  cases Nat.eq_zero_or_pos k with
  | inl e => rw [e, Nat.div_zero, Nat.div_zero, Nat.mul_zero]
  | inr p =>
    conv => lhs; rw [← mul_div_cancel' H, Nat.mul_left_comm]
    exact Nat.mul_div_cancel_left _ p

protected theorem div_eq_of_eq_mul_left (H1 : 0 < n) (H2 : m = k * n) : m / n = k := by
  rw [H2, Nat.mul_div_cancel k H1]

protected theorem div_eq_of_eq_mul_right (H1 : 0 < n) (H2 : m = n * k) : m / n = k := by
  rw [H2, Nat.mul_div_cancel_left k H1]

protected theorem eq_mul_of_div_eq_right {a b c : Nat} (H1 : b ∣ a) (H2 : a / b = c) : a = b * c := by
  rw [← H2, mul_div_cancel' H1]

protected theorem div_div_eq_div_mul (m n k : Nat) : m / n / k = m / (n * k) := by
  cases Nat.eq_zero_or_pos k with
  | inl e => rw [e, Nat.mul_zero, Nat.div_zero, Nat.div_zero]
  | inr kp =>
    cases Nat.eq_zero_or_pos n with
    | inl e => rw [e, Nat.zero_mul, Nat.div_zero, Nat.zero_div]
    | inr np =>
      apply Nat.le_antisymm
      · rw [le_div_iff_mul_le (Nat.mul_pos np kp), Nat.mul_comm n k, ← Nat.mul_assoc, ← le_div_iff_mul_le np,
          ← le_div_iff_mul_le kp]
        exact Nat.le_refl _
      · rw [le_div_iff_mul_le kp, le_div_iff_mul_le np, Nat.mul_assoc, Nat.mul_comm k n]
        exact div_mul_le_self m (n * k)

@[simp] theorem mod_two_not_eq_zero : ¬n % 2 = 0 ↔ n % 2 = 1 := by
  cases mod_two_eq_zero_or_one n with
  | inl h => rw [h]; decide
  | inr h => rw [h]; decide

@[simp] theorem mod_two_not_eq_one : ¬n % 2 = 1 ↔ n % 2 = 0 := by
  cases mod_two_eq_zero_or_one n with
  | inl h => rw [h]; decide
  | inr h => rw [h]; decide

/- Divisibility -/

protected theorem dvd_add_iff_right (h : k ∣ m) : k ∣ n ↔ k ∣ m + n := by
  refine ⟨Nat.dvd_add h, fun g => ?_⟩
  obtain ⟨x, hx⟩ := h
  obtain ⟨y, hy⟩ := g
  exact ⟨y - x, by rw [Nat.mul_sub, ← hx, ← hy, Nat.add_sub_cancel_left]⟩

protected theorem dvd_add_iff_left (h : k ∣ n) : k ∣ m ↔ k ∣ m + n := by
  rw [Nat.add_comm]
  exact Nat.dvd_add_iff_right h

protected theorem dvd_add_right {m k : Nat} (h : k ∣ m) : k ∣ m + n ↔ k ∣ n := (Nat.dvd_add_iff_right h).symm

protected theorem dvd_add_left {m k : Nat} (h : k ∣ n) : k ∣ m + n ↔ k ∣ m := (Nat.dvd_add_iff_left h).symm

theorem dvd_sub (h₁ : k ∣ m) (h₂ : k ∣ n) : k ∣ m - n := by
  obtain ⟨x, hx⟩ := h₁
  obtain ⟨y, hy⟩ := h₂
  exact ⟨x - y, by rw [hx, hy, Nat.mul_sub]⟩

protected theorem mul_dvd_mul {a b c d : Nat} : a ∣ b → c ∣ d → a * c ∣ b * d
  | ⟨e, he⟩, ⟨f, hf⟩ => ⟨e * f, by rw [he, hf, Nat.mul_mul_mul_comm]⟩

protected theorem mul_dvd_mul_left {b c : Nat} (a : Nat) (h : b ∣ c) : a * b ∣ a * c :=
  Nat.mul_dvd_mul (Nat.dvd_refl a) h

protected theorem mul_dvd_mul_right {a b : Nat} (h : a ∣ b) (c : Nat) : a * c ∣ b * c :=
  Nat.mul_dvd_mul h (Nat.dvd_refl c)

protected theorem dvd_of_mul_dvd_mul_left (kpos : 0 < k) (H : k * m ∣ k * n) : m ∣ n := by
  obtain ⟨l, H⟩ := H
  rw [Nat.mul_assoc] at H
  exact ⟨l, Nat.eq_of_mul_eq_mul_left kpos H⟩

theorem pos_of_dvd_of_pos {m n : Nat} (H1 : m ∣ n) (H2 : 0 < n) : 0 < m :=
  Nat.pos_of_ne_zero (fun e => by
    rw [e] at H1
    exact absurd (Nat.eq_zero_of_zero_dvd H1) (Nat.ne_of_gt H2))

theorem eq_one_of_dvd_one {n : Nat} (H : n ∣ 1) : n = 1 := Nat.dvd_antisymm H (one_dvd n)

@[simp] theorem dvd_one {n : Nat} : n ∣ 1 ↔ n = 1 := ⟨eq_one_of_dvd_one, fun h => by rw [h]; exact Nat.dvd_refl 1⟩

theorem dvd_mod_iff {k m n : Nat} (h : k ∣ n) : k ∣ m % n ↔ k ∣ m := by
  rw [Nat.dvd_add_iff_right (Nat.dvd_trans h (Nat.dvd_mul_right n (m / n))), div_add_mod]

theorem eq_zero_of_dvd_of_lt {a b : Nat} (w : a ∣ b) (h : b < a) : b = 0 := by
  cases Nat.eq_zero_or_pos b with
  | inl e => exact e
  | inr p => exact absurd h (Nat.not_lt_of_le (le_of_dvd p w))

theorem exists_eq_mul_right_of_dvd (h : a ∣ b) : ∃ c, b = a * c := h

theorem exists_eq_mul_left_of_dvd (h : a ∣ b) : ∃ c, b = c * a := by
  obtain ⟨c, h⟩ := h
  exact ⟨c, by rw [h, Nat.mul_comm]⟩

/- The greatest common divisor: Euclid's algorithm in at most `fuel` steps. -/

/-- Euclid's algorithm, in at most `fuel` steps. -/
protected def gcd.go : (fuel m n : Nat) → Nat
  | 0, _, n => n
  | _ + 1, 0, n => n
  | fuel + 1, m + 1, n => gcd.go fuel (n % (m + 1)) (m + 1)

/-- The greatest common divisor. -/
def gcd (m n : Nat) : Nat := gcd.go m m n

theorem gcd.go_eq : ∀ fuel k m n : Nat, m ≤ fuel → m ≤ k → gcd.go fuel m n = gcd.go k m n := by
  intro fuel
  induction fuel with
  | zero =>
    intro k m n h _
    rw [Nat.le_zero.mp h]
    cases k <;> rfl
  | succ fuel ih =>
    intro k m n h g
    cases m with
    | zero => cases k <;> rfl
    | succ m =>
      cases k with
      | zero => exact absurd g (not_succ_le_zero m)
      | succ k =>
        have l : n % (m + 1) ≤ m := le_of_lt_succ (mod_lt n (succ_pos m))
        exact ih k _ _ (Nat.le_trans l (le_of_succ_le_succ h)) (Nat.le_trans l (le_of_succ_le_succ g))

@[simp] theorem gcd_zero_left (y : Nat) : gcd 0 y = y := rfl

theorem gcd_succ (x y : Nat) : gcd (succ x) y = gcd (y % succ x) (succ x) :=
  gcd.go_eq x (y % succ x) _ _ (le_of_lt_succ (mod_lt y (succ_pos x))) (Nat.le_refl _)

/- The equations with which the kernel starts to compute it on literals. -/

theorem gcd.of_zero (y : Nat) : Nat.gcd Nat.zero y = y := rfl

theorem gcd.of_succ (x y : Nat) : Nat.gcd (Nat.succ x) y = Nat.gcd (Nat.mod y (Nat.succ x)) (Nat.succ x) := gcd_succ x y

theorem gcd_rec (m n : Nat) : gcd m n = gcd (n % m) m := by
  cases m with
  | zero => rw [mod_zero, gcd_zero_left]; cases n; rfl; rw [gcd_succ, zero_mod, gcd_zero_left]
  | succ m => exact gcd_succ m n

@[simp] theorem gcd_zero_right (n : Nat) : gcd n 0 = n := by
  cases n with
  | zero => rfl
  | succ n => rw [gcd_succ, zero_mod, gcd_zero_left]

/- Core's is by well-founded recursion, which nothing unfolds: here it computes where nothing is variable. -/
attribute [irreducible] gcd

@[simp] theorem gcd_self (n : Nat) : gcd n n = n := by
  cases n with
  | zero => rfl
  | succ n => rw [gcd_succ, mod_self, gcd_zero_left]

theorem gcd.induction {P : Nat → Nat → Prop} (m n : Nat) (H0 : ∀ n, P 0 n)
    (H1 : ∀ m n, 0 < m → P (n % m) m → P m n) : P m n := by
  induction m using Nat.strongRecOn generalizing n with
  | ind m ih =>
    cases m with
    | zero => exact H0 n
    | succ m => exact H1 _ _ (succ_pos m) (ih _ (mod_lt n (succ_pos m)) _)

theorem gcd_dvd (m n : Nat) : (gcd m n ∣ m) ∧ (gcd m n ∣ n) := by
  induction m, n using gcd.induction with
  | H0 n => exact ⟨Nat.dvd_zero _, by rw [gcd_zero_left]; exact Nat.dvd_refl n⟩
  | H1 m n _ ih =>
    rw [← gcd_rec] at ih
    exact ⟨ih.right, (dvd_mod_iff ih.right).mp ih.left⟩

theorem gcd_dvd_left (m n : Nat) : gcd m n ∣ m := (gcd_dvd m n).left

theorem gcd_dvd_right (m n : Nat) : gcd m n ∣ n := (gcd_dvd m n).right

theorem dvd_gcd {k m n : Nat} : k ∣ m → k ∣ n → k ∣ gcd m n := by
  induction m, n using gcd.induction with
  | H0 n => intro _ h; rw [gcd_zero_left]; exact h
  | H1 m n _ ih => intro h₁ h₂; rw [gcd_rec]; exact ih ((dvd_mod_iff h₁).mpr h₂) h₁

theorem dvd_gcd_iff : k ∣ gcd m n ↔ k ∣ m ∧ k ∣ n :=
  ⟨fun h => ⟨Nat.dvd_trans h (gcd_dvd_left m n), Nat.dvd_trans h (gcd_dvd_right m n)⟩, fun h => dvd_gcd h.left h.right⟩

theorem gcd_comm (m n : Nat) : gcd m n = gcd n m :=
  Nat.dvd_antisymm (dvd_gcd (gcd_dvd_right m n) (gcd_dvd_left m n)) (dvd_gcd (gcd_dvd_right n m) (gcd_dvd_left n m))

theorem gcd_assoc (m n k : Nat) : gcd (gcd m n) k = gcd m (gcd n k) :=
  Nat.dvd_antisymm
    (dvd_gcd (Nat.dvd_trans (gcd_dvd_left _ k) (gcd_dvd_left m n))
      (dvd_gcd (Nat.dvd_trans (gcd_dvd_left _ k) (gcd_dvd_right m n)) (gcd_dvd_right _ k)))
    (dvd_gcd (dvd_gcd (gcd_dvd_left m _) (Nat.dvd_trans (gcd_dvd_right m _) (gcd_dvd_left n k)))
      (Nat.dvd_trans (gcd_dvd_right m _) (gcd_dvd_right n k)))

@[simp] theorem gcd_one_left (n : Nat) : gcd 1 n = 1 := eq_one_of_dvd_one (gcd_dvd_left 1 n)

@[simp] theorem gcd_one_right (n : Nat) : gcd n 1 = 1 := eq_one_of_dvd_one (gcd_dvd_right n 1)

theorem gcd_pos_of_pos_left {m : Nat} (n : Nat) (mpos : 0 < m) : 0 < gcd m n :=
  pos_of_dvd_of_pos (gcd_dvd_left m n) mpos

theorem gcd_eq_left {m n : Nat} (h : m ∣ n) : gcd m n = m :=
  Nat.dvd_antisymm (gcd_dvd_left m n) (dvd_gcd (Nat.dvd_refl m) h)

theorem gcd_eq_right {m n : Nat} (h : n ∣ m) : gcd m n = n := by rw [gcd_comm, gcd_eq_left h]

/-- The least common multiple. -/
def lcm (m n : Nat) : Nat := m * n / gcd m n

/-- Without common divisors other than 1. -/
@[reducible] def Coprime (m n : Nat) : Prop := gcd m n = 1

end Nat
