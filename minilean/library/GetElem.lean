/- Elements at places: `xs[i]`, `xs[i]?`, `xs[i]!`. -/

universe u v w

variable {α : Type u} {β : Type v}

/-- What `xs[i]!` is where there is no such element. -/
def outOfBounds [Inhabited α] : α := default

theorem outOfBounds_eq_default [Inhabited α] : (outOfBounds : α) = default := rfl

/-- `xs[i]`: the element of a collection at a place that there is. -/
class GetElem (coll : Type u) (idx : Type v) (elem : outParam (Type w))
    (valid : outParam (coll → idx → Prop)) where
  getElem (xs : coll) (i : idx) (h : valid xs i) : elem

export GetElem (getElem)

/-- `xs[i]?` and `xs[i]!`: the element at a place, if there is one. -/
class GetElem? (coll : Type u) (idx : Type v) (elem : outParam (Type w))
    (valid : outParam (coll → idx → Prop)) extends GetElem coll idx elem valid where
  getElem? : coll → idx → Option elem
  getElem! [Inhabited elem] (xs : coll) (i : idx) : elem :=
    match getElem? xs i with
    | some e => e
    | none => outOfBounds

export GetElem? (getElem? getElem!)

section

variable {coll : Type u} {idx : Type v} {elem : Type w} {valid : coll → idx → Prop}

/-- `xs[i]?` where it can be decided whether there is such a place. -/
abbrev decidableGetElem? [GetElem coll idx elem valid] (xs : coll) (i : idx) [Decidable (valid xs i)] :
    Option elem :=
  if h : valid xs i then some (xs[i]'h) else none

instance (priority := low) instGetElem?OfGetElemOfDecidable [GetElem coll idx elem valid]
    [∀ xs i, Decidable (valid xs i)] : GetElem? coll idx elem valid where
  getElem? xs i := decidableGetElem? xs i

end

/-- That `xs[i]?` and `xs[i]!` agree with `xs[i]`. -/
class LawfulGetElem (cont : Type u) (idx : Type v) (elem : outParam (Type w))
    (dom : outParam (cont → idx → Prop)) [ge : GetElem? cont idx elem dom] : Prop where
  getElem?_def (c : cont) (i : idx) [Decidable (dom c i)] :
    c[i]? = if h : dom c i then some (c[i]'h) else none
  getElem!_def [Inhabited elem] (c : cont) (i : idx) :
    c[i]! = match c[i]? with | some e => e | none => default

export LawfulGetElem (getElem?_def getElem!_def)

section

variable {cont : Type u} {idx : Type v} {elem : Type w} {dom : cont → idx → Prop}

theorem getElem?_pos [GetElem? cont idx elem dom] [LawfulGetElem cont idx elem dom]
    (c : cont) (i : idx) (h : dom c i) : c[i]? = some (c[i]'h) := by
  have : Decidable (dom c i) := .isTrue h
  rw [LawfulGetElem.getElem?_def]
  exact dif_pos h

theorem getElem?_neg [GetElem? cont idx elem dom] [LawfulGetElem cont idx elem dom]
    (c : cont) (i : idx) (h : ¬dom c i) : c[i]? = none := by
  have : Decidable (dom c i) := .isFalse h
  rw [LawfulGetElem.getElem?_def]
  exact dif_neg h

theorem getElem!_pos [GetElem? cont idx elem dom] [LawfulGetElem cont idx elem dom]
    [Inhabited elem] (c : cont) (i : idx) (h : dom c i) : c[i]! = c[i]'h := by
  rw [LawfulGetElem.getElem!_def, getElem?_pos c i h]

theorem getElem!_neg [GetElem? cont idx elem dom] [LawfulGetElem cont idx elem dom]
    [Inhabited elem] (c : cont) (i : idx) (h : ¬dom c i) : c[i]! = default := by
  rw [LawfulGetElem.getElem!_def, getElem?_neg c i h]

end

namespace Fin

variable {n : Nat}

section

variable {cont : Type u} {elem : Type w} {dom : cont → Nat → Prop}

instance instGetElemFinVal [GetElem cont Nat elem dom] : GetElem cont (Fin n) elem fun xs i => dom xs i.val where
  getElem xs i h := GetElem.getElem xs i.1 h

instance instGetElem?FinVal [GetElem? cont Nat elem dom] : GetElem? cont (Fin n) elem fun xs i => dom xs i.val where
  getElem? xs i := xs[i.val]?
  getElem! xs i := xs[i.val]!

end

variable {Cont : Type u} {Elem : Type w} {Dom : Cont → Nat → Prop}

@[simp] theorem getElem_fin [GetElem Cont Nat Elem Dom] (a : Cont) (i : Fin n) (h : Dom a i.val) :
    a[i]'h = a[i.1]'h := rfl

@[simp] theorem getElem?_fin [h : GetElem? Cont Nat Elem Dom] (a : Cont) (i : Fin n) : a[i]? = a[i.1]? := rfl

@[simp] theorem getElem!_fin [GetElem? Cont Nat Elem Dom] (a : Cont) (i : Fin n) [Inhabited Elem] :
    a[i]! = a[i.1]! := rfl

end Fin

namespace List

/-- The element at a place, or the default of the type. -/
def get!Internal [Inhabited α] : (as : List α) → (i : Nat) → α
  | a :: _, 0 => a
  | _ :: as, n + 1 => get!Internal as n
  | [], _ => default

instance instGetElemNatLtLength : GetElem (List α) Nat α fun as i => i < as.length where
  getElem as i h := as.get ⟨i, h⟩

instance instGetElem?NatLtLength : GetElem? (List α) Nat α fun as i => i < as.length where
  getElem? as i := as.get?Internal i
  getElem! as i := as.get!Internal i

@[simp] theorem getElem_cons_zero (a : α) (as : List α) (h : 0 < (a :: as).length) : (a :: as)[0] = a := rfl

@[simp] theorem getElem_cons_succ (a : α) (as : List α) (i : Nat) (h : i + 1 < (a :: as).length) :
    (a :: as)[i + 1]'h = as[i]'(Nat.lt_of_succ_lt_succ h) := rfl

@[simp] theorem getElem?_nil {i : Nat} : ([] : List α)[i]? = none := by cases i <;> rfl

theorem getElem?_cons_zero {a : α} {l : List α} : (a :: l)[0]? = some a := rfl

@[simp] theorem getElem?_cons_succ {a : α} {l : List α} {i : Nat} : (a :: l)[i + 1]? = l[i]? := rfl

@[simp] theorem get_eq_getElem {l : List α} {i : Fin l.length} : l.get i = l[i.1]'i.2 := rfl

@[simp] theorem getElem?_eq_getElem {l : List α} {i : Nat} (h : i < l.length) : l[i]? = some (l[i]'h) := by
  induction l generalizing i with
  | nil => exact absurd h (Nat.not_lt_zero i)
  | cons a l ih =>
    cases i with
    | zero => rfl
    | succ i => exact ih (Nat.lt_of_succ_lt_succ h)

@[simp] theorem getElem?_eq_none {l : List α} {i : Nat} (h : l.length ≤ i) : l[i]? = none := by
  induction l generalizing i with
  | nil => exact getElem?_nil
  | cons a l ih =>
    cases i with
    | zero => exact absurd h (Nat.not_succ_le_zero _)
    | succ i => exact ih (Nat.le_of_succ_le_succ h)

@[simp] theorem getElem?_eq_none_iff {l : List α} {i : Nat} : l[i]? = none ↔ l.length ≤ i := by
  constructor
  · intro h
    apply Nat.le_of_not_lt
    intro h'
    rw [getElem?_eq_getElem h'] at h
    exact Option.some_ne_none _ h
  · exact getElem?_eq_none

instance instLawfulGetElemNatLtLength : LawfulGetElem (List α) Nat α fun as i => i < as.length where
  getElem?_def l i _ := by
    split
    · next h => exact getElem?_eq_getElem h
    · next h => exact getElem?_eq_none (Nat.le_of_not_lt h)
  getElem!_def l i := by
    induction l generalizing i with
    | nil => cases i <;> rfl
    | cons a l ih =>
      cases i with
      | zero => rfl
      | succ i => exact ih i

theorem getElem?_eq_some_iff {l : List α} {i : Nat} {a : α} :
    l[i]? = some a ↔ ∃ h : i < l.length, l[i]'h = a := by
  constructor
  · intro h
    have hi : i < l.length := by
      apply Nat.lt_of_not_le
      intro h'
      rw [getElem?_eq_none h'] at h
      exact Option.some_ne_none _ h.symm
    exact ⟨hi, Option.some.inj ((getElem?_eq_getElem hi).symm.trans h)⟩
  · intro ⟨hi, h⟩
    rw [getElem?_eq_getElem hi, h]

@[simp] theorem getElem_mem : ∀ {l : List α} {n : Nat} (h : n < l.length), l[n]'h ∈ l
  | _ :: _, 0, _ => Mem.head _
  | _ :: l, n + 1, h => Mem.tail _ (getElem_mem (l := l) (Nat.lt_of_succ_lt_succ h))

theorem getElem_of_mem {a : α} {l : List α} (h : a ∈ l) : ∃ (i : Nat) (h : i < l.length), l[i]'h = a := by
  induction h with
  | head as => exact ⟨0, Nat.zero_lt_succ _, rfl⟩
  | tail b _ ih =>
    have ⟨i, hi, e⟩ := ih
    exact ⟨i + 1, Nat.succ_lt_succ hi, e⟩

theorem mem_iff_getElem {a : α} {l : List α} : a ∈ l ↔ ∃ (i : Nat) (h : i < l.length), l[i]'h = a := by
  constructor
  · exact getElem_of_mem
  · intro ⟨i, hi, e⟩
    exact e ▸ getElem_mem hi

@[simp] theorem getElem?_map {f : α → β} {l : List α} {i : Nat} : (l.map f)[i]? = l[i]?.map f := by
  induction l generalizing i with
  | nil => cases i <;> rfl
  | cons a l ih =>
    cases i with
    | zero => rfl
    | succ i => exact ih

@[simp] theorem getElem_map (f : α → β) {l : List α} {i : Nat} {h : i < (l.map f).length} :
    (l.map f)[i]'h = f (l[i]'(Nat.lt_of_lt_of_eq h (length_map f))) := by
  induction l generalizing i with
  | nil => exact absurd h (Nat.not_lt_zero i)
  | cons a l ih =>
    cases i with
    | zero => rfl
    | succ i => exact ih (h := Nat.lt_of_succ_lt_succ h)

theorem getElem_append_left {as bs : List α} {i : Nat} (h : i < as.length) {h' : i < (as ++ bs).length} :
    (as ++ bs)[i]'h' = as[i]'h := by
  induction as generalizing i with
  | nil => exact absurd h (Nat.not_lt_zero i)
  | cons a as ih =>
    cases i with
    | zero => rfl
    | succ i => exact ih (Nat.lt_of_succ_lt_succ h)

theorem getElem?_append_left {as bs : List α} {i : Nat} (h : i < as.length) : (as ++ bs)[i]? = as[i]? := by
  induction as generalizing i with
  | nil => exact absurd h (Nat.not_lt_zero i)
  | cons a as ih =>
    cases i with
    | zero => rfl
    | succ i => exact ih (Nat.lt_of_succ_lt_succ h)

theorem getElem?_append_right {as bs : List α} {i : Nat} (h : as.length ≤ i) :
    (as ++ bs)[i]? = bs[i - as.length]? := by
  induction as generalizing i with
  | nil => rfl
  | cons a as ih =>
    cases i with
    | zero => exact absurd h (Nat.not_succ_le_zero _)
    | succ i =>
      rw [length_cons, Nat.succ_sub_succ]
      exact ih (Nat.le_of_succ_le_succ h)

@[ext] theorem ext_getElem? {l₁ l₂ : List α} (h : ∀ i : Nat, l₁[i]? = l₂[i]?) : l₁ = l₂ := by
  induction l₁ generalizing l₂ with
  | nil =>
    cases l₂ with
    | nil => rfl
    | cons b l₂ => exact absurd (h 0).symm (Option.some_ne_none _)
  | cons a l₁ ih =>
    cases l₂ with
    | nil => exact absurd (h 0) (Option.some_ne_none _)
    | cons b l₂ =>
      have e : a = b := Option.some.inj (h 0)
      rw [e, ih fun i => h (i + 1)]

theorem ext_getElem {l₁ l₂ : List α} (hl : l₁.length = l₂.length)
    (h : ∀ (i : Nat) (h₁ : i < l₁.length) (h₂ : i < l₂.length), l₁[i]'h₁ = l₂[i]'h₂) : l₁ = l₂ := by
  apply ext_getElem?
  intro i
  cases Nat.lt_or_ge i l₁.length with
  | inl h₁ =>
    have h₂ : i < l₂.length := hl ▸ h₁
    rw [getElem?_eq_getElem h₁, getElem?_eq_getElem h₂, h i h₁ h₂]
  | inr h₁ => rw [getElem?_eq_none h₁, getElem?_eq_none (hl ▸ h₁)]

end List
