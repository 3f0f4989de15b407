/- Order and arithmetic together: addition, multiplication and powers are monotone. -/

/- Addition -/

@[simp] theorem Nat.le_add_right (n k : Nat) : n ≤ n + k :=
  Nat.rec (motive := fun k => n ≤ n + k) (Nat.le_refl n) (fun _ ih => Nat.le_succ_of_le ih) k

@[simp] theorem Nat.le_add_left (n m : Nat) : n ≤ m + n :=
  Eq.subst (motive := fun x => n ≤ x) (Nat.add_comm n m) (Nat.le_add_right n m)

theorem Nat.le_of_add_right_le {n m k : Nat} (h : n + k ≤ m) : n ≤ m := Nat.le_trans (Nat.le_add_right n k) h

theorem Nat.le_add_right_of_le {n m k : Nat} (h : n ≤ m) : n ≤ m + k := Nat.le_trans h (Nat.le_add_right m k)

theorem Nat.le_of_add_left_le {n m k : Nat} (h : k + n ≤ m) : n ≤ m := Nat.le_trans (Nat.le_add_left n k) h

theorem Nat.le_add_left_of_le {n m k : Nat} (h : n ≤ m) : n ≤ k + m := Nat.le_trans h (Nat.le_add_left m k)

protected theorem Nat.lt_add_left {a b : Nat} (c : Nat) (h : a < b) : a < c + b :=
  Nat.lt_of_lt_of_le h (Nat.le_add_left b c)

protected theorem Nat.lt_add_right {a b : Nat} (c : Nat) (h : a < b) : a < b + c :=
  Nat.lt_of_lt_of_le h (Nat.le_add_right b c)

theorem Nat.lt_of_add_right_lt {n m k : Nat} (h : n + k < m) : n < m :=
  Nat.lt_of_le_of_lt (Nat.le_add_right n k) h

theorem Nat.lt_of_add_left_lt {n m k : Nat} (h : k + n < m) : n < m :=
  Nat.lt_of_le_of_lt (Nat.le_add_left n k) h

theorem Nat.le.dest {n m : Nat} : n ≤ m → Exists (fun k => n + k = m) :=
  fun h => Nat.le.rec (n := n) (motive := fun (m : Nat) _ => Exists (fun k => n + k = m))
    (Exists.intro 0 (Nat.add_zero n))
    (fun _ ih => Exists.elim ih (fun k e => Exists.intro (Nat.succ k) (congrArg Nat.succ e)))
    h

theorem Nat.le.intro {n m k : Nat} (h : n + k = m) : n ≤ m :=
  Eq.subst (motive := fun x => n ≤ x) h (Nat.le_add_right n k)

protected theorem Nat.add_le_add_left {n m : Nat} (h : n ≤ m) (k : Nat) : k + n ≤ k + m :=
  Nat.le.rec (n := n) (motive := fun (m : Nat) _ => k + n ≤ k + m)
    (Nat.le_refl (k + n)) (fun _ ih => Nat.le_succ_of_le ih) h

protected theorem Nat.add_le_add_right {n m : Nat} (h : n ≤ m) (k : Nat) : n + k ≤ m + k :=
  Nat.rec (motive := fun k => n + k ≤ m + k) h (fun _ ih => Nat.succ_le_succ ih) k

protected theorem Nat.add_lt_add_left {n m : Nat} (h : n < m) (k : Nat) : k + n < k + m :=
  @Nat.add_le_add_left (Nat.succ n) m h k

protected theorem Nat.add_lt_add_right {n m : Nat} (h : n < m) (k : Nat) : n + k < m + k :=
  Nat.rec (motive := fun k => n + k < m + k) h (fun _ ih => Nat.succ_lt_succ ih) k

protected theorem Nat.lt_add_of_pos_right {k n : Nat} (h : 0 < k) : n < n + k := Nat.add_lt_add_left h n

protected theorem Nat.lt_add_of_pos_left {k n : Nat} (h : 0 < k) : n < k + n :=
  Eq.subst (motive := fun x => n < x) (Nat.add_comm n k) (Nat.add_lt_add_left h n)

theorem Nat.add_le_add {a b c d : Nat} (h₁ : a ≤ b) (h₂ : c ≤ d) : a + c ≤ b + d :=
  Nat.le_trans (Nat.add_le_add_right h₁ c) (Nat.add_le_add_left h₂ b)

theorem Nat.add_lt_add {a b c d : Nat} (h₁ : a < b) (h₂ : c < d) : a + c < b + d :=
  Nat.lt_trans (Nat.add_lt_add_right h₁ c) (Nat.add_lt_add_left h₂ b)

protected theorem Nat.add_lt_add_of_le_of_lt {a b c d : Nat} (hle : a ≤ b) (hlt : c < d) : a + c < b + d :=
  Nat.lt_of_le_of_lt (Nat.add_le_add_right hle c) (Nat.add_lt_add_left hlt b)

protected theorem Nat.add_lt_add_of_lt_of_le {a b c d : Nat} (hlt : a < b) (hle : c ≤ d) : a + c < b + d :=
  Nat.lt_of_lt_of_le (Nat.add_lt_add_right hlt c) (Nat.add_le_add_left hle b)

protected theorem Nat.le_of_add_le_add_right {a b c : Nat} : a + b ≤ c + b → a ≤ c :=
  Nat.rec (motive := fun b => a + b ≤ c + b → a ≤ c) (fun h => h)
    (fun b ih h => ih (@Nat.le_of_succ_le_succ (a + b) (c + b) h)) b

protected theorem Nat.le_of_add_le_add_left {a b c : Nat} (h : a + b ≤ a + c) : b ≤ c :=
  @Nat.le_of_add_le_add_right b a c
    (Eq.subst (motive := fun x => x ≤ c + a) (Nat.add_comm a b)
      (Eq.subst (motive := fun x => a + b ≤ x) (Nat.add_comm a c) h))

protected theorem Nat.lt_of_add_lt_add_right {k m n : Nat} : k + n < m + n → k < m :=
  Nat.rec (motive := fun n => k + n < m + n → k < m) (fun h => h)
    (fun n ih h => ih (@Nat.lt_of_succ_lt_succ (k + n) (m + n) h)) n

protected theorem Nat.lt_of_add_lt_add_left {k m n : Nat} : n + k < n + m → k < m :=
  fun h => @Nat.le_of_add_le_add_left n (Nat.succ k) m h

@[simp] protected theorem Nat.add_le_add_iff_right {m k n : Nat} : m + n ≤ k + n ↔ m ≤ k :=
  Iff.intro Nat.le_of_add_le_add_right (fun h => Nat.add_le_add_right h n)

@[simp] protected theorem Nat.add_le_add_iff_left {m k n : Nat} : n + m ≤ n + k ↔ m ≤ k :=
  Iff.intro Nat.le_of_add_le_add_left (fun h => Nat.add_le_add_left h n)

@[simp] protected theorem Nat.add_lt_add_iff_left {k n m : Nat} : k + n < k + m ↔ n < m :=
  Iff.intro Nat.lt_of_add_lt_add_left (fun h => Nat.add_lt_add_left h k)

@[simp] protected theorem Nat.add_lt_add_iff_right {k n m : Nat} : n + k < m + k ↔ n < m :=
  Iff.intro Nat.lt_of_add_lt_add_right (fun h => Nat.add_lt_add_right h k)

protected theorem Nat.pos_of_lt_add_right {n k : Nat} (h : n < n + k) : 0 < k :=
  @Nat.lt_of_add_lt_add_left 0 k n h

protected theorem Nat.pos_of_lt_add_left {n k : Nat} : n < k + n → 0 < k :=
  fun h => @Nat.pos_of_lt_add_right n k (Eq.subst (motive := fun x => n < x) (Nat.add_comm k n) h)

@[simp] protected theorem Nat.lt_add_right_iff_pos {n k : Nat} : n < n + k ↔ 0 < k :=
  Iff.intro Nat.pos_of_lt_add_right Nat.lt_add_of_pos_right

@[simp] protected theorem Nat.lt_add_left_iff_pos {n k : Nat} : n < k + n ↔ 0 < k :=
  Iff.intro Nat.pos_of_lt_add_left Nat.lt_add_of_pos_left

protected theorem Nat.add_pos_left {m : Nat} (h : 0 < m) (n : Nat) : 0 < m + n :=
  Nat.lt_of_lt_of_le h (Nat.le_add_right m n)

/- Multiplication -/

theorem Nat.mul_le_mul_left {n m : Nat} (k : Nat) (h : n ≤ m) : k * n ≤ k * m :=
  Nat.le.rec (n := n) (motive := fun (m : Nat) _ => k * n ≤ k * m) (Nat.le_refl (k * n))
    (fun {m} _ ih => Nat.le_trans ih (Nat.le_add_right (k * m) k)) h

theorem Nat.mul_le_mul_right {n m : Nat} (k : Nat) (h : n ≤ m) : n * k ≤ m * k :=
  Nat.rec (motive := fun k => n * k ≤ m * k) (Nat.le_refl 0) (fun _ ih => Nat.add_le_add ih h) k

protected theorem Nat.mul_le_mul {n₁ m₁ n₂ m₂ : Nat} (h₁ : n₁ ≤ n₂) (h₂ : m₁ ≤ m₂) : n₁ * m₁ ≤ n₂ * m₂ :=
  Nat.le_trans (Nat.mul_le_mul_right m₁ h₁) (Nat.mul_le_mul_left n₂ h₂)

protected theorem Nat.mul_lt_mul_of_pos_left {n m k : Nat} (h : n < m) (hk : k > 0) : k * n < k * m :=
  Nat.lt_of_lt_of_le (@Nat.lt_add_of_pos_right k (k * n) hk) (@Nat.mul_le_mul_left (Nat.succ n) m k h)

protected theorem Nat.mul_lt_mul_of_pos_right {n m k : Nat} (h : n < m) (hk : k > 0) : n * k < m * k :=
  Eq.subst (motive := fun x => x < m * k) (Nat.mul_comm k n)
    (Eq.subst (motive := fun x => k * n < x) (Nat.mul_comm k m) (Nat.mul_lt_mul_of_pos_left h hk))

protected theorem Nat.le_of_mul_le_mul_left {a b c : Nat} (h : c * a ≤ c * b) (hc : 0 < c) : a ≤ b :=
  Nat.le_of_not_lt (fun hlt => Nat.not_le_of_lt (Nat.mul_lt_mul_of_pos_left hlt hc) h)

protected theorem Nat.le_of_mul_le_mul_right {a b c : Nat} (h : a * c ≤ b * c) (hc : 0 < c) : a ≤ b :=
  Nat.le_of_not_lt (fun hlt => Nat.not_le_of_lt (Nat.mul_lt_mul_of_pos_right hlt hc) h)

protected theorem Nat.mul_le_mul_left_iff {n m k : Nat} (w : 0 < k) : k * n ≤ k * m ↔ n ≤ m :=
  Iff.intro (fun h => Nat.le_of_mul_le_mul_left h w) (fun h => Nat.mul_le_mul_left k h)

protected theorem Nat.mul_le_mul_right_iff {n m k : Nat} (w : 0 < k) : n * k ≤ m * k ↔ n ≤ m :=
  Iff.intro (fun h => Nat.le_of_mul_le_mul_right h w) (fun h => Nat.mul_le_mul_right k h)

protected theorem Nat.eq_of_mul_eq_mul_left {m k n : Nat} (hn : 0 < n) (h : n * m = n * k) : m = k :=
  Nat.le_antisymm
    (Nat.le_of_mul_le_mul_left (Nat.le_of_eq h) hn)
    (Nat.le_of_mul_le_mul_left (Nat.le_of_eq (Eq.symm h)) hn)

theorem Nat.eq_of_mul_eq_mul_right {n m k : Nat} (hm : 0 < m) (h : n * m = k * m) : n = k :=
  Nat.le_antisymm
    (Nat.le_of_mul_le_mul_right (Nat.le_of_eq h) hm)
    (Nat.le_of_mul_le_mul_right (Nat.le_of_eq (Eq.symm h)) hm)

protected theorem Nat.mul_left_cancel {n m k : Nat} (np : 0 < n) (h : n * m = n * k) : m = k :=
  Nat.eq_of_mul_eq_mul_left np h

protected theorem Nat.mul_right_cancel {n m k : Nat} (mp : 0 < m) (h : n * m = k * m) : n = k :=
  Nat.eq_of_mul_eq_mul_right mp h

protected theorem Nat.mul_left_cancel_iff {n : Nat} (p : 0 < n) {m k : Nat} : n * m = n * k ↔ m = k :=
  Iff.intro (fun h => Nat.mul_left_cancel p h) (fun e => congrArg (fun x => n * x) e)

protected theorem Nat.mul_right_cancel_iff {m : Nat} (p : 0 < m) {n k : Nat} : n * m = k * m ↔ n = k :=
  Iff.intro (fun h => Nat.mul_right_cancel p h) (fun e => congrArg (fun x => x * m) e)

protected theorem Nat.le_mul_of_pos_left {n : Nat} (m : Nat) (h : 0 < n) : m ≤ n * m :=
  Eq.subst (motive := fun x => x ≤ n * m) (Nat.one_mul m) (@Nat.mul_le_mul_right 1 n m h)

protected theorem Nat.le_mul_of_pos_right {m : Nat} (n : Nat) (h : 0 < m) : n ≤ n * m :=
  Eq.subst (motive := fun x => x ≤ n * m) (Nat.mul_one n) (@Nat.mul_le_mul_left 1 m n h)

protected theorem Nat.mul_lt_mul_of_le_of_lt {a c b d : Nat} (hac : a ≤ c) (hbd : b < d) (hc : 0 < c) :
    a * b < c * d :=
  Nat.lt_of_le_of_lt (Nat.mul_le_mul_right b hac) (Nat.mul_lt_mul_of_pos_left hbd hc)

protected theorem Nat.mul_lt_mul_of_lt_of_le {a c b d : Nat} (hac : a < c) (hbd : b ≤ d) (hd : 0 < d) :
    a * b < c * d :=
  Nat.lt_of_le_of_lt (Nat.mul_le_mul_left a hbd) (Nat.mul_lt_mul_of_pos_right hac hd)

theorem Nat.mul_self_le_mul_self {m n : Nat} (h : m ≤ n) : m * m ≤ n * n := Nat.mul_le_mul h h

theorem Nat.mul_self_lt_mul_self {m n : Nat} (h : m < n) : m * m < n * n :=
  Nat.mul_lt_mul_of_le_of_lt (Nat.le_of_lt h) h (Nat.zero_lt_of_lt h)

/- Powers -/

protected theorem Nat.pow_le_pow_left {n m : Nat} (h : n ≤ m) (i : Nat) : n ^ i ≤ m ^ i :=
  Nat.rec (motive := fun i => n ^ i ≤ m ^ i) (Nat.le_refl 1) (fun _ ih => Nat.mul_le_mul ih h) i

protected theorem Nat.pow_le_pow_right {n : Nat} (hx : n > 0) {i j : Nat} : i ≤ j → n ^ i ≤ n ^ j :=
  fun h => Nat.le.rec (n := i) (motive := fun (j : Nat) _ => n ^ i ≤ n ^ j) (Nat.le_refl (n ^ i))
    (fun {j} _ ih => Nat.le_trans ih (Nat.le_mul_of_pos_right (n ^ j) hx)) h

protected theorem Nat.two_pow_pos (w : Nat) : 0 < 2 ^ w := Nat.pow_pos Nat.two_pos
