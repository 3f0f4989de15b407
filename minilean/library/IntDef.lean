/- The integers: casts from the natural numbers, the operations, and decision procedures. -/

universe u

/-- The types with a canonical map from the natural numbers. -/
class NatCast (R : Type u) : Type u where
  natCast : Nat → R

instance instNatCastNat : NatCast Nat := ⟨fun n => n⟩

/-- The canonical map from the natural numbers, written `↑n`. -/
@[coe, reducible, match_pattern] protected def Nat.cast {R : Type u} [NatCast R] : Nat → R := NatCast.natCast

instance instCoeTailNat {R : Type u} [NatCast R] : CoeTail Nat R := ⟨Nat.cast⟩

set_option genCtorIdx false in
/-- The integers. -/
inductive Int : Type where
  | ofNat : Nat → Int
  | negSucc : Nat → Int

attribute [extern "lean_nat_to_int"] Int.ofNat
attribute [extern "lean_int_neg_succ_of_nat"] Int.negSucc

/-- The number of the constructor. -/
noncomputable def Int.ctorIdx (t : Int) : Nat := Int.casesOn (motive := fun _ => Nat) t (fun _ => 0) (fun _ => 1)

instance instNatCastInt : NatCast Int := ⟨fun n => Int.ofNat n⟩

instance instOfNat {n : Nat} : OfNat Int n := ⟨Int.ofNat n⟩

/-- The types with a canonical map from the integers. -/
class IntCast (R : Type u) : Type u where
  intCast : Int → R

instance instIntCastInt : IntCast Int := ⟨fun n => n⟩

/-- The canonical map from the integers, written `↑n`. -/
@[coe, reducible, match_pattern] protected def Int.cast {R : Type u} [IntCast R] : Int → R := IntCast.intCast

instance instCoeTailInt {R : Type u} [IntCast R] : CoeTail Int R := ⟨Int.cast⟩

namespace Int

instance instInhabitedInt : Inhabited Int := ⟨ofNat 0⟩

/-- Minus a natural number. -/
def negOfNat : Nat → Int
  | 0 => 0
  | m + 1 => negSucc m

/-- Negation. -/
@[extern "lean_int_neg"] protected def neg (n : Int) : Int :=
  match n with
  | ofNat n => negOfNat n
  | negSucc n => ofNat (n + 1)

@[default_instance 500] instance instNegInt : Neg Int := ⟨Int.neg⟩

/-- The difference of two natural numbers. -/
def subNatNat (m n : Nat) : Int :=
  match (n - m : Nat) with
  | 0 => ofNat (m - n)
  | k + 1 => negSucc k

/-- Addition. -/
@[extern "lean_int_add"] protected def add (m n : Int) : Int :=
  match m, n with
  | ofNat m, ofNat n => ofNat (m + n)
  | ofNat m, negSucc n => subNatNat m (n + 1)
  | negSucc m, ofNat n => subNatNat n (m + 1)
  | negSucc m, negSucc n => negSucc (m + n + 1)

instance instAddInt : Add Int := ⟨Int.add⟩

/-- Multiplication. -/
@[extern "lean_int_mul"] protected def mul (m n : Int) : Int :=
  match m, n with
  | ofNat m, ofNat n => ofNat (m * n)
  | ofNat m, negSucc n => negOfNat (m * (n + 1))
  | negSucc m, ofNat n => negOfNat ((m + 1) * n)
  | negSucc m, negSucc n => ofNat ((m + 1) * (n + 1))

instance instMulInt : Mul Int := ⟨Int.mul⟩

/-- Subtraction. -/
@[extern "lean_int_sub"] protected def sub (m n : Int) : Int := m + -n

instance instSubInt : Sub Int := ⟨Int.sub⟩

/-- Being at least zero. -/
inductive NonNeg : Int → Prop where
  | mk (n : Nat) : NonNeg (ofNat n)

/-- `a ≤ b`, which is `0 ≤ b - a`. -/
protected def le (a b : Int) : Prop := NonNeg (b - a)

instance instLEInt : LE Int := ⟨Int.le⟩

/-- `a < b`, which is `a + 1 ≤ b`. -/
protected def lt (a b : Int) : Prop := (a + 1) ≤ b

instance instLTInt : LT Int := ⟨Int.lt⟩

/-- Decides an equation. -/
@[extern "lean_int_dec_eq"] protected def decEq (a b : Int) : Decidable (a = b) :=
  match a, b with
  | ofNat a, ofNat b => match Nat.decEq a b with
    | isTrue h => isTrue (congrArg ofNat h)
    | isFalse h => isFalse (fun h' => h (by injection h'))
  | ofNat _, negSucc _ => isFalse (fun h => nomatch h)
  | negSucc _, ofNat _ => isFalse (fun h => nomatch h)
  | negSucc a, negSucc b => match Nat.decEq a b with
    | isTrue h => isTrue (congrArg negSucc h)
    | isFalse h => isFalse (fun h' => h (by injection h'))

instance instDecidableEq : DecidableEq Int := Int.decEq

/-- Decides whether a number is at least zero. -/
@[extern "lean_int_dec_nonneg"] def decNonneg (m : Int) : Decidable (NonNeg m) :=
  match m with
  | ofNat m => isTrue (NonNeg.mk m)
  | negSucc _ => isFalse (fun h => nomatch h)

@[extern "lean_int_dec_le"] instance decLe (a b : Int) : Decidable (a ≤ b) := decNonneg (b - a)

@[extern "lean_int_dec_lt"] instance decLt (a b : Int) : Decidable (a < b) := decNonneg (b - (a + 1))

/-- The absolute value. -/
@[extern "lean_nat_abs"] def natAbs (m : Int) : Nat :=
  match m with
  | ofNat m => m
  | negSucc m => m.succ

/-- 1, 0 or -1. -/
def sign : Int → Int
  | ofNat (_ + 1) => 1
  | ofNat 0 => 0
  | negSucc _ => -1

/-- The number as a natural number; 0 if it is negative. -/
def toNat : Int → Nat
  | ofNat n => n
  | negSucc _ => 0

/-- The number as a natural number, if it is one. -/
def toNat? : Int → Option Nat
  | ofNat n => some n
  | negSucc _ => none

instance instDvdInt : Dvd Int := ⟨fun a b => Exists (fun c => b = a * c)⟩

/-- Powers. -/
protected def pow (m : Int) : Nat → Int
  | 0 => 1
  | n + 1 => Int.pow m n * m

instance instNatPowInt : NatPow Int := ⟨Int.pow⟩

instance instMinInt : Min Int := ⟨fun a b => if a ≤ b then a else b⟩

instance instMaxInt : Max Int := ⟨fun a b => if a ≤ b then b else a⟩

/-- The quotient such that the remainder is not negative; 0 for the divisor 0. -/
@[extern "lean_int_ediv"] def ediv : Int → Int → Int
  | ofNat m, ofNat n => ofNat (m / n)
  | ofNat m, negSucc n => -ofNat (m / n.succ)
  | negSucc _, ofNat 0 => 0
  | negSucc m, ofNat (n + 1) => negSucc (m / n.succ)
  | negSucc m, negSucc n => ofNat (m / n.succ + 1)

/-- The remainder that is not negative; the dividend itself for the divisor 0. -/
@[extern "lean_int_emod"] def emod : Int → Int → Int
  | ofNat m, n => ofNat (m % natAbs n)
  | negSucc m, n => subNatNat (natAbs n) (m % natAbs n + 1)

instance instDivInt : Div Int := ⟨Int.ediv⟩

instance instModInt : Mod Int := ⟨Int.emod⟩

/-- The quotient rounded towards zero. -/
@[extern "lean_int_div"] def tdiv : Int → Int → Int
  | ofNat m, ofNat n => ofNat (m / n)
  | ofNat m, negSucc n => -ofNat (m / n.succ)
  | negSucc m, ofNat n => -ofNat (m.succ / n)
  | negSucc m, negSucc n => ofNat (m.succ / n.succ)

/-- The remainder with the sign of the dividend. -/
@[extern "lean_int_mod"] def tmod : Int → Int → Int
  | ofNat m, ofNat n => ofNat (m % n)
  | ofNat m, negSucc n => ofNat (m % n.succ)
  | negSucc m, ofNat n => -ofNat (m.succ % n)
  | negSucc m, negSucc n => -ofNat (m.succ % n.succ)

end Int
