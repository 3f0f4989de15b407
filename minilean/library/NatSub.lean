/- The predecessor, truncated subtraction, minimum and maximum. -/

/- The predecessor -/

protected theorem Nat.pred_zero : Nat.pred 0 = 0 := rfl

protected theorem Nat.pred_succ (n : Nat) : Nat.pred (Nat.succ n) = n := rfl

@[simp] theorem Nat.pred_eq_sub_one {n : Nat} : Nat.pred n = n - 1 := rfl

protected theorem Nat.sub_one (n : Nat) : n - 1 = Nat.pred n := rfl

@[simp] protected theorem Nat.zero_sub_one : 0 - 1 = 0 := rfl

@[simp] protected theorem Nat.add_one_sub_one (n : Nat) : n + 1 - 1 = n := rfl

theorem Nat.succ_sub_one (n : Nat) : Nat.succ n - 1 = n := rfl

theorem Nat.succ_pred {a : Nat} (h : a ≠ 0) : Nat.succ (Nat.pred a) = a :=
  Nat.casesOn (motive := fun a => a ≠ 0 → Nat.succ (Nat.pred a) = a) a
    (fun h => absurd rfl h) (fun _ _ => rfl) h

theorem Nat.succ_pred_eq_of_ne_zero {n : Nat} : n ≠ 0 → Nat.succ (Nat.pred n) = n := Nat.succ_pred

theorem Nat.succ_pred_eq_of_pos {n : Nat} : 0 < n → Nat.succ (Nat.pred n) = n :=
  fun h => Nat.succ_pred (Nat.ne_of_gt h)

theorem Nat.sub_one_add_one {a : Nat} (h : a ≠ 0) : a - 1 + 1 = a := Nat.succ_pred h

theorem Nat.sub_one_add_one_eq_of_pos {n : Nat} : 0 < n → n - 1 + 1 = n := Nat.succ_pred_eq_of_pos

theorem Nat.eq_zero_or_eq_succ_pred (n : Nat) : n = 0 ∨ n = Nat.succ (Nat.pred n) :=
  Nat.casesOn (motive := fun n => n = 0 ∨ n = Nat.succ (Nat.pred n)) n (Or.inl rfl) (fun _ => Or.inr rfl)

theorem Nat.eq_zero_or_eq_sub_one_add_one {n : Nat} : n = 0 ∨ n = n - 1 + 1 := Nat.eq_zero_or_eq_succ_pred n

theorem Nat.pred_lt {n : Nat} : n ≠ 0 → Nat.pred n < n :=
  Nat.casesOn (motive := fun n => n ≠ 0 → Nat.pred n < n) n
    (fun h => absurd rfl h) (fun n _ => Nat.lt_succ_self n)

theorem Nat.sub_one_lt {n : Nat} : n ≠ 0 → n - 1 < n := Nat.pred_lt

theorem Nat.pred_lt_self {a : Nat} : 0 < a → Nat.pred a < a := fun h => Nat.pred_lt (Nat.ne_of_gt h)

theorem Nat.pred_inj {a b : Nat} : 0 < a → 0 < b → Nat.pred a = Nat.pred b → a = b :=
  fun ha hb h => Eq.trans (Eq.symm (Nat.succ_pred_eq_of_pos ha))
    (Eq.trans (congrArg Nat.succ h) (Nat.succ_pred_eq_of_pos hb))

theorem Nat.sub_one_cancel {a b : Nat} : 0 < a → 0 < b → a - 1 = b - 1 → a = b := Nat.pred_inj

theorem Nat.pred_lt_pred {n m : Nat} : n ≠ 0 → n < m → Nat.pred n < Nat.pred m :=
  fun hn h => @Nat.lt_of_succ_lt_succ (Nat.pred n) (Nat.pred m)
    (Eq.subst (motive := fun x => x < Nat.succ (Nat.pred m)) (Eq.symm (Nat.succ_pred hn))
      (Eq.subst (motive := fun x => n < x) (Eq.symm (Nat.succ_pred (Nat.ne_zero_of_lt h))) h))

theorem Nat.le_pred_of_lt {n m : Nat} (h : n < m) : n ≤ Nat.pred m := @Nat.pred_le_pred (Nat.succ n) m h

theorem Nat.le_sub_one_of_lt {a b : Nat} : a < b → a ≤ b - 1 := Nat.le_pred_of_lt

theorem Nat.lt_of_le_pred {m n : Nat} (h : 0 < m) : n ≤ Nat.pred m → n < m :=
  fun h' => Nat.lt_of_le_of_lt h' (Nat.pred_lt_self h)

theorem Nat.le_pred_iff_lt {n m : Nat} : 0 < m → (n ≤ Nat.pred m ↔ n < m) :=
  fun h => Iff.intro (Nat.lt_of_le_pred h) Nat.le_pred_of_lt

/- Subtraction, step by step -/

@[simp] protected theorem Nat.sub_zero (n : Nat) : n - 0 = n := rfl

theorem Nat.sub_succ (n m : Nat) : n - Nat.succ m = Nat.pred (n - m) := rfl

theorem Nat.succ_sub_succ_eq_sub (n m : Nat) : Nat.succ n - Nat.succ m = n - m :=
  Nat.rec (motive := fun m => Nat.succ n - Nat.succ m = n - m) rfl (fun _ ih => congrArg Nat.pred ih) m

theorem Nat.succ_sub_succ (n m : Nat) : Nat.succ n - Nat.succ m = n - m := Nat.succ_sub_succ_eq_sub n m

@[simp] protected theorem Nat.sub_self (n : Nat) : n - n = 0 :=
  Nat.rec (motive := fun n => n - n = 0) rfl (fun n ih => Eq.trans (Nat.succ_sub_succ n n) ih) n

@[simp] protected theorem Nat.zero_sub (n : Nat) : 0 - n = 0 :=
  Nat.rec (motive := fun n => 0 - n = 0) rfl (fun _ ih => congrArg Nat.pred ih) n

theorem Nat.sub_add_eq (a b c : Nat) : a - (b + c) = a - b - c :=
  Nat.rec (motive := fun c => a - (b + c) = a - b - c) rfl (fun _ ih => congrArg Nat.pred ih) c

protected theorem Nat.sub_sub (n m k : Nat) : n - m - k = n - (m + k) := Eq.symm (Nat.sub_add_eq n m k)

protected theorem Nat.sub_right_comm (m n k : Nat) : m - n - k = m - k - n :=
  Eq.trans (Nat.sub_sub m n k)
    (Eq.trans (congrArg (fun x => m - x) (Nat.add_comm n k)) (Nat.sub_add_eq m k n))

protected theorem Nat.add_sub_add_right (n k m : Nat) : (n + k) - (m + k) = n - m :=
  Nat.rec (motive := fun k => (n + k) - (m + k) = n - m) rfl
    (fun k ih => Eq.trans (Nat.succ_sub_succ (n + k) (m + k)) ih) k

protected theorem Nat.add_sub_add_left (k n m : Nat) : (k + n) - (k + m) = n - m :=
  Eq.trans
    (congr (congrArg (fun (x y : Nat) => x - y) (Nat.add_comm k n)) (Nat.add_comm k m))
    (Nat.add_sub_add_right n k m)

@[simp] protected theorem Nat.add_sub_cancel (n m : Nat) : n + m - m = n :=
  Nat.rec (motive := fun m => n + m - m = n) rfl (fun m ih => Eq.trans (Nat.succ_sub_succ (n + m) m) ih) m

@[simp] protected theorem Nat.add_sub_cancel_left (n m : Nat) : n + m - n = m :=
  Eq.trans (congrArg (fun x => x - n) (Nat.add_comm n m)) (Nat.add_sub_cancel m n)

protected theorem Nat.add_sub_cancel_right (n m : Nat) : n + m - m = n := Nat.add_sub_cancel n m

protected theorem Nat.one_add_sub_one (n : Nat) : 1 + n - 1 = n := Nat.add_sub_cancel_left 1 n

protected theorem Nat.sub_self_add (n m : Nat) : n - (n + m) = 0 :=
  Eq.trans (Nat.sub_add_eq n n m) (Eq.trans (congrArg (fun x => x - m) (Nat.sub_self n)) (Nat.zero_sub m))

/- Subtraction and order -/

@[simp] theorem Nat.sub_le (n m : Nat) : n - m ≤ n :=
  Nat.rec (motive := fun m => n - m ≤ n) (Nat.le_refl n)
    (fun m ih => Nat.le_trans (Nat.pred_le (n - m)) ih) m

theorem Nat.sub_lt {n m : Nat} : 0 < n → 0 < m → n - m < n :=
  Nat.casesOn (motive := fun n => 0 < n → 0 < m → n - m < n) n
    (fun h _ => absurd h (Nat.lt_irrefl 0))
    (fun n _ hm => Nat.casesOn (motive := fun m => 0 < m → Nat.succ n - m < Nat.succ n) m
      (fun h => absurd h (Nat.lt_irrefl 0))
      (fun m _ => Eq.subst (motive := fun x => x < Nat.succ n) (Eq.symm (Nat.succ_sub_succ n m))
        (Nat.lt_succ_of_le (Nat.sub_le n m)))
      hm)

theorem Nat.sub_lt_of_lt {a b c : Nat} (h : a < c) : a - b < c := Nat.lt_of_le_of_lt (Nat.sub_le a b) h

@[simp] protected theorem Nat.sub_eq_zero_of_le {n m : Nat} (h : n ≤ m) : n - m = 0 :=
  Exists.elim (Nat.le.dest h) (fun k e =>
    Eq.subst (motive := fun x => n - x = 0) e (Nat.sub_self_add n k))

theorem Nat.add_sub_of_le {a b : Nat} (h : a ≤ b) : a + (b - a) = b :=
  Exists.elim (Nat.le.dest h) (fun k e =>
    Eq.subst (motive := fun x => a + (x - a) = x) e
      (congrArg (fun x => a + x) (Nat.add_sub_cancel_left a k)))

@[simp] protected theorem Nat.add_sub_cancel' {n m : Nat} (h : m ≤ n) : m + (n - m) = n := Nat.add_sub_of_le h

@[simp] protected theorem Nat.sub_add_cancel {n m : Nat} (h : m ≤ n) : n - m + m = n :=
  Eq.trans (Nat.add_comm (n - m) m) (Nat.add_sub_of_le h)

protected theorem Nat.add_sub_assoc {m k : Nat} (h : k ≤ m) (n : Nat) : n + m - k = n + (m - k) :=
  Eq.trans
    (congrArg (fun x => x - k) (Eq.trans
      (congrArg (fun x => n + x) (Eq.symm (Nat.sub_add_cancel h)))
      (Eq.symm (Nat.add_assoc n (m - k) k))))
    (Nat.add_sub_cancel (n + (m - k)) k)

protected theorem Nat.sub_add_comm {n m k : Nat} (h : k ≤ n) : n + m - k = n - k + m :=
  Eq.trans (congrArg (fun x => x - k) (Nat.add_comm n m))
    (Eq.trans (Nat.add_sub_assoc h m) (Nat.add_comm m (n - k)))

theorem Nat.succ_sub {m n : Nat} (h : n ≤ m) : Nat.succ m - n = Nat.succ (m - n) :=
  @Nat.sub_add_comm m 1 n h

protected theorem Nat.eq_add_of_sub_eq {a b c : Nat} (hle : b ≤ a) (h : a - b = c) : a = c + b :=
  Eq.trans (Eq.symm (Nat.sub_add_cancel hle)) (congrArg (fun x => x + b) h)

protected theorem Nat.sub_eq_of_eq_add {a b c : Nat} (h : a = c + b) : a - b = c :=
  Eq.trans (congrArg (fun x => x - b) h) (Nat.add_sub_cancel c b)

protected theorem Nat.sub_eq_iff_eq_add {b a c : Nat} (h : b ≤ a) : a - b = c ↔ a = c + b :=
  Iff.intro (fun e => Nat.eq_add_of_sub_eq h e) (fun e => Nat.sub_eq_of_eq_add e)

protected theorem Nat.sub_eq_iff_eq_add' {b a c : Nat} (h : b ≤ a) : a - b = c ↔ a = b + c :=
  Iff.trans (Nat.sub_eq_iff_eq_add h) (Iff.of_eq (congrArg (fun x => a = x) (Nat.add_comm c b)))

protected theorem Nat.sub_sub_self {n m : Nat} (h : m ≤ n) : n - (n - m) = m :=
  Nat.sub_eq_of_eq_add (Eq.symm (Nat.add_sub_of_le h))

protected theorem Nat.le_of_sub_eq_zero {n m : Nat} : n - m = 0 → n ≤ m :=
  fun h => Or.elim (Nat.le_total n m) (fun h' => h')
    (fun h' => Nat.le_of_eq (Eq.trans (Nat.eq_add_of_sub_eq h' h) (Nat.zero_add m)))

protected theorem Nat.sub_eq_zero_iff_le {n m : Nat} : n - m = 0 ↔ n ≤ m :=
  Iff.intro Nat.le_of_sub_eq_zero Nat.sub_eq_zero_of_le

protected theorem Nat.lt_of_sub_ne_zero {n m : Nat} (h : n - m ≠ 0) : m < n :=
  Nat.lt_of_not_le (fun h' => h (Nat.sub_eq_zero_of_le h'))

theorem Nat.sub_ne_zero_of_lt {a b : Nat} : a < b → b - a ≠ 0 :=
  fun h e => Nat.not_le_of_lt h (Nat.le_of_sub_eq_zero e)

protected theorem Nat.sub_ne_zero_iff_lt {n m : Nat} : n - m ≠ 0 ↔ m < n :=
  Iff.intro Nat.lt_of_sub_ne_zero Nat.sub_ne_zero_of_lt

protected theorem Nat.sub_pos_of_lt {m n : Nat} (h : m < n) : 0 < n - m :=
  Nat.pos_of_ne_zero (Nat.sub_ne_zero_of_lt h)

theorem Nat.zero_lt_sub_of_lt {i a : Nat} (h : i < a) : 0 < a - i := Nat.sub_pos_of_lt h

protected theorem Nat.lt_of_sub_pos {n m : Nat} (h : 0 < n - m) : m < n :=
  Nat.lt_of_sub_ne_zero (Nat.ne_of_gt h)

protected theorem Nat.sub_pos_iff_lt {n m : Nat} : 0 < n - m ↔ m < n :=
  Iff.intro Nat.lt_of_sub_pos Nat.sub_pos_of_lt

protected theorem Nat.sub_le_sub_right {n m : Nat} (h : n ≤ m) (k : Nat) : n - k ≤ m - k :=
  Nat.rec (motive := fun k => n - k ≤ m - k) h (fun _ ih => Nat.pred_le_pred ih) k

protected theorem Nat.sub_le_sub_left {n m : Nat} (h : n ≤ m) (k : Nat) : k - m ≤ k - n :=
  Exists.elim (Nat.le.dest h) (fun a e =>
    Eq.subst (motive := fun x => k - x ≤ k - n) e
      (Eq.subst (motive := fun x => x ≤ k - n) (Nat.sub_sub k n a) (Nat.sub_le (k - n) a)))

theorem Nat.le_add_of_sub_le {a b c : Nat} (h : a - b ≤ c) : a ≤ c + b :=
  Or.elim (Nat.le_total a b)
    (fun hab => Nat.le_trans hab (Nat.le_add_left b c))
    (fun hba => Eq.subst (motive := fun x => x ≤ c + b) (Nat.sub_add_cancel hba) (Nat.add_le_add_right h b))

theorem Nat.sub_le_of_le_add {a b c : Nat} (h : a ≤ c + b) : a - b ≤ c :=
  Eq.subst (motive := fun x => a - b ≤ x) (Nat.add_sub_cancel c b) (Nat.sub_le_sub_right h b)

@[simp] protected theorem Nat.sub_le_iff_le_add {a b c : Nat} : a - b ≤ c ↔ a ≤ c + b :=
  Iff.intro Nat.le_add_of_sub_le Nat.sub_le_of_le_add

theorem Nat.add_le_of_le_sub {a b c : Nat} (hle : b ≤ c) (h : a ≤ c - b) : a + b ≤ c :=
  Eq.subst (motive := fun x => a + b ≤ x) (Nat.sub_add_cancel hle) (Nat.add_le_add_right h b)

theorem Nat.le_sub_of_add_le {a b c : Nat} (h : a + b ≤ c) : a ≤ c - b :=
  Eq.subst (motive := fun x => x ≤ c - b) (Nat.add_sub_cancel a b) (Nat.sub_le_sub_right h b)

protected theorem Nat.le_sub_iff_add_le {k m n : Nat} (h : k ≤ m) : n ≤ m - k ↔ n + k ≤ m :=
  Iff.intro (fun h' => Nat.add_le_of_le_sub h h') Nat.le_sub_of_add_le

theorem Nat.lt_sub_of_add_lt {a b c : Nat} (h : a + b < c) : a < c - b :=
  @Nat.le_sub_of_add_le (Nat.succ a) b c
    (Eq.subst (motive := fun x => x ≤ c) (Eq.symm (Nat.succ_add a b)) h)

theorem Nat.add_lt_of_lt_sub {a b c : Nat} (h : a < c - b) : a + b < c :=
  Eq.subst (motive := fun x => x ≤ c) (Nat.succ_add a b)
    (@Nat.add_le_of_le_sub (Nat.succ a) b c (Nat.le_of_lt (Nat.lt_of_sub_pos (Nat.zero_lt_of_lt h))) h)

protected theorem Nat.lt_sub_iff_add_lt {a b c : Nat} : a < c - b ↔ a + b < c :=
  Iff.intro Nat.add_lt_of_lt_sub Nat.lt_sub_of_add_lt

protected theorem Nat.sub_lt_sub_right {a b c : Nat} : c ≤ a → a < b → a - c < b - c :=
  fun hca hab => Nat.lt_sub_of_add_lt
    (Eq.subst (motive := fun x => x < b) (Eq.symm (Nat.sub_add_cancel hca)) hab)

/- Subtraction and multiplication -/

theorem Nat.pred_mul (n m : Nat) : Nat.pred n * m = n * m - m :=
  Nat.casesOn (motive := fun n => Nat.pred n * m = n * m - m) n
    (Eq.symm (Eq.trans (congrArg (fun x => x - m) (Nat.zero_mul m)) (Eq.trans (Nat.zero_sub m)
      (Eq.symm (Nat.zero_mul m)))))
    (fun n => Eq.symm (Eq.trans
      (congrArg (fun x => x - m) (Nat.succ_mul n m))
      (Nat.add_sub_cancel (n * m) m)))

protected theorem Nat.sub_one_mul (n m : Nat) : (n - 1) * m = n * m - m := Nat.pred_mul n m

theorem Nat.mul_pred (n m : Nat) : n * Nat.pred m = n * m - n :=
  Eq.trans (Nat.mul_comm n (Nat.pred m))
    (Eq.trans (Nat.pred_mul m n) (congrArg (fun x => x - n) (Nat.mul_comm m n)))

theorem Nat.mul_sub_one (n m : Nat) : n * (m - 1) = n * m - n := Nat.mul_pred n m

protected theorem Nat.mul_sub_right_distrib (n m k : Nat) : (n - m) * k = n * k - m * k :=
  Nat.rec (motive := fun m => (n - m) * k = n * k - m * k)
    (congrArg (fun x => n * k - x) (Eq.symm (Nat.zero_mul k)))
    (fun m ih => Eq.trans (Nat.pred_mul (n - m) k)
      (Eq.trans (congrArg (fun x => x - k) ih)
        (Eq.trans (Nat.sub_sub (n * k) (m * k) k)
          (congrArg (fun x => n * k - x) (Eq.symm (Nat.succ_mul m k))))))
    m

protected theorem Nat.sub_mul (n m k : Nat) : (n - m) * k = n * k - m * k := Nat.mul_sub_right_distrib n m k

protected theorem Nat.mul_sub_left_distrib (n m k : Nat) : n * (m - k) = n * m - n * k :=
  Eq.trans (Nat.mul_comm n (m - k))
    (Eq.trans (Nat.mul_sub_right_distrib m k n)
      (congr (congrArg (fun (x y : Nat) => x - y) (Nat.mul_comm m n)) (Nat.mul_comm k n)))

protected theorem Nat.mul_sub (n m k : Nat) : n * (m - k) = n * m - n * k := Nat.mul_sub_left_distrib n m k

/- Minimum and maximum -/

protected theorem Nat.min_def {n m : Nat} : Min.min n m = if n ≤ m then n else m := rfl

protected theorem Nat.max_def {n m : Nat} : Max.max n m = if n ≤ m then m else n := rfl

protected theorem Nat.min_eq_left {a b : Nat} (h : a ≤ b) : Min.min a b = a :=
  @if_pos (a ≤ b) (Nat.decLe a b) h Nat a b

protected theorem Nat.max_eq_right {a b : Nat} (h : a ≤ b) : Max.max a b = b :=
  @if_pos (a ≤ b) (Nat.decLe a b) h Nat b a

protected theorem Nat.min_eq_right {a b : Nat} (h : b ≤ a) : Min.min a b = b :=
  Decidable.byCases (p := a ≤ b)
    (fun h' => Eq.trans (Nat.min_eq_left h') (Nat.le_antisymm h' h))
    (fun hn => @if_neg (a ≤ b) (Nat.decLe a b) hn Nat a b)

protected theorem Nat.max_eq_left {a b : Nat} (h : b ≤ a) : Max.max a b = a :=
  Decidable.byCases (p := a ≤ b)
    (fun h' => Eq.trans (Nat.max_eq_right h') (Nat.le_antisymm h h'))
    (fun hn => @if_neg (a ≤ b) (Nat.decLe a b) hn Nat b a)

protected theorem Nat.min_le_left (a b : Nat) : Min.min a b ≤ a :=
  Or.elim (Nat.le_total a b)
    (fun h => Nat.le_of_eq (Nat.min_eq_left h))
    (fun h => Nat.le_trans (Nat.le_of_eq (Nat.min_eq_right h)) h)

protected theorem Nat.min_le_right (a b : Nat) : Min.min a b ≤ b :=
  Or.elim (Nat.le_total a b)
    (fun h => Nat.le_trans (Nat.le_of_eq (Nat.min_eq_left h)) h)
    (fun h => Nat.le_of_eq (Nat.min_eq_right h))

protected theorem Nat.le_max_left (a b : Nat) : a ≤ Max.max a b :=
  Or.elim (Nat.le_total a b)
    (fun h => Nat.le_trans h (Nat.le_of_eq (Eq.symm (Nat.max_eq_right h))))
    (fun h => Nat.le_of_eq (Eq.symm (Nat.max_eq_left h)))

protected theorem Nat.le_max_right (a b : Nat) : b ≤ Max.max a b :=
  Or.elim (Nat.le_total a b)
    (fun h => Nat.le_of_eq (Eq.symm (Nat.max_eq_right h)))
    (fun h => Nat.le_trans h (Nat.le_of_eq (Eq.symm (Nat.max_eq_left h))))

protected theorem Nat.min_comm (a b : Nat) : Min.min a b = Min.min b a :=
  Or.elim (Nat.le_total a b)
    (fun h => Eq.trans (Nat.min_eq_left h) (Eq.symm (Nat.min_eq_right h)))
    (fun h => Eq.trans (Nat.min_eq_right h) (Eq.symm (Nat.min_eq_left h)))

protected theorem Nat.max_comm (a b : Nat) : Max.max a b = Max.max b a :=
  Or.elim (Nat.le_total a b)
    (fun h => Eq.trans (Nat.max_eq_right h) (Eq.symm (Nat.max_eq_left h)))
    (fun h => Eq.trans (Nat.max_eq_left h) (Eq.symm (Nat.max_eq_right h)))

protected theorem Nat.add_min_add_right (a b c : Nat) : min (a + c) (b + c) = min a b + c := by
  by_cases h : a ≤ b
  · rw [Nat.min_eq_left h, Nat.min_eq_left (Nat.add_le_add_right h c)]
  · rw [Nat.min_eq_right (Nat.le_of_not_le h), Nat.min_eq_right (Nat.add_le_add_right (Nat.le_of_not_le h) c)]

protected theorem Nat.add_max_add_right (a b c : Nat) : max (a + c) (b + c) = max a b + c := by
  by_cases h : a ≤ b
  · rw [Nat.max_eq_right h, Nat.max_eq_right (Nat.add_le_add_right h c)]
  · rw [Nat.max_eq_left (Nat.le_of_not_le h), Nat.max_eq_left (Nat.add_le_add_right (Nat.le_of_not_le h) c)]
