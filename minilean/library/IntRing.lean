/- The ring of integers: addition, negation, subtraction, multiplication, and casts. -/

namespace Int

/- Casts and constructors -/

@[simp] theorem default_eq_zero : default = (0 : Int) := rfl

protected theorem zero_ne_one : (0 : Int) ≠ 1 := by decide

@[simp] theorem ofNat_eq_natCast {n : Nat} : Int.ofNat n = Nat.cast n := rfl

theorem natCast_zero : ((0 : Nat) : Int) = (0 : Int) := rfl

theorem natCast_one : ((1 : Nat) : Int) = (1 : Int) := rfl

@[simp] theorem natCast_add (a b : Nat) : ((a + b : Nat) : Int) = (a : Int) + (b : Int) := rfl

@[simp] theorem natCast_mul (a b : Nat) : ((a * b : Nat) : Int) = (a : Int) * (b : Int) := rfl

theorem natCast_succ (n : Nat) : (Nat.succ n : Int) = n + 1 := rfl

@[simp] theorem natCast_ofNat {n : Nat} : (@OfNat.ofNat Nat n (instOfNatNat n) : Int) = @OfNat.ofNat Int n instOfNat := rfl

theorem negSucc_eq (n : Nat) : negSucc n = -((n : Int) + 1) := rfl

theorem ofNat_inj {m n : Nat} : ((m : Nat) : Int) = (n : Nat) ↔ m = n :=
  ⟨fun h => congrArg toNat h, fun h => congrArg _ h⟩

@[simp] theorem natCast_inj {m n : Nat} : ((m : Nat) : Int) = (n : Nat) ↔ m = n := ofNat_inj

theorem natCast_eq_zero {n : Nat} : ((n : Nat) : Int) = 0 ↔ n = 0 := ofNat_inj

theorem natCast_ne_zero {n : Nat} : ((n : Nat) : Int) ≠ 0 ↔ n ≠ 0 := not_congr natCast_eq_zero

theorem negSucc_inj {m n : Nat} : negSucc m = negSucc n ↔ m = n :=
  ⟨fun h => by injection h, fun h => congrArg _ h⟩

@[simp] theorem negSucc_ne_zero (n : Nat) : negSucc n ≠ 0 := nofun

@[simp] theorem zero_ne_negSucc (n : Nat) : 0 ≠ negSucc n := nofun

@[simp] theorem add_def {a b : Int} : Int.add a b = a + b := rfl

@[simp] theorem mul_def {a b : Int} : Int.mul a b = a * b := rfl

/- Negation -/

@[simp] protected theorem neg_zero : -(0 : Int) = 0 := rfl

@[simp] protected theorem neg_neg (a : Int) : -(-a) = a := by
  cases a with
  | ofNat n => cases n <;> rfl
  | negSucc n => rfl

@[simp] protected theorem neg_inj {a b : Int} : -a = -b ↔ a = b :=
  ⟨fun h => by rw [← Int.neg_neg a, ← Int.neg_neg b, h], fun h => congrArg _ h⟩

@[simp] protected theorem neg_eq_zero {a : Int} : -a = 0 ↔ a = 0 := @Int.neg_inj a 0

protected theorem neg_ne_zero {a : Int} : -a ≠ 0 ↔ a ≠ 0 := not_congr Int.neg_eq_zero

protected theorem eq_neg_of_eq_neg {a b : Int} (h : a = -b) : b = -a := by rw [h, Int.neg_neg]

protected theorem eq_neg_comm {a b : Int} : a = -b ↔ b = -a := ⟨Int.eq_neg_of_eq_neg, Int.eq_neg_of_eq_neg⟩

protected theorem neg_eq_comm {a b : Int} : -a = b ↔ -b = a :=
  ⟨fun h => by rw [← h, Int.neg_neg], fun h => by rw [← h, Int.neg_neg]⟩

protected theorem sub_eq_add_neg {a b : Int} : a - b = a + -b := rfl

theorem add_neg_one (i : Int) : i + -1 = i - 1 := rfl

/- Differences of natural numbers -/

theorem subNatNat_of_sub_eq_zero {m n : Nat} (h : n - m = 0) : subNatNat m n = ↑(m - n) := by
  unfold subNatNat
  rw [h]
  rfl

theorem subNatNat_of_sub_eq_succ {m n k : Nat} (h : n - m = Nat.succ k) : subNatNat m n = negSucc k := by
  unfold subNatNat
  rw [h]

theorem subNatNat_of_le {m n : Nat} (h : n ≤ m) : subNatNat m n = ↑(m - n) :=
  subNatNat_of_sub_eq_zero (Nat.sub_eq_zero_of_le h)

theorem subNatNat_add_left {m n : Nat} : subNatNat (m + n) m = n := by
  rw [subNatNat_of_le (Nat.le_add_right m n), Nat.add_sub_cancel_left]

theorem subNatNat_add_right {m n : Nat} : subNatNat m (m + n + 1) = negSucc n :=
  subNatNat_of_sub_eq_succ (Nat.add_sub_cancel_left m (n + 1))

theorem subNatNat_self (n : Nat) : subNatNat n n = 0 := @subNatNat_add_left n 0

theorem subNatNat_elim (m n : Nat) (motive : Nat → Nat → Int → Prop)
    (hp : ∀ i n : Nat, motive (n + i) n i) (hn : ∀ i m : Nat, motive m (m + i + 1) (negSucc i)) :
    motive m n (subNatNat m n) := by
  cases Nat.lt_or_ge m n with
  | inl h =>
    have ⟨k, e⟩ := Nat.le.dest h
    have e' : n = m + k + 1 := by rw [← e, Nat.succ_add]
    rw [e', subNatNat_add_right]
    exact hn k m
  | inr h =>
    have ⟨k, e⟩ := Nat.le.dest h
    rw [← e, subNatNat_add_left]
    exact hp k n

theorem subNatNat_add_add (m n k : Nat) : subNatNat (m + k) (n + k) = subNatNat m n := by
  apply subNatNat_elim m n (fun m n i => subNatNat (m + k) (n + k) = i)
  · intro i n
    rw [Nat.add_right_comm]
    exact subNatNat_add_left
  · intro i m
    rw [Nat.add_right_comm, Nat.add_right_comm m i k]
    exact subNatNat_add_right

theorem subNatNat_add (m n k : Nat) : subNatNat (m + n) k = m + subNatNat n k := by
  apply subNatNat_elim n k (fun n k i => subNatNat (m + n) k = m + i)
  · intro i n
    rw [Nat.add_left_comm]
    exact subNatNat_add_left
  · intro i n
    rw [Nat.add_comm m n, Nat.add_assoc n i 1, Nat.add_comm n m, Nat.add_comm n (i + 1)]
    exact subNatNat_add_add m (i + 1) n

theorem subNatNat_add_negSucc (m n k : Nat) :
    subNatNat m n + negSucc k = subNatNat m (n + Nat.succ k) := by
  apply subNatNat_elim m n (fun m n i => i + negSucc k = subNatNat m (n + Nat.succ k))
  · intro i n
    rw [Nat.add_comm n i, Nat.add_comm n (Nat.succ k)]
    exact (subNatNat_add_add i (k + 1) n).symm
  · intro i m
    rw [Nat.add_assoc m i 1, Nat.add_assoc, Nat.add_right_comm i 1]
    exact (@subNatNat_add_right m (i + k + 1)).symm

/- Addition -/

protected theorem add_comm (a b : Int) : a + b = b + a := by
  cases a with
  | ofNat m =>
    cases b with
    | ofNat n => exact congrArg ofNat (Nat.add_comm m n)
    | negSucc n => rfl
  | negSucc m =>
    cases b with
    | ofNat n => rfl
    | negSucc n => exact congrArg (fun x => negSucc (x + 1)) (Nat.add_comm m n)

@[simp] protected theorem add_zero (a : Int) : a + 0 = a := by cases a <;> rfl

@[simp] protected theorem zero_add (a : Int) : 0 + a = a := by rw [Int.add_comm, Int.add_zero]

protected theorem add_assoc (a b c : Int) : a + b + c = a + (b + c) := by
  have one : ∀ (m n : Nat) (c : Int), ofNat m + ofNat n + c = ofNat m + (ofNat n + c) := fun m n c => by
    cases c with
    | ofNat k => exact congrArg ofNat (Nat.add_assoc m n k)
    | negSucc k => exact subNatNat_add m n (k + 1)
  have two : ∀ m n k : Nat, negSucc m + negSucc n + ofNat k = negSucc m + (negSucc n + ofNat k) := fun m n k => by
    rw [Int.add_comm (negSucc m) (negSucc n + ofNat k)]
    show subNatNat k (m + n + 1 + 1) = subNatNat k (n + 1) + negSucc m
    rw [subNatNat_add_negSucc, Nat.add_comm m n, Nat.add_right_comm n 1]
    rfl
  cases a with
  | ofNat m =>
    cases b with
    | ofNat n => exact one m n c
    | negSucc n =>
      cases c with
      | ofNat k =>
        rw [Int.add_comm, ← one, Int.add_comm (negSucc n), ← one, Int.add_comm (ofNat m) (ofNat k)]
      | negSucc k =>
        rw [Int.add_comm, Int.add_comm (ofNat m), Int.add_comm (ofNat m), ← two, Int.add_comm (negSucc k)]
  | negSucc m =>
    cases b with
    | ofNat n =>
      cases c with
      | ofNat k =>
        rw [Int.add_comm, Int.add_comm (negSucc m), ← one, Int.add_comm (negSucc m), Int.add_comm (ofNat k)]
      | negSucc k =>
        rw [Int.add_comm, ← two, Int.add_comm (ofNat n), ← two, Int.add_comm (negSucc m) (negSucc k)]
    | negSucc n =>
      cases c with
      | ofNat k => exact two m n k
      | negSucc k =>
        show negSucc (m + n + 1 + k + 1) = negSucc (m + (n + k + 1) + 1)
        rw [Nat.add_right_comm (m + n), Nat.add_assoc m n k]
        rfl

protected theorem add_left_comm (a b c : Int) : a + (b + c) = b + (a + c) := by
  rw [← Int.add_assoc, Int.add_comm a, Int.add_assoc]

protected theorem add_right_comm (a b c : Int) : a + b + c = a + c + b := by
  rw [Int.add_assoc, Int.add_comm b, ← Int.add_assoc]

protected theorem add_left_neg (a : Int) : -a + a = 0 := by
  cases a with
  | ofNat n =>
    cases n with
    | zero => rfl
    | succ n => exact subNatNat_self (n + 1)
  | negSucc n => exact subNatNat_self (n + 1)

protected theorem add_right_neg (a : Int) : a + -a = 0 := by rw [Int.add_comm, Int.add_left_neg]

protected theorem neg_add_cancel_left (a b : Int) : -a + (a + b) = b := by
  rw [← Int.add_assoc, Int.add_left_neg, Int.zero_add]

protected theorem add_neg_cancel_left (a b : Int) : a + (-a + b) = b := by
  rw [← Int.add_assoc, Int.add_right_neg, Int.zero_add]

protected theorem add_neg_cancel_right (a b : Int) : a + b + -b = a := by
  rw [Int.add_assoc, Int.add_right_neg, Int.add_zero]

protected theorem neg_add_cancel_right (a b : Int) : a + -b + b = a := by
  rw [Int.add_assoc, Int.add_left_neg, Int.add_zero]

protected theorem neg_eq_of_add_eq_zero {a b : Int} (h : a + b = 0) : -a = b := by
  rw [← Int.add_zero (-a), ← h, Int.neg_add_cancel_left]

protected theorem add_left_cancel {a b c : Int} (h : a + b = a + c) : b = c := by
  rw [← Int.neg_add_cancel_left a b, h, Int.neg_add_cancel_left]

protected theorem neg_add {a b : Int} : -(a + b) = -a + -b :=
  Int.neg_eq_of_add_eq_zero (by
    rw [Int.add_assoc, Int.add_left_comm b, Int.add_right_neg, Int.add_zero, Int.add_right_neg])

/- Subtraction -/

@[simp] theorem negSucc_sub_one (n : Nat) : negSucc n - 1 = negSucc (n + 1) := rfl

@[simp] protected theorem sub_self (a : Int) : a - a = 0 := Int.add_right_neg a

@[simp] protected theorem sub_zero (a : Int) : a - 0 = a := Int.add_zero a

@[simp] protected theorem zero_sub (a : Int) : 0 - a = -a := Int.zero_add (-a)

protected theorem sub_eq_zero_of_eq {a b : Int} (h : a = b) : a - b = 0 := by rw [h, Int.sub_self]

protected theorem eq_of_sub_eq_zero {a b : Int} (h : a - b = 0) : a = b := by
  rw [← Int.neg_add_cancel_right a b]
  show a - b + b = b
  rw [h, Int.zero_add]

protected theorem sub_eq_zero {a b : Int} : a - b = 0 ↔ a = b :=
  ⟨Int.eq_of_sub_eq_zero, Int.sub_eq_zero_of_eq⟩

protected theorem sub_sub (a b c : Int) : a - b - c = a - (b + c) := by
  rw [Int.sub_eq_add_neg, Int.sub_eq_add_neg, Int.sub_eq_add_neg, Int.neg_add, Int.add_assoc]

protected theorem neg_sub (a b : Int) : -(a - b) = b - a := by
  rw [Int.sub_eq_add_neg, Int.neg_add, Int.neg_neg, Int.add_comm, Int.sub_eq_add_neg]

protected theorem sub_sub_self (a b : Int) : a - (a - b) = b := by
  rw [Int.sub_eq_add_neg, Int.neg_sub, Int.sub_eq_add_neg, Int.add_left_comm, Int.add_right_neg, Int.add_zero]

@[simp] protected theorem sub_neg (a b : Int) : a - -b = a + b := by rw [Int.sub_eq_add_neg, Int.neg_neg]

@[simp] protected theorem sub_add_cancel (a b : Int) : a - b + b = a := Int.neg_add_cancel_right a b

@[simp] protected theorem add_sub_cancel (a b : Int) : a + b - b = a := Int.add_neg_cancel_right a b

protected theorem add_sub_assoc (a b c : Int) : a + b - c = a + (b - c) := Int.add_assoc a b (-c)

protected theorem add_left_inj {i j : Int} (k : Int) : i + k = j + k ↔ i = j :=
  ⟨fun h => by rw [← Int.add_sub_cancel i k, ← Int.add_sub_cancel j k, h], fun h => by rw [h]⟩

protected theorem add_right_inj {i j : Int} (k : Int) : k + i = k + j ↔ i = j :=
  ⟨Int.add_left_cancel, fun h => by rw [h]⟩

protected theorem sub_right_inj {i j : Int} (k : Int) : k - i = k - j ↔ i = j :=
  ⟨fun h => Int.neg_inj.mp (Int.add_left_cancel h), fun h => by rw [h]⟩

protected theorem sub_left_inj {i j : Int} (k : Int) : i - k = j - k ↔ i = j := Int.add_left_inj (-k)

theorem subNatNat_eq_coe {m n : Nat} : subNatNat m n = ↑m - ↑n := by
  rw [Int.sub_eq_add_neg]
  have h := subNatNat_add m 0 n
  rw [Nat.add_zero] at h
  rw [h]
  cases n <;> rfl

theorem ofNat_sub {m n : Nat} (h : m ≤ n) : ((n - m : Nat) : Int) = n - m := by
  rw [← subNatNat_eq_coe, subNatNat_of_le h]

theorem toNat_sub (m n : Nat) : toNat (m - n) = m - n := by
  rw [← subNatNat_eq_coe]
  apply subNatNat_elim m n (fun m n i => toNat i = m - n)
  · intro i n
    exact (Nat.add_sub_cancel_left n i).symm
  · intro i n
    exact (Nat.sub_self_add n (i + 1)).symm

/- Multiplication -/

protected theorem mul_comm (a b : Int) : a * b = b * a := by
  cases a with
  | ofNat m =>
    cases b with
    | ofNat n => exact congrArg ofNat (Nat.mul_comm m n)
    | negSucc n => exact congrArg negOfNat (Nat.mul_comm m (n + 1))
  | negSucc m =>
    cases b with
    | ofNat n => exact congrArg negOfNat (Nat.mul_comm (m + 1) n)
    | negSucc n => exact congrArg ofNat (Nat.mul_comm (m + 1) (n + 1))

theorem negOfNat_eq_subNatNat_zero (n : Nat) : negOfNat n = subNatNat 0 n := by cases n <;> rfl

theorem negOfNat_add (m n : Nat) : negOfNat m + negOfNat n = negOfNat (m + n) :=
  (@Int.neg_add (ofNat m) (ofNat n)).symm

@[simp] protected theorem mul_zero (a : Int) : a * 0 = 0 := by cases a <;> rfl

@[simp] protected theorem zero_mul (a : Int) : 0 * a = 0 := by rw [Int.mul_comm, Int.mul_zero]

@[simp] protected theorem one_mul (a : Int) : 1 * a = a := by
  cases a with
  | ofNat n => exact congrArg ofNat (Nat.one_mul n)
  | negSucc n => exact congrArg negOfNat (Nat.one_mul (n + 1))

@[simp] protected theorem mul_one (a : Int) : a * 1 = a := by rw [Int.mul_comm, Int.one_mul]

protected theorem mul_add (a b c : Int) : a * (b + c) = a * b + a * c := by
  have step : ∀ (m : Nat) (x : Int), ofNat (m + 1) * x = ofNat m * x + x := fun m x => by
    cases x with
    | ofNat k => exact congrArg ofNat (Nat.succ_mul m k)
    | negSucc k =>
      show negOfNat ((m + 1) * (k + 1)) = negOfNat (m * (k + 1)) + negOfNat (k + 1)
      rw [negOfNat_add, Nat.succ_mul]
  have pos : ∀ (m : Nat) (b c : Int), ofNat m * (b + c) = ofNat m * b + ofNat m * c := fun m b c => by
    induction m with
    | zero =>
      show 0 * (b + c) = 0 * b + 0 * c
      rw [Int.zero_mul, Int.zero_mul, Int.zero_mul, Int.add_zero]
    | succ m ih =>
      rw [step, step, step, ih, Int.add_assoc, Int.add_left_comm (ofNat m * c), ← Int.add_assoc]
  have neg : ∀ (m : Nat) (x : Int), negSucc m * x = -(ofNat (m + 1) * x) := fun m x => by
    cases x with
    | ofNat k => rfl
    | negSucc k => rfl
  cases a with
  | ofNat m => exact pos m b c
  | negSucc m => rw [neg, neg, neg, pos, Int.neg_add]

protected theorem add_mul (a b c : Int) : (a + b) * c = a * c + b * c := by
  rw [Int.mul_comm, Int.mul_add, Int.mul_comm c, Int.mul_comm c]

@[simp] protected theorem neg_mul (a b : Int) : -a * b = -(a * b) :=
  (Int.neg_eq_of_add_eq_zero (by rw [← Int.add_mul, Int.add_right_neg, Int.zero_mul])).symm

@[simp] protected theorem mul_neg (a b : Int) : a * -b = -(a * b) := by
  rw [Int.mul_comm, Int.neg_mul, Int.mul_comm]

protected theorem neg_mul_eq_neg_mul (a b : Int) : -(a * b) = -a * b := (Int.neg_mul a b).symm

protected theorem neg_mul_eq_mul_neg (a b : Int) : -(a * b) = a * -b := (Int.mul_neg a b).symm

protected theorem neg_mul_neg (a b : Int) : -a * -b = a * b := by rw [Int.neg_mul, Int.mul_neg, Int.neg_neg]

protected theorem neg_mul_comm (a b : Int) : -a * b = a * -b := by rw [Int.neg_mul, Int.mul_neg]

protected theorem mul_neg_one (a : Int) : a * -1 = -a := by rw [Int.mul_neg, Int.mul_one]

protected theorem neg_eq_neg_one_mul (a : Int) : -a = -1 * a := by rw [Int.neg_mul, Int.one_mul]

protected theorem mul_assoc (a b c : Int) : a * b * c = a * (b * c) := by
  have pos : ∀ (m : Nat) (b c : Int), ofNat m * b * c = ofNat m * (b * c) := fun m b c => by
    induction m with
    | zero =>
      show 0 * b * c = 0 * (b * c)
      rw [Int.zero_mul, Int.zero_mul, Int.zero_mul]
    | succ m ih =>
      show (ofNat m + 1) * b * c = (ofNat m + 1) * (b * c)
      rw [Int.add_mul, Int.add_mul, Int.add_mul, ih, Int.one_mul, Int.one_mul]
  cases a with
  | ofNat m => exact pos m b c
  | negSucc m =>
    show -ofNat (m + 1) * b * c = -ofNat (m + 1) * (b * c)
    rw [Int.neg_mul, Int.neg_mul, Int.neg_mul, pos]

protected theorem mul_left_comm (a b c : Int) : a * (b * c) = b * (a * c) := by
  rw [← Int.mul_assoc, Int.mul_comm a, Int.mul_assoc]

protected theorem mul_right_comm (a b c : Int) : a * b * c = a * c * b := by
  rw [Int.mul_assoc, Int.mul_comm b, ← Int.mul_assoc]

protected theorem mul_sub (a b c : Int) : a * (b - c) = a * b - a * c := by
  rw [Int.sub_eq_add_neg, Int.mul_add, Int.mul_neg, Int.sub_eq_add_neg]

protected theorem sub_mul (a b c : Int) : (a - b) * c = a * c - b * c := by
  rw [Int.sub_eq_add_neg, Int.add_mul, Int.neg_mul, Int.sub_eq_add_neg]

protected theorem mul_eq_zero {a b : Int} : a * b = 0 ↔ a = 0 ∨ b = 0 := by
  constructor
  · intro h
    cases a with
    | ofNat m =>
      cases m with
      | zero => exact Or.inl rfl
      | succ m =>
        cases b with
        | ofNat n =>
          cases n with
          | zero => exact Or.inr rfl
          | succ n => injection h with h; cases h
        | negSucc n => cases h
    | negSucc m =>
      cases b with
      | ofNat n =>
        cases n with
        | zero => exact Or.inr rfl
        | succ n => cases h
      | negSucc n => injection h with h; cases h
  · intro h
    cases h with
    | inl h => rw [h, Int.zero_mul]
    | inr h => rw [h, Int.mul_zero]

protected theorem mul_ne_zero {a b : Int} (a0 : a ≠ 0) (b0 : b ≠ 0) : a * b ≠ 0 :=
  fun h => Or.elim (Int.mul_eq_zero.mp h) a0 b0

@[simp] protected theorem mul_ne_zero_iff {a b : Int} : a * b ≠ 0 ↔ a ≠ 0 ∧ b ≠ 0 := by
  rw [ne_eq, Int.mul_eq_zero, not_or]

protected theorem eq_of_mul_eq_mul_right {a b c : Int} (ha : a ≠ 0) (h : b * a = c * a) : b = c :=
  have e : (b - c) * a = 0 := by rw [Int.sub_mul, h, Int.sub_self]
  Int.eq_of_sub_eq_zero (Or.resolve_right (Int.mul_eq_zero.mp e) ha)

protected theorem eq_of_mul_eq_mul_left {a b c : Int} (ha : a ≠ 0) (h : a * b = a * c) : b = c :=
  Int.eq_of_mul_eq_mul_right ha (by rw [Int.mul_comm, h, Int.mul_comm])

theorem mul_eq_mul_left_iff {a b c : Int} (h : c ≠ 0) : c * a = c * b ↔ a = b :=
  ⟨Int.eq_of_mul_eq_mul_left h, fun w => by rw [w]⟩

theorem mul_eq_mul_right_iff {a b c : Int} (h : c ≠ 0) : a * c = b * c ↔ a = b :=
  ⟨Int.eq_of_mul_eq_mul_right h, fun w => by rw [w]⟩

end Int
