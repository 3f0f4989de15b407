/- Pairs, options, sums, functions, truth values, `Fin`: small facts about data. -/

universe u v w

variable {α : Type u} {β : Type v} {γ : Type w}

/- Functions -/

theorem Function.comp_assoc {α : Sort u} {β : Sort v} {γ : Sort w} {δ : Sort u} (f : γ → δ) (g : β → γ)
    (h : α → β) : (f ∘ g) ∘ h = f ∘ g ∘ h := rfl

/- Pairs -/

theorem Prod.ext {p q : Prod α β} (fst : p.fst = q.fst) (snd : p.snd = q.snd) : p = q := by
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

instance instInhabitedProd [Inhabited α] [Inhabited β] : Inhabited (Prod α β) := ⟨(default, default)⟩

instance instDecidableEqProd [DecidableEq α] [DecidableEq β] : DecidableEq (Prod α β) :=
  fun p q => match decEq p.fst q.fst, decEq p.snd q.snd with
    | isTrue h, isTrue k => isTrue (Prod.ext h k)
    | isFalse h, _ => isFalse (fun e => h (by rw [e]))
    | isTrue _, isFalse k => isFalse (fun e => k (by rw [e]))

/- Options -/

@[simp] theorem Option.some_ne_none (a : α) : some a ≠ none := by
  intro h
  cases h

/-- Whether there is a value. -/
def Option.isSome : Option α → Bool
  | some _ => true
  | none => false

/-- Whether there is no value. -/
def Option.isNone : Option α → Bool
  | some _ => false
  | none => true

/-- The value, or a default. -/
def Option.getD (opt : Option α) (dflt : α) : α :=
  match opt with
  | some x => x
  | none => dflt

/-- The function applied to the value, if there is one. -/
protected def Option.map (f : α → β) : (o : Option α) → Option β
  | some x => some (f x)
  | none => none

/-- The function, which may fail, applied to the value. -/
protected def Option.bind : (o : Option α) → (f : α → Option β) → Option β
  | none, _ => none
  | some a, f => f a

@[simp] theorem Option.isSome_none : (none : Option α).isSome = false := rfl

@[simp] theorem Option.isSome_some {a : α} : (some a).isSome = true := rfl

@[simp] theorem Option.isNone_none : (none : Option α).isNone = true := rfl

@[simp] theorem Option.isNone_some {a : α} : (some a).isNone = false := rfl

@[simp] theorem Option.map_none (f : α → β) : Option.map f none = none := rfl

@[simp] theorem Option.map_some (a : α) (f : α → β) : Option.map f (some a) = some (f a) := rfl

@[simp] theorem Option.bind_none (f : α → Option β) : Option.bind none f = none := rfl

@[simp] theorem Option.bind_some (a : α) (f : α → Option β) : Option.bind (some a) f = f a := rfl

@[simp] theorem Option.getD_none {a : α} : (none : Option α).getD a = a := rfl

@[simp] theorem Option.getD_some {a b : α} : (some a).getD b = a := rfl

theorem Option.some_inj {a b : α} : some a = some b ↔ a = b :=
  ⟨Option.some.inj, fun h => by rw [h]⟩

theorem Option.ne_none_iff_exists {o : Option α} : o ≠ none ↔ ∃ x, some x = o := by
  cases o with
  | none => exact ⟨fun h => absurd rfl h, fun ⟨_, h⟩ => absurd h (Option.some_ne_none _)⟩
  | some a => exact ⟨fun _ => ⟨a, rfl⟩, fun _ => Option.some_ne_none a⟩

instance instInhabitedOption : Inhabited (Option α) := ⟨none⟩

instance instDecidableEqOption [DecidableEq α] : DecidableEq (Option α) :=
  fun a b => match a, b with
    | none, none => isTrue rfl
    | none, some _ => isFalse (fun h => Option.some_ne_none _ h.symm)
    | some _, none => isFalse (fun h => Option.some_ne_none _ h)
    | some x, some y => match decEq x y with
      | isTrue h => isTrue (by rw [h])
      | isFalse h => isFalse (fun e => h (Option.some.inj e))

/- Truth values -/

instance instDecidableEqUnit : DecidableEq Unit := fun _ _ => isTrue rfl

instance instInhabitedUnit : Inhabited Unit := ⟨()⟩

/-- `cond b x y` is `x` if `b` is true and `y` if not. -/
def cond {α : Sort u} : (c : Bool) → (x y : α) → α
  | true, x, _ => x
  | false, _, y => y

/-- Exclusive or. -/
def Bool.xor : Bool → Bool → Bool
  | true, b => !b
  | false, b => b

@[simp] theorem cond_true {α : Sort u} {a b : α} : cond true a b = a := rfl

@[simp] theorem cond_false {α : Sort u} {a b : α} : cond false a b = b := rfl

@[simp] theorem Bool.not_true : (!true) = false := rfl

@[simp] theorem Bool.not_false : (!false) = true := rfl

@[simp] theorem Bool.true_and (b : Bool) : (true && b) = b := rfl

@[simp] theorem Bool.false_and (b : Bool) : (false && b) = false := rfl

@[simp] theorem Bool.and_true (b : Bool) : (b && true) = b := by cases b <;> rfl

@[simp] theorem Bool.and_false (b : Bool) : (b && false) = false := by cases b <;> rfl

@[simp] theorem Bool.and_self (b : Bool) : (b && b) = b := by cases b <;> rfl

@[simp] theorem Bool.true_or (b : Bool) : (true || b) = true := rfl

@[simp] theorem Bool.false_or (b : Bool) : (false || b) = b := rfl

@[simp] theorem Bool.or_true (b : Bool) : (b || true) = true := by cases b <;> rfl

@[simp] theorem Bool.or_false (b : Bool) : (b || false) = b := by cases b <;> rfl

@[simp] theorem Bool.or_self (b : Bool) : (b || b) = b := by cases b <;> rfl

instance Bool.instDecidableForallOfDecidablePred (p : Bool → Prop) [inst : DecidablePred p] : Decidable (∀ x, p x) :=
  match inst true, inst false with
  | isFalse h, _ => isFalse (fun k => h (k true))
  | _, isFalse h => isFalse (fun k => h (k false))
  | isTrue h, isTrue k => isTrue (fun x => by cases x; exact k; exact h)

instance Bool.instDecidableExistsOfDecidablePred (p : Bool → Prop) [inst : DecidablePred p] : Decidable (∃ x, p x) :=
  match inst true, inst false with
  | isTrue h, _ => isTrue ⟨true, h⟩
  | _, isTrue h => isTrue ⟨false, h⟩
  | isFalse h, isFalse k => isFalse (fun ⟨x, hx⟩ => by cases x; exact k hx; exact h hx)

theorem Bool.and_comm (x y : Bool) : (x && y) = (y && x) := by cases x <;> cases y <;> rfl

theorem Bool.or_comm (x y : Bool) : (x || y) = (y || x) := by cases x <;> cases y <;> rfl

theorem Bool.and_assoc (x y z : Bool) : (x && y && z) = (x && (y && z)) := by cases x <;> rfl

theorem Bool.or_assoc (x y z : Bool) : (x || y || z) = (x || (y || z)) := by cases x <;> rfl

@[simp] theorem Bool.not_and (x y : Bool) : (!(x && y)) = (!x || !y) := by cases x <;> rfl

@[simp] theorem Bool.not_or (x y : Bool) : (!(x || y)) = (!x && !y) := by cases x <;> rfl

theorem Bool.and_or_distrib_left (x y z : Bool) : (x && (y || z)) = (x && y || x && z) := by
  cases x <;> rfl

theorem Bool.or_and_distrib_left (x y z : Bool) : (x || y && z) = ((x || y) && (x || z)) := by
  cases x <;> rfl

@[simp] theorem Bool.and_not_self (x : Bool) : (x && !x) = false := by cases x <;> rfl

@[simp] theorem Bool.or_not_self (x : Bool) : (x || !x) = true := by cases x <;> rfl

/- Subtypes and dependent pairs -/

theorem Subtype.eq {α : Type u} {p : α → Prop} {a1 a2 : Subtype p} (h : a1.val = a2.val) : a1 = a2 := by
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

/-- Numbers below `n`. -/
structure Fin (n : Nat) : Type where
  val : Nat
  isLt : val < n

theorem Fin.eq_of_val_eq {n : Nat} {i j : Fin n} (h : i.val = j.val) : i = j := by
  cases i with
  | mk a ha =>
    cases j with
    | mk b hb =>
      have e : a = b := h
      subst e
      rfl

theorem Fin.ext {n : Nat} {a b : Fin n} (h : a.val = b.val) : a = b := Fin.eq_of_val_eq h

theorem Fin.val_ne_of_ne {n : Nat} {i j : Fin n} (h : i ≠ j) : i.val ≠ j.val := fun e => h (Fin.eq_of_val_eq e)

instance instLEFin {n : Nat} : LE (Fin n) := ⟨fun a b => a.val ≤ b.val⟩

instance instLTFin {n : Nat} : LT (Fin n) := ⟨fun a b => a.val < b.val⟩

instance instDecidableEqFin (n : Nat) : DecidableEq (Fin n) :=
  fun i j => match decEq i.val j.val with
    | isTrue h => isTrue (Fin.eq_of_val_eq h)
    | isFalse h => isFalse (fun e => h (by rw [e]))

instance Fin.decLt {n : Nat} (a b : Fin n) : Decidable (a < b) := Nat.decLt a.val b.val

instance Fin.decLe {n : Nat} (a b : Fin n) : Decidable (a ≤ b) := Nat.decLe a.val b.val
