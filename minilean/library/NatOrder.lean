/- Order on the natural numbers. -/

attribute [simp] Nat.le_refl Nat.zero_le Nat.not_lt_zero Nat.lt_irrefl Nat.lt_add_one Nat.zero_lt_succ

/- From one form to another -/

theorem Nat.le_step {n m : Nat} (h : n ≤ m) : n ≤ Nat.succ m := Nat.le_succ_of_le h

theorem Nat.succ_lt_succ {n m : Nat} : n < m → Nat.succ n < Nat.succ m :=
  fun h => @Nat.succ_le_succ (Nat.succ n) m h

theorem Nat.le_of_lt_add_one {n m : Nat} : n < m + 1 → n ≤ m := fun h => @Nat.le_of_lt_succ n m h

theorem Nat.lt_add_one_of_le {n m : Nat} : n ≤ m → n < m + 1 := fun h => @Nat.lt_succ_of_le n m h

theorem Nat.not_add_one_le_zero (n : Nat) : ¬n + 1 ≤ 0 := Nat.not_succ_le_zero n

theorem Nat.not_add_one_le_self (n : Nat) : ¬n + 1 ≤ n := Nat.not_succ_le_self n

theorem Nat.add_one_pos (n : Nat) : 0 < n + 1 := Nat.zero_lt_succ n

protected theorem Nat.lt_of_lt_of_eq {n m k : Nat} : n < m → m = k → n < k :=
  fun h e => Eq.subst (motive := fun x => n < x) e h

protected theorem Nat.le_of_eq {n m : Nat} (p : n = m) : n ≤ m :=
  Eq.subst (motive := fun x => n ≤ x) p (Nat.le_refl n)

theorem Nat.le_of_succ_le {n m : Nat} (h : Nat.succ n ≤ m) : n ≤ m := Nat.le_trans (Nat.le_succ n) h

theorem Nat.lt_of_succ_lt {n m : Nat} : Nat.succ n < m → n < m :=
  fun h => @Nat.le_of_succ_le (Nat.succ n) m h

protected theorem Nat.le_of_lt {n m : Nat} : n < m → n ≤ m := fun h => @Nat.le_of_succ_le n m h

theorem Nat.lt_of_succ_lt_succ {n m : Nat} : Nat.succ n < Nat.succ m → n < m :=
  fun h => @Nat.le_of_succ_le_succ (Nat.succ n) m h

theorem Nat.lt_of_succ_le {n m : Nat} (h : Nat.succ n ≤ m) : n < m := h

theorem Nat.succ_le_of_lt {n m : Nat} (h : n < m) : Nat.succ n ≤ m := h

theorem Nat.lt_of_add_one_le {n m : Nat} (h : n + 1 ≤ m) : n < m := h

theorem Nat.add_one_le_of_lt {n m : Nat} (h : n < m) : n + 1 ≤ m := h

theorem Nat.succ_le_iff {m n : Nat} : Nat.succ m ≤ n ↔ m < n := Iff.intro Nat.lt_of_succ_le Nat.succ_le_of_lt

theorem Nat.succ_le {n m : Nat} : Nat.succ n ≤ m ↔ n < m := Nat.succ_le_iff

theorem Nat.add_one_le_iff {n m : Nat} : n + 1 ≤ m ↔ n < m :=
  Iff.intro Nat.lt_of_add_one_le Nat.add_one_le_of_lt

theorem Nat.lt_iff_add_one_le {m n : Nat} : m < n ↔ m + 1 ≤ n := Iff.symm Nat.add_one_le_iff

theorem Nat.succ_le_succ_iff {a b : Nat} : Nat.succ a ≤ Nat.succ b ↔ a ≤ b :=
  Iff.intro Nat.le_of_succ_le_succ Nat.succ_le_succ

theorem Nat.succ_lt_succ_iff {a b : Nat} : Nat.succ a < Nat.succ b ↔ a < b :=
  Iff.intro Nat.lt_of_succ_lt_succ Nat.succ_lt_succ

theorem Nat.add_one_le_add_one_iff {a b : Nat} : a + 1 ≤ b + 1 ↔ a ≤ b := @Nat.succ_le_succ_iff a b

theorem Nat.add_one_lt_add_one_iff {a b : Nat} : a + 1 < b + 1 ↔ a < b := @Nat.succ_lt_succ_iff a b

theorem Nat.lt_succ_of_lt {a b : Nat} (h : a < b) : a < Nat.succ b := @Nat.le_succ_of_le (Nat.succ a) b h

theorem Nat.lt_add_one_of_lt {a b : Nat} (h : a < b) : a < b + 1 := Nat.lt_succ_of_lt h

protected theorem Nat.lt_succ_iff {m n : Nat} : m < Nat.succ n ↔ m ≤ n :=
  Iff.intro Nat.le_of_lt_succ Nat.lt_succ_of_le

protected theorem Nat.lt_add_one_iff {m n : Nat} : m < n + 1 ↔ m ≤ n := @Nat.lt_succ_iff m n

theorem Nat.le_iff_lt_add_one {x y : Nat} : x ≤ y ↔ x < y + 1 := Iff.symm Nat.lt_add_one_iff

/- Zero -/

theorem Nat.eq_zero_or_pos (n : Nat) : n = 0 ∨ n > 0 :=
  Nat.casesOn (motive := fun n => n = 0 ∨ n > 0) n (Or.inl rfl) (fun n => Or.inr (Nat.zero_lt_succ n))

protected theorem Nat.pos_of_ne_zero {n : Nat} : n ≠ 0 → 0 < n :=
  fun h => Or.resolve_left (Nat.eq_zero_or_pos n) h

theorem Nat.zero_lt_of_ne_zero {a : Nat} (h : a ≠ 0) : 0 < a := Nat.pos_of_ne_zero h

theorem Nat.eq_zero_of_le_zero {n : Nat} (h : n ≤ 0) : n = 0 := Nat.le_antisymm h (Nat.zero_le n)

theorem Nat.zero_lt_of_lt {a b : Nat} : a < b → 0 < b := fun h => Nat.lt_of_le_of_lt (Nat.zero_le a) h

theorem Nat.ne_of_lt {a b : Nat} (h : a < b) : a ≠ b :=
  fun e => Nat.lt_irrefl a (Eq.subst (motive := fun x => a < x) (Eq.symm e) h)

theorem Nat.ne_of_gt {a b : Nat} (h : b < a) : a ≠ b := Ne.symm (Nat.ne_of_lt h)

protected theorem Nat.ne_of_lt' {a b : Nat} : a < b → b ≠ a := fun h => Nat.ne_of_gt h

protected theorem Nat.pos_iff_ne_zero {n : Nat} : 0 < n ↔ n ≠ 0 := Iff.intro Nat.ne_of_gt Nat.pos_of_ne_zero

protected theorem Nat.ne_zero_iff_zero_lt {n : Nat} : n ≠ 0 ↔ 0 < n := Iff.symm Nat.pos_iff_ne_zero

theorem Nat.one_le_iff_ne_zero {n : Nat} : 1 ≤ n ↔ n ≠ 0 := @Nat.pos_iff_ne_zero n

protected theorem Nat.ne_zero_of_lt {b a : Nat} (h : b < a) : a ≠ 0 := Nat.ne_of_gt (Nat.zero_lt_of_lt h)

theorem Nat.le_zero {i : Nat} : i ≤ 0 ↔ i = 0 := Iff.intro Nat.eq_zero_of_le_zero Nat.le_of_eq

@[simp] theorem Nat.le_zero_eq (a : Nat) : (a ≤ 0) = (a = 0) := propext Nat.le_zero

@[simp] theorem Nat.lt_one_iff {n : Nat} : n < 1 ↔ n = 0 := Iff.trans (@Nat.lt_succ_iff n 0) Nat.le_zero

protected theorem Nat.zero_lt_one : 0 < (1 : Nat) := Nat.zero_lt_succ 0

protected theorem Nat.one_pos : 0 < (1 : Nat) := Nat.zero_lt_one

protected theorem Nat.two_pos : 0 < 2 := Nat.zero_lt_succ 1

protected theorem Nat.zero_lt_two : 0 < 2 := Nat.zero_lt_succ 1

protected theorem Nat.one_lt_two : 1 < 2 := @Nat.succ_lt_succ 0 1 Nat.zero_lt_one

theorem Nat.one_le_of_lt {a b : Nat} (h : a < b) : 1 ≤ b := Nat.zero_lt_of_lt h

/- Trichotomy and negation -/

protected theorem Nat.le_total (m n : Nat) : m ≤ n ∨ n ≤ m :=
  Or.elim (Nat.lt_or_ge m n) (fun h => Or.inl (Nat.le_of_lt h)) (fun h => Or.inr h)

protected theorem Nat.le_or_ge (m n : Nat) : m ≤ n ∨ n ≤ m := Nat.le_total m n

protected theorem Nat.lt_asymm {a b : Nat} (h : a < b) : ¬b < a :=
  fun h' => Nat.lt_irrefl a (Nat.lt_trans h h')

protected theorem Nat.not_lt_of_gt {a b : Nat} (h : a < b) : ¬b < a := Nat.lt_asymm h

protected theorem Nat.not_lt_of_lt {a b : Nat} (h : a < b) : ¬b < a := Nat.lt_asymm h

protected theorem Nat.not_le_of_gt {n m : Nat} (h : n > m) : ¬n ≤ m :=
  fun h' => Nat.lt_irrefl m (@Nat.lt_of_lt_of_le m n m h h')

protected theorem Nat.not_le_of_lt {a b : Nat} : a < b → ¬(b ≤ a) := fun h => @Nat.not_le_of_gt b a h

protected theorem Nat.not_lt_of_ge {a b : Nat} : b ≥ a → ¬(b < a) :=
  fun h h' => Nat.lt_irrefl b (@Nat.lt_of_lt_of_le b a b h' h)

protected theorem Nat.not_lt_of_le {a b : Nat} : a ≤ b → ¬(b < a) := fun h => @Nat.not_lt_of_ge a b h

theorem Nat.gt_of_not_le {n m : Nat} (h : ¬n ≤ m) : n > m := Or.resolve_right (Nat.lt_or_ge m n) h

protected theorem Nat.lt_of_not_ge {a b : Nat} : ¬(b ≥ a) → b < a := fun h => @Nat.gt_of_not_le a b h

theorem Nat.ge_of_not_lt {n m : Nat} (h : ¬n < m) : n ≥ m := Or.resolve_left (Nat.lt_or_ge n m) h

protected theorem Nat.le_of_not_gt {a b : Nat} : ¬(b > a) → b ≤ a := fun h => @Nat.ge_of_not_lt a b h

protected theorem Nat.le_of_not_lt {a b : Nat} : ¬(a < b) → b ≤ a := fun h => @Nat.ge_of_not_lt a b h

@[simp] protected theorem Nat.not_le {a b : Nat} : ¬a ≤ b ↔ b < a :=
  Iff.intro Nat.lt_of_not_le Nat.not_le_of_lt

@[simp] protected theorem Nat.not_lt {a b : Nat} : ¬a < b ↔ b ≤ a :=
  Iff.intro Nat.le_of_not_lt Nat.not_lt_of_le

protected theorem Nat.le_of_not_le {a b : Nat} (h : ¬b ≤ a) : a ≤ b := Nat.le_of_lt (Nat.lt_of_not_le h)

protected theorem Nat.le_of_not_ge {a b : Nat} : ¬(a ≥ b) → a ≤ b := fun h => @Nat.le_of_not_le a b h

protected theorem Nat.eq_zero_of_not_pos {n : Nat} (h : ¬0 < n) : n = 0 :=
  Nat.eq_zero_of_le_zero (Nat.le_of_not_lt h)

protected theorem Nat.lt_trichotomy (a b : Nat) : a < b ∨ a = b ∨ b < a :=
  Or.elim (Nat.lt_or_ge a b) Or.inl
    (fun h => Or.elim (@Nat.eq_or_lt_of_le b a h)
      (fun e => Or.inr (Or.inl (Eq.symm e)))
      (fun h' => Or.inr (Or.inr h')))

protected theorem Nat.eq_or_lt_of_not_lt {a b : Nat} (hnlt : ¬a < b) : a = b ∨ b < a :=
  Or.resolve_left (Nat.lt_trichotomy a b) hnlt

protected theorem Nat.lt_or_gt_of_ne {a b : Nat} (ne : a ≠ b) : a < b ∨ a > b :=
  Or.elim (Nat.lt_trichotomy a b) Or.inl
    (fun h => Or.elim h (fun e => absurd e ne) (fun h' => Or.inr h'))

protected theorem Nat.lt_or_lt_of_ne {a b : Nat} : a ≠ b → a < b ∨ b < a := fun h => Nat.lt_or_gt_of_ne h

protected theorem Nat.ne_iff_lt_or_gt {a b : Nat} : a ≠ b ↔ a < b ∨ b < a :=
  Iff.intro Nat.lt_or_lt_of_ne (fun h => Or.elim h (fun h' => Nat.ne_of_lt h') (fun h' => Nat.ne_of_gt h'))

protected theorem Nat.le_antisymm_iff {a b : Nat} : a = b ↔ a ≤ b ∧ b ≤ a :=
  Iff.intro
    (fun e => And.intro (Nat.le_of_eq e) (Nat.le_of_eq (Eq.symm e)))
    (fun h => Nat.le_antisymm h.left h.right)

protected theorem Nat.eq_iff_le_and_ge {a b : Nat} : a = b ↔ a ≤ b ∧ b ≤ a := Nat.le_antisymm_iff

protected theorem Nat.lt_iff_le_and_not_ge {m n : Nat} : m < n ↔ m ≤ n ∧ ¬n ≤ m :=
  Iff.intro
    (fun h => And.intro (Nat.le_of_lt h) (Nat.not_le_of_lt h))
    (fun h => Nat.lt_of_not_le h.right)

protected theorem Nat.lt_iff_le_and_ne {m n : Nat} : m < n ↔ m ≤ n ∧ m ≠ n :=
  Iff.intro
    (fun h => And.intro (Nat.le_of_lt h) (Nat.ne_of_lt h))
    (fun h => Nat.lt_of_le_of_ne h.left h.right)

protected theorem Nat.lt_or_eq_of_le {n m : Nat} (h : n ≤ m) : n < m ∨ n = m :=
  Or.symm (Nat.eq_or_lt_of_le h)

protected theorem Nat.le_iff_lt_or_eq {n m : Nat} : n ≤ m ↔ n < m ∨ n = m :=
  Iff.intro Nat.lt_or_eq_of_le (fun h => Or.elim h (fun h' => Nat.le_of_lt h') (fun e => Nat.le_of_eq e))

protected theorem Nat.lt_succ_iff_lt_or_eq {m n : Nat} : m < Nat.succ n ↔ m < n ∨ m = n :=
  Iff.trans Nat.lt_succ_iff Nat.le_iff_lt_or_eq

protected theorem Nat.lt_add_one_iff_lt_or_eq {m n : Nat} : m < n + 1 ↔ m < n ∨ m = n :=
  Iff.trans Nat.lt_add_one_iff Nat.le_iff_lt_or_eq

theorem Nat.le_or_eq_of_le_succ {m n : Nat} (h : m ≤ Nat.succ n) : m ≤ n ∨ m = Nat.succ n :=
  Or.elim (Nat.lt_or_eq_of_le h) (fun h' => Or.inl (Nat.le_of_lt_succ h')) (fun e => Or.inr e)

theorem Nat.le_or_eq_of_le_add_one {m n : Nat} (h : m ≤ n + 1) : m ≤ n ∨ m = n + 1 :=
  @Nat.le_or_eq_of_le_succ m n h

theorem Nat.le_add_one_iff {m n : Nat} : m ≤ n + 1 ↔ m ≤ n ∨ m = n + 1 :=
  Iff.intro Nat.le_or_eq_of_le_add_one
    (fun h => Or.elim h (fun h' => Nat.le_succ_of_le h') (fun e => Nat.le_of_eq e))

@[simp] theorem Nat.succ_ne_self (n : Nat) : Nat.succ n ≠ n := Nat.ne_of_gt (Nat.lt_succ_self n)

theorem Nat.add_one_ne_self (n : Nat) : n + 1 ≠ n := Nat.succ_ne_self n

theorem Nat.ne_add_one (n : Nat) : n ≠ n + 1 := Nat.ne_of_lt (Nat.lt_succ_self n)

/- Strong induction -/

/-- Recursion where the value at `n` may use the values at all smaller numbers. -/
protected def Nat.strongRecOn.{u} {motive : Nat → Sort u} (n : Nat)
    (ind : (n : Nat) → ((m : Nat) → m < n → motive m) → motive n) : motive n :=
  ind n (Nat.rec (motive := fun k => (m : Nat) → m < k → motive m)
    (fun m h => absurd h (Nat.not_lt_zero m))
    (fun _ ih m h => ind m (fun j hj => ih j (Nat.lt_of_lt_of_le hj (Nat.le_of_lt_succ h))))
    n)
