/- The types everything is built from, the axioms, and the first facts about equality.

Recursive functions and case analysis go through the recursors: nothing here needs pattern matching. -/

universe u v w

/-- The type with one element, in any universe. -/
inductive PUnit : Sort u where
  | unit : PUnit

/-- The function that returns its argument. -/
def id {α : Sort u} (a : α) : α := a

/-- The argument; Lean's kernel evaluates it before it compares it. -/
def eagerReduce {α : Sort u} (a : α) : α := a

/-- Function composition, written `f ∘ g`. -/
def Function.comp {α : Sort u} {β : Sort v} {δ : Sort w} (f : β → δ) (g : α → β) : α → δ :=
  fun x => f (g x)

/-- The function that ignores its argument and returns `a`. -/
def Function.const {α : Sort u} (β : Sort v) (a : α) : β → α :=
  fun _ => a

/-- Swaps the arguments of a binary function. -/
def flip {α : Sort u} {β : Sort v} {φ : Sort w} (f : α → β → φ) : β → α → φ :=
  fun b a => f a b

/-- Marks a class parameter that the other parameters determine. -/
@[reducible] def outParam (α : Sort u) : Sort u := α

/-- The type of a parameter that is `default` where a caller gives none. -/
@[reducible] def optParam (α : Sort u) (default : α) : Sort u := α

/- Propositions -/

/-- The proposition with a proof and no content. -/
inductive True : Prop where
  | intro : True

/-- The proposition without a proof. -/
inductive False : Prop

/-- `¬a`: a proof of `a` leads to a contradiction. -/
def Not (a : Prop) : Prop := a → False

/-- Anything follows from a contradiction. -/
def False.elim {C : Sort u} (h : False) : C :=
  False.rec (motive := fun _ => C) h

/-- Anything follows from two hypotheses that contradict each other. -/
def absurd {a : Prop} {b : Sort v} (h₁ : a) (h₂ : ¬a) : b :=
  False.elim (h₂ h₁)

/-- `a ∧ b`. -/
structure And (a b : Prop) : Prop where
  intro ::
  left : a
  right : b

/-- `a ∨ b`. -/
inductive Or (a b : Prop) : Prop where
  | inl (h : a) : Or a b
  | inr (h : b) : Or a b

/-- `a ↔ b`. -/
structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a

/-- `∃ x, p x`. -/
inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

theorem Or.intro_left {a : Prop} (b : Prop) (h : a) : a ∨ b := Or.inl h

theorem Or.intro_right {b : Prop} (a : Prop) (h : b) : a ∨ b := Or.inr h

theorem Or.elim {a b c : Prop} (h : a ∨ b) (left : a → c) (right : b → c) : c :=
  Or.rec (motive := fun _ => c) left right h

theorem Or.resolve_left {a b : Prop} (h : a ∨ b) (na : ¬a) : b :=
  Or.elim h (fun ha => absurd ha na) (fun hb => hb)

theorem Or.resolve_right {a b : Prop} (h : a ∨ b) (nb : ¬b) : a :=
  Or.elim h (fun ha => ha) (fun hb => absurd hb nb)

theorem Or.neg_resolve_left {a b : Prop} (h : ¬a ∨ b) (ha : a) : b :=
  Or.elim h (fun na => absurd ha na) (fun hb => hb)

theorem Or.neg_resolve_right {a b : Prop} (h : a ∨ ¬b) (nb : b) : a :=
  Or.elim h (fun ha => ha) (fun hb => absurd nb hb)

theorem Exists.elim {α : Sort u} {p : α → Prop} {b : Prop} (h₁ : ∃ x, p x) (h₂ : ∀ (a : α), p a → b) : b :=
  Exists.rec (motive := fun _ => b) h₂ h₁

/- Equality -/

/-- `a = b`. -/
inductive Eq.{u_1} {α : Sort u_1} : α → α → Prop where
  | refl (a : α) : Eq a a

/-- Reflexivity, with the term left implicit. -/
def rfl {α : Sort u} {a : α} : a = a := Eq.refl a

/-- `a ≠ b`. -/
@[reducible] def Ne {α : Sort u} (a b : α) : Prop := ¬(a = b)

/-- The recursor of equality for a motive that does not mention the proof. -/
abbrev Eq.ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : a = b) :
    motive b :=
  Eq.rec (motive := fun (x : α) _ => motive x) m h

theorem Eq.subst {α : Sort u} {motive : α → Prop} {a b : α} (h₁ : a = b) (h₂ : motive a) : motive b :=
  Eq.ndrec (motive := motive) h₂ h₁

@[symm] theorem Eq.symm {α : Sort u} {a b : α} (h : a = b) : b = a :=
  Eq.subst (motive := fun (x : α) => x = a) h (Eq.refl a)

theorem Eq.trans {α : Sort u} {a b c : α} (h₁ : a = b) (h₂ : b = c) : a = c :=
  Eq.subst (motive := fun (x : α) => a = x) h₂ h₁

/-- `Eq.ndrec` with the equation first. -/
abbrev Eq.ndrecOn.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} {b : α} (h : a = b) (m : motive a) :
    motive b :=
  Eq.ndrec (motive := motive) m h

/-- Moves a value along an equation between types. -/
def cast {α β : Sort u} (h : α = β) (a : α) : β :=
  Eq.rec (motive := fun (x : Sort u) _ => x) a h

/-- Moves a value along an equation between types. -/
def Eq.mp {α β : Sort u} (h : α = β) (a : α) : β :=
  Eq.rec (motive := fun (x : Sort u) _ => x) a h

/-- Moves a value backwards along an equation between types. -/
def Eq.mpr {α β : Sort u} (h : α = β) (b : β) : α :=
  Eq.rec (motive := fun (x : Sort u) _ => x) b (Eq.symm h)

theorem Eq.substr {α : Sort u} {p : α → Prop} {a b : α} (h₁ : b = a) (h₂ : p a) : p b :=
  Eq.subst (motive := p) (Eq.symm h₁) h₂

theorem congrArg {α : Sort u} {β : Sort v} {a₁ a₂ : α} (f : α → β) (h : a₁ = a₂) : f a₁ = f a₂ :=
  Eq.subst (motive := fun (x : α) => f a₁ = f x) h (Eq.refl (f a₁))

theorem congr {α : Sort u} {β : Sort v} {f₁ f₂ : α → β} {a₁ a₂ : α} (h₁ : f₁ = f₂) (h₂ : a₁ = a₂) :
    f₁ a₁ = f₂ a₂ :=
  Eq.subst (motive := fun (f : α → β) => f₁ a₁ = f a₂) h₁ (congrArg f₁ h₂)

theorem congrFun {α : Sort u} {β : α → Sort v} {f g : (x : α) → β x} (h : f = g) (a : α) : f a = g a :=
  Eq.subst (motive := fun (k : (x : α) → β x) => f a = k a) h (Eq.refl (f a))

theorem congrFun' {α : Sort u} {β : Sort v} {f g : α → β} (h : f = g) (a : α) : f a = g a :=
  Eq.subst (motive := fun (k : α → β) => f a = k a) h (Eq.refl (f a))

/-- `a ≍ b`: equality of terms whose types need not be the same syntactically. -/
inductive HEq {α : Sort u} : α → {β : Sort u} → β → Prop where
  | refl (a : α) : HEq a a

/-- Reflexivity of `≍`, with the term left implicit. -/
protected def HEq.rfl {α : Sort u} {a : α} : HEq a a := HEq.refl a

theorem eq_of_heq {α : Sort u} {a a' : α} (h : HEq a a') : a = a' :=
  have aux : ∀ (e : α = α), cast e a = a' :=
    @HEq.rec α a (fun {β : Sort u} (b : β) _ => ∀ (e : α = β), cast e a = b) (fun _ => rfl) α a' h
  aux rfl

theorem heq_of_eq {α : Sort u} {a a' : α} (h : a = a') : HEq a a' :=
  Eq.subst (motive := fun (x : α) => HEq a x) h (HEq.refl a)

/-- `Eq.ndrec` along the equation backwards. -/
abbrev Eq.ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : b = a) :
    motive b :=
  Eq.ndrec (motive := motive) m (Eq.symm h)

/-- `Eq.ndrec` for `≍` between elements of one type. -/
abbrev HEq.homo_ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : HEq a b) :
    motive b :=
  Eq.ndrec (motive := motive) m (eq_of_heq h)

/-- `HEq.homo_ndrec` along the equation backwards. -/
abbrev HEq.homo_ndrec_symm.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α}
    (h : HEq b a) : motive b :=
  Eq.ndrec (motive := motive) m (Eq.symm (eq_of_heq h))

/- Data -/

/-- The type with one element. -/
abbrev Unit : Type := PUnit

/-- The element of `Unit`. -/
abbrev Unit.unit : Unit := PUnit.unit

/-- Pairs of values of any sorts. -/
structure PProd (α : Sort u) (β : Sort v) : Sort (max 1 u v) where
  fst : α
  snd : β

/-- Pairs. -/
structure Prod (α : Type u) (β : Type v) : Type (max u v) where
  fst : α
  snd : β

set_option genCtorIdx false in
/-- The truth values of programs. -/
inductive Bool : Type where
  | false : Bool
  | true : Bool

export Bool (false true)

/-- `bif c then x else y`. -/
def cond {α : Sort u} (c : Bool) (x y : α) : α :=
  match c with
  | .true => x
  | .false => y

set_option genCtorIdx false in
/-- The natural numbers. -/
inductive Nat : Type where
  | zero : Nat
  | succ (n : Nat) : Nat

/-- The equality test. -/
@[extern "lean_nat_dec_eq"] def Nat.beq : Nat → Nat → Bool
  | .zero, .zero => .true
  | .zero, .succ _ => .false
  | .succ _, .zero => .false
  | .succ n, .succ m => Nat.beq n m

/-- The test for `≤`. -/
@[extern "lean_nat_dec_le"] def Nat.ble : Nat → Nat → Bool
  | .zero, .zero => .true
  | .zero, .succ _ => .true
  | .succ _, .zero => .false
  | .succ n, .succ m => Nat.ble n m

/-- The number of the constructor. -/
noncomputable def Bool.ctorIdx (t : Bool) : Nat :=
  Bool.casesOn (motive := fun _ => Nat) t Nat.zero (Nat.succ Nat.zero)

/-- The number of the constructor. -/
noncomputable def Nat.ctorIdx (t : Nat) : Nat :=
  Nat.casesOn (motive := fun _ => Nat) t Nat.zero (fun _ => Nat.succ Nat.zero)

/-- A copy of a type in a higher universe. -/
structure PULift.{r, s} (α : Sort s) : Sort (max s 1 r) where
  up ::
  down : α

/-- The type without elements. -/
inductive Empty : Type

/-- The disjoint union. -/
inductive Sum (α : Type u) (β : Type v) : Type (max u v) where
  | inl (val : α) : Sum α β
  | inr (val : β) : Sum α β

/-- The disjoint union of types in any universes. -/
inductive PSum (α : Sort u) (β : Sort v) : Sort (max 1 u v) where
  | inl (val : α) : PSum α β
  | inr (val : β) : PSum α β

/-- A value or nothing. -/
inductive Option (α : Type u) : Type u where
  | none : Option α
  | some (val : α) : Option α

export Option (none some)

/-- Finite sequences. -/
inductive List (α : Type u) : Type u where
  | nil : List α
  | cons (head : α) (tail : List α) : List α

/-- The elements of a type that satisfy a predicate. -/
structure Subtype {α : Sort u} (p : α → Prop) : Sort (max 1 u) where
  val : α
  property : p val

attribute [pp_using_anonymous_constructor] And PProd Subtype

/-- The types with a chosen element. -/
class Inhabited (α : Sort u) : Sort (max 1 u) where
  default : α

export Inhabited (default)

/-- The types that have an element. -/
inductive Nonempty (α : Sort u) : Prop where
  | intro (val : α) : Nonempty α

attribute [class] Nonempty

protected theorem Nonempty.elim {α : Sort u} {p : Prop} (h₁ : Nonempty α) (h₂ : α → p) : p :=
  Nonempty.rec (motive := fun _ => p) h₂ h₁

instance instNonemptyOfInhabited {α : Sort u} [Inhabited α] : Nonempty α :=
  Nonempty.intro Inhabited.default

/- Quotients and the three axioms -/

init_quot

axiom propext {a b : Prop} : (a ↔ b) → a = b

axiom Classical.choice {α : Sort u} : Nonempty α → α

axiom Quot.sound : ∀ {α : Sort u} {r : α → α → Prop} {a b : α}, r a b → Quot.mk r a = Quot.mk r b

theorem funext {α : Sort u} {β : α → Sort v} {f g : (x : α) → β x} (h : ∀ x, f x = g x) : f = g :=
  @congrArg (Quot (fun (a b : (x : α) → β x) => ∀ x, a x = b x)) ((x : α) → β x)
    (Quot.mk (fun (a b : (x : α) → β x) => ∀ x, a x = b x) f)
    (Quot.mk (fun (a b : (x : α) → β x) => ∀ x, a x = b x) g)
    (fun q x => Quot.lift (fun (a : (x : α) → β x) => a x) (fun _ _ hab => hab x) q)
    (Quot.sound h)

/- Injectivity and disjointness of constructors -/

theorem Bool.false_ne_true : Bool.false ≠ Bool.true :=
  fun h => Eq.subst (motive := fun (b : Bool) => Bool.rec (motive := fun _ => Prop) True False b) h True.intro

theorem Nat.succ.inj {m n : Nat} : Nat.succ m = Nat.succ n → m = n :=
  fun h => @congrArg Nat Nat (Nat.succ m) (Nat.succ n)
    (fun k => Nat.rec (motive := fun _ => Nat) m (fun j _ => j) k) h

theorem Nat.succ.injEq (u v : Nat) : (Nat.succ u = Nat.succ v) = (u = v) :=
  propext (Iff.intro Nat.succ.inj (congrArg Nat.succ))

theorem Option.some.inj {α : Type u} {val val_1 : α} : Option.some val = Option.some val_1 → val = val_1 :=
  fun h => @congrArg (Option α) α (Option.some val) (Option.some val_1)
    (fun o => Option.rec (motive := fun _ => α) val (fun a => a) o) h

@[simp] theorem Option.some.injEq {α : Type u} (val val_1 : α) :
    (Option.some val = Option.some val_1) = (val = val_1) :=
  propext (Iff.intro Option.some.inj (congrArg Option.some))

theorem Sum.inl.inj {α : Type u} {β : Type v} {val val_1 : α} :
    (Sum.inl val : Sum α β) = Sum.inl val_1 → val = val_1 :=
  fun h => @congrArg (Sum α β) α (Sum.inl val) (Sum.inl val_1)
    (fun s => Sum.rec (motive := fun _ => α) (fun a => a) (fun _ => val) s) h

@[simp] theorem Sum.inl.injEq {α : Type u} {β : Type v} (val val_1 : α) :
    ((Sum.inl val : Sum α β) = Sum.inl val_1) = (val = val_1) :=
  propext (Iff.intro Sum.inl.inj (fun h => congrArg Sum.inl h))

theorem Sum.inr.inj {α : Type u} {β : Type v} {val val_1 : β} :
    (Sum.inr val : Sum α β) = Sum.inr val_1 → val = val_1 :=
  fun h => @congrArg (Sum α β) β (Sum.inr val) (Sum.inr val_1)
    (fun s => Sum.rec (motive := fun _ => β) (fun _ => val) (fun b => b) s) h

@[simp] theorem Sum.inr.injEq {α : Type u} {β : Type v} (val val_1 : β) :
    ((Sum.inr val : Sum α β) = Sum.inr val_1) = (val = val_1) :=
  propext (Iff.intro Sum.inr.inj (fun h => congrArg Sum.inr h))

theorem Prod.mk.inj {α : Type u} {β : Type v} {fst : α} {snd : β} {fst_1 : α} {snd_1 : β} :
    Prod.mk fst snd = Prod.mk fst_1 snd_1 → fst = fst_1 ∧ snd = snd_1 :=
  fun h => And.intro
    (@congrArg (Prod α β) α (Prod.mk fst snd) (Prod.mk fst_1 snd_1) (fun p => Prod.fst p) h)
    (@congrArg (Prod α β) β (Prod.mk fst snd) (Prod.mk fst_1 snd_1) (fun p => Prod.snd p) h)

@[simp] theorem Prod.mk.injEq {α : Type u} {β : Type v} (fst : α) (snd : β) (fst_1 : α) (snd_1 : β) :
    (Prod.mk fst snd = Prod.mk fst_1 snd_1) = (fst = fst_1 ∧ snd = snd_1) :=
  propext (Iff.intro Prod.mk.inj (fun h => congr (congrArg Prod.mk h.left) h.right))

theorem List.cons.inj {α : Type u} {head : α} {tail : List α} {head_1 : α} {tail_1 : List α} :
    List.cons head tail = List.cons head_1 tail_1 → head = head_1 ∧ tail = tail_1 :=
  fun h => And.intro
    (@congrArg (List α) α (List.cons head tail) (List.cons head_1 tail_1)
      (fun l => List.rec (motive := fun _ => α) head (fun a _ _ => a) l) h)
    (@congrArg (List α) (List α) (List.cons head tail) (List.cons head_1 tail_1)
      (fun l => List.rec (motive := fun _ => List α) tail (fun _ t _ => t) l) h)

@[simp] theorem List.cons.injEq {α : Type u} (head : α) (tail : List α) (head_1 : α) (tail_1 : List α) :
    (List.cons head tail = List.cons head_1 tail_1) = (head = head_1 ∧ tail = tail_1) :=
  propext (Iff.intro List.cons.inj (fun h => congr (congrArg List.cons h.left) h.right))
