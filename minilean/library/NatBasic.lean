/- Addition, multiplication and powers: the laws of a commutative semiring. -/

/- The constructors in the usual notation -/

@[simp] theorem Nat.zero_eq : Nat.zero = 0 := rfl

@[simp] theorem Nat.add_eq {x y : Nat} : Nat.add x y = x + y := rfl

@[simp] theorem Nat.mul_eq {x y : Nat} : Nat.mul x y = x * y := rfl

@[simp] theorem Nat.sub_eq {x y : Nat} : Nat.sub x y = x - y := rfl

@[simp] theorem Nat.lt_eq {x y : Nat} : Nat.lt x y = (x < y) := rfl

@[simp] theorem Nat.le_eq {x y : Nat} : Nat.le x y = (x ≤ y) := rfl

attribute [simp] Nat.beq_refl

@[simp] theorem Nat.beq_eq {x y : Nat} : (Nat.beq x y = Bool.true) = (x = y) :=
  propext (Iff.intro Nat.eq_of_beq_eq_true
    (fun e => Eq.subst (motive := fun z => Nat.beq x z = Bool.true) e (Nat.beq_refl x)))

@[simp] theorem Nat.ble_eq {x y : Nat} : (Nat.ble x y = Bool.true) = (x ≤ y) :=
  propext (Iff.intro Nat.le_of_ble_eq_true Nat.ble_eq_true_of_le)

theorem Nat.add_one (n : Nat) : n + 1 = Nat.succ n := rfl

@[simp] theorem Nat.succ_eq_add_one (n : Nat) : Nat.succ n = n + 1 := rfl

@[simp] theorem Nat.succ_ne_zero (n : Nat) : Nat.succ n ≠ 0 :=
  fun h => nomatch h

@[simp] theorem Nat.add_one_ne_zero (n : Nat) : n + 1 ≠ 0 := Nat.succ_ne_zero n

theorem Nat.zero_ne_add_one (n : Nat) : 0 ≠ n + 1 := Ne.symm (Nat.succ_ne_zero n)

protected theorem Nat.one_ne_zero : 1 ≠ (0 : Nat) := Nat.succ_ne_zero 0

@[simp] protected theorem Nat.zero_ne_one : 0 ≠ (1 : Nat) := Nat.zero_ne_add_one 0

theorem Nat.succ_inj {a b : Nat} : Nat.succ a = Nat.succ b ↔ a = b :=
  Iff.intro Nat.succ.inj (congrArg Nat.succ)

theorem Nat.add_one_inj {a b : Nat} : a + 1 = b + 1 ↔ a = b := @Nat.succ_inj a b

theorem Nat.succ_ne_succ_iff {a b : Nat} : Nat.succ a ≠ Nat.succ b ↔ a ≠ b := not_congr Nat.succ_inj

theorem Nat.add_one_ne_add_one_iff {a b : Nat} : a + 1 ≠ b + 1 ↔ a ≠ b := @Nat.succ_ne_succ_iff a b

theorem Nat.succ_succ_ne_one (a : Nat) : Nat.succ (Nat.succ a) ≠ 1 :=
  fun h => Nat.succ_ne_zero a (Nat.succ.inj h)

theorem Nat.exists_eq_succ_of_ne_zero {n : Nat} : n ≠ 0 → Exists (fun k => n = Nat.succ k) :=
  Nat.casesOn (motive := fun n => n ≠ 0 → Exists (fun k => n = Nat.succ k)) n
    (fun h => absurd rfl h) (fun k _ => Exists.intro k rfl)

theorem Nat.exists_eq_add_one_of_ne_zero {n : Nat} : n ≠ 0 → Exists (fun k => n = k + 1) :=
  Nat.exists_eq_succ_of_ne_zero

/- Addition -/

@[simp] protected theorem Nat.add_zero (n : Nat) : n + 0 = n := rfl

theorem Nat.add_succ (n m : Nat) : n + Nat.succ m = Nat.succ (n + m) := rfl

@[simp] protected theorem Nat.zero_add (n : Nat) : 0 + n = n :=
  Nat.rec (motive := fun n => 0 + n = n) rfl (fun _ ih => congrArg Nat.succ ih) n

theorem Nat.succ_add (n m : Nat) : Nat.succ n + m = Nat.succ (n + m) :=
  Nat.rec (motive := fun m => Nat.succ n + m = Nat.succ (n + m)) rfl (fun _ ih => congrArg Nat.succ ih) m

protected theorem Nat.add_comm (n m : Nat) : n + m = m + n :=
  Nat.rec (motive := fun m => n + m = m + n) (Eq.symm (Nat.zero_add n))
    (fun m ih => Eq.trans (congrArg Nat.succ ih) (Eq.symm (Nat.succ_add m n))) m

protected theorem Nat.add_assoc (n m k : Nat) : n + m + k = n + (m + k) :=
  Nat.rec (motive := fun k => n + m + k = n + (m + k)) rfl (fun _ ih => congrArg Nat.succ ih) k

protected theorem Nat.add_left_comm (n m k : Nat) : n + (m + k) = m + (n + k) :=
  Eq.trans (Eq.symm (Nat.add_assoc n m k))
    (Eq.trans (congrArg (fun x => x + k) (Nat.add_comm n m)) (Nat.add_assoc m n k))

protected theorem Nat.add_right_comm (n m k : Nat) : n + m + k = n + k + m :=
  Eq.trans (Nat.add_assoc n m k)
    (Eq.trans (congrArg (fun x => n + x) (Nat.add_comm m k)) (Eq.symm (Nat.add_assoc n k m)))

protected theorem Nat.add_add_add_comm (a b c d : Nat) : (a + b) + (c + d) = (a + c) + (b + d) :=
  Eq.trans (Nat.add_assoc a b (c + d))
    (Eq.trans (congrArg (fun x => a + x) (Nat.add_left_comm b c d)) (Eq.symm (Nat.add_assoc a c (b + d))))

theorem Nat.one_add (n : Nat) : 1 + n = Nat.succ n := Nat.add_comm 1 n

theorem Nat.succ_eq_one_add (n : Nat) : Nat.succ n = 1 + n := Eq.symm (Nat.one_add n)

theorem Nat.succ_add_eq_add_succ (a b : Nat) : Nat.succ a + b = a + Nat.succ b := Nat.succ_add a b

protected theorem Nat.add_left_cancel {n m k : Nat} : n + m = n + k → m = k :=
  Nat.rec (motive := fun n => n + m = n + k → m = k)
    (fun h => Eq.trans (Eq.symm (Nat.zero_add m)) (Eq.trans h (Nat.zero_add k)))
    (fun n ih h => ih (Nat.succ.inj (Eq.trans (Eq.symm (Nat.succ_add n m)) (Eq.trans h (Nat.succ_add n k)))))
    n

protected theorem Nat.add_right_cancel {n m k : Nat} (h : n + m = k + m) : n = k :=
  @Nat.add_left_cancel m n k (Eq.trans (Nat.add_comm m n) (Eq.trans h (Nat.add_comm k m)))

@[simp high] protected theorem Nat.add_left_cancel_iff {m k n : Nat} : n + m = n + k ↔ m = k :=
  Iff.intro Nat.add_left_cancel (fun e => congrArg (fun x => n + x) e)

@[simp high] protected theorem Nat.add_right_cancel_iff {m k n : Nat} : m + n = k + n ↔ m = k :=
  Iff.intro Nat.add_right_cancel (fun e => congrArg (fun x => x + n) e)

protected theorem Nat.add_left_inj {m k n : Nat} : m + n = k + n ↔ m = k := Nat.add_right_cancel_iff

protected theorem Nat.add_right_inj {m k n : Nat} : n + m = n + k ↔ m = k := Nat.add_left_cancel_iff

theorem Nat.eq_zero_of_add_eq_zero {n m : Nat} : n + m = 0 → n = 0 ∧ m = 0 :=
  Nat.casesOn (motive := fun m => n + m = 0 → n = 0 ∧ m = 0) m
    (fun h => And.intro h rfl)
    (fun m h => absurd h (Nat.succ_ne_zero (n + m)))

protected theorem Nat.eq_zero_of_add_eq_zero_right {n m : Nat} (h : n + m = 0) : n = 0 :=
  And.left (Nat.eq_zero_of_add_eq_zero h)

protected theorem Nat.eq_zero_of_add_eq_zero_left {n m : Nat} (h : n + m = 0) : m = 0 :=
  And.right (Nat.eq_zero_of_add_eq_zero h)

@[simp high] protected theorem Nat.add_eq_zero_iff {n m : Nat} : n + m = 0 ↔ n = 0 ∧ m = 0 :=
  Iff.intro Nat.eq_zero_of_add_eq_zero (fun h => Eq.trans (congrArg (fun x => n + x) h.right) h.left)

@[simp high] protected theorem Nat.add_eq_left {a b : Nat} : a + b = a ↔ b = 0 :=
  Iff.intro (fun h => @Nat.add_left_cancel a b 0 h) (fun e => congrArg (fun x => a + x) e)

@[simp high] protected theorem Nat.add_eq_right {a b : Nat} : a + b = b ↔ a = 0 :=
  Iff.trans (Iff.of_eq (congrArg (fun x => x = b) (Nat.add_comm a b))) Nat.add_eq_left

@[simp high] protected theorem Nat.left_eq_add {a b : Nat} : a = a + b ↔ b = 0 :=
  Iff.trans Eq.comm Nat.add_eq_left

@[simp high] protected theorem Nat.right_eq_add {a b : Nat} : b = a + b ↔ a = 0 :=
  Iff.trans Eq.comm Nat.add_eq_right

/- Multiplication -/

@[simp] protected theorem Nat.mul_zero (n : Nat) : n * 0 = 0 := rfl

theorem Nat.mul_succ (n m : Nat) : n * Nat.succ m = n * m + n := rfl

theorem Nat.mul_add_one (n m : Nat) : n * (m + 1) = n * m + n := rfl

@[simp] protected theorem Nat.zero_mul (n : Nat) : 0 * n = 0 :=
  Nat.rec (motive := fun n => 0 * n = 0) rfl (fun n ih => Eq.trans (Nat.add_zero (0 * n)) ih) n

theorem Nat.succ_mul (n m : Nat) : Nat.succ n * m = n * m + m :=
  Nat.rec (motive := fun m => Nat.succ n * m = n * m + m) rfl
    (fun m ih => congrArg Nat.succ (Eq.trans (congrArg (fun x => x + n) ih) (Nat.add_right_comm (n * m) m n)))
    m

theorem Nat.add_one_mul (n m : Nat) : (n + 1) * m = n * m + m := Nat.succ_mul n m

protected theorem Nat.mul_comm (n m : Nat) : n * m = m * n :=
  Nat.rec (motive := fun m => n * m = m * n) (Eq.symm (Nat.zero_mul n))
    (fun m ih => Eq.trans (congrArg (fun x => x + n) ih) (Eq.symm (Nat.succ_mul m n))) m

@[simp] protected theorem Nat.mul_one (n : Nat) : n * 1 = n := Nat.zero_add n

@[simp] protected theorem Nat.one_mul (n : Nat) : 1 * n = n := Eq.trans (Nat.mul_comm 1 n) (Nat.mul_one n)

protected theorem Nat.left_distrib (n m k : Nat) : n * (m + k) = n * m + n * k :=
  Nat.rec (motive := fun k => n * (m + k) = n * m + n * k) rfl
    (fun k ih => Eq.trans (congrArg (fun x => x + n) ih) (Nat.add_assoc (n * m) (n * k) n)) k

protected theorem Nat.right_distrib (n m k : Nat) : (n + m) * k = n * k + m * k :=
  Eq.trans (Nat.mul_comm (n + m) k)
    (Eq.trans (Nat.left_distrib k n m)
      (congr (congrArg (fun (x y : Nat) => x + y) (Nat.mul_comm k n)) (Nat.mul_comm k m)))

protected theorem Nat.mul_add (n m k : Nat) : n * (m + k) = n * m + n * k := Nat.left_distrib n m k

protected theorem Nat.add_mul (n m k : Nat) : (n + m) * k = n * k + m * k := Nat.right_distrib n m k

protected theorem Nat.mul_assoc (n m k : Nat) : n * m * k = n * (m * k) :=
  Nat.rec (motive := fun k => n * m * k = n * (m * k)) rfl
    (fun k ih => Eq.trans (congrArg (fun x => x + n * m) ih) (Eq.symm (Nat.left_distrib n (m * k) m))) k

protected theorem Nat.mul_left_comm (n m k : Nat) : n * (m * k) = m * (n * k) :=
  Eq.trans (Eq.symm (Nat.mul_assoc n m k))
    (Eq.trans (congrArg (fun x => x * k) (Nat.mul_comm n m)) (Nat.mul_assoc m n k))

protected theorem Nat.mul_right_comm (n m k : Nat) : n * m * k = n * k * m :=
  Eq.trans (Nat.mul_assoc n m k)
    (Eq.trans (congrArg (fun x => n * x) (Nat.mul_comm m k)) (Eq.symm (Nat.mul_assoc n k m)))

protected theorem Nat.mul_mul_mul_comm (a b c d : Nat) : (a * b) * (c * d) = (a * c) * (b * d) :=
  Eq.trans (Nat.mul_assoc a b (c * d))
    (Eq.trans (congrArg (fun x => a * x) (Nat.mul_left_comm b c d)) (Eq.symm (Nat.mul_assoc a c (b * d))))

protected theorem Nat.mul_two (n : Nat) : n * 2 = n + n := congrArg (fun x => x + n) (Nat.mul_one n)

protected theorem Nat.two_mul (n : Nat) : 2 * n = n + n := Eq.trans (Nat.mul_comm 2 n) (Nat.mul_two n)

theorem Nat.mul_eq_zero {m n : Nat} : n * m = 0 ↔ n = 0 ∨ m = 0 :=
  Iff.intro
    (Nat.casesOn (motive := fun m => n * m = 0 → n = 0 ∨ m = 0) m
      (fun _ => Or.inr rfl)
      (fun m h => Or.inl (And.right (@Nat.eq_zero_of_add_eq_zero (n * m) n h))))
    (fun h => Or.elim h
      (fun e => Eq.trans (congrArg (fun x => x * m) e) (Nat.zero_mul m))
      (fun e => congrArg (fun x => n * x) e))

protected theorem Nat.mul_ne_zero_iff {n m : Nat} : n * m ≠ 0 ↔ n ≠ 0 ∧ m ≠ 0 :=
  Iff.trans (not_congr Nat.mul_eq_zero) not_or

protected theorem Nat.mul_ne_zero {n m : Nat} : n ≠ 0 → m ≠ 0 → n * m ≠ 0 :=
  fun hn hm => Nat.mul_ne_zero_iff.mpr (And.intro hn hm)

theorem Nat.succ_mul_succ (a b : Nat) : Nat.succ a * Nat.succ b = a * b + a + b + 1 :=
  congrArg Nat.succ (Eq.trans (congrArg (fun x => x + a) (Nat.succ_mul a b)) (Nat.add_right_comm (a * b) b a))

theorem Nat.add_one_mul_add_one (a b : Nat) : (a + 1) * (b + 1) = a * b + a + b + 1 := Nat.succ_mul_succ a b

/- Powers -/

@[simp] protected theorem Nat.pow_zero (n : Nat) : n ^ 0 = 1 := rfl

protected theorem Nat.pow_succ (n m : Nat) : n ^ Nat.succ m = n ^ m * n := rfl

protected theorem Nat.pow_add_one (n m : Nat) : n ^ (m + 1) = n ^ m * n := rfl

@[simp] protected theorem Nat.pow_one (a : Nat) : a ^ 1 = a := Nat.one_mul a

protected theorem Nat.pow_two (a : Nat) : a ^ 2 = a * a := congrArg (fun x => x * a) (Nat.pow_one a)

@[simp] protected theorem Nat.one_pow (n : Nat) : (1 : Nat) ^ n = 1 :=
  Nat.rec (motive := fun n => (1 : Nat) ^ n = 1) rfl (fun n ih => Eq.trans (Nat.mul_one (1 ^ n)) ih) n

protected theorem Nat.zero_pow {n : Nat} (H : 0 < n) : (0 : Nat) ^ n = 0 :=
  Nat.casesOn (motive := fun n => 0 < n → (0 : Nat) ^ n = 0) n
    (fun h => absurd h (Nat.lt_irrefl 0)) (fun _ _ => rfl) H

@[simp] theorem Nat.zero_pow_of_pos (n : Nat) (h : 0 < n) : (0 : Nat) ^ n = 0 := Nat.zero_pow h

protected theorem Nat.pow_succ' {m n : Nat} : m ^ Nat.succ n = m * m ^ n := Nat.mul_comm (m ^ n) m

protected theorem Nat.pow_add (a m n : Nat) : a ^ (m + n) = a ^ m * a ^ n :=
  Nat.rec (motive := fun n => a ^ (m + n) = a ^ m * a ^ n) (Eq.symm (Nat.mul_one (a ^ m)))
    (fun n ih => Eq.trans (congrArg (fun x => x * a) ih) (Nat.mul_assoc (a ^ m) (a ^ n) a)) n

protected theorem Nat.mul_pow (a b n : Nat) : (a * b) ^ n = a ^ n * b ^ n :=
  Nat.rec (motive := fun n => (a * b) ^ n = a ^ n * b ^ n) rfl
    (fun n ih => Eq.trans (congrArg (fun x => x * (a * b)) ih) (Nat.mul_mul_mul_comm (a ^ n) (b ^ n) a b)) n

protected theorem Nat.pow_mul (a m n : Nat) : a ^ (m * n) = (a ^ m) ^ n :=
  Nat.rec (motive := fun n => a ^ (m * n) = (a ^ m) ^ n) rfl
    (fun n ih => Eq.trans (Nat.pow_add a (m * n) m) (congrArg (fun x => x * a ^ m) ih)) n
