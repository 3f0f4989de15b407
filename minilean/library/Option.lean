/- Options: a value or nothing. -/

universe u v w

variable {α : Type u} {β : Type v} {γ : Type w}

namespace Option

@[simp] theorem some_ne_none (a : α) : some a ≠ none := nofun

/-- Whether there is a value. -/
def isSome : Option α → Bool
  | some _ => true
  | none => false

/-- Whether there is no value. -/
def isNone : Option α → Bool
  | some _ => false
  | none => true

/-- The value, or a default. -/
def getD (opt : Option α) (dflt : α) : α :=
  match opt with
  | some x => x
  | none => dflt

/-- The value of an option that has one. -/
def get : (o : Option α) → o.isSome = true → α
  | some x, _ => x
  | none, h => absurd h Bool.false_ne_true

/-- The value, or the default of the type. -/
def get! [Inhabited α] : Option α → α
  | some x => x
  | none => default

/-- The function applied to the value, if there is one. -/
protected def map (f : α → β) : (o : Option α) → Option β
  | some x => some (f x)
  | none => none

/-- The function, which may fail, applied to the value. -/
protected def bind : (o : Option α) → (f : α → Option β) → Option β
  | none, _ => none
  | some a, f => f a

/-- The value, if it passes a test. -/
protected def filter (p : α → Bool) : Option α → Option α
  | some a => if p a = true then some a else none
  | none => none

/-- Whether the value, if there is one, passes a test. -/
protected def all (p : α → Bool) : Option α → Bool
  | some a => p a
  | none => true

/-- Whether there is a value and it passes a test. -/
protected def any (p : α → Bool) : Option α → Bool
  | some a => p a
  | none => false

/-- The first one that has a value. -/
def or : Option α → Option α → Option α
  | some a, _ => some a
  | none, b => b

/-- The first one that has a value; the second is only computed where it is needed. -/
protected def orElse : Option α → (Unit → Option α) → Option α
  | some a, _ => some a
  | none, b => b ()

/-- A function applied to the value, or a default. -/
protected def elim {α : Type u} {β : Sort v} : Option α → β → (α → β) → β
  | some x, _, f => f x
  | none, y, _ => y

/-- An option of an option as one option. -/
@[simp] def join (x : Option (Option α)) : Option α := x.bind id

/-- The list of the values: none or one. -/
def toList : Option α → List α
  | none => List.nil
  | some a => List.cons a List.nil

instance _root_.optionCoe : Coe α (Option α) := ⟨some⟩

instance : Membership α (Option α) := ⟨fun b a => b = some a⟩

@[simp] theorem mem_def {a : α} {b : Option α} : a ∈ b ↔ b = some a := Iff.rfl

@[simp] theorem isSome_none : (none : Option α).isSome = false := rfl

@[simp] theorem isSome_some {a : α} : (some a).isSome = true := rfl

@[simp] theorem isNone_none : (none : Option α).isNone = true := rfl

@[simp] theorem isNone_some {a : α} : (some a).isNone = false := rfl

@[simp] theorem map_none (f : α → β) : none.map f = none := rfl

@[simp] theorem map_some (a : α) (f : α → β) : (some a).map f = some (f a) := rfl

@[simp] theorem bind_none (f : α → Option β) : none.bind f = none := rfl

@[simp] theorem bind_some (a : α) (f : α → Option β) : (some a).bind f = f a := rfl

@[simp] theorem getD_none {a : α} : (none : Option α).getD a = a := rfl

@[simp] theorem getD_some {a b : α} : (some a).getD b = a := rfl

@[simp] theorem get_some (x : α) (h : (some x).isSome = true) : (some x).get h = x := rfl

@[simp] theorem some_get {x : Option α} (h : x.isSome = true) : some (x.get h) = x := by
  cases x with
  | none => exact absurd h Bool.false_ne_true
  | some a => rfl

@[simp] theorem get!_none [Inhabited α] : (none : Option α).get! = default := rfl

@[simp] theorem get!_some [Inhabited α] {a : α} : (some a).get! = a := rfl

@[simp] theorem all_none {p : α → Bool} : Option.all p none = true := rfl

@[simp] theorem all_some {p : α → Bool} {x : α} : Option.all p (some x) = p x := rfl

@[simp] theorem any_none {p : α → Bool} : Option.any p none = false := rfl

@[simp] theorem any_some {p : α → Bool} {x : α} : Option.any p (some x) = p x := rfl

@[simp] theorem filter_none (p : α → Bool) : none.filter p = none := rfl

theorem filter_some {p : α → Bool} {a : α} : Option.filter p (some a) = if p a = true then some a else none := rfl

@[simp] theorem or_some {a : α} {o : Option α} : (some a).or o = some a := rfl

@[simp] theorem none_or {o : Option α} : none.or o = o := rfl

@[simp] theorem or_none {o : Option α} : o.or none = o := by cases o <;> rfl

@[simp] theorem or_self {o : Option α} : o.or o = o := by cases o <;> rfl

theorem or_assoc {o₁ o₂ o₃ : Option α} : (o₁.or o₂).or o₃ = o₁.or (o₂.or o₃) := by cases o₁ <;> rfl

@[simp] theorem or_eq_none_iff {o o' : Option α} : o.or o' = none ↔ o = none ∧ o' = none := by
  cases o with
  | none => exact ⟨fun h => ⟨rfl, h⟩, fun h => h.right⟩
  | some a => exact ⟨nofun, fun h => h.left⟩

@[simp] theorem isSome_or {o o' : Option α} : (o.or o').isSome = (o.isSome || o'.isSome) := by cases o <;> rfl

@[simp] theorem elim_none {β : Sort v} (x : β) (f : α → β) : Option.elim none x f = x := rfl

@[simp] theorem elim_some {β : Sort v} (x : β) (f : α → β) (a : α) : (some a).elim x f = f a := rfl

@[simp] theorem join_none : (none : Option (Option α)).join = none := rfl

@[simp] theorem join_some {o : Option α} : (some o).join = o := rfl

@[simp] theorem toList_none : (none : Option α).toList = [] := rfl

@[simp] theorem toList_some {a : α} : (some a).toList = [a] := rfl

theorem some_inj {a b : α} : some a = some b ↔ a = b := Iff.of_eq (some.injEq a b)

@[ext] theorem ext {o₁ o₂ : Option α} (h : ∀ a, o₁ = some a ↔ o₂ = some a) : o₁ = o₂ := by
  cases o₁ with
  | none =>
    cases o₂ with
    | none => rfl
    | some b => exact (h b).mpr rfl
  | some a => exact ((h a).mp rfl).symm

theorem eq_none_or_eq_some (a : Option α) : a = none ∨ ∃ x, a = some x := by
  cases a with
  | none => exact Or.inl rfl
  | some x => exact Or.inr ⟨x, rfl⟩

theorem mem_some_self (a : α) : a ∈ some a := rfl

@[simp] theorem not_mem_none (a : α) : ¬a ∈ (none : Option α) := nofun

theorem ne_none_iff_exists {o : Option α} : o ≠ none ↔ ∃ x, some x = o := by
  cases o with
  | none => exact ⟨fun h => absurd rfl h, nofun⟩
  | some a => exact ⟨fun _ => ⟨a, rfl⟩, fun _ => some_ne_none a⟩

theorem ne_none_iff_exists' {o : Option α} : o ≠ none ↔ ∃ x, o = some x :=
  ne_none_iff_exists.trans (exists_congr (fun _ => eq_comm))

theorem eq_none_iff_forall_ne_some {o : Option α} : o = none ↔ ∀ a, o ≠ some a := by
  cases o with
  | none => exact ⟨fun _ _ => nofun, fun _ => rfl⟩
  | some a => exact ⟨nofun, fun h => absurd rfl (h a)⟩

theorem isSome_iff_exists {x : Option α} : x.isSome = true ↔ ∃ a, x = some a := by
  cases x with
  | none => exact ⟨nofun, nofun⟩
  | some a => exact ⟨fun _ => ⟨a, rfl⟩, fun _ => rfl⟩

theorem isSome_iff_ne_none {o : Option α} : o.isSome = true ↔ o ≠ none := by
  rw [isSome_iff_exists, ne_none_iff_exists']

theorem ne_none_iff_isSome {o : Option α} : o ≠ none ↔ o.isSome = true := isSome_iff_ne_none.symm

theorem not_isSome_iff_eq_none {o : Option α} : ¬o.isSome = true ↔ o = none := by
  rw [isSome_iff_ne_none]
  exact Classical.not_not

theorem isSome_of_eq_some {x : Option α} {y : α} (h : x = some y) : x.isSome = true := by rw [h]; rfl

@[simp] theorem isNone_iff_eq_none {o : Option α} : o.isNone = true ↔ o = none := by
  cases o with
  | none => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | some a => exact ⟨nofun, nofun⟩

@[simp] theorem isSome_eq_false_iff {a : Option α} : a.isSome = false ↔ a.isNone = true := by
  cases a
  · exact ⟨fun _ => rfl, fun _ => rfl⟩
  · exact ⟨nofun, nofun⟩

@[simp] theorem isNone_eq_false_iff {a : Option α} : a.isNone = false ↔ a.isSome = true := by
  cases a
  · exact ⟨nofun, nofun⟩
  · exact ⟨fun _ => rfl, fun _ => rfl⟩

@[simp] theorem not_isSome (a : Option α) : (!a.isSome) = a.isNone := by cases a <;> rfl

@[simp] theorem not_isNone (a : Option α) : (!a.isNone) = a.isSome := by cases a <;> rfl

theorem eq_some_of_isSome {o : Option α} (h : o.isSome = true) : o = some (o.get h) := (some_get h).symm

theorem get_of_eq_some {a : α} {o : Option α} (h : o.isSome = true) (e : o = some a) : o.get h = a :=
  some.inj ((some_get h).trans e)

theorem getD_of_ne_none {x : Option α} (hx : x ≠ none) (y : α) : some (x.getD y) = x := by
  cases x with
  | none => exact absurd rfl hx
  | some a => rfl

theorem getD_eq_iff {o : Option α} {a b : α} : o.getD a = b ↔ (o = some b ∨ o = none ∧ a = b) := by
  cases o with
  | none => exact ⟨fun h => Or.inr ⟨rfl, h⟩, fun h => Or.elim h nofun And.right⟩
  | some c => exact ⟨fun h => Or.inl (congrArg some h), fun h => Or.elim h some.inj nofun⟩

@[simp] theorem bind_fun_some (x : Option α) : x.bind some = x := by cases x <;> rfl

@[simp] theorem bind_fun_none (x : Option α) : x.bind (fun _ => (none : Option β)) = none := by cases x <;> rfl

theorem bind_eq_some_iff {x : Option α} {f : α → Option β} {b : β} :
    x.bind f = some b ↔ ∃ a, x = some a ∧ f a = some b := by
  cases x with
  | none => exact ⟨nofun, fun ⟨_, e, _⟩ => absurd e.symm (some_ne_none _)⟩
  | some a => exact ⟨fun h => ⟨a, rfl, h⟩, fun ⟨c, e, h⟩ => by rw [some.inj e]; exact h⟩

@[simp] theorem bind_eq_none_iff {o : Option α} {f : α → Option β} :
    o.bind f = none ↔ ∀ a, o = some a → f a = none := by
  cases o with
  | none => exact ⟨fun _ _ => nofun, fun _ => rfl⟩
  | some a => exact ⟨fun h c e => by rw [← some.inj e]; exact h, fun h => h a rfl⟩

theorem bind_assoc (x : Option α) (f : α → Option β) (g : β → Option γ) :
    (x.bind f).bind g = x.bind (fun y => (f y).bind g) := by cases x <;> rfl

theorem bind_id_eq_join {x : Option (Option α)} : x.bind id = x.join := rfl

@[simp] theorem map_eq_some_iff {x : Option α} {f : α → β} {b : β} : x.map f = some b ↔ ∃ a, x = some a ∧ f a = b := by
  cases x with
  | none => exact ⟨nofun, fun ⟨_, e, _⟩ => absurd e.symm (some_ne_none _)⟩
  | some a => exact ⟨fun h => ⟨a, rfl, some.inj h⟩, fun ⟨c, e, h⟩ => by rw [e, ← h]; rfl⟩

@[simp] theorem map_eq_none_iff {x : Option α} {f : α → β} : x.map f = none ↔ x = none := by
  cases x with
  | none => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | some a => exact ⟨nofun, nofun⟩

@[simp] theorem isSome_map {x : Option α} {f : α → β} : (x.map f).isSome = x.isSome := by cases x <;> rfl

@[simp] theorem isNone_map {x : Option α} {f : α → β} : (x.map f).isNone = x.isNone := by cases x <;> rfl

theorem map_eq_bind {x : Option α} {f : α → β} : x.map f = x.bind (some ∘ f) := by cases x <;> rfl

@[simp] theorem map_id : (Option.map id : Option α → Option α) = id := funext (fun o => by cases o <;> rfl)

@[simp] theorem map_id_fun : Option.map (id : α → α) = id := map_id

theorem map_id' {x : Option α} : (x.map fun a => a) = x := congrFun map_id x

@[simp] theorem map_id_fun' : Option.map (fun (a : α) => a) = id := map_id

@[simp] theorem map_map (h : β → γ) (g : α → β) (x : Option α) : (x.map g).map h = x.map (h ∘ g) := by
  cases x <;> rfl

theorem comp_map (h : β → γ) (g : α → β) (x : Option α) : x.map (h ∘ g) = (x.map g).map h := (map_map h g x).symm

@[simp] theorem map_comp_map (f : α → β) (g : β → γ) : Option.map g ∘ Option.map f = Option.map (g ∘ f) :=
  funext (fun x => map_map g f x)

@[simp] theorem get_map {f : α → β} {o : Option α} {h : (o.map f).isSome = true} :
    (o.map f).get h = f (o.get (isSome_map.symm.trans h)) := by
  cases o with
  | none => exact absurd h Bool.false_ne_true
  | some a => rfl

theorem getD_map (f : α → β) (x : α) (o : Option α) : (o.map f).getD (f x) = f (o.getD x) := by cases o <;> rfl

@[simp] theorem filter_eq_none_iff {o : Option α} {p : α → Bool} :
    o.filter p = none ↔ ∀ a, o = some a → ¬p a = true := by
  cases o with
  | none => exact ⟨fun _ _ => nofun, fun _ => rfl⟩
  | some a =>
    rw [filter_some]
    by_cases h : p a = true
    · rw [if_pos h]
      exact ⟨nofun, fun k => absurd h (k a rfl)⟩
    · rw [if_neg h]
      exact ⟨fun _ c e => by rw [← some.inj e]; exact h, fun _ => rfl⟩

@[simp] theorem filter_eq_some_iff {o : Option α} {p : α → Bool} {a : α} :
    o.filter p = some a ↔ o = some a ∧ p a = true := by
  cases o with
  | none => exact ⟨nofun, nofun⟩
  | some b =>
    rw [filter_some]
    by_cases h : p b = true
    · rw [if_pos h]
      exact ⟨fun e => ⟨e, by rw [← some.inj e]; exact h⟩, And.left⟩
    · rw [if_neg h]
      exact ⟨nofun, fun k => absurd (by rw [some.inj k.left]; exact k.right) h⟩

theorem get_eq_getD {fallback : α} (o : Option α) {h : o.isSome = true} : o.get h = o.getD fallback := by
  cases o with
  | none => exact absurd h Bool.false_ne_true
  | some a => rfl

protected theorem «forall» {p : Option α → Prop} : (∀ x, p x) ↔ p none ∧ ∀ x, p (some x) :=
  ⟨fun h => ⟨h none, fun x => h (some x)⟩, fun ⟨h, k⟩ x => by cases x; exact h; exact k _⟩

protected theorem «exists» {p : Option α → Prop} : (∃ x, p x) ↔ p none ∨ ∃ x, p (some x) :=
  ⟨fun
    | ⟨none, h⟩ => Or.inl h
    | ⟨some x, h⟩ => Or.inr ⟨x, h⟩,
   fun
    | Or.inl h => ⟨none, h⟩
    | Or.inr ⟨x, h⟩ => ⟨some x, h⟩⟩

end Option

instance instInhabitedOption : Inhabited (Option α) := ⟨none⟩

instance instDecidableEqOption [DecidableEq α] : DecidableEq (Option α) :=
  fun a b => match a, b with
    | none, none => isTrue rfl
    | none, some _ => isFalse nofun
    | some _, none => isFalse nofun
    | some x, some y => match decEq x y with
      | isTrue h => isTrue (by rw [h])
      | isFalse h => isFalse (fun e => h (Option.some.inj e))
