/- The classes behind the notations, and `if then else`. -/

universe u v w u₁ u₂ u₃

/-- A proof of `p` or a proof of `¬p`: what `if`, `decide` and the tactic `decide` compute with. -/
inductive Decidable (p : Prop) : Type where
  | isFalse (h : ¬p) : Decidable p
  | isTrue (h : p) : Decidable p

attribute [class] Decidable

export Decidable (isTrue isFalse)

/-- The truth value of a decidable proposition. -/
def Decidable.decide (p : Prop) [h : Decidable p] : Bool :=
  Decidable.casesOn (motive := fun _ => Bool) h (fun _ => Bool.false) (fun _ => Bool.true)

export Decidable (decide)

/-- Every instance of the predicate is decidable. -/
abbrev DecidablePred {α : Sort u} (r : α → Prop) : Sort (max 1 u) :=
  (a : α) → Decidable (r a)

/-- Every instance of the relation is decidable. -/
abbrev DecidableRel {α : Sort u} {β : Sort v} (r : α → β → Prop) : Sort (max 1 u v) :=
  (a : α) → (b : β) → Decidable (r a b)

/-- Equality on the type is decidable. -/
abbrev DecidableEq (α : Sort u) : Sort (max 1 u) :=
  (a b : α) → Decidable (a = b)

set_option checkBinderAnnotations false in
/-- The instance that the search finds. -/
abbrev inferInstance {α : Sort u} [i : α] : α := i

set_option checkBinderAnnotations false in
/-- The instance of the given class that the search finds. -/
abbrev «inferInstanceAs» (α : Sort u) [i : α] : α := i

/-- Decides an equation by instance search. -/
def decEq {α : Sort u} [inst : DecidableEq α] (a b : α) : Decidable (a = b) :=
  inst a b

/-- `if h : c then t h else e h`. -/
def dite {α : Sort u} (c : Prop) [h : Decidable c] (t : c → α) (e : ¬c → α) : α :=
  match h with
  | .isTrue h => t h
  | .isFalse h => e h

/-- `if c then t else e`. -/
def ite {α : Sort u} (c : Prop) [h : Decidable c] (t e : α) : α :=
  match h with
  | .isTrue _ => t
  | .isFalse _ => e

theorem decide_eq_true {p : Prop} [inst : Decidable p] : p → Decidable.decide p = Bool.true :=
  fun hp => Decidable.rec (motive := fun (d : Decidable p) => @Decidable.decide p d = Bool.true)
    (fun h => absurd hp h) (fun _ => rfl) inst

theorem decide_eq_false {p : Prop} [inst : Decidable p] : ¬p → Decidable.decide p = Bool.false :=
  fun hn => Decidable.rec (motive := fun (d : Decidable p) => @Decidable.decide p d = Bool.false)
    (fun _ => rfl) (fun h => absurd h hn) inst

theorem of_decide_eq_true {p : Prop} [inst : Decidable p] : Decidable.decide p = Bool.true → p :=
  Decidable.rec (motive := fun (d : Decidable p) => @Decidable.decide p d = Bool.true → p)
    (fun _ h => False.elim (Bool.false_ne_true h)) (fun h _ => h) inst

theorem of_decide_eq_false {p : Prop} [inst : Decidable p] : Decidable.decide p = Bool.false → ¬p :=
  Decidable.rec (motive := fun (d : Decidable p) => @Decidable.decide p d = Bool.false → ¬p)
    (fun h _ => h) (fun _ h => False.elim (Bool.false_ne_true (Eq.symm h))) inst

theorem of_decide_eq_self_eq_true {α : Sort u} [inst : DecidableEq α] (a : α) :
    Decidable.decide (a = a) = Bool.true :=
  decide_eq_true rfl

/- Order and numerals -/

/-- The numeral `n` as an element of `α`. -/
class OfNat (α : Type u) (_ : Nat) : Type u where
  ofNat : α

/-- `a ≤ b`. -/
class LE (α : Type u) : Type u where
  le : α → α → Prop

/-- `a < b`. -/
class LT (α : Type u) : Type u where
  lt : α → α → Prop

/-- `a ≥ b`, which is `b ≤ a`. -/
@[reducible] def GE.ge {α : Type u} [LE α] (a b : α) : Prop := LE.le b a

/-- `a > b`, which is `b < a`. -/
@[reducible] def GT.gt {α : Type u} [LT α] (a b : α) : Prop := LT.lt b a

/-- The order `<` is decidable. -/
abbrev DecidableLT (α : Type u) [LT α] : Type u := (a b : α) → Decidable (a < b)

/-- The order `≤` is decidable. -/
abbrev DecidableLE (α : Type u) [LE α] : Type u := (a b : α) → Decidable (a ≤ b)

/-- The greater of two values. -/
class Max (α : Type u) : Type u where
  max : α → α → α

export Max (max)

/-- The lesser of two values. -/
class Min (α : Type u) : Type u where
  min : α → α → α

export Min (min)

/-- `a ∣ b`. -/
class Dvd (α : Type u) : Type u where
  dvd : α → α → Prop

/-- `a == b`, the equality test of programs. -/
class BEq (α : Type u) : Type u where
  beq : α → α → Bool

instance instBEqOfDecidableEq {α : Type u} [DecidableEq α] : BEq α :=
  ⟨fun a b => Decidable.decide (a = b)⟩

/- Arithmetic, first with operands of different types, then the usual case -/

/-- `a + b`. -/
class HAdd (α : Type u) (β : Type v) (γ : outParam (Type w)) : Type (max u v w) where
  hAdd : α → β → γ

/-- `a - b`. -/
class HSub (α : Type u) (β : Type v) (γ : outParam (Type w)) : Type (max u v w) where
  hSub : α → β → γ

/-- `a * b`. -/
class HMul (α : Type u) (β : Type v) (γ : outParam (Type w)) : Type (max u v w) where
  hMul : α → β → γ

/-- `a / b`. -/
class HDiv (α : Type u) (β : Type v) (γ : outParam (Type w)) : Type (max u v w) where
  hDiv : α → β → γ

/-- `a % b`. -/
class HMod (α : Type u) (β : Type v) (γ : outParam (Type w)) : Type (max u v w) where
  hMod : α → β → γ

/-- `a ^ b`. -/
class HPow (α : Type u) (β : Type v) (γ : outParam (Type w)) : Type (max u v w) where
  hPow : α → β → γ

/-- `a ++ b`. -/
class HAppend (α : Type u) (β : Type v) (γ : outParam (Type w)) : Type (max u v w) where
  hAppend : α → β → γ

/-- The types with a zero. -/
class Zero (α : Type u) : Type u where
  zero : α

/-- The types with a one. -/
class One (α : Type u) : Type u where
  one : α

instance (priority := 300) Zero.toOfNat0 {α : Type u} [Zero α] : OfNat α (nat_lit 0) where
  ofNat := Zero.zero

instance (priority := 300) One.toOfNat1 {α : Type u} [One α] : OfNat α (nat_lit 1) where
  ofNat := One.one

/-- Addition within a type. -/
class Add (α : Type u) : Type u where
  add : α → α → α

/-- Subtraction within a type. -/
class Sub (α : Type u) : Type u where
  sub : α → α → α

/-- Multiplication within a type. -/
class Mul (α : Type u) : Type u where
  mul : α → α → α

/-- `-a`. -/
class Neg (α : Type u) : Type u where
  neg : α → α

/-- `a⁻¹`. -/
class Inv (α : Type u) : Type u where
  inv : α → α

/-- Division within a type. -/
class Div (α : Type u) : Type u where
  div : α → α → α

/-- Remainder within a type. -/
class Mod (α : Type u) : Type u where
  mod : α → α → α

/-- Powers of `α` with exponents in `β`. -/
class Pow (α : Type u) (β : Type v) : Type (max u v) where
  pow : α → β → α

/-- Powers with natural exponents. -/
class NatPow (α : Type u) : Type u where
  pow : α → Nat → α

/-- Concatenation within a type. -/
class Append (α : Type u) : Type u where
  append : α → α → α

/-- `a ∈ s`. -/
class Membership (α : outParam (Type u)) (γ : Type v) : Type (max u v) where
  mem : γ → α → Prop

/-- `∅`. -/
class EmptyCollection (α : Type u) : Type u where
  emptyCollection : α

/-- `a ∪ b`. -/
class Union (α : Type u) : Type u where
  union : α → α → α

/-- `a ∩ b`. -/
class Inter (α : Type u) : Type u where
  inter : α → α → α

/-- `a ⊆ b`. -/
class HasSubset (α : Type u) : Type u where
  Subset : α → α → Prop

@[default_instance] instance instHAdd {α : Type u} [Add α] : HAdd α α α := ⟨fun a b => Add.add a b⟩

@[default_instance] instance instHSub {α : Type u} [Sub α] : HSub α α α := ⟨fun a b => Sub.sub a b⟩

@[default_instance] instance instHMul {α : Type u} [Mul α] : HMul α α α := ⟨fun a b => Mul.mul a b⟩

@[default_instance] instance instHDiv {α : Type u} [Div α] : HDiv α α α := ⟨fun a b => Div.div a b⟩

@[default_instance] instance instHMod {α : Type u} [Mod α] : HMod α α α := ⟨fun a b => Mod.mod a b⟩

@[default_instance] instance instHPow {α : Type u} {β : Type v} [Pow α β] : HPow α β α :=
  ⟨fun a b => Pow.pow a b⟩

@[default_instance] instance instPowNat {α : Type u} [NatPow α] : Pow α Nat := ⟨fun a n => NatPow.pow a n⟩

@[default_instance] instance instHAppendOfAppend {α : Type u} [Append α] : HAppend α α α :=
  ⟨fun a b => Append.append a b⟩

attribute [match_pattern] Add.add HAdd.hAdd Neg.neg

/- Chains of relations, for `calc` -/

/-- `r a b` and `s b c` give `t a c`. -/
class Trans {α : Sort u₁} {β : Sort u₂} {γ : Sort u₃} (r : α → β → Sort u) (s : β → γ → Sort v)
    (t : outParam (α → γ → Sort w)) : Sort (max 1 u v w u₁ u₂ u₃) where
  trans : {a : α} → {b : β} → {c : γ} → r a b → s b c → t a c

instance instTransEq {α : Sort u₁} {γ : Sort u₂} (r : α → γ → Sort u) : Trans Eq r r :=
  ⟨fun {_ _ c} heq h' => Eq.ndrec (motive := fun (x : α) => r x c) h' (Eq.symm heq)⟩

instance instTransEq_1 {α : Sort u₁} {β : Sort u₂} (r : α → β → Sort u) : Trans r Eq r :=
  ⟨fun {a _ _} h' heq => Eq.ndrec (motive := fun (x : β) => r a x) h' heq⟩

/- Decision procedures for the connectives -/

instance instDecidableTrue : Decidable True := Decidable.isTrue True.intro

instance instDecidableFalse : Decidable False := Decidable.isFalse (fun h => h)

instance instDecidableAnd {p q : Prop} [dp : Decidable p] [dq : Decidable q] : Decidable (p ∧ q) :=
  Decidable.casesOn (motive := fun _ => Decidable (p ∧ q)) dp
    (fun hp => Decidable.isFalse (fun h => hp h.left))
    (fun hp => Decidable.casesOn (motive := fun _ => Decidable (p ∧ q)) dq
      (fun hq => Decidable.isFalse (fun h => hq h.right))
      (fun hq => Decidable.isTrue (And.intro hp hq)))

instance instDecidableOr {p q : Prop} [dp : Decidable p] [dq : Decidable q] : Decidable (p ∨ q) :=
  Decidable.casesOn (motive := fun _ => Decidable (p ∨ q)) dp
    (fun hp => Decidable.casesOn (motive := fun _ => Decidable (p ∨ q)) dq
      (fun hq => Decidable.isFalse (fun h => Or.elim h hp hq))
      (fun hq => Decidable.isTrue (Or.inr hq)))
    (fun hp => Decidable.isTrue (Or.inl hp))

instance instDecidableNot {p : Prop} [dp : Decidable p] : Decidable (¬p) :=
  Decidable.casesOn (motive := fun _ => Decidable (¬p)) dp
    (fun hp => Decidable.isTrue hp)
    (fun hp => Decidable.isFalse (fun h => h hp))

instance instDecidableForall {p q : Prop} [Decidable p] [Decidable q] : Decidable (p → q) :=
  dite p
    (fun hp => dite q
      (fun hq => Decidable.isTrue (fun _ => hq))
      (fun hq => Decidable.isFalse (fun h => hq (h hp))))
    (fun hp => Decidable.isTrue (fun h => absurd h hp))

instance instDecidableIff {p q : Prop} [Decidable p] [Decidable q] : Decidable (p ↔ q) :=
  dite p
    (fun hp => dite q
      (fun hq => Decidable.isTrue (Iff.intro (fun _ => hq) (fun _ => hp)))
      (fun hq => Decidable.isFalse (fun h => hq (h.mp hp))))
    (fun hp => dite q
      (fun hq => Decidable.isFalse (fun h => hp (h.mpr hq)))
      (fun hq => Decidable.isTrue (Iff.intro (fun h => absurd h hp) (fun h => absurd h hq))))

instance instDecidableEqOfIff {p q : Prop} [d : Decidable (p ↔ q)] : Decidable (p = q) :=
  Decidable.casesOn (motive := fun _ => Decidable (p = q)) d
    (fun h => Decidable.isFalse (fun e => h (Eq.subst (motive := fun (x : Prop) => p ↔ x) e
      (Iff.intro (fun hp => hp) (fun hp => hp)))))
    (fun h => Decidable.isTrue (propext h))

/- Booleans -/

/-- Decides an equation between truth values. -/
def Bool.decEq (a b : Bool) : Decidable (a = b) :=
  Bool.casesOn (motive := fun x => Decidable (x = b)) a
    (Bool.casesOn (motive := fun y => Decidable (Bool.false = y)) b
      (Decidable.isTrue rfl)
      (Decidable.isFalse Bool.false_ne_true))
    (Bool.casesOn (motive := fun y => Decidable (Bool.true = y)) b
      (Decidable.isFalse (fun h => Bool.false_ne_true (Eq.symm h)))
      (Decidable.isTrue rfl))

instance instDecidableEqBool : DecidableEq Bool := Bool.decEq

instance instInhabitedBool : Inhabited Bool := ⟨Bool.false⟩

instance instInhabitedProp : Inhabited Prop := ⟨True⟩
instance instInhabitedSort : Inhabited (Sort u) := ⟨PUnit.{u}⟩

/-- `a || b`. -/
def Bool.or (x y : Bool) : Bool :=
  match x with
  | .true => .true
  | .false => y

/-- `a && b`. -/
def Bool.and (x y : Bool) : Bool :=
  match x with
  | .false => .false
  | .true => y

/-- `!a`. -/
def Bool.not : Bool → Bool
  | .true => .false
  | .false => .true

export Bool (or and not)

/-- `a != b`. -/
def bne {α : Type u} [BEq α] (a b : α) : Bool := Bool.not (BEq.beq a b)
