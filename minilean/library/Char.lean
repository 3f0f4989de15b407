/- Characters: code points without surrogates. -/

/-- Bit vectors of a width. -/
structure BitVec (w : Nat) : Type where
  ofFin ::
  toFin : Fin (2 ^ w)

/-- The bit vector of a number that fits. -/
protected def BitVec.ofNatLT {w : Nat} (i : Nat) (p : i < 2 ^ w) : BitVec w := BitVec.ofFin ⟨i, p⟩

/-- The number that the bits stand for. -/
protected def BitVec.toNat {w : Nat} (x : BitVec w) : Nat := x.toFin.val

theorem BitVec.eq_of_toFin_eq {w : Nat} : {x y : BitVec w} → x.toFin = y.toFin → x = y
  | ⟨_⟩, ⟨_⟩, h => congrArg BitVec.ofFin h

instance instDecidableEqBitVec {w : Nat} : DecidableEq (BitVec w) := fun x y =>
  match decEq x.toFin y.toFin with
  | isTrue h => isTrue (BitVec.eq_of_toFin_eq h)
  | isFalse h => isFalse (fun e => h (congrArg BitVec.toFin e))

/-- Numbers of 32 bits. -/
structure UInt32 : Type where
  ofBitVec ::
  toBitVec : BitVec 32

/-- The number. -/
def UInt32.toNat (n : UInt32) : Nat := n.toBitVec.toNat

theorem UInt32.eq_of_toBitVec_eq : {x y : UInt32} → x.toBitVec = y.toBitVec → x = y
  | ⟨_⟩, ⟨_⟩, h => congrArg UInt32.ofBitVec h

instance instDecidableEqUInt32 : DecidableEq UInt32 := fun x y =>
  match decEq x.toBitVec y.toBitVec with
  | isTrue h => isTrue (UInt32.eq_of_toBitVec_eq h)
  | isFalse h => isFalse (fun e => h (congrArg UInt32.toBitVec e))

instance instLTUInt32 : LT UInt32 := ⟨fun a b => a.toNat < b.toNat⟩

instance instLEUInt32 : LE UInt32 := ⟨fun a b => a.toNat ≤ b.toNat⟩

instance UInt32.decLt (a b : UInt32) : Decidable (a < b) := Nat.decLt a.toNat b.toNat

instance UInt32.decLe (a b : UInt32) : Decidable (a ≤ b) := Nat.decLe a.toNat b.toNat

/-- Whether a number is a code point that is no surrogate. -/
abbrev Nat.isValidChar (n : Nat) : Prop := n < 0xd800 ∨ (0xdfff < n ∧ n < 0x110000)

/-- Whether a number is a code point that is no surrogate. -/
abbrev UInt32.isValidChar (n : UInt32) : Prop := n.toNat.isValidChar

/-- A character: a code point that is no surrogate. -/
structure Char : Type where
  val : UInt32
  valid : val.isValidChar

theorem Nat.lt_of_isValidChar {n : Nat} (h : n.isValidChar) : n < 2 ^ 32 :=
  Or.elim h (fun h => Nat.lt_trans h (by decide)) (fun h => Nat.lt_trans h.right (by decide))

/-- The character of a code point. -/
def Char.ofNatAux (n : Nat) (h : n.isValidChar) : Char := ⟨⟨BitVec.ofNatLT n (Nat.lt_of_isValidChar h)⟩, h⟩

/-- The character of a code point, and that of 0 for a number that is none. -/
def Char.ofNat (n : Nat) : Char :=
  dite n.isValidChar (fun h => Char.ofNatAux n h) (fun _ => Char.ofNatAux 0 (Or.inl (by decide)))

namespace Char

/-- The code point. -/
def toNat (c : Char) : Nat := c.val.toNat

@[ext] protected theorem ext {a b : Char} (h : a.val = b.val) : a = b := by
  cases a with
  | mk x hx =>
    cases b with
    | mk y hy =>
      have e : x = y := h
      subst e
      rfl

theorem eq_of_val_eq {c d : Char} (h : c.val = d.val) : c = d := Char.ext h

theorem val_ne_of_ne {c d : Char} (h : c ≠ d) : c.val ≠ d.val := fun e => h (Char.ext e)

end Char

instance instDecidableEqChar : DecidableEq Char := fun c d =>
  match decEq c.val d.val with
  | isTrue h => isTrue (Char.ext h)
  | isFalse h => isFalse (fun e => h (congrArg Char.val e))

namespace Char

instance instLT : LT Char := ⟨fun a b => a.val < b.val⟩

instance instLE : LE Char := ⟨fun a b => a.val ≤ b.val⟩

instance instDecidableLt (a b : Char) : Decidable (a < b) := UInt32.decLt a.val b.val

instance instDecidableLe (a b : Char) : Decidable (a ≤ b) := UInt32.decLe a.val b.val

instance instInhabited : Inhabited Char := ⟨'A'⟩

/-- A space, tab, line feed or carriage return. -/
def isWhitespace (c : Char) : Bool := decide (c = ' ') || decide (c = '\t') || decide (c = '\r') || decide (c = '\n')

/-- A letter from `A` to `Z`. -/
def isUpper (c : Char) : Bool := decide (c.val ≥ 'A'.val) && decide (c.val ≤ 'Z'.val)

/-- A letter from `a` to `z`. -/
def isLower (c : Char) : Bool := decide (c.val ≥ 'a'.val) && decide (c.val ≤ 'z'.val)

/-- A letter of the English alphabet. -/
def isAlpha (c : Char) : Bool := c.isUpper || c.isLower

/-- A digit from `0` to `9`. -/
def isDigit (c : Char) : Bool := decide (c.val ≥ '0'.val) && decide (c.val ≤ '9'.val)

/-- A letter or a digit. -/
def isAlphanum (c : Char) : Bool := c.isAlpha || c.isDigit

end Char
