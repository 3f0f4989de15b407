/- Steps of the tactic `omega`: what its proofs rest on, under the names that Lean's own `omega` gives them.

A linear combination is a constant and a list of coefficients, of the atoms in their order. A constraint is a lower and
an upper bound of a combination without its constant. Everything computes, so that a proof names the combinations and
the kernel finds what follows from them. The instances are local: elsewhere they would only be tried in vain. -/

universe u v

/-- The remainder `r` of `x` by `m` with `-m / 2 ≤ r < m / 2`. -/
def Int.bmod (x : Int) (m : Nat) : Int :=
  let r := x % m
  if r < (m + 1) / 2 then r else r - m

namespace Lean.Omega

theorem dvd_sub_bmod (x : Int) (m : Nat) : (m : Int) ∣ x - Int.bmod x m := by
  have h : (m : Int) ∣ x - x % m := by
    have e : x - x % m = m * (x / m) := by
      have k := Int.add_sub_cancel (m * (x / m)) (x % m)
      rw [Int.ediv_add_emod] at k
      exact k
    rw [e]
    exact Int.dvd_mul_right m (x / m)
  show (m : Int) ∣ x - (if x % m < (m + 1) / 2 then x % m else x % m - m)
  by_cases c : x % m < (m + 1) / 2
  · rw [if_pos c]
    exact h
  · rw [if_neg c]
    have e : x - (x % m - m) = x - x % m + m := by
      rw [Int.sub_eq_add_neg (b := x % m - m), Int.neg_sub, Int.sub_eq_add_neg (a := (m : Int)), Int.add_comm (m : Int),
        ← Int.add_assoc, ← Int.sub_eq_add_neg]
    rw [e]
    exact Int.dvd_add h (Int.dvd_refl m)

/- Coefficients -/

/-- Coefficients of the atoms, in their order; those that are not there are zero. -/
abbrev Coeffs : Type := List Int

namespace Coeffs

/-- The coefficients of a list. -/
abbrev ofList (xs : List Int) : Coeffs := xs

/-- The number of coefficients. -/
abbrev length (xs : Coeffs) : Nat := List.length xs

/-- All coefficients are zero. -/
abbrev isZero (xs : Coeffs) : Prop := ∀ x, x ∈ xs → x = 0

@[reducible] def instDecidableIsZero : (xs : Coeffs) → Decidable (isZero xs)
  | [] => isTrue (fun _ h => absurd h List.not_mem_nil)
  | x :: xs =>
    if h : x = 0 then
      match instDecidableIsZero xs with
      | isTrue k => isTrue (fun y m => Or.elim (List.mem_cons.mp m) (fun e => e.trans h) (k y))
      | isFalse k => isFalse (fun f => k (fun y m => f y (List.mem_cons_of_mem x m)))
    else isFalse (fun f => h (f x List.mem_cons_self))

attribute [local instance] instDecidableIsZero

/-- The coefficient of an atom. -/
def get : (xs : Coeffs) → (i : Nat) → Int
  | [], _ => 0
  | x :: _, 0 => x
  | _ :: xs, i + 1 => get xs i

/-- The coefficients with another one for an atom. -/
def set : (xs : Coeffs) → (i : Nat) → (y : Int) → Coeffs
  | [], 0, y => [y]
  | [], i + 1, y => 0 :: set [] i y
  | _ :: xs, 0, y => y :: xs
  | x :: xs, i + 1, y => x :: set xs i y

/-- The sum. -/
def add : (xs ys : Coeffs) → Coeffs
  | [], ys => ys
  | x :: xs, [] => x :: xs
  | x :: xs, y :: ys => (x + y) :: add xs ys

/-- The product with a number. -/
def smul : (xs : Coeffs) → (i : Int) → Coeffs
  | [], _ => []
  | x :: xs, i => (i * x) :: smul xs i

/-- The quotients by a number. -/
def sdiv : (xs : Coeffs) → (g : Int) → Coeffs
  | [], _ => []
  | x :: xs, g => (x / g) :: sdiv xs g

/-- The remainders nearest to zero. -/
def bmod : (xs : Coeffs) → (m : Nat) → Coeffs
  | [], _ => []
  | x :: xs, m => Int.bmod x m :: bmod xs m

/-- The sum of the products. -/
def dot : (xs ys : Coeffs) → Int
  | [], _ => 0
  | _ :: _, [] => 0
  | x :: xs, y :: ys => x * y + dot xs ys

/-- The greatest common divisor. -/
def gcd : (xs : Coeffs) → Nat
  | [] => 0
  | x :: xs => Nat.gcd x.natAbs (gcd xs)

/-- The first coefficient that is not zero. -/
def leading : (xs : Coeffs) → Int
  | [] => 0
  | x :: xs => if x = 0 then leading xs else x

theorem dot_nil (xs : Coeffs) : dot xs [] = 0 := by cases xs <;> rfl

theorem dot_add : ∀ xs ys v : Coeffs, dot (add xs ys) v = dot xs v + dot ys v
  | [], ys, v => (Int.zero_add (dot ys v)).symm
  | x :: xs, [], v => (Int.add_zero (dot (x :: xs) v)).symm
  | x :: xs, y :: ys, [] => rfl
  | x :: xs, y :: ys, a :: v => by
    show (x + y) * a + dot (add xs ys) v = x * a + dot xs v + (y * a + dot ys v)
    rw [dot_add xs ys v, Int.add_mul, Int.add_assoc, Int.add_assoc, Int.add_left_comm (y * a)]

theorem dot_smul : ∀ (xs : Coeffs) (i : Int) (v : Coeffs), dot (smul xs i) v = i * dot xs v
  | [], i, v => (Int.mul_zero i).symm
  | x :: xs, i, [] => (Int.mul_zero i).symm
  | x :: xs, i, a :: v => by
    show i * x * a + dot (smul xs i) v = i * (x * a + dot xs v)
    rw [dot_smul xs i v, Int.mul_add, Int.mul_assoc]

theorem dot_of_isZero : ∀ (xs v : Coeffs), isZero xs → dot xs v = 0
  | [], _, _ => rfl
  | _ :: _, [], _ => rfl
  | x :: xs, a :: v, h => by
    show x * a + dot xs v = 0
    rw [h x List.mem_cons_self, Int.zero_mul, Int.zero_add]
    exact dot_of_isZero xs v (fun y m => h y (List.mem_cons_of_mem x m))

theorem dot_set_nil : ∀ (i : Nat) (z : Int) (v : Coeffs), dot (set [] i z) v = z * get v i
  | 0, z, [] => (Int.mul_zero z).symm
  | 0, z, a :: v => Int.add_zero (z * a)
  | i + 1, z, [] => (Int.mul_zero z).symm
  | i + 1, z, a :: v => by
    show 0 * a + dot (set [] i z) v = z * get v i
    rw [dot_set_nil i z v, Int.zero_mul, Int.zero_add]

theorem dot_set : ∀ (xs : Coeffs) (i : Nat) (z : Int) (v : Coeffs), length xs ≤ i →
    dot (set xs i z) v = dot xs v + z * get v i
  | [], i, z, v, _ => (dot_set_nil i z v).trans (Int.zero_add (z * get v i)).symm
  | x :: xs, 0, _, _, h => absurd h (Nat.not_succ_le_zero (length xs))
  | x :: xs, i + 1, z, [], _ => by
    show (0 : Int) = 0 + z * 0
    rw [Int.mul_zero, Int.zero_add]
  | x :: xs, i + 1, z, a :: v, h => by
    show x * a + dot (set xs i z) v = x * a + dot xs v + z * get v i
    rw [dot_set xs i z v (Nat.le_of_succ_le_succ h), Int.add_assoc]

theorem length_bmod : ∀ (xs : Coeffs) (m : Nat), length (bmod xs m) = length xs
  | [], _ => rfl
  | _ :: xs, m => congrArg Nat.succ (length_bmod xs m)

theorem gcd_dvd : ∀ (xs : Coeffs) (x : Int), x ∈ xs → (gcd xs : Int) ∣ x
  | [], _, h => absurd h List.not_mem_nil
  | y :: ys, x, h => by
    cases List.mem_cons.mp h with
    | inl e =>
      rw [e]
      exact Int.natAbs_dvd_natAbs.mp (Nat.gcd_dvd_left y.natAbs (gcd ys))
    | inr m => exact Int.dvd_trans (Int.ofNat_dvd.mpr (Nat.gcd_dvd_right y.natAbs (gcd ys))) (gcd_dvd ys x m)

theorem isZero_of_gcd (xs : Coeffs) (h : gcd xs = 0) : isZero xs := by
  intro x m
  have d := gcd_dvd xs x m
  rw [h] at d
  exact Int.zero_dvd.mp d

theorem mul_dot_sdiv : ∀ (xs : Coeffs) (g : Int) (v : Coeffs), (∀ x, x ∈ xs → g ∣ x) → g * dot (sdiv xs g) v = dot xs v
  | [], g, _, _ => Int.mul_zero g
  | _ :: _, g, [], _ => Int.mul_zero g
  | x :: xs, g, a :: v, h => by
    show g * (x / g * a + dot (sdiv xs g) v) = x * a + dot xs v
    rw [Int.mul_add, mul_dot_sdiv xs g v (fun y m => h y (List.mem_cons_of_mem x m)), ← Int.mul_assoc,
      Int.mul_ediv_cancel' (h x List.mem_cons_self)]

theorem dvd_dot_sub_dot_bmod : ∀ (xs : Coeffs) (m : Nat) (v : Coeffs), (m : Int) ∣ dot xs v - dot (bmod xs m) v
  | [], m, _ => Int.dvd_zero m
  | _ :: _, m, [] => Int.dvd_zero m
  | x :: xs, m, a :: v => by
    show (m : Int) ∣ x * a + dot xs v - (Int.bmod x m * a + dot (bmod xs m) v)
    have e : x * a + dot xs v - (Int.bmod x m * a + dot (bmod xs m) v) =
        (x - Int.bmod x m) * a + (dot xs v - dot (bmod xs m) v) := by
      rw [Int.sub_mul, Int.sub_eq_add_neg, Int.neg_add, Int.sub_eq_add_neg (a := x * a), Int.sub_eq_add_neg (a := dot xs v),
        Int.add_assoc, Int.add_assoc, Int.add_left_comm (dot xs v)]
    rw [e]
    exact Int.dvd_add (Int.dvd_trans (dvd_sub_bmod x m) (Int.dvd_mul_right _ a)) (dvd_dot_sub_dot_bmod xs m v)

end Coeffs

/- Linear combinations -/

/-- A constant and coefficients of the atoms. -/
structure LinearCombo : Type where
  const : Int
  coeffs : Coeffs

namespace LinearCombo

/-- The value, for values of the atoms. -/
def eval (lc : LinearCombo) (values : Coeffs) : Int := lc.const + Coeffs.dot lc.coeffs values

/-- An atom. -/
def coordinate (i : Nat) : LinearCombo := ⟨0, Coeffs.set [] i 1⟩

@[reducible] def instAdd : Add LinearCombo := ⟨fun l₁ l₂ => ⟨l₁.const + l₂.const, Coeffs.add l₁.coeffs l₂.coeffs⟩⟩

attribute [local instance] instAdd

@[reducible] def instHMulInt : HMul Int LinearCombo LinearCombo := ⟨fun i lc => ⟨i * lc.const, Coeffs.smul lc.coeffs i⟩⟩

attribute [local instance] instHMulInt

@[reducible] def instNeg : Neg LinearCombo := ⟨fun lc => ⟨-lc.const, Coeffs.smul lc.coeffs (-1)⟩⟩

attribute [local instance] instNeg

@[reducible] def instSub : Sub LinearCombo :=
  ⟨fun l₁ l₂ => ⟨l₁.const - l₂.const, Coeffs.add l₁.coeffs (Coeffs.smul l₂.coeffs (-1))⟩⟩

attribute [local instance] instSub

/-- The product, where one factor has no atoms. -/
def mul (l₁ l₂ : LinearCombo) : LinearCombo := l₂.const * l₁ + l₁.const * l₂ - ⟨l₁.const * l₂.const, []⟩

theorem coordinate_eval (i : Nat) (v : Coeffs) : (coordinate i).eval v = v.get i := by
  show 0 + Coeffs.dot (Coeffs.set [] i 1) v = Coeffs.get v i
  rw [Coeffs.dot_set_nil, Int.one_mul, Int.zero_add]

theorem coordinate_eval_0 {a0 : Int} {t : List Int} : (coordinate 0).eval (.ofList (a0 :: t)) = a0 :=
  coordinate_eval 0 _

theorem coordinate_eval_1 {a0 a1 : Int} {t : List Int} : (coordinate 1).eval (.ofList (a0 :: a1 :: t)) = a1 :=
  coordinate_eval 1 _

theorem coordinate_eval_2 {a0 a1 a2 : Int} {t : List Int} :
    (coordinate 2).eval (.ofList (a0 :: a1 :: a2 :: t)) = a2 := coordinate_eval 2 _

theorem coordinate_eval_3 {a0 a1 a2 a3 : Int} {t : List Int} :
    (coordinate 3).eval (.ofList (a0 :: a1 :: a2 :: a3 :: t)) = a3 := coordinate_eval 3 _

theorem coordinate_eval_4 {a0 a1 a2 a3 a4 : Int} {t : List Int} :
    (coordinate 4).eval (.ofList (a0 :: a1 :: a2 :: a3 :: a4 :: t)) = a4 := coordinate_eval 4 _

theorem coordinate_eval_5 {a0 a1 a2 a3 a4 a5 : Int} {t : List Int} :
    (coordinate 5).eval (.ofList (a0 :: a1 :: a2 :: a3 :: a4 :: a5 :: t)) = a5 := coordinate_eval 5 _

theorem coordinate_eval_6 {a0 a1 a2 a3 a4 a5 a6 : Int} {t : List Int} :
    (coordinate 6).eval (.ofList (a0 :: a1 :: a2 :: a3 :: a4 :: a5 :: a6 :: t)) = a6 := coordinate_eval 6 _

theorem coordinate_eval_7 {a0 a1 a2 a3 a4 a5 a6 a7 : Int} {t : List Int} :
    (coordinate 7).eval (.ofList (a0 :: a1 :: a2 :: a3 :: a4 :: a5 :: a6 :: a7 :: t)) = a7 := coordinate_eval 7 _

theorem coordinate_eval_8 {a0 a1 a2 a3 a4 a5 a6 a7 a8 : Int} {t : List Int} :
    (coordinate 8).eval (.ofList (a0 :: a1 :: a2 :: a3 :: a4 :: a5 :: a6 :: a7 :: a8 :: t)) = a8 := coordinate_eval 8 _

theorem coordinate_eval_9 {a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 : Int} {t : List Int} :
    (coordinate 9).eval (.ofList (a0 :: a1 :: a2 :: a3 :: a4 :: a5 :: a6 :: a7 :: a8 :: a9 :: t)) = a9 :=
  coordinate_eval 9 _

theorem add_eval (l₁ l₂ : LinearCombo) (v : Coeffs) : (l₁ + l₂).eval v = l₁.eval v + l₂.eval v := by
  show l₁.const + l₂.const + Coeffs.dot (Coeffs.add l₁.coeffs l₂.coeffs) v =
    l₁.const + Coeffs.dot l₁.coeffs v + (l₂.const + Coeffs.dot l₂.coeffs v)
  rw [Coeffs.dot_add, Int.add_assoc, Int.add_assoc, Int.add_left_comm l₂.const]

theorem smul_eval (lc : LinearCombo) (i : Int) (v : Coeffs) : (i * lc).eval v = i * lc.eval v := by
  show i * lc.const + Coeffs.dot (Coeffs.smul lc.coeffs i) v = i * (lc.const + Coeffs.dot lc.coeffs v)
  rw [Coeffs.dot_smul, Int.mul_add]

theorem neg_eval (lc : LinearCombo) (v : Coeffs) : (-lc).eval v = -lc.eval v := by
  show -lc.const + Coeffs.dot (Coeffs.smul lc.coeffs (-1)) v = -(lc.const + Coeffs.dot lc.coeffs v)
  rw [Coeffs.dot_smul, Int.neg_add, ← Int.neg_eq_neg_one_mul]

theorem sub_eval (l₁ l₂ : LinearCombo) (v : Coeffs) : (l₁ - l₂).eval v = l₁.eval v - l₂.eval v := by
  show l₁.const - l₂.const + Coeffs.dot (Coeffs.add l₁.coeffs (Coeffs.smul l₂.coeffs (-1))) v =
    l₁.const + Coeffs.dot l₁.coeffs v - (l₂.const + Coeffs.dot l₂.coeffs v)
  rw [Coeffs.dot_add, Coeffs.dot_smul, ← Int.neg_eq_neg_one_mul, Int.sub_eq_add_neg, Int.sub_eq_add_neg, Int.neg_add,
    Int.add_assoc, Int.add_assoc, Int.add_left_comm (-l₂.const)]

theorem mul_eval (l₁ l₂ : LinearCombo) (v : Coeffs) (w : l₁.coeffs.isZero ∨ l₂.coeffs.isZero) :
    (mul l₁ l₂).eval v = l₁.eval v * l₂.eval v := by
  have k : LinearCombo.eval ⟨l₁.const * l₂.const, []⟩ v = l₁.const * l₂.const := Int.add_zero _
  rw [mul, sub_eval, add_eval, smul_eval, smul_eval, k]
  cases w with
  | inl w =>
    have e : l₁.eval v = l₁.const := by
      show l₁.const + Coeffs.dot l₁.coeffs v = l₁.const
      rw [Coeffs.dot_of_isZero l₁.coeffs v w, Int.add_zero]
    rw [e, Int.mul_comm l₂.const, Int.add_comm, Int.add_sub_cancel]
  | inr w =>
    have e : l₂.eval v = l₂.const := by
      show l₂.const + Coeffs.dot l₂.coeffs v = l₂.const
      rw [Coeffs.dot_of_isZero l₂.coeffs v w, Int.add_zero]
    rw [e, Int.add_sub_cancel, Int.mul_comm]

end LinearCombo

/- Constraints -/

/-- A lower bound holds for a number, if there is one. -/
def lower : (b : Option Int) → (t : Int) → Prop
  | none, _ => True
  | some l, t => l ≤ t

/-- An upper bound holds for a number, if there is one. -/
def upper : (b : Option Int) → (t : Int) → Prop
  | none, _ => True
  | some u, t => t ≤ u

@[reducible] def instDecidableLower : (b : Option Int) → (t : Int) → Decidable (lower b t)
  | none, _ => isTrue True.intro
  | some l, t => Int.decLe l t

attribute [local instance] instDecidableLower

@[reducible] def instDecidableUpper : (b : Option Int) → (t : Int) → Decidable (upper b t)
  | none, _ => isTrue True.intro
  | some u, t => Int.decLe t u

attribute [local instance] instDecidableUpper

theorem lower_map {f : Int → Int} (hf : ∀ a b, a ≤ b → f a ≤ f b) {t : Int} :
    ∀ b : Option Int, lower b t → lower (b.map f) (f t)
  | none, _ => True.intro
  | some l, h => hf l t h

theorem upper_map {f : Int → Int} (hf : ∀ a b, a ≤ b → f a ≤ f b) {t : Int} :
    ∀ b : Option Int, upper b t → upper (b.map f) (f t)
  | none, _ => True.intro
  | some u, h => hf t u h

theorem lower_flip {f : Int → Int} (hf : ∀ a b, a ≤ b → f b ≤ f a) {t : Int} :
    ∀ b : Option Int, upper b t → lower (b.map f) (f t)
  | none, _ => True.intro
  | some u, h => hf t u h

theorem upper_flip {f : Int → Int} (hf : ∀ a b, a ≤ b → f b ≤ f a) {t : Int} :
    ∀ b : Option Int, lower b t → upper (b.map f) (f t)
  | none, _ => True.intro
  | some l, h => hf l t h

/-- A lower and an upper bound, each of which may be absent. -/
structure Constraint : Type where
  lowerBound : Option Int
  upperBound : Option Int

namespace Constraint

/-- The number is within the bounds. -/
def sat (c : Constraint) (t : Int) : Prop := lower c.lowerBound t ∧ upper c.upperBound t

/-- The sum of products is within the bounds. -/
abbrev sat' (c : Constraint) (x y : Coeffs) : Prop := c.sat (Coeffs.dot x y)

@[reducible] def instDecidableSat (c : Constraint) (t : Int) : Decidable (c.sat t) := instDecidableAnd

attribute [local instance] instDecidableSat

/-- No number is within the bounds. -/
def isImpossible : Constraint → Bool
  | ⟨some x, some y⟩ => decide (y < x)
  | _ => false

/-- The bounds that no number satisfies. -/
def impossible : Constraint := ⟨some 1, some 0⟩

/-- The bounds that all numbers satisfy. -/
def trivial : Constraint := ⟨none, none⟩

/-- The bounds that one number satisfies. -/
def exact (r : Int) : Constraint := ⟨some r, some r⟩

/-- The bounds of the negated number. -/
def neg (c : Constraint) : Constraint := ⟨c.upperBound.map (fun x => -x), c.lowerBound.map (fun x => -x)⟩

/-- The bounds of a multiple. -/
def scale (k : Int) (c : Constraint) : Constraint :=
  if k = 0 then
    if c.isImpossible = true then c else ⟨some 0, some 0⟩
  else if 0 < k then
    ⟨c.lowerBound.map (fun x => k * x), c.upperBound.map (fun x => k * x)⟩
  else
    ⟨c.upperBound.map (fun x => k * x), c.lowerBound.map (fun x => k * x)⟩

/-- The sum of two bounds, if both are there. -/
def addBound : (a b : Option Int) → Option Int
  | some a, some b => some (a + b)
  | _, _ => none

/-- The bounds of a sum. -/
def add (x y : Constraint) : Constraint := ⟨addBound x.lowerBound y.lowerBound, addBound x.upperBound y.upperBound⟩

/-- The bounds of a linear combination. -/
def combo (a : Int) (x : Constraint) (b : Int) (y : Constraint) : Constraint := add (scale a x) (scale b y)

/-- One of two bounds that choose between them, or the one that is there. -/
def merge (f : Int → Int → Int) : (a b : Option Int) → Option Int
  | none, b => b
  | some a, none => some a
  | some a, some b => some (f a b)

/-- The bounds of both. -/
def combine (x y : Constraint) : Constraint :=
  ⟨merge max x.lowerBound y.lowerBound, merge min x.upperBound y.upperBound⟩

/-- The bounds of the quotient, for multiples of the number. -/
def div (c : Constraint) (k : Nat) : Constraint :=
  ⟨c.lowerBound.map (fun x => -(-x / k)), c.upperBound.map (fun x => x / k)⟩

theorem not_sat_of_isImpossible {t : Int} : ∀ {c : Constraint}, isImpossible c = true → ¬c.sat t
  | ⟨some _, some _⟩, h, s => Int.not_lt_of_ge (Int.le_trans s.left s.right) (of_decide_eq_true h)
  | ⟨none, _⟩, h, _ => Bool.false_ne_true h
  | ⟨some _, none⟩, h, _ => Bool.false_ne_true h

theorem not_sat'_of_isImpossible {c : Constraint} (h : isImpossible c = true) {x y : Coeffs} : ¬c.sat' x y :=
  not_sat_of_isImpossible h

theorem sat_trivial (t : Int) : trivial.sat t := ⟨True.intro, True.intro⟩

theorem neg_sat {c : Constraint} {t : Int} (w : c.sat t) : c.neg.sat (-t) :=
  ⟨lower_flip (fun _ _ h => Int.neg_le_neg h) _ w.right, upper_flip (fun _ _ h => Int.neg_le_neg h) _ w.left⟩

theorem scale_sat {c : Constraint} {t : Int} (k : Int) (w : c.sat t) : (scale k c).sat (k * t) := by
  show (if k = 0 then _ else _ : Constraint).sat (k * t)
  by_cases z : k = 0
  · rw [if_pos z]
    by_cases i : c.isImpossible = true
    · exact absurd w (not_sat_of_isImpossible i)
    · rw [if_neg i, z, Int.zero_mul]
      exact ⟨Int.le_refl 0, Int.le_refl 0⟩
  · rw [if_neg z]
    by_cases p : 0 < k
    · rw [if_pos p]
      have mono : ∀ a b : Int, a ≤ b → k * a ≤ k * b := fun _ _ h => Int.mul_le_mul_of_nonneg_left h (Int.le_of_lt p)
      exact ⟨lower_map mono _ w.left, upper_map mono _ w.right⟩
    · rw [if_neg p]
      have anti : ∀ a b : Int, a ≤ b → k * b ≤ k * a := by
        intro a b h
        have n : 0 ≤ -k := Int.neg_nonneg_of_nonpos (Int.not_lt.mp p)
        have m := Int.mul_le_mul_of_nonneg_left h n
        rw [Int.neg_mul, Int.neg_mul] at m
        exact Int.le_of_neg_le_neg m
      exact ⟨lower_flip anti _ w.right, upper_flip anti _ w.left⟩

theorem lower_addBound {s t : Int} : ∀ a b : Option Int, lower a s → lower b t → lower (addBound a b) (s + t)
  | none, _, _, _ => True.intro
  | some _, none, _, _ => True.intro
  | some _, some _, h, k => Int.add_le_add h k

theorem upper_addBound {s t : Int} : ∀ a b : Option Int, upper a s → upper b t → upper (addBound a b) (s + t)
  | none, _, _, _ => True.intro
  | some _, none, _, _ => True.intro
  | some _, some _, h, k => Int.add_le_add h k

theorem combo_sat {c₁ c₂ : Constraint} {x₁ x₂ : Int} (a : Int) (w₁ : c₁.sat x₁) (b : Int) (w₂ : c₂.sat x₂) :
    (combo a c₁ b c₂).sat (a * x₁ + b * x₂) :=
  ⟨lower_addBound _ _ (scale_sat a w₁).left (scale_sat b w₂).left,
    upper_addBound _ _ (scale_sat a w₁).right (scale_sat b w₂).right⟩

theorem lower_merge {t : Int} : ∀ a b : Option Int, lower a t → lower b t → lower (merge max a b) t
  | none, _, _, k => k
  | some _, none, h, _ => h
  | some _, some _, h, k => Int.max_le.mpr ⟨h, k⟩

theorem upper_merge {t : Int} : ∀ a b : Option Int, upper a t → upper b t → upper (merge min a b) t
  | none, _, _, k => k
  | some _, none, h, _ => h
  | some _, some _, h, k => Int.le_min.mpr ⟨h, k⟩

theorem combine_sat' {s t : Constraint} {x y : Coeffs} (ws : s.sat' x y) (wt : t.sat' x y) : (s.combine t).sat' x y :=
  ⟨lower_merge _ _ ws.left wt.left, upper_merge _ _ ws.right wt.right⟩

theorem le_ediv {q u k : Int} (p : 0 < k) (h : k * q ≤ u) : q ≤ u / k := by
  refine Int.not_lt.mp (fun l => ?_)
  have m := Int.mul_le_mul_of_nonneg_left (Int.add_one_le_of_lt l) (Int.le_of_lt p)
  rw [Int.mul_add, Int.mul_one] at m
  exact Int.not_lt_of_ge (Int.le_trans m h) (Int.lt_mul_ediv_self_add p)

theorem div_sat (c : Constraint) (q : Int) (k : Nat) (n : k ≠ 0) (w : c.sat (k * q)) : (c.div k).sat q := by
  have p : (0 : Int) < k := Int.ofNat_lt.mpr (Nat.pos_of_ne_zero n)
  have lo : ∀ b : Option Int, lower b (k * q) → lower (b.map (fun x => -(-x / k))) q := by
    intro b h
    cases b with
    | none => exact True.intro
    | some l =>
      have m : (k : Int) * -q ≤ -l := by
        rw [Int.mul_neg]
        exact Int.neg_le_neg h
      have r := Int.neg_le_neg (le_ediv p m)
      rw [Int.neg_neg] at r
      exact r
  have up : ∀ b : Option Int, upper b (k * q) → upper (b.map (fun x => x / k)) q := by
    intro b h
    cases b with
    | none => exact True.intro
    | some u => exact le_ediv p h
  exact ⟨lo _ w.left, up _ w.right⟩

theorem addInequality_sat {c : Int} {x y : Coeffs} (w : c + Coeffs.dot x y ≥ 0) :
    Constraint.sat' { lowerBound := some (-c), upperBound := none } x y := by
  refine ⟨?_, True.intro⟩
  show -c ≤ Coeffs.dot x y
  have h : 0 ≤ c + Coeffs.dot x y := w
  have k := Int.add_le_add_left h (-c)
  rw [Int.add_zero, Int.neg_add_cancel_left] at k
  exact k

theorem addEquality_sat {c : Int} {x y : Coeffs} (w : c + Coeffs.dot x y = 0) :
    Constraint.sat' { lowerBound := some (-c), upperBound := some (-c) } x y := by
  have e : Coeffs.dot x y = -c := by
    rw [← Int.neg_add_cancel_left c (Coeffs.dot x y), w, Int.add_zero]
  exact ⟨Int.le_of_eq e.symm, Int.le_of_eq e⟩

end Constraint

attribute [local instance] Constraint.instDecidableSat

/-- The bounds and the coefficients divided by the coefficients' greatest common divisor. -/
def normalize (s : Constraint) (x : Coeffs) : Constraint × Coeffs :=
  if Coeffs.gcd x = 0 then
    if s.sat 0 then (Constraint.trivial, x) else (Constraint.impossible, x)
  else if Coeffs.gcd x = 1 then (s, x)
  else (s.div (Coeffs.gcd x), Coeffs.sdiv x (Coeffs.gcd x))

theorem normalize_sat {s : Constraint} {x v : Coeffs} (w : s.sat' x v) :
    (normalize s x).1.sat' (normalize s x).2 v := by
  unfold normalize
  by_cases z : Coeffs.gcd x = 0
  · rw [if_pos z]
    have w' : s.sat 0 := Coeffs.dot_of_isZero x v (Coeffs.isZero_of_gcd x z) ▸ w
    rw [if_pos w']
    exact Constraint.sat_trivial _
  · rw [if_neg z]
    by_cases o : Coeffs.gcd x = 1
    · rw [if_pos o]
      exact w
    · rw [if_neg o]
      refine Constraint.div_sat s _ _ z ?_
      rw [Coeffs.mul_dot_sdiv x _ v (Coeffs.gcd_dvd x)]
      exact w

/-- The bounds and the coefficients negated, if the leading one is negative. -/
def positivize (s : Constraint) (x : Coeffs) : Constraint × Coeffs :=
  if 0 ≤ Coeffs.leading x then (s, x) else (s.neg, Coeffs.smul x (-1))

theorem positivize_sat {s : Constraint} {x v : Coeffs} (w : s.sat' x v) :
    (positivize s x).1.sat' (positivize s x).2 v := by
  unfold positivize
  by_cases p : 0 ≤ Coeffs.leading x
  · rw [if_pos p]
    exact w
  · rw [if_neg p]
    show s.neg.sat (Coeffs.dot (Coeffs.smul x (-1)) v)
    rw [Coeffs.dot_smul, ← Int.neg_eq_neg_one_mul]
    exact Constraint.neg_sat w

/-- The constraint and the coefficients in the form in which `omega` keeps them. -/
def tidy (s : Constraint) (x : Coeffs) : Constraint × Coeffs := normalize (positivize s x).1 (positivize s x).2

/-- The constraint in the form in which `omega` keeps it. -/
abbrev tidyConstraint (s : Constraint) (x : Coeffs) : Constraint := (tidy s x).1

/-- The coefficients in the form in which `omega` keeps them. -/
abbrev tidyCoeffs (s : Constraint) (x : Coeffs) : Coeffs := (tidy s x).2

theorem tidy_sat {s : Constraint} {x v : Coeffs} (w : s.sat' x v) : (tidyConstraint s x).sat' (tidyCoeffs s x) v :=
  normalize_sat (positivize_sat w)

/-- The coefficients of a linear combination. -/
abbrev Coeffs.combo (a : Int) (x : Coeffs) (b : Int) (y : Coeffs) : Coeffs :=
  Coeffs.add (Coeffs.smul x a) (Coeffs.smul y b)

theorem combo_sat' (s t : Constraint) (a : Int) (x : Coeffs) (b : Int) (y v : Coeffs) (wx : s.sat' x v)
    (wy : t.sat' y v) : (Constraint.combo a s b t).sat' (Coeffs.combo a x b y) v := by
  show (Constraint.combo a s b t).sat (Coeffs.dot (Coeffs.add (Coeffs.smul x a) (Coeffs.smul y b)) v)
  rw [Coeffs.dot_add, Coeffs.dot_smul, Coeffs.dot_smul]
  exact Constraint.combo_sat a wx b wy

/-- The value of the atom that stands for the quotient, when an equation without unit coefficient is solved. -/
abbrev bmod_div_term (m : Nat) (a b : Coeffs) : Int :=
  (Int.bmod (Coeffs.dot a b) m - Coeffs.dot (Coeffs.bmod a m) b) / m

/-- The coefficients of the equation for that atom. -/
def bmod_coeffs (m : Nat) (i : Nat) (x : Coeffs) : Coeffs := Coeffs.set (Coeffs.bmod x m) i m

theorem bmod_sat (m : Nat) (r : Int) (i : Nat) (x v : Coeffs) (h : Coeffs.length x ≤ i)
    (p : Coeffs.get v i = bmod_div_term m x v) (w : (Constraint.exact r).sat' x v) :
    (Constraint.exact (Int.bmod r m)).sat' (bmod_coeffs m i x) v := by
  have e : Coeffs.dot x v = r := Int.le_antisymm w.right w.left
  have d : (m : Int) ∣ Int.bmod (Coeffs.dot x v) m - Coeffs.dot (Coeffs.bmod x m) v := by
    have k := Int.dvd_sub (Coeffs.dvd_dot_sub_dot_bmod x m v) (dvd_sub_bmod (Coeffs.dot x v) m)
    have a : Coeffs.dot x v - Coeffs.dot (Coeffs.bmod x m) v - (Coeffs.dot x v - Int.bmod (Coeffs.dot x v) m) =
        Int.bmod (Coeffs.dot x v) m - Coeffs.dot (Coeffs.bmod x m) v := by
      rw [Int.sub_eq_add_neg (b := Coeffs.dot x v - _), Int.neg_sub, Int.sub_eq_add_neg (a := Coeffs.dot x v),
        Int.sub_eq_add_neg (a := Int.bmod _ m), Int.add_comm (Coeffs.dot x v), Int.add_assoc,
        Int.add_left_comm (Coeffs.dot x v), Int.add_right_neg, Int.add_zero, Int.add_comm, ← Int.sub_eq_add_neg]
    rw [a] at k
    exact k
  have f : Coeffs.dot (bmod_coeffs m i x) v = Int.bmod r m := by
    show Coeffs.dot (Coeffs.set (Coeffs.bmod x m) i m) v = Int.bmod r m
    have l : Coeffs.length (Coeffs.bmod x m) ≤ i := by
      rw [Coeffs.length_bmod]
      exact h
    rw [Coeffs.dot_set _ i m v l, p]
    show Coeffs.dot (Coeffs.bmod x m) v + m * ((Int.bmod (Coeffs.dot x v) m - Coeffs.dot (Coeffs.bmod x m) v) / m) = _
    rw [Int.mul_ediv_cancel' d, Int.add_comm, Int.sub_add_cancel, e]
  show Int.bmod r m ≤ _ ∧ _ ≤ Int.bmod r m
  exact ⟨Int.le_of_eq f.symm, Int.le_of_eq f⟩

/- Propositions -/

theorem and_not_not_of_not_or {p q : Prop} (h : ¬(p ∨ q)) : ¬p ∧ ¬q := not_or.mp h

theorem Decidable.or_not_not_of_not_and {p q : Prop} [Decidable p] [Decidable q] (h : ¬(p ∧ q)) : ¬p ∨ ¬q :=
  _root_.Decidable.not_and_iff_not_or_not.mp h

theorem Decidable.and_or_not_and_not_of_iff {p q : Prop} [Decidable q] (h : p ↔ q) : (p ∧ q) ∨ (¬p ∧ ¬q) :=
  _root_.Decidable.iff_iff_and_or_not_and_not.mp h

theorem Decidable.and_not_or_not_and_of_not_iff {a b : Prop} [Decidable a] [Decidable b] (h : ¬(a ↔ b)) :
    a ∧ ¬b ∨ ¬a ∧ b :=
  if ha : a then
    if hb : b then absurd ⟨fun _ => hb, fun _ => ha⟩ h else Or.inl ⟨ha, hb⟩
  else
    if hb : b then Or.inr ⟨ha, hb⟩ else absurd ⟨fun k => absurd k ha, fun k => absurd k hb⟩ h

theorem Decidable.and_not_of_not_imp {a b : Prop} [Decidable a] (h : ¬(a → b)) : a ∧ ¬b :=
  _root_.Decidable.not_imp_iff_and_not.mp h

theorem ite_disjunction {α : Type u} {P : Prop} [Decidable P] {a b : α} :
    (P ∧ (if P then a else b) = a) ∨ (¬P ∧ (if P then a else b) = b) :=
  if h : P then Or.inl ⟨h, if_pos h⟩ else Or.inr ⟨h, if_neg h⟩

end Lean.Omega

/- Numbers -/

namespace Lean.Omega

theorem Int.ofNat_pow (a b : Nat) : ((a ^ b : Nat) : Int) = (a : Int) ^ b := by
  induction b with
  | zero => rfl
  | succ b ih =>
    show ((a ^ b * a : Nat) : Int) = (a : Int) ^ b * a
    rw [_root_.Int.natCast_mul, ih]

theorem Int.pos_pow_of_pos (a : Int) (b : Nat) (h : 0 < a) : 0 < a ^ b := by
  induction b with
  | zero => exact _root_.Int.zero_lt_one
  | succ b ih => exact _root_.Int.mul_pos ih h

theorem Int.ofNat_pos_of_pos {a : Nat} (h : 0 < a) : 0 < (a : Int) := _root_.Int.ofNat_lt.mpr h

theorem Int.natCast_ofNat {x : Nat} : @Nat.cast Int instNatCastInt (OfNat.ofNat x) = OfNat.ofNat x := rfl

theorem Int.ofNat_lt_of_lt {x y : Nat} (h : x < y) : (x : Int) < (y : Int) := _root_.Int.ofNat_lt.mpr h

theorem Int.ofNat_le_of_le {x y : Nat} (h : x ≤ y) : (x : Int) ≤ (y : Int) := _root_.Int.ofNat_le.mpr h

theorem Int.emod_ofNat_nonneg {x : Nat} {y : Int} : 0 ≤ (x : Int) % y := _root_.Int.ofNat_zero_le _

theorem Int.lt_of_not_le {x y : Int} (h : ¬x ≤ y) : y < x := _root_.Int.not_le.mp h

theorem Int.le_of_not_lt {x y : Int} (h : ¬x < y) : y ≤ x := _root_.Int.not_lt.mp h

theorem Int.add_congr {a b c d : Int} (h₁ : a = b) (h₂ : c = d) : a + c = b + d := by rw [h₁, h₂]

theorem Int.mul_congr {a b c d : Int} (h₁ : a = b) (h₂ : c = d) : a * c = b * d := by rw [h₁, h₂]

theorem Int.sub_congr {a b c d : Int} (h₁ : a = b) (h₂ : c = d) : a - c = b - d := by rw [h₁, h₂]

theorem Int.neg_congr {a b : Int} (h₁ : a = b) : -a = -b := by rw [h₁]

theorem Int.lt_of_gt {x y : Int} (h : x > y) : y < x := h

theorem Int.le_of_ge {x y : Int} (h : x ≥ y) : y ≤ x := h

theorem Int.ofNat_mul_nonneg {a b : Nat} : 0 ≤ (a : Int) * b := _root_.Int.ofNat_zero_le (a * b)

theorem Int.ofNat_sub_dichotomy {a b : Nat} :
    b ≤ a ∧ ((a - b : Nat) : Int) = a - b ∨ a < b ∧ ((a - b : Nat) : Int) = 0 := by
  by_cases h : b ≤ a
  · exact Or.inl ⟨h, _root_.Int.ofNat_sub h⟩
  · have l := _root_.Nat.lt_of_not_le h
    refine Or.inr ⟨l, ?_⟩
    rw [_root_.Nat.sub_eq_zero_of_le (_root_.Nat.le_of_lt l)]
    rfl

theorem Int.ofNat_congr {a b : Nat} (h : a = b) : (a : Int) = (b : Int) := congrArg _ h

theorem Int.ofNat_sub_sub {a b c : Nat} : ((a - b - c : Nat) : Int) = ((a - (b + c) : Nat) : Int) :=
  congrArg _ (_root_.Nat.sub_sub a b c)

theorem Int.ofNat_min (a b : Nat) : ((min a b : Nat) : Int) = min (a : Int) (b : Int) := by
  by_cases h : a ≤ b
  · rw [_root_.Nat.min_eq_left h, _root_.Int.min_eq_left (_root_.Int.ofNat_le.mpr h)]
  · have l := _root_.Nat.le_of_lt (_root_.Nat.lt_of_not_le h)
    rw [_root_.Nat.min_eq_right l, _root_.Int.min_eq_right (_root_.Int.ofNat_le.mpr l)]

theorem Int.ofNat_max (a b : Nat) : ((max a b : Nat) : Int) = max (a : Int) (b : Int) := by
  by_cases h : a ≤ b
  · rw [_root_.Nat.max_eq_right h, _root_.Int.max_eq_right (_root_.Int.ofNat_le.mpr h)]
  · have l := _root_.Nat.le_of_lt (_root_.Nat.lt_of_not_le h)
    rw [_root_.Nat.max_eq_left l, _root_.Int.max_eq_left (_root_.Int.ofNat_le.mpr l)]

theorem Int.ofNat_natAbs (a : Int) : (a.natAbs : Int) = if 0 ≤ a then a else -a := by
  by_cases h : 0 ≤ a
  · rw [if_pos h, _root_.Int.natAbs_of_nonneg h]
  · rw [if_neg h, _root_.Int.ofNat_natAbs_of_nonpos (_root_.Int.le_of_lt (_root_.Int.not_le.mp h))]

theorem Int.neg_le_natAbs {a : Int} : -a ≤ a.natAbs := by
  have h : -a ≤ (-a).natAbs := _root_.Int.le_natAbs
  rw [_root_.Int.natAbs_neg] at h
  exact h

theorem Int.ofNat_fst_mk {β : Type v} {x : Nat} {y : β} : (Prod.mk x y).fst = (x : Int) := rfl

theorem Int.ofNat_snd_mk {α : Type v} {x : α} {y : Nat} : (Prod.mk x y).snd = (y : Int) := rfl

theorem Nat.lt_of_gt {x y : Nat} (h : x > y) : y < x := h

theorem Nat.le_of_ge {x y : Nat} (h : x ≥ y) : y ≤ x := h

protected theorem Fin.lt_or_gt_of_ne {n : Nat} {i j : Fin n} (h : i ≠ j) : i < j ∨ i > j :=
  _root_.Nat.lt_or_gt_of_ne (fun e => h (_root_.Fin.eq_of_val_eq e))

protected theorem Fin.lt_of_not_le {n : Nat} {i j : Fin n} (h : ¬i ≤ j) : j < i := _root_.Nat.lt_of_not_le h

protected theorem Fin.le_of_not_lt {n : Nat} {i j : Fin n} (h : ¬i < j) : j ≤ i := _root_.Nat.le_of_not_lt h

theorem Fin.ofNat_val_add {n : Nat} {x y : Fin n} : ((x + y).val : Int) = ((x.val : Int) + (y.val : Int)) % n := rfl

theorem Fin.ofNat_val_sub {n : Nat} {x y : Fin n} :
    ((x - y).val : Int) = (((n - y.val : Nat) : Int) + (x.val : Int)) % n := rfl

theorem Fin.ofNat_val_mul {n : Nat} {x y : Fin n} : ((x * y).val : Int) = ((x.val : Int) * (y.val : Int)) % n := rfl

theorem Prod.of_lex {α : Type u} {β : Type v} {r : α → α → Prop} {s : β → β → Prop} {p q : α × β}
    (w : _root_.Prod.Lex r s p q) : r p.fst q.fst ∨ p.fst = q.fst ∧ s p.snd q.snd := _root_.Prod.lex_def.mp w

theorem Prod.of_not_lex {α : Type u} {r : α → α → Prop} [DecidableEq α] {β : Type v} {s : β → β → Prop} {p q : α × β}
    (w : ¬_root_.Prod.Lex r s p q) : ¬r p.fst q.fst ∧ (p.fst ≠ q.fst ∨ ¬s p.snd q.snd) :=
  have k := not_or.mp (fun h => w (_root_.Prod.lex_def.mpr h))
  ⟨k.left, _root_.Decidable.not_and_iff_not_or_not.mp k.right⟩

theorem Prod.fst_mk {α : Type u} {β : Type v} {x : α} {y : β} : (_root_.Prod.mk x y).fst = x := rfl

theorem Prod.snd_mk {α : Type u} {β : Type v} {x : α} {y : β} : (_root_.Prod.mk x y).snd = y := rfl

end Lean.Omega
