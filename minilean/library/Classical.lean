/- Classical reasoning: excluded middle from choice, and what follows from it. -/

universe u v

/-- An element that satisfies `p`, with the proof, from the mere existence of one. -/
noncomputable def Classical.indefiniteDescription {α : Sort u} (p : α → Prop) (h : ∃ x, p x) : Subtype p :=
  Classical.choice (Exists.elim h (fun x px => Nonempty.intro (Subtype.mk x px)))

/-- An element that satisfies `p`, from the mere existence of one. -/
noncomputable def Classical.choose {α : Sort u} {p : α → Prop} (h : ∃ x, p x) : α :=
  Subtype.val (Classical.indefiniteDescription p h)

theorem Classical.choose_spec {α : Sort u} {p : α → Prop} (h : ∃ x, p x) : p (Classical.choose h) :=
  Subtype.property (Classical.indefiniteDescription p h)

/-- Excluded middle, after Diaconescu. Choose one proposition with `x = True ∨ p` and one with
`x = False ∨ p`. Either both equations hold, and the choices differ, or `p` holds. If `p` holds, then the two
conditions are equal, and so are the choices. -/
theorem Classical.em (p : Prop) : p ∨ ¬p :=
  have exU : ∃ x : Prop, x = True ∨ p := Exists.intro True (Or.inl rfl)
  have exV : ∃ x : Prop, x = False ∨ p := Exists.intro False (Or.inl rfl)
  have hu : Classical.choose exU = True ∨ p := Classical.choose_spec exU
  have hv : Classical.choose exV = False ∨ p := Classical.choose_spec exV
  have differ_or : Classical.choose exU ≠ Classical.choose exV ∨ p :=
    Or.elim hu
      (fun hut => Or.elim hv
        (fun hvf => Or.inl (fun e => true_ne_false (Eq.trans (Eq.symm hut) (Eq.trans e hvf))))
        Or.inr)
      Or.inr
  have same_of : p → Classical.choose exU = Classical.choose exV := fun hp =>
    have same_set : (fun (x : Prop) => x = True ∨ p) = (fun (x : Prop) => x = False ∨ p) :=
      funext (fun _ => propext (Iff.intro (fun _ => Or.inr hp) (fun _ => Or.inr hp)))
    have general : ∀ ex : (∃ x : Prop, x = False ∨ p), Classical.choose exU = Classical.choose ex :=
      Eq.subst
        (motive := fun (V : Prop → Prop) =>
          ∀ ex : (∃ x, V x), Classical.choose exU = @Classical.choose Prop V ex)
        same_set (fun _ => rfl)
    general exV
  Or.elim differ_or (fun hne => Or.inr (fun hp => hne (same_of hp))) Or.inl

theorem Classical.exists_true_of_nonempty {α : Sort u} : Nonempty α → ∃ _ : α, True :=
  fun h => Nonempty.elim h (fun x => Exists.intro x True.intro)

/-- Every proposition is decidable, without an algorithm. -/
noncomputable def Classical.propDecidable (a : Prop) : Decidable a :=
  Classical.choice (Or.elim (Classical.em a)
    (fun h => Nonempty.intro (Decidable.isTrue h))
    (fun h => Nonempty.intro (Decidable.isFalse h)))

theorem Classical.axiomOfChoice {α : Sort u} {β : α → Sort v} {r : (x : α) → β x → Prop}
    (h : ∀ x, ∃ y, r x y) : ∃ (f : (x : α) → β x), ∀ x, r x (f x) :=
  Exists.intro (fun x => Classical.choose (h x)) (fun x => Classical.choose_spec (h x))

theorem Classical.skolem {α : Sort u} {b : α → Sort v} {p : (x : α) → b x → Prop} :
    (∀ x, ∃ y, p x y) ↔ ∃ (f : (x : α) → b x), ∀ x, p x (f x) :=
  Iff.intro Classical.axiomOfChoice (fun hex x => Exists.elim hex (fun f hf => Exists.intro (f x) (hf x)))

theorem Classical.propComplete (a : Prop) : a = True ∨ a = False :=
  Or.elim (Classical.em a) (fun ha => Or.inl (eq_true ha)) (fun hn => Or.inr (eq_false hn))

theorem Classical.byCases {p q : Prop} (hpq : p → q) (hnpq : ¬p → q) : q :=
  Or.elim (Classical.em p) hpq hnpq

theorem Classical.byContradiction {p : Prop} (h : ¬p → False) : p :=
  Or.elim (Classical.em p) (fun hp => hp) (fun hn => False.elim (h hn))

@[simp] theorem Classical.not_not {a : Prop} : ¬¬a ↔ a :=
  @Decidable.not_not a (Classical.propDecidable a)

@[simp low] theorem Classical.not_forall {α : Sort u} {p : α → Prop} : (¬∀ x, p x) ↔ ∃ x, ¬p x :=
  @Decidable.not_forall α p (Classical.propDecidable (∃ x, ¬p x)) (fun x => Classical.propDecidable (p x))

theorem Classical.not_forall_not {α : Sort u} {p : α → Prop} : (¬∀ x, ¬p x) ↔ ∃ x, p x :=
  @Decidable.not_forall_not α p (Classical.propDecidable (∃ x, p x))

theorem Classical.not_exists_not {α : Sort u} {p : α → Prop} : (¬∃ x, ¬p x) ↔ ∀ x, p x :=
  @Decidable.not_exists_not α p (fun x => Classical.propDecidable (p x))

theorem Classical.forall_or_exists_not {α : Sort u} (P : α → Prop) : (∀ a, P a) ∨ ∃ a, ¬P a :=
  Or.imp_right Classical.not_forall.mp (Classical.em (∀ a, P a))

theorem Classical.exists_or_forall_not {α : Sort u} (P : α → Prop) : (∃ a, P a) ∨ ∀ a, ¬P a :=
  Or.imp_right not_exists.mp (Classical.em (∃ a, P a))

theorem Classical.or_iff_not_imp_left {a b : Prop} : a ∨ b ↔ (¬a → b) :=
  @Decidable.or_iff_not_imp_left a b (Classical.propDecidable a)

theorem Classical.or_iff_not_imp_right {a b : Prop} : a ∨ b ↔ (¬b → a) :=
  @Decidable.or_iff_not_imp_right b a (Classical.propDecidable b)

theorem Classical.not_imp_iff_and_not {a b : Prop} : ¬(a → b) ↔ a ∧ ¬b :=
  @Decidable.not_imp_iff_and_not a b (Classical.propDecidable a)

theorem Classical.not_and_iff_not_or_not {a b : Prop} : ¬(a ∧ b) ↔ ¬a ∨ ¬b :=
  @Decidable.not_and_iff_not_or_not a b (Classical.propDecidable a)

theorem Classical.not_iff {a b : Prop} : ¬(a ↔ b) ↔ (¬a ↔ b) :=
  @Decidable.not_iff b a (Classical.propDecidable b)

@[simp] theorem Classical.imp_iff_left_iff {b a : Prop} : (b ↔ (a → b)) ↔ a ∨ b :=
  @Decidable.imp_iff_left_iff a b (Classical.propDecidable a)

@[simp] theorem Classical.imp_iff_right_iff {a b : Prop} : ((a → b) ↔ b) ↔ a ∨ b :=
  @Decidable.imp_iff_right_iff a b (Classical.propDecidable a)

@[simp] theorem Classical.and_or_imp {a b c : Prop} : a ∧ b ∨ (a → c) ↔ (a → b ∨ c) :=
  @Decidable.and_or_imp a b c (Classical.propDecidable a)

@[simp] theorem Classical.not_imp {a b : Prop} : ¬(a → b) ↔ a ∧ ¬b :=
  @Decidable.not_imp_iff_and_not a b (Classical.propDecidable a)

@[simp] theorem Classical.imp_and_neg_imp_iff (p : Prop) {q : Prop} : (p → q) ∧ (¬p → q) ↔ q :=
  Iff.intro
    (fun h => Or.elim (Classical.em p) h.left h.right)
    (fun hq => And.intro (fun _ => hq) (fun _ => hq))

/-- The element chosen by `Classical.choose`, for `h.choose`. -/
@[reducible] noncomputable def Exists.choose {α : Sort u} {p : α → Prop} (P : ∃ a, p a) : α :=
  Classical.choose P

theorem Exists.choose_spec {α : Sort u} {p : α → Prop} (P : ∃ a, p a) : p (Exists.choose P) :=
  Classical.choose_spec P

/- Truth values -/

@[simp] theorem Bool.not_eq_true (b : Bool) : (¬(b = Bool.true)) = (b = Bool.false) :=
  propext (Iff.intro Bool.of_not_eq_true ne_true_of_eq_false)

@[simp] theorem Bool.not_eq_false (b : Bool) : (¬(b = Bool.false)) = (b = Bool.true) :=
  propext (Iff.intro Bool.of_not_eq_false ne_false_of_eq_true)

@[simp] theorem Bool.not_not (b : Bool) : Bool.not (Bool.not b) = b :=
  Bool.casesOn (motive := fun b => Bool.not (Bool.not b) = b) b rfl rfl

@[simp] theorem Bool.and_eq_true (a b : Bool) :
    (Bool.and a b = Bool.true) = (a = Bool.true ∧ b = Bool.true) :=
  Bool.casesOn (motive := fun a => (Bool.and a b = Bool.true) = (a = Bool.true ∧ b = Bool.true)) a
    (propext (Iff.intro (fun h => False.elim (Bool.false_ne_true h)) (fun h => h.left)))
    (propext (Iff.intro (fun h => And.intro rfl h) (fun h => h.right)))

@[simp] theorem Bool.or_eq_true (a b : Bool) :
    (Bool.or a b = Bool.true) = (a = Bool.true ∨ b = Bool.true) :=
  Bool.casesOn (motive := fun a => (Bool.or a b = Bool.true) = (a = Bool.true ∨ b = Bool.true)) a
    (propext (Iff.intro
      (fun h => Or.inr h)
      (fun h => Or.elim h (fun h' => False.elim (Bool.false_ne_true h')) (fun h' => h'))))
    (propext (Iff.intro (fun h => Or.inl h) (fun _ => rfl)))
