/- Numbers below a bound: what the type class instances and functions are, and how they compare. -/

universe u

/-- The numbers that are not zero. -/
class NeZero (n : Nat) : Prop where
  out : n ≠ 0

theorem NeZero.ne (n : Nat) [h : NeZero n] : n ≠ 0 := h.out

instance NeZero.succ {n : Nat} : NeZero (n + 1) := ⟨Nat.succ_ne_zero n⟩

theorem Nat.pos_of_neZero (n : Nat) [NeZero n] : 0 < n := Nat.pos_of_ne_zero (NeZero.ne n)

namespace Fin

variable {n m : Nat}

attribute [coe] Fin.val

instance coeToNat : CoeOut (Fin n) Nat := ⟨fun v => v.val⟩

/-- Anything follows from a number below 0. -/
def elim0 {α : Sort u} : Fin 0 → α
  | ⟨_, h⟩ => absurd h (Nat.not_lt_zero _)

/-- One more, below one more. -/
def succ : Fin n → Fin (n + 1)
  | ⟨i, h⟩ => ⟨i + 1, Nat.succ_lt_succ h⟩

/-- The remainder by the bound. -/
protected def ofNat (n : Nat) [NeZero n] (a : Nat) : Fin n := ⟨a % n, Nat.mod_lt a (Nat.pos_of_neZero n)⟩

/-- The number. -/
protected def toNat (i : Fin n) : Nat := i.val

@[simp] theorem toNat_eq_val {i : Fin n} : i.toNat = i.val := rfl

protected theorem pos (i : Fin n) : 0 < n := Nat.lt_of_le_of_lt (Nat.zero_le _) i.isLt

/-- Addition that wraps around. -/
protected def add : Fin n → Fin n → Fin n
  | ⟨a, h⟩, ⟨b, _⟩ => ⟨(a + b) % n, Nat.mod_lt _ (Nat.lt_of_le_of_lt (Nat.zero_le _) h)⟩

/-- Multiplication that wraps around. -/
protected def mul : Fin n → Fin n → Fin n
  | ⟨a, h⟩, ⟨b, _⟩ => ⟨(a * b) % n, Nat.mod_lt _ (Nat.lt_of_le_of_lt (Nat.zero_le _) h)⟩

/-- Subtraction that wraps around. -/
protected def sub : Fin n → Fin n → Fin n
  | ⟨a, h⟩, ⟨b, _⟩ => ⟨((n - b) + a) % n, Nat.mod_lt _ (Nat.lt_of_le_of_lt (Nat.zero_le _) h)⟩

/-- The remainder of the numbers. -/
protected def mod : Fin n → Fin n → Fin n
  | ⟨a, h⟩, ⟨b, _⟩ => ⟨a % b, Nat.lt_of_le_of_lt (Nat.mod_le _ _) h⟩

/-- The quotient of the numbers. -/
protected def div : Fin n → Fin n → Fin n
  | ⟨a, h⟩, ⟨b, _⟩ => ⟨a / b, Nat.lt_of_le_of_lt (Nat.div_le_self _ _) h⟩

instance instAdd : Add (Fin n) := ⟨Fin.add⟩

instance instSub : Sub (Fin n) := ⟨Fin.sub⟩

instance instMul : Mul (Fin n) := ⟨Fin.mul⟩

instance instMod : Mod (Fin n) := ⟨Fin.mod⟩

instance instDiv : Div (Fin n) := ⟨Fin.div⟩

instance instOfNat {n : Nat} [NeZero n] {i : Nat} : OfNat (Fin n) i := ⟨Fin.ofNat n i⟩

instance neg (n : Nat) : Neg (Fin n) := ⟨fun a => ⟨(n - a.val) % n, Nat.mod_lt _ a.pos⟩⟩

instance instInhabited {n : Nat} [NeZero n] : Inhabited (Fin n) := ⟨0⟩

/-- The greatest number below `n + 1`. -/
def last (n : Nat) : Fin (n + 1) := ⟨n, Nat.lt_succ_self n⟩

/-- The same number below a bound that is given to be greater. -/
def castLT (i : Fin m) (h : i.val < n) : Fin n := ⟨i.val, h⟩

/-- The same number below a bound that is at least as large. -/
def castLE (h : n ≤ m) (i : Fin n) : Fin m := ⟨i.val, Nat.lt_of_lt_of_le i.isLt h⟩

/-- The same number below an equal bound. -/
protected def cast (eq : n = m) (i : Fin n) : Fin m := ⟨i.val, Nat.lt_of_lt_of_eq i.isLt eq⟩

/-- The same number below a greater bound. -/
def castAdd (m : Nat) (i : Fin n) : Fin (n + m) := castLE (Nat.le_add_right n m) i

/-- The same number below one more. -/
def castSucc (i : Fin n) : Fin (n + 1) := castAdd 1 i

/-- The number counted from the other end. -/
def rev (i : Fin n) : Fin n := ⟨n - (i.val + 1), Nat.sub_lt i.pos (Nat.succ_pos _)⟩

theorem val_inj {a b : Fin n} : a.val = b.val ↔ a = b := ⟨Fin.eq_of_val_eq, congrArg Fin.val⟩

theorem val_eq_of_eq {i j : Fin n} (h : i = j) : i.val = j.val := congrArg Fin.val h

theorem ne_of_val_ne {i j : Fin n} (h : i.val ≠ j.val) : i ≠ j := fun e => h (congrArg Fin.val e)

theorem val_ne_iff {a b : Fin n} : a.val ≠ b.val ↔ a ≠ b := not_congr val_inj

protected theorem ext_iff {a b : Fin n} : a = b ↔ a.val = b.val := val_inj.symm

@[simp] theorem is_lt (a : Fin n) : a.val < n := a.isLt

theorem is_le (i : Fin (n + 1)) : i.val ≤ n := Nat.le_of_lt_succ i.isLt

@[simp] theorem is_le' {a : Fin n} : a.val ≤ n := Nat.le_of_lt a.isLt

@[simp] protected theorem eta (a : Fin n) (h : a.val < n) : (⟨a.val, h⟩ : Fin n) = a := rfl

theorem forall_iff {p : Fin n → Prop} : (∀ i, p i) ↔ ∀ i h, p ⟨i, h⟩ := ⟨fun h i hi => h ⟨i, hi⟩, fun h ⟨i, hi⟩ => h i hi⟩

theorem exists_iff {p : Fin n → Prop} : (∃ i, p i) ↔ ∃ i h, p ⟨i, h⟩ :=
  ⟨fun ⟨⟨i, hi⟩, h⟩ => ⟨i, hi, h⟩, fun ⟨i, hi, h⟩ => ⟨⟨i, hi⟩, h⟩⟩

theorem val_mk {m n : Nat} (h : m < n) : (⟨m, h⟩ : Fin n).val = m := rfl

theorem val_add (a b : Fin n) : (a + b).val = (a.val + b.val) % n := rfl

theorem val_mul (a b : Fin n) : (a * b).val = (a.val * b.val) % n := rfl

theorem val_sub (a b : Fin n) : (a - b).val = ((n - b.val) + a.val) % n := rfl

@[simp] theorem mod_val (a b : Fin n) : (a % b).val = a.val % b.val := rfl

@[simp] theorem div_val (a b : Fin n) : (a / b).val = a.val / b.val := rfl

@[simp] theorem val_ofNat (n : Nat) [NeZero n] (a : Nat) : (Fin.ofNat n a).val = a % n := rfl

@[simp] theorem val_zero (n : Nat) [NeZero n] : (0 : Fin n).val = 0 := Nat.zero_mod n

@[simp] theorem val_one (n : Nat) : (1 : Fin (n + 2)).val = 1 := Nat.mod_eq_of_lt (Nat.one_lt_succ_succ n)

@[simp] theorem val_last (n : Nat) : (last n).val = n := rfl

@[simp] theorem val_succ (j : Fin n) : j.succ.val = j.val + 1 := rfl

@[simp] theorem val_castSucc (i : Fin n) : i.castSucc.val = i.val := rfl

@[simp] theorem val_cast (h : n = m) (i : Fin n) : (i.cast h).val = i.val := rfl

@[simp] theorem val_castLE (h : n ≤ m) (i : Fin n) : (castLE h i).val = i.val := rfl

@[simp] theorem val_rev (i : Fin n) : (rev i).val = n - (i.val + 1) := rfl

theorem le_def {a b : Fin n} : a ≤ b ↔ a.val ≤ b.val := Iff.rfl

theorem lt_def {a b : Fin n} : a < b ↔ a.val < b.val := Iff.rfl

@[simp] theorem mk_le_mk {x y : Nat} {hx : x < n} {hy : y < n} : (⟨x, hx⟩ : Fin n) ≤ ⟨y, hy⟩ ↔ x ≤ y := Iff.rfl

@[simp] theorem mk_lt_mk {x y : Nat} {hx : x < n} {hy : y < n} : (⟨x, hx⟩ : Fin n) < ⟨y, hy⟩ ↔ x < y := Iff.rfl

@[simp] protected theorem not_le {a b : Fin n} : ¬a ≤ b ↔ b < a := Nat.not_le

@[simp] protected theorem not_lt {a b : Fin n} : ¬a < b ↔ b ≤ a := Nat.not_lt

@[simp] protected theorem le_refl (a : Fin n) : a ≤ a := Nat.le_refl a.val

@[simp] protected theorem lt_irrefl (a : Fin n) : ¬a < a := Nat.lt_irrefl a.val

protected theorem le_trans {a b c : Fin n} : a ≤ b → b ≤ c → a ≤ c := fun h k => Nat.le_trans h k

protected theorem lt_trans {a b c : Fin n} : a < b → b < c → a < c := fun h k => Nat.lt_trans h k

protected theorem le_total (a b : Fin n) : a ≤ b ∨ b ≤ a := Nat.le_total a.val b.val

protected theorem le_antisymm {x y : Fin n} (h1 : x ≤ y) (h2 : y ≤ x) : x = y := Fin.eq_of_val_eq (Nat.le_antisymm h1 h2)

protected theorem le_of_lt {a b : Fin n} (h : a < b) : a ≤ b := Nat.le_of_lt h

protected theorem ne_of_lt {a b : Fin n} (h : a < b) : a ≠ b := Fin.ne_of_val_ne (Nat.ne_of_lt h)

theorem le_last (i : Fin (n + 1)) : i ≤ last n := Nat.le_of_lt_succ i.isLt

@[simp] theorem succ_inj {a b : Fin n} : a.succ = b.succ ↔ a = b :=
  ⟨fun h => Fin.eq_of_val_eq (Nat.succ.inj (congrArg Fin.val h)), fun h => by rw [h]⟩

theorem eq_zero_or_eq_succ {n : Nat} (i : Fin (n + 1)) : i = 0 ∨ ∃ j : Fin n, i = j.succ := by
  cases i with
  | mk i h =>
    cases i with
    | zero => exact Or.inl (Fin.eq_of_val_eq (Fin.val_zero (n + 1)).symm)
    | succ i => exact Or.inr ⟨⟨i, Nat.lt_of_succ_lt_succ h⟩, rfl⟩

/-- Decides a statement about all numbers below a bound. -/
instance decidableForallFin {n : Nat} (P : Fin n → Prop) [DecidablePred P] : Decidable (∀ i, P i) :=
  decidable_of_iff (∀ k h, P ⟨k, h⟩) ⟨fun h ⟨k, l⟩ => h k l, fun h k l => h ⟨k, l⟩⟩

end Fin
