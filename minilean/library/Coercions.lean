/- Coercions: classes that the elaborator asks when a term has another type than it should have -/
universe u v w

/-- Marks an argument that should be found before the others. -/
@[reducible] def semiOutParam (α : Sort u) : Sort u := α

/-- A coercion from `α` to `β`. -/
class Coe (α : semiOutParam (Sort u)) (β : Sort v) : Sort (max 1 u v) where
  coe : α → β

/-- A coercion from `α` to `β` that is tried last. -/
class CoeTail (α : semiOutParam (Sort u)) (β : Sort v) : Sort (max 1 u v) where
  coe : α → β

/-- A coercion from `α` to `β` that is tried first. -/
class CoeHead (α : Sort u) (β : semiOutParam (Sort v)) : Sort (max 1 u v) where
  coe : α → β

/-- A coercion from `α` to `β` where `β` is found from `α`. -/
class CoeOut (α : Sort u) (β : semiOutParam (Sort v)) : Sort (max 1 u v) where
  coe : α → β

/-- A coercion of the one term `a`. -/
class CoeDep (α : Sort u) (a : α) (β : Sort v) : Sort (max 1 v) where
  coe : β

/-- A coercion to functions. -/
class CoeFun (α : Sort u) (γ : outParam (α → Sort v)) : Sort (max 1 u v) where
  coe : (f : α) → γ f

/-- A coercion to types. -/
class CoeSort (α : Sort u) (β : outParam (Sort v)) : Sort (max 1 u v) where
  coe : α → β

/- Chains of coercions: `CoeHead`, then `CoeOut`s, then `Coe`s, then `CoeTail` -/

/-- `Coe`, once or more. -/
class CoeTC (α : Sort u) (β : Sort v) : Sort (max 1 u v) where
  coe : α → β

instance instCoeTC {β : Sort v} {γ : Sort w} {α : Sort u} [Coe β γ] [CoeTC α β] : CoeTC α γ :=
  ⟨fun a => Coe.coe (CoeTC.coe a : β)⟩

instance instCoeTC_1 {α : Sort u} {β : Sort v} [Coe α β] : CoeTC α β := ⟨fun a => Coe.coe a⟩

/-- `CoeOut` any number of times, then `Coe` any number of times. -/
class CoeOTC (α : Sort u) (β : Sort v) : Sort (max 1 u v) where
  coe : α → β

instance instCoeOTC {α : Sort u} {β : Sort v} {γ : Sort w} [CoeOut α β] [CoeOTC β γ] : CoeOTC α γ :=
  ⟨fun a => CoeOTC.coe (CoeOut.coe a : β)⟩

instance instCoeOTC_1 {α : Sort u} {β : Sort v} [CoeTC α β] : CoeOTC α β := ⟨fun a => CoeTC.coe a⟩

instance instCoeOTC_2 {α : Sort u} : CoeOTC α α := ⟨fun a => a⟩

/-- `CoeHead` at most once, then `CoeOTC`. -/
class CoeHTC (α : Sort u) (β : Sort v) : Sort (max 1 u v) where
  coe : α → β

instance instCoeHTC {α : Sort u} {β : Sort v} {γ : Sort w} [CoeHead α β] [CoeOTC β γ] : CoeHTC α γ :=
  ⟨fun a => CoeOTC.coe (CoeHead.coe a : β)⟩

instance instCoeHTC_1 {α : Sort u} {β : Sort v} [CoeOTC α β] : CoeHTC α β := ⟨fun a => CoeOTC.coe a⟩

instance instCoeHTC_2 {α : Sort u} : CoeHTC α α := ⟨fun a => a⟩

/-- `CoeHTC`, then `CoeTail` at most once. -/
class CoeHTCT (α : Sort u) (β : Sort v) : Sort (max 1 u v) where
  coe : α → β

instance instCoeHTCT {β : Sort v} {γ : Sort w} {α : Sort u} [CoeTail β γ] [CoeHTC α β] : CoeHTCT α γ :=
  ⟨fun a => CoeTail.coe (CoeHTC.coe a : β)⟩

instance instCoeHTCT_1 {α : Sort u} {β : Sort v} [CoeHTC α β] : CoeHTCT α β := ⟨fun a => CoeHTC.coe a⟩

instance instCoeHTCT_2 {α : Sort u} : CoeHTCT α α := ⟨fun a => a⟩

/-- A coercion of the one term `a`, by any chain. -/
class CoeT (α : Sort u) (a : α) (β : Sort v) : Sort (max 1 v) where
  coe : β

instance instCoeT {α : Sort u} {β : Sort v} {a : α} [CoeHTCT α β] : CoeT α a β := ⟨CoeHTCT.coe a⟩

instance instCoeT_1 {α : Sort u} {β : Sort v} {a : α} [CoeDep α a β] : CoeT α a β := ⟨CoeDep.coe a⟩

instance instCoeT_2 {α : Sort u} {a : α} : CoeT α a α := ⟨a⟩

attribute [coe_decl] Coe.coe CoeTC.coe CoeOut.coe CoeOTC.coe CoeHead.coe CoeHTC.coe CoeTail.coe CoeHTCT.coe CoeDep.coe
  CoeT.coe CoeFun.coe CoeSort.coe instCoeTC instCoeTC_1 instCoeOTC instCoeOTC_1 instCoeOTC_2 instCoeHTC instCoeHTC_1
  instCoeHTC_2 instCoeHTCT instCoeHTCT_1 instCoeHTCT_2 instCoeT instCoeT_1 instCoeT_2

/- Coercions of truth values -/

@[coe_decl] instance boolToProp : Coe Bool Prop := ⟨fun b => b = true⟩

@[coe_decl] instance boolToSort : CoeSort Bool Prop := ⟨fun b => b = true⟩

@[coe_decl] instance decPropToBool {p : Prop} [Decidable p] : CoeDep Prop p Bool := ⟨decide p⟩

attribute [coe] Subtype.val

instance subtypeCoe {α : Sort v} {p : α → Prop} : CoeOut (Subtype p) α := ⟨fun v => v.val⟩

instance Pi.instInhabited {α : Sort u} {β : α → Sort v} [(a : α) → Inhabited (β a)] : Inhabited ((a : α) → β a) :=
  ⟨fun _ => default⟩

/- Equivalence relations -/

/-- Reflexive, symmetric and transitive. -/
structure Equivalence {α : Sort u} (r : α → α → Prop) : Prop where
  refl : ∀ x, r x x
  symm : ∀ {x y}, r x y → r y x
  trans : ∀ {x y z}, r x y → r y z → r x z

/-- `a ≈ b`. -/
class HasEquiv (α : Sort u) : Sort (max u (v + 1)) where
  Equiv : α → α → Sort v

/-- A type with an equivalence relation. -/
class Setoid (α : Sort u) : Sort (max 1 u) where
  r : α → α → Prop
  iseqv : Equivalence r

instance instHasEquivOfSetoid {α : Sort u} [Setoid α] : HasEquiv.{u, 0} α := ⟨Setoid.r⟩

theorem Setoid.refl {α : Sort u} [Setoid α] (a : α) : a ≈ a := (Setoid.iseqv (α := α)).refl a

theorem Setoid.symm {α : Sort u} [Setoid α] {a b : α} (hab : a ≈ b) : b ≈ a :=
  (Setoid.iseqv (α := α)).symm hab

theorem Setoid.trans {α : Sort u} [Setoid α] {a b c : α} (hab : a ≈ b) (hbc : b ≈ c) : a ≈ c :=
  (Setoid.iseqv (α := α)).trans hab hbc

/-- The type of the classes of a setoid. -/
def Quotient {α : Sort u} (s : Setoid α) : Sort u := @Quot α Setoid.r

protected def Quotient.mk {α : Sort u} (s : Setoid α) (a : α) : Quotient s := Quot.mk Setoid.r a

protected def Quotient.mk' {α : Sort u} [s : Setoid α] (a : α) : Quotient s := Quotient.mk s a

theorem Quotient.sound {α : Sort u} {s : Setoid α} {a b : α} (h : a ≈ b) : Quotient.mk s a = Quotient.mk s b :=
  Quot.sound h

protected abbrev Quotient.lift {α : Sort u} {β : Sort v} {s : Setoid α} (f : α → β)
    (h : ∀ (a b : α), a ≈ b → f a = f b) (q : Quotient s) : β :=
  Quot.lift f h q

protected theorem Quotient.ind {α : Sort u} {s : Setoid α} {motive : Quotient s → Prop}
    (h : (a : α) → motive (Quotient.mk s a)) (q : Quotient s) : motive q :=
  Quot.ind h q

protected abbrev Quot.liftOn {α : Sort u} {β : Sort v} {r : α → α → Prop} (q : Quot r) (f : α → β)
    (c : (a b : α) → r a b → f a = f b) : β :=
  Quot.lift f c q

theorem Quotient.exists_rep {α : Sort u} {s : Setoid α} (q : Quotient s) : ∃ a, Quotient.mk s a = q :=
  Quot.ind (β := fun q => ∃ a, Quotient.mk s a = q) (fun a => ⟨a, rfl⟩) q
