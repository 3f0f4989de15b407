/- Functions, pairs, sums, subtypes, dependent pairs. -/

universe u v w x

variable {α : Type u} {β : Type v} {γ : Type w}

/- Functions -/

theorem Function.comp_assoc {α : Sort u} {β : Sort v} {γ : Sort w} {δ : Sort u} (f : γ → δ) (g : β → γ)
    (h : α → β) : (f ∘ g) ∘ h = f ∘ g ∘ h := rfl

@[simp] theorem Function.comp_const {α : Sort u} {β : Sort v} {γ : Sort w} {f : β → γ} {b : β} :
    f ∘ Function.const α b = Function.const α (f b) := rfl

@[simp] theorem Function.const_comp {α : Sort u} {β : Sort v} {γ : Sort w} {f : α → β} {c : γ} :
    Function.const β c ∘ f = Function.const α c := rfl

@[simp] theorem Function.true_comp {α : Sort u} {f : α → Bool} : ((fun _ => true) ∘ f) = fun _ => true := rfl

namespace Function

/-- The function of two arguments that a function of pairs is. -/
def curry (f : α × β → γ) : α → β → γ := fun a b => f (a, b)

/-- The function of pairs that a function of two arguments is. -/
def uncurry (f : α → β → γ) : α × β → γ := fun a => f a.1 a.2

@[simp] theorem curry_uncurry (f : α → β → γ) : curry (uncurry f) = f := rfl

@[simp] theorem uncurry_curry (f : α × β → γ) : uncurry (curry f) = f := rfl

@[simp] theorem uncurry_apply_pair (f : α → β → γ) (x : α) (y : β) : uncurry f (x, y) = f x y := rfl

@[simp] theorem curry_apply (f : α × β → γ) (x : α) (y : β) : curry f x y = f (x, y) := rfl

section
variable {α : Sort u} {β : Sort v} {φ : Sort w}

/-- Different arguments have different values. -/
def Injective (f : α → β) : Prop := ∀ ⦃a₁ a₂⦄, f a₁ = f a₂ → a₁ = a₂

theorem Injective.comp {g : β → φ} {f : α → β} (hg : Injective g) (hf : Injective f) : Injective (g ∘ f) :=
  fun _ _ h => hf (hg h)

/-- Everything is a value. -/
def Surjective (f : α → β) : Prop := ∀ b, ∃ a, f a = b

theorem Surjective.comp {g : β → φ} {f : α → β} (hg : Surjective g) (hf : Surjective f) : Surjective (g ∘ f) :=
  fun c => Exists.elim (hg c) (fun b hb => Exists.elim (hf b) (fun a ha => ⟨a, (congrArg g ha).trans hb⟩))

/-- `g` undoes `f`. -/
def LeftInverse (g : β → α) (f : α → β) : Prop := ∀ x, g (f x) = x

/-- Some function undoes `f`. -/
def HasLeftInverse (f : α → β) : Prop := ∃ finv : β → α, LeftInverse finv f

/-- `f` undoes `g`. -/
def RightInverse (g : β → α) (f : α → β) : Prop := LeftInverse f g

/-- `f` undoes some function. -/
def HasRightInverse (f : α → β) : Prop := ∃ finv : β → α, RightInverse finv f

theorem LeftInverse.injective {g : β → α} {f : α → β} : LeftInverse g f → Injective f :=
  fun h a b e => (h a).symm.trans ((congrArg g e).trans (h b))

theorem HasLeftInverse.injective {f : α → β} : HasLeftInverse f → Injective f :=
  fun h => Exists.elim h (fun _ inv => inv.injective)

theorem RightInverse.surjective {f : α → β} {g : β → α} (h : RightInverse g f) : Surjective f :=
  fun y => ⟨g y, h y⟩

theorem HasRightInverse.surjective {f : α → β} : HasRightInverse f → Surjective f :=
  fun h => Exists.elim h (fun _ inv => inv.surjective)

theorem rightInverse_of_injective_of_leftInverse {f : α → β} {g : β → α} (injf : Injective f)
    (lfg : LeftInverse f g) : RightInverse f g :=
  fun x => injf (lfg (f x))

theorem leftInverse_of_surjective_of_rightInverse {f : α → β} {g : β → α} (surjf : Surjective f)
    (rfg : RightInverse f g) : LeftInverse f g :=
  fun y => Exists.elim (surjf y) (fun x hx => by rw [← hx, rfg x])

theorem injective_id : Injective (@id α) := fun _ _ h => h

theorem surjective_id : Surjective (@id α) := fun a => ⟨a, rfl⟩

variable {f : α → β}

theorem Injective.eq_iff (I : Injective f) {a b : α} : f a = f b ↔ a = b := ⟨@I a b, congrArg f⟩

theorem Injective.ne (hf : Injective f) {a₁ a₂ : α} : a₁ ≠ a₂ → f a₁ ≠ f a₂ := mt (@hf a₁ a₂)

theorem Injective.ne_iff (hf : Injective f) {x y : α} : f x ≠ f y ↔ x ≠ y := ⟨mt (congrArg f), hf.ne⟩

protected theorem LeftInverse.id {g : β → α} {f : α → β} (h : LeftInverse g f) : g ∘ f = id := funext h

protected theorem RightInverse.id {g : β → α} {f : α → β} (h : RightInverse g f) : f ∘ g = id := funext h

end

end Function

/- Types with at most one element -/

/-- Any two elements are equal. -/
class Subsingleton (α : Sort u) : Prop where
  intro ::
  allEq : (a b : α) → a = b

protected theorem Subsingleton.elim {α : Sort u} [h : Subsingleton α] (a b : α) : a = b := h.allEq a b

instance instSubsingleton (p : Prop) : Subsingleton p := ⟨fun a b => proof_irrel a b⟩

instance instSubsingletonPUnit : Subsingleton PUnit := ⟨fun _ _ => rfl⟩

instance instSubsingletonDecidable (p : Prop) : Subsingleton (Decidable p) :=
  ⟨fun
    | isTrue _, isTrue _ => rfl
    | isFalse _, isFalse _ => rfl
    | isTrue h, isFalse k => absurd h k
    | isFalse h, isTrue k => absurd k h⟩

@[ext] theorem PUnit.ext (a b : PUnit) : a = b := rfl

@[simp] theorem PUnit.eq_punit (a : PUnit) : a = PUnit.unit := rfl

/-- Anything follows from an element of the empty type. -/
def Empty.elim {C : Sort u} (a : Empty) : C := Empty.rec (motive := fun _ => C) a

instance instDecidableEqEmpty : DecidableEq Empty := fun a => a.elim

/- Pairs -/

@[ext (iff := false)] theorem Prod.ext {p q : Prod α β} (fst : p.fst = q.fst) (snd : p.snd = q.snd) : p = q := by
  cases p with
  | mk a b =>
    cases q with
    | mk c d =>
      have h : a = c := fst
      have k : b = d := snd
      rw [h, k]

theorem Prod.ext_iff {p q : Prod α β} : p = q ↔ p.fst = q.fst ∧ p.snd = q.snd :=
  ⟨fun h => by rw [h]; exact ⟨rfl, rfl⟩, fun h => Prod.ext h.left h.right⟩

@[simp] theorem Prod.mk.eta {p : Prod α β} : (p.fst, p.snd) = p := rfl

/-- Swaps the parts of a pair. -/
def Prod.swap : Prod α β → Prod β α := fun p => (p.snd, p.fst)

@[simp] theorem Prod.swap_swap (p : Prod α β) : p.swap.swap = p := rfl

@[simp] theorem Prod.fst_swap {p : Prod α β} : p.swap.fst = p.snd := rfl

@[simp] theorem Prod.snd_swap {p : Prod α β} : p.swap.snd = p.fst := rfl

/-- A function for each part of a pair. -/
def Prod.map {α₁ : Type u} {α₂ : Type v} {β₁ : Type w} {β₂ : Type x} (f : α₁ → α₂) (g : β₁ → β₂) (p : α₁ × β₁) :
    α₂ × β₂ := (f p.fst, g p.snd)

@[simp] theorem Prod.map_apply {α₁ : Type u} {α₂ : Type v} {β₁ : Type w} {β₂ : Type x} (f : α₁ → α₂) (g : β₁ → β₂)
    (x : α₁) (y : β₁) : Prod.map f g (x, y) = (f x, g y) := rfl

@[simp] theorem Prod.map_fst {α₁ : Type u} {α₂ : Type v} {β₁ : Type w} {β₂ : Type x} (f : α₁ → α₂) (g : β₁ → β₂)
    (x : α₁ × β₁) : (Prod.map f g x).1 = f x.1 := rfl

@[simp] theorem Prod.map_snd {α₁ : Type u} {α₂ : Type v} {β₁ : Type w} {β₂ : Type x} (f : α₁ → α₂) (g : β₁ → β₂)
    (x : α₁ × β₁) : (Prod.map f g x).2 = g x.2 := rfl

@[simp] theorem Prod.map_id : Prod.map (@id α) (@id β) = id := rfl

@[simp] theorem Prod.forall {p : α × β → Prop} : (∀ x, p x) ↔ ∀ a b, p (a, b) :=
  ⟨fun h a b => h (a, b), fun h ⟨a, b⟩ => h a b⟩

@[simp] theorem Prod.exists {p : α × β → Prop} : (∃ x, p x) ↔ ∃ a b, p (a, b) :=
  ⟨fun ⟨⟨a, b⟩, h⟩ => ⟨a, b, h⟩, fun ⟨a, b, h⟩ => ⟨(a, b), h⟩⟩

theorem Prod.eq_iff_fst_eq_snd_eq : ∀ {p q : α × β}, p = q ↔ p.1 = q.1 ∧ p.2 = q.2 := Prod.ext_iff

instance instInhabitedProd [Inhabited α] [Inhabited β] : Inhabited (Prod α β) := ⟨(default, default)⟩

instance instDecidableEqProd [DecidableEq α] [DecidableEq β] : DecidableEq (Prod α β) :=
  fun p q => match decEq p.fst q.fst, decEq p.snd q.snd with
    | isTrue h, isTrue k => isTrue (Prod.ext h k)
    | isFalse h, _ => isFalse (fun e => h (by rw [e]))
    | isTrue _, isFalse k => isFalse (fun e => k (by rw [e]))

/- Sums -/

namespace Sum

/-- A function for each case. -/
protected def elim {α : Type u} {β : Type v} {γ : Sort w} (f : α → γ) (g : β → γ) : α ⊕ β → γ
  | inl a => f a
  | inr b => g b

@[simp] theorem elim_inl {γ : Sort w} (f : α → γ) (g : β → γ) (x : α) : Sum.elim f g (inl x) = f x := rfl

@[simp] theorem elim_inr {γ : Sort w} (f : α → γ) (g : β → γ) (x : β) : Sum.elim f g (inr x) = g x := rfl

/-- A function for each case, into a sum again. -/
protected def map {α' : Type w} {β' : Type x} (f : α → α') (g : β → β') : α ⊕ β → α' ⊕ β' :=
  Sum.elim (fun a => inl (f a)) (fun b => inr (g b))

@[simp] theorem map_inl {α' : Type w} {β' : Type x} (f : α → α') (g : β → β') (x : α) :
    (inl x).map f g = inl (f x) := rfl

@[simp] theorem map_inr {α' : Type w} {β' : Type x} (f : α → α') (g : β → β') (x : β) :
    (inr x).map f g = inr (g x) := rfl

/-- The other side. -/
def swap : α ⊕ β → β ⊕ α := Sum.elim inr inl

@[simp] theorem swap_inl {x : α} : swap (inl x : α ⊕ β) = inr x := rfl

@[simp] theorem swap_inr {x : β} : swap (inr x : α ⊕ β) = inl x := rfl

@[simp] theorem swap_swap (x : α ⊕ β) : swap (swap x) = x := by cases x <;> rfl

/-- Whether it is on the left. -/
def isLeft : α ⊕ β → Bool
  | inl _ => true
  | inr _ => false

/-- Whether it is on the right. -/
def isRight : α ⊕ β → Bool
  | inl _ => false
  | inr _ => true

@[simp] theorem isLeft_inl {x : α} : (inl x : α ⊕ β).isLeft = true := rfl

@[simp] theorem isLeft_inr {x : β} : (inr x : α ⊕ β).isLeft = false := rfl

@[simp] theorem isRight_inl {x : α} : (inl x : α ⊕ β).isRight = false := rfl

@[simp] theorem isRight_inr {x : β} : (inr x : α ⊕ β).isRight = true := rfl

/-- What is on the left, if it is there. -/
def getLeft? : α ⊕ β → Option α
  | inl a => some a
  | inr _ => none

/-- What is on the right, if it is there. -/
def getRight? : α ⊕ β → Option β
  | inl _ => none
  | inr b => some b

@[simp] theorem getLeft?_inl {x : α} : (inl x : α ⊕ β).getLeft? = some x := rfl

@[simp] theorem getLeft?_inr {x : β} : (inr x : α ⊕ β).getLeft? = none := rfl

@[simp] theorem getRight?_inl {x : α} : (inl x : α ⊕ β).getRight? = none := rfl

@[simp] theorem getRight?_inr {x : β} : (inr x : α ⊕ β).getRight? = some x := rfl

protected theorem «forall» {p : α ⊕ β → Prop} : (∀ x, p x) ↔ (∀ a, p (inl a)) ∧ ∀ b, p (inr b) :=
  ⟨fun h => ⟨fun a => h (inl a), fun b => h (inr b)⟩, fun ⟨h, k⟩ x => by cases x; exact h _; exact k _⟩

protected theorem «exists» {p : α ⊕ β → Prop} : (∃ x, p x) ↔ (∃ a, p (inl a)) ∨ ∃ b, p (inr b) :=
  ⟨fun
    | ⟨inl a, h⟩ => Or.inl ⟨a, h⟩
    | ⟨inr b, h⟩ => Or.inr ⟨b, h⟩,
   fun
    | Or.inl ⟨a, h⟩ => ⟨inl a, h⟩
    | Or.inr ⟨b, h⟩ => ⟨inr b, h⟩⟩

end Sum

instance instInhabitedSum [Inhabited α] : Inhabited (α ⊕ β) := ⟨Sum.inl default⟩

instance instDecidableEqSum [DecidableEq α] [DecidableEq β] : DecidableEq (α ⊕ β) :=
  fun a b => match a, b with
    | Sum.inl x, Sum.inl y => match decEq x y with
      | isTrue h => isTrue (by rw [h])
      | isFalse h => isFalse (fun e => h (Sum.inl.inj e))
    | Sum.inr x, Sum.inr y => match decEq x y with
      | isTrue h => isTrue (by rw [h])
      | isFalse h => isFalse (fun e => h (Sum.inr.inj e))
    | Sum.inl _, Sum.inr _ => isFalse (fun e => nomatch e)
    | Sum.inr _, Sum.inl _ => isFalse (fun e => nomatch e)

/- Subtypes and dependent pairs -/

namespace Subtype

variable {α : Sort u} {p : α → Prop}

@[simp] theorem eta (a : Subtype p) (h : p a.val) : Subtype.mk a.val h = a := rfl

@[simp] protected theorem «forall» {q : Subtype p → Prop} : (∀ x, q x) ↔ ∀ a b, q ⟨a, b⟩ :=
  ⟨fun h a b => h ⟨a, b⟩, fun h ⟨a, b⟩ => h a b⟩

@[simp] protected theorem «exists» {q : Subtype p → Prop} : (∃ x, q x) ↔ ∃ a b, q ⟨a, b⟩ :=
  ⟨fun ⟨⟨a, b⟩, h⟩ => ⟨a, b, h⟩, fun ⟨a, b, h⟩ => ⟨⟨a, b⟩, h⟩⟩

end Subtype

theorem Subtype.eq {α : Sort u} {p : α → Prop} {a1 a2 : Subtype p} (h : a1.val = a2.val) : a1 = a2 := by
  cases a1 with
  | mk a ha =>
    cases a2 with
    | mk b hb =>
      have e : a = b := h
      subst e
      rfl

/-- Dependent pairs, written `(a : α) × β a`. -/
structure Sigma {α : Type u} (β : α → Type v) : Type (max u v) where
  fst : α
  snd : β fst

/-- Dependent pairs of any sorts. -/
structure PSigma {α : Sort u} (β : α → Sort v) : Sort (max 1 u v) where
  fst : α
  snd : β fst

attribute [pp_using_anonymous_constructor] Sigma PSigma

@[ext (iff := false)] protected theorem Subtype.ext {α : Sort u} {p : α → Prop} {a1 a2 : Subtype p} (h : a1.val = a2.val) : a1 = a2 :=
  Subtype.eq h

protected theorem Subtype.ext_iff {α : Sort u} {p : α → Prop} {a1 a2 : Subtype p} : a1 = a2 ↔ a1.val = a2.val :=
  ⟨congrArg Subtype.val, Subtype.eq⟩

instance Subtype.instDecidableEq {α : Type u} {p : α → Prop} [DecidableEq α] : DecidableEq (Subtype p) :=
  fun a b => match decEq a.val b.val with
    | isTrue h => isTrue (Subtype.eq h)
    | isFalse h => isFalse (fun e => h (congrArg Subtype.val e))

theorem Sigma.eta {β : α → Type v} (p : Sigma β) : Sigma.mk p.1 p.2 = p := rfl

@[ext] theorem Sigma.ext {β : α → Type v} {x y : Sigma β} (fst : x.fst = y.fst) (snd : HEq x.snd y.snd) : x = y := by
  cases x with
  | mk a b =>
    cases y with
    | mk c d =>
      have e : a = c := fst
      subst e
      have h : b = d := eq_of_heq snd
      rw [h]
