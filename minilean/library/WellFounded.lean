/- Well-founded relations and recursion along them; sizes of data, by which functions are seen to terminate. -/

universe u v w

/-- Marks the argument of a recursive function while its measure is looked for. -/
def wfParam {α : Sort u} (a : α) : α := a

/-- `x` is accessible: every descending chain from `x` ends. -/
inductive Acc {α : Sort u} (r : α → α → Prop) : α → Prop where
  | intro (x : α) (h : (y : α) → r y x → Acc r y) : Acc r x

theorem Acc.inv {α : Sort u} {r : α → α → Prop} {x y : α} (h₁ : Acc r x) (h₂ : r y x) : Acc r y :=
  Acc.rec (motive := fun x _ => ∀ y, r y x → Acc r y) (fun _ h _ => h) h₁ y h₂

/-- Every element is accessible. -/
inductive WellFounded {α : Sort u} (r : α → α → Prop) : Prop where
  | intro (h : ∀ a, Acc r a) : WellFounded r

/-- Types with a standard well-founded relation. -/
class WellFoundedRelation (α : Sort u) : Sort (max 1 u) where
  rel : α → α → Prop
  wf : WellFounded rel

namespace WellFounded

theorem apply {α : Sort u} {r : α → α → Prop} (wf : WellFounded r) (a : α) : Acc r a :=
  WellFounded.rec (motive := fun _ => ∀ a, Acc r a) (fun h => h) wf a

section
variable {α : Sort u} {r : α → α → Prop}

noncomputable def fixF {C : α → Sort v} (F : ∀ x, (∀ y, r y x → C y) → C x) (x : α) (a : Acc r x) : C x :=
  Acc.rec (motive := fun x _ => C x) (fun x _ ih => F x ih) a

theorem fixF_eq {C : α → Sort v} (F : ∀ x, (∀ y, r y x → C y) → C x) (x : α) (acx : Acc r x) :
    fixF F x acx = F x (fun (y : α) (p : r y x) => fixF F y (Acc.inv acx p)) :=
  Acc.rec (motive := fun x a => fixF F x a = F x (fun y p => fixF F y (Acc.inv a p))) (fun _ _ _ => rfl) acx

/-- The function that `F` computes from its values at smaller arguments. -/
noncomputable def fix {α : Sort u} {C : α → Sort v} {r : α → α → Prop} (hwf : WellFounded r)
    (F : ∀ x, (∀ y, r y x → C y) → C x) (x : α) : C x :=
  fixF F x (apply hwf x)

theorem fix_eq {α : Sort u} {C : α → Sort v} {r : α → α → Prop} (hwf : WellFounded r)
    (F : ∀ x, (∀ y, r y x → C y) → C x) (x : α) :
    fix hwf F x = F x (fun y _ => fix hwf F y) :=
  fixF_eq F x (apply hwf x)

noncomputable def recursion (hwf : WellFounded r) {C : α → Sort v} (a : α)
    (h : ∀ x, (∀ y, r y x → C y) → C x) : C a :=
  fixF h a (apply hwf a)

theorem induction (hwf : WellFounded r) {C : α → Prop} (a : α) (h : ∀ x, (∀ y, r y x → C y) → C x) : C a :=
  recursion hwf a h

end

attribute [irreducible] fix

end WellFounded

theorem WellFoundedRelation.asymmetric {α : Sort u} [h : WellFoundedRelation α] {a b : α} :
    WellFoundedRelation.rel a b → ¬ WellFoundedRelation.rel b a :=
  fun ha hb => WellFounded.induction (C := fun a => ∀ b, h.rel a b → h.rel b a → False) h.wf a
    (fun x ih y hxy hyx => ih y hyx x hyx hxy) b ha hb

theorem WellFounded.irrefl {α : Sort u} {r : α → α → Prop} (wf : WellFounded r) (a : α) : ¬ r a a :=
  fun h => WellFounded.induction (C := fun x => r x x → False) wf a (fun x ih hx => ih x hx hx) h

/- Relations made from others -/

def emptyRelation {α : Sort u} (_ _ : α) : Prop := False

theorem emptyRelation.wf {α : Sort u} : WellFounded (emptyRelation (α := α)) :=
  ⟨fun a => Acc.intro (r := emptyRelation) a (fun _ h => False.elim h)⟩

def emptyWf {α : Sort u} : WellFoundedRelation α := ⟨emptyRelation, emptyRelation.wf⟩

/-- A relation contained in a well-founded one. -/
abbrev Subrelation {α : Sort u} (q r : α → α → Prop) : Prop := ∀ {x y}, q x y → r x y

namespace Subrelation
variable {α : Sort u} {r q : α → α → Prop}

theorem accessible {a : α} (h₁ : Subrelation q r) (ac : Acc r a) : Acc q a :=
  Acc.rec (motive := fun a _ => Acc q a) (fun x _ ih => Acc.intro x (fun y h => ih y (h₁ h))) ac

theorem wf (h₁ : Subrelation q r) (h₂ : WellFounded r) : WellFounded q :=
  ⟨fun a => accessible (@h₁) (h₂.apply a)⟩

end Subrelation

/-- The relation between the values of `f`. -/
def InvImage {α : Sort u} {β : Sort v} (r : β → β → Prop) (f : α → β) : α → α → Prop :=
  fun a₁ a₂ => r (f a₁) (f a₂)

namespace InvImage
variable {α : Sort u} {β : Sort v} {r : β → β → Prop}

theorem accessible {a : α} (f : α → β) (ac : Acc r (f a)) : Acc (InvImage r f) a :=
  Acc.rec (motive := fun b _ => ∀ a, f a = b → Acc (InvImage r f) a)
    (fun _ _ ih a e => Acc.intro a (fun y h => ih (f y) (e ▸ h) y rfl)) ac a rfl

theorem wf (f : α → β) (h : WellFounded r) : WellFounded (InvImage r f) :=
  ⟨fun a => accessible f (h.apply (f a))⟩

end InvImage

@[reducible] def invImage {α : Sort u} {β : Sort v} (f : α → β) (h : WellFoundedRelation β) : WellFoundedRelation α where
  rel := InvImage h.rel f
  wf := InvImage.wf f h.wf

/-- `y` is reached from `x` in one or more steps. -/
inductive Relation.TransGen {α : Sort u} (r : α → α → Prop) : α → α → Prop where
  | single {a b : α} : r a b → TransGen r a b
  | tail {a b c : α} : TransGen r a b → r b c → TransGen r a c

namespace Relation.TransGen

theorem trans {α : Sort u} {r : α → α → Prop} {a b c : α} (hab : TransGen r a b) (hbc : TransGen r b c) :
    TransGen r a c := by
  induction hbc with
  | single h => exact tail hab h
  | tail _ h ih => exact tail ih h

end Relation.TransGen

theorem Acc.transGen {α : Sort u} {r : α → α → Prop} {a : α} (h : Acc r a) : Acc (Relation.TransGen r) a := by
  induction h with
  | intro x _ ih =>
    apply Acc.intro
    intro y hy
    cases hy with
    | single h => exact ih y h
    | tail h' h => exact Acc.inv (ih _ h) h'

theorem WellFounded.transGen {α : Sort u} {r : α → α → Prop} (h : WellFounded r) :
    WellFounded (Relation.TransGen r) :=
  ⟨fun a => (h.apply a).transGen⟩

/- Numbers -/

theorem Nat.lt_acc (n : Nat) : Acc (fun a b : Nat => a < b) n := by
  induction n with
  | zero => exact Acc.intro 0 (fun y h => absurd h (Nat.not_lt_zero y))
  | succ n ih =>
    apply Acc.intro
    intro y h
    cases Nat.lt_or_eq_of_le (Nat.le_of_lt_succ h) with
    | inl h' => exact ih.inv h'
    | inr e => subst e; exact ih

def Nat.lt_wfRel : WellFoundedRelation Nat where
  rel := fun a b => a < b
  wf := ⟨Nat.lt_acc⟩

@[reducible] def measure {α : Sort u} (f : α → Nat) : WellFoundedRelation α :=
  invImage f Nat.lt_wfRel

/- Sizes -/

/-- A size of data: that of a constructor is one more than the sum of the sizes of its fields. -/
class SizeOf (α : Sort u) : Sort (max 1 u) where
  sizeOf : α → Nat

export SizeOf (sizeOf)

/-- The size of data of which nothing is known. -/
protected def default.sizeOf (α : Sort u) : α → Nat := fun _ => 0

instance (priority := low) instSizeOfDefault (α : Sort u) : SizeOf α := ⟨default.sizeOf α⟩

@[simp] theorem sizeOf_default {α : Sort u} (n : α) : sizeOf n = 0 := rfl

instance instSizeOfNat : SizeOf Nat := ⟨fun n => n⟩

@[simp] theorem sizeOf_nat (n : Nat) : sizeOf n = n := rfl

instance instSizeOfForallUnit {α : Sort u} [SizeOf α] : SizeOf (Unit → α) := ⟨fun f => sizeOf (f ())⟩

@[simp] theorem sizeOf_thunk {α : Sort u} [SizeOf α] (f : Unit → α) : sizeOf f = sizeOf (f ()) := rfl

/-- The size of a text: core's depends on its bytes, so that nothing is known of it here. -/
opaque String._sizeOf_1 : String → Nat

instance String._sizeOf_inst : SizeOf String := ⟨String._sizeOf_1⟩

@[reducible] def sizeOfWFRel {α : Sort u} [SizeOf α] : WellFoundedRelation α := measure sizeOf

instance (priority := low) instWellFoundedRelationOfSizeOf {α : Sort u} [SizeOf α] : WellFoundedRelation α :=
  sizeOfWFRel

/- Lexicographic orders -/

/-- The first components decrease, or they are equal and the second ones decrease. -/
inductive Prod.Lex {α : Type u} {β : Type v} (ra : α → α → Prop) (rb : β → β → Prop) : α × β → α × β → Prop where
  | left {a₁ : α} (b₁ : β) {a₂ : α} (b₂ : β) (h : ra a₁ a₂) : Lex ra rb (a₁, b₁) (a₂, b₂)
  | right (a : α) {b₁ b₂ : β} (h : rb b₁ b₂) : Lex ra rb (a, b₁) (a, b₂)

namespace Prod

section
variable {α : Type u} {β : Type v} {ra : α → α → Prop} {rb : β → β → Prop}

theorem lex_def {p q : α × β} : Prod.Lex ra rb p q ↔ ra p.1 q.1 ∨ p.1 = q.1 ∧ rb p.2 q.2 := by
  constructor
  · intro h
    cases h with
    | left _ _ h => exact Or.inl h
    | right _ h => exact Or.inr ⟨rfl, h⟩
  · intro h
    cases p with
    | mk a b =>
      cases q with
      | mk c d =>
        cases h with
        | inl h => exact Prod.Lex.left b d h
        | inr h =>
          have e : a = c := h.1
          subst e
          exact Prod.Lex.right a h.2

theorem lexAccessible {a : α} (aca : Acc ra a) (acb : ∀ b, Acc rb b) (b : β) : Acc (Prod.Lex ra rb) (a, b) := by
  induction aca generalizing b with
  | intro xa _ iha =>
    induction acb b with
    | intro xb _ ihb =>
      apply Acc.intro
      intro p lt
      cases p with
      | mk c d =>
        cases lex_def.mp lt with
        | inl h => exact iha c h d
        | inr h =>
          have e : c = xa := h.1
          subst e
          exact ihb d h.2

end

@[reducible] def lex {α : Type u} {β : Type v} (ha : WellFoundedRelation α) (hb : WellFoundedRelation β) :
    WellFoundedRelation (α × β) where
  rel := Prod.Lex ha.rel hb.rel
  wf := ⟨fun p => Prod.rec (motive := fun p => Acc (Prod.Lex ha.rel hb.rel) p)
    (fun a b => lexAccessible (ha.wf.apply a) hb.wf.apply b) p⟩

instance instWellFoundedRelation {α : Type u} {β : Type v} [ha : WellFoundedRelation α] [hb : WellFoundedRelation β] :
    WellFoundedRelation (α × β) :=
  lex ha hb

end Prod

/- Sizes of the library's types -/

def List._sizeOf_1 {α : Type u} [SizeOf α] : List α → Nat
  | [] => 1
  | a :: as => 1 + sizeOf a + List._sizeOf_1 as

instance List._sizeOf_inst {α : Type u} [SizeOf α] : SizeOf (List α) := ⟨List._sizeOf_1⟩

@[simp] theorem List.nil.sizeOf_spec {α : Type u} [SizeOf α] : sizeOf ([] : List α) = 1 := rfl

@[simp] theorem List.cons.sizeOf_spec {α : Type u} [SizeOf α] (head : α) (tail : List α) :
    sizeOf (head :: tail) = 1 + sizeOf head + sizeOf tail := rfl

instance Option._sizeOf_inst {α : Type u} [SizeOf α] : SizeOf (Option α) :=
  ⟨fun | none => 1 | some a => 1 + sizeOf a⟩

@[simp] theorem Option.none.sizeOf_spec {α : Type u} [SizeOf α] : sizeOf (none : Option α) = 1 := rfl

@[simp] theorem Option.some.sizeOf_spec {α : Type u} [SizeOf α] (val : α) : sizeOf (some val) = 1 + sizeOf val := rfl

instance Prod._sizeOf_inst {α : Type u} {β : Type v} [SizeOf α] [SizeOf β] : SizeOf (α × β) :=
  ⟨fun p => 1 + sizeOf p.1 + sizeOf p.2⟩

@[simp] theorem Prod.mk.sizeOf_spec {α : Type u} {β : Type v} [SizeOf α] [SizeOf β] (fst : α) (snd : β) :
    sizeOf (fst, snd) = 1 + sizeOf fst + sizeOf snd := rfl

/- Recursion along a measure: unlike `WellFounded.fix` it computes where the measure is a numeral -/

/-- The number itself; it unfolds only where the number is a numeral. -/
def WellFounded.Nat.eager (n : Nat) : Nat := if Nat.beq n n = true then n else n

theorem WellFounded.Nat.eager_eq (n : Nat) : WellFounded.Nat.eager n = n := ite_self n

section

variable {α : Sort u} {motive : α → Sort v} (h : α → Nat)
  (F : (x : α) → ((y : α) → InvImage (fun a b : Nat => a < b) h y x → motive y) → motive x)

/-- The function whose value at `x` is `F x` of its values where the measure is smaller, by recursion on a bound. -/
def WellFounded.Nat.fix.go : (fuel : Nat) → (x : α) → h x < fuel → motive x
  | 0, x, small => (Nat.not_lt_zero (h x) small).elim
  | n + 1, x, small => F x fun y less => WellFounded.Nat.fix.go n y (Nat.lt_of_lt_of_le less (Nat.le_of_lt_succ small))

/-- The function whose value at `x` is `F x` of its values where the measure is smaller. -/
def WellFounded.Nat.fix (x : α) : motive x :=
  WellFounded.Nat.fix.go h F (WellFounded.Nat.eager (h x + 1)) x
    (Eq.mpr (congrArg (fun n => h x < n) (WellFounded.Nat.eager_eq (h x + 1))) (Nat.lt_add_one (h x)))

theorem WellFounded.Nat.fix.go_congr : ∀ (m n : Nat) (x : α) (hm : h x < m) (hn : h x < n),
    WellFounded.Nat.fix.go h F m x hm = WellFounded.Nat.fix.go h F n x hn
  | 0, _, x, hm, _ => (Nat.not_lt_zero (h x) hm).elim
  | _ + 1, 0, x, _, hn => (Nat.not_lt_zero (h x) hn).elim
  | m + 1, n + 1, x, hm, hn => congrArg (F x) (funext fun y => funext fun less =>
      WellFounded.Nat.fix.go_congr m n y (Nat.lt_of_lt_of_le less (Nat.le_of_lt_succ hm))
        (Nat.lt_of_lt_of_le less (Nat.le_of_lt_succ hn)))

theorem WellFounded.Nat.fix_eq (x : α) :
    WellFounded.Nat.fix h F x = F x (fun y _ => WellFounded.Nat.fix h F y) := by
  have step : ∀ (n : Nat) (hn : h x < n), WellFounded.Nat.fix.go h F n x hn =
      F x (fun y _ => WellFounded.Nat.fix h F y) := by
    intro n hn
    cases n with
    | zero => exact (Nat.not_lt_zero (h x) hn).elim
    | succ n => exact congrArg (F x) (funext fun y => funext fun less => WellFounded.Nat.fix.go_congr h F _ _ y _ _)
  exact step _ _

end

/-- The value itself, which no unfolding shows. -/
opaque Lean.opaqueId {α : Sort u} (x : α) : α := x
