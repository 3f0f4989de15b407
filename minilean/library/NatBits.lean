/- Binary digits: `log2`, `land`, `lor`, `xor`, shifts. Core's recursion is well-founded, here it counts down.

The theorems `of_zero`, `of_one`, `of_large`, `zero` and `bits_ij` are the equations with which the kernel starts to
compute on literals; they are proved without axioms. -/

namespace Nat

theorem half_lt {n : Nat} (h : 0 < n) : n / 2 < n := by
  cases Nat.lt_or_ge (n / 2) n with
  | inl l => exact l
  | inr g =>
    have e := div_add_mod n 2
    rw [Nat.two_mul] at e
    have s : 0 + n < n + n := Nat.add_lt_add_right h n
    rw [Nat.zero_add] at s
    exact absurd (Nat.lt_of_lt_of_le s (Nat.le_trans (Nat.add_le_add g g) (Nat.le.intro e))) (Nat.lt_irrefl n)

theorem half_le_of_le_succ {n fuel : Nat} (h : n ≤ fuel + 1) : n / 2 ≤ fuel := by
  cases n with
  | zero => exact Nat.zero_le fuel
  | succ n => exact le_of_lt_succ (Nat.lt_of_lt_of_le (half_lt (succ_pos n)) h)

/-- The logarithm with base 2, rounded down, in at most `fuel` steps. -/
protected def log2.go : (fuel n : Nat) → Nat
  | 0, _ => 0
  | fuel + 1, n => if 2 ≤ n then log2.go fuel (n / 2) + 1 else 0

/-- The logarithm with base 2, rounded down; 0 for 0. -/
@[extern "lean_nat_log2"] def log2 (n : Nat) : Nat := log2.go n n

theorem log2.go_zero (fuel : Nat) : log2.go fuel 0 = 0 := by cases fuel <;> rfl

theorem log2.go_eq : ∀ fuel k n : Nat, n ≤ fuel → n ≤ k → log2.go fuel n = log2.go k n := by
  intro fuel
  induction fuel with
  | zero => intro k n h _; rw [Nat.eq_zero_of_le_zero h, log2.go_zero, log2.go_zero]
  | succ fuel ih =>
    intro k n h g
    cases k with
    | zero => rw [Nat.eq_zero_of_le_zero g, log2.go_zero, log2.go_zero]
    | succ k =>
      show (if 2 ≤ n then log2.go fuel (n / 2) + 1 else 0) = (if 2 ≤ n then log2.go k (n / 2) + 1 else 0)
      rw [ih k (n / 2) (half_le_of_le_succ h) (half_le_of_le_succ g)]

theorem log2.of_zero : Nat.log2 Nat.zero = Nat.zero := rfl

theorem log2.of_one : Nat.log2 (Nat.succ Nat.zero) = Nat.zero := rfl

theorem log2.of_large (n : Nat) : Nat.log2 (Nat.succ (Nat.succ n)) =
    Nat.succ (Nat.log2 (Nat.div (Nat.succ (Nat.succ n)) (Nat.succ (Nat.succ Nat.zero)))) := by
  show (if 2 ≤ n + 2 then log2.go (n + 1) ((n + 2) / 2) + 1 else 0) = log2.go ((n + 2) / 2) ((n + 2) / 2) + 1
  rw [if_pos (Nat.le_add_left 2 n)]
  rw [log2.go_eq (n + 1) ((n + 2) / 2) _ (half_le_of_le_succ (Nat.le_refl _)) (Nat.le_refl _)]

/-- `f` at each pair of binary digits, the lowest `fuel` ones. -/
protected def digitwise.go (f : Bool → Bool → Bool) : (fuel n m : Nat) → Nat
  | 0, _, _ => 0
  | fuel + 1, n, m => 2 * digitwise.go f fuel (n / 2) (m / 2) + (f (Nat.beq (n % 2) 1) (Nat.beq (m % 2) 1)).toNat

/-- `f` at each pair of binary digits; `f false false` has to be `false`. -/
def digitwise (f : Bool → Bool → Bool) (n m : Nat) : Nat := digitwise.go f (n + m) n m

theorem digitwise.go_zero (f : Bool → Bool → Bool) (hf : f false false = false) (fuel : Nat) :
    digitwise.go f fuel 0 0 = 0 := by
  induction fuel with
  | zero => rfl
  | succ fuel ih =>
    show 2 * digitwise.go f fuel 0 0 + (f false false).toNat = 0
    rw [ih, hf]
    rfl

theorem digitwise.go_eq (f : Bool → Bool → Bool) (hf : f false false = false) : ∀ fuel k n m : Nat,
    n ≤ fuel → m ≤ fuel → n ≤ k → m ≤ k → digitwise.go f fuel n m = digitwise.go f k n m := by
  intro fuel
  induction fuel with
  | zero =>
    intro k n m hn hm _ _
    rw [Nat.eq_zero_of_le_zero hn, Nat.eq_zero_of_le_zero hm, digitwise.go_zero f hf k]
    rfl
  | succ fuel ih =>
    intro k n m hn hm gn gm
    cases k with
    | zero => rw [Nat.eq_zero_of_le_zero gn, Nat.eq_zero_of_le_zero gm, digitwise.go_zero f hf (fuel + 1)]; rfl
    | succ k =>
      show 2 * digitwise.go f fuel (n / 2) (m / 2) + _ = 2 * digitwise.go f k (n / 2) (m / 2) + _
      rw [ih k (n / 2) (m / 2) (half_le_of_le_succ hn) (half_le_of_le_succ hm)
        (half_le_of_le_succ gn) (half_le_of_le_succ gm)]

theorem digitwise.bits (f : Bool → Bool → Bool) (hf : f false false = false) (a b i j : Nat) (hi : i < 2) (hj : j < 2) :
    digitwise f (2 * a + i) (2 * b + j) = 2 * digitwise f a b + (f (Nat.beq i 1) (Nat.beq j 1)).toNat := by
  have da := div_mod_unique (a := 2 * a + i) (Nat.zero_lt_succ 1) rfl hi
  have db := div_mod_unique (a := 2 * b + j) (Nat.zero_lt_succ 1) rfl hj
  have step : digitwise f (2 * a + i) (2 * b + j) = digitwise.go f (a + b + (2 * a + i + (2 * b + j)) + 1) (2 * a + i) (2 * b + j) :=
    digitwise.go_eq f hf _ _ _ _ (Nat.le_add_right _ _) (Nat.le_add_left _ _)
      (Nat.le_succ_of_le (Nat.le_trans (Nat.le_add_right _ _) (Nat.le_add_left _ _)))
      (Nat.le_succ_of_le (Nat.le_trans (Nat.le_add_left _ _) (Nat.le_add_left _ _)))
  rw [step]
  show 2 * digitwise.go f (a + b + (2 * a + i + (2 * b + j))) ((2 * a + i) / 2) ((2 * b + j) / 2)
    + (f (Nat.beq ((2 * a + i) % 2) 1) (Nat.beq ((2 * b + j) % 2) 1)).toNat = _
  rw [da.left, da.right, db.left, db.right]
  show _ = 2 * digitwise.go f (a + b) a b + _
  rw [digitwise.go_eq f hf _ (a + b) a b
    (Nat.le_trans (Nat.le_add_right a b) (Nat.le_add_right _ _))
    (Nat.le_trans (Nat.le_add_left b a) (Nat.le_add_right _ _))
    (Nat.le_add_right a b) (Nat.le_add_left b a)]

/-- The digits that both numbers have. -/
@[extern "lean_nat_land"] def land : Nat → Nat → Nat := digitwise Bool.and

/-- The digits that at least one number has. -/
@[extern "lean_nat_lor"] def lor : Nat → Nat → Nat := digitwise Bool.or

/-- The digits that exactly one number has. -/
@[extern "lean_nat_lxor"] def xor : Nat → Nat → Nat := digitwise Bool.xor

theorem land.zero : Nat.land Nat.zero Nat.zero = Nat.zero := rfl

theorem land.bits_00 (a b : Nat) : Nat.land (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a) (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b) =
    Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.land a b) :=
  digitwise.bits Bool.and rfl a b 0 0 (by decide) (by decide)

theorem land.bits_01 (a b : Nat) : Nat.land (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a) (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b)) =
    Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.land a b) :=
  digitwise.bits Bool.and rfl a b 0 1 (by decide) (by decide)

theorem land.bits_10 (a b : Nat) : Nat.land (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a)) (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b) =
    Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.land a b) :=
  digitwise.bits Bool.and rfl a b 1 0 (by decide) (by decide)

theorem land.bits_11 (a b : Nat) : Nat.land (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a)) (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b)) =
    Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.land a b)) :=
  digitwise.bits Bool.and rfl a b 1 1 (by decide) (by decide)

theorem lor.zero : Nat.lor Nat.zero Nat.zero = Nat.zero := rfl

theorem lor.bits_00 (a b : Nat) : Nat.lor (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a) (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b) =
    Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.lor a b) :=
  digitwise.bits Bool.or rfl a b 0 0 (by decide) (by decide)

theorem lor.bits_01 (a b : Nat) : Nat.lor (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a) (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b)) =
    Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.lor a b)) :=
  digitwise.bits Bool.or rfl a b 0 1 (by decide) (by decide)

theorem lor.bits_10 (a b : Nat) : Nat.lor (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a)) (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b) =
    Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.lor a b)) :=
  digitwise.bits Bool.or rfl a b 1 0 (by decide) (by decide)

theorem lor.bits_11 (a b : Nat) : Nat.lor (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a)) (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b)) =
    Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.lor a b)) :=
  digitwise.bits Bool.or rfl a b 1 1 (by decide) (by decide)

theorem xor.zero : Nat.xor Nat.zero Nat.zero = Nat.zero := rfl

theorem xor.bits_00 (a b : Nat) : Nat.xor (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a) (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b) =
    Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.xor a b) :=
  digitwise.bits Bool.xor rfl a b 0 0 (by decide) (by decide)

theorem xor.bits_01 (a b : Nat) : Nat.xor (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a) (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b)) =
    Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.xor a b)) :=
  digitwise.bits Bool.xor rfl a b 0 1 (by decide) (by decide)

theorem xor.bits_10 (a b : Nat) : Nat.xor (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a)) (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b) =
    Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.xor a b)) :=
  digitwise.bits Bool.xor rfl a b 1 0 (by decide) (by decide)

theorem xor.bits_11 (a b : Nat) : Nat.xor (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) a)) (Nat.succ (Nat.mul (Nat.succ (Nat.succ Nat.zero)) b)) =
    Nat.mul (Nat.succ (Nat.succ Nat.zero)) (Nat.xor a b) :=
  digitwise.bits Bool.xor rfl a b 1 1 (by decide) (by decide)

/-- `n * 2 ^ k`, by doubling. -/
@[extern "lean_nat_shiftl"] def shiftLeft : Nat → Nat → Nat
  | n, 0 => n
  | n, succ k => shiftLeft (2 * n) k

/-- `n / 2 ^ k`, by halving. -/
@[extern "lean_nat_shiftr"] def shiftRight : Nat → Nat → Nat
  | n, 0 => n
  | n, succ k => shiftRight n k / 2

/- Core's are by well-founded recursion, which nothing unfolds; on literals they compute. -/
attribute [irreducible] log2 digitwise land lor xor

end Nat
