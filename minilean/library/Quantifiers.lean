/- The laws of `∀` and `∃`. -/

universe u v w

theorem forall_imp {α : Sort u} {p q : α → Prop} (h : ∀ a, p a → q a) : (∀ a, p a) → ∀ a, q a :=
  fun h' a => h a (h' a)

@[simp] theorem forall_exists_index {α : Sort u} {p : α → Prop} {q : (∃ x, p x) → Prop} :
    (∀ h, q h) ↔ ∀ x (h : p x), q (Exists.intro x h) :=
  Iff.intro
    (fun h x hpx => h (Exists.intro x hpx))
    (fun h hex => Exists.elim hex (fun x hpx => h x hpx))

theorem Exists.imp {α : Sort u} {p q : α → Prop} (h : ∀ a, p a → q a) : (∃ a, p a) → ∃ a, q a :=
  fun hex => Exists.elim hex (fun a hp => Exists.intro a (h a hp))

theorem Exists.imp' {α : Sort u} {p : α → Prop} {β : Sort v} {q : β → Prop} (f : α → β)
    (hpq : ∀ a, p a → q (f a)) : (∃ a, p a) → ∃ b, q b :=
  fun hex => Exists.elim hex (fun a hp => Exists.intro (f a) (hpq a hp))

theorem exists_imp {α : Sort u} {p : α → Prop} {b : Prop} : ((∃ x, p x) → b) ↔ ∀ x, p x → b :=
  Iff.intro (fun h x hp => h (Exists.intro x hp)) (fun h hex => Exists.elim hex h)

@[simp] theorem exists_const {b : Prop} (α : Sort u) [i : Nonempty α] : (∃ _ : α, b) ↔ b :=
  Iff.intro
    (fun hex => Exists.elim hex (fun _ hb => hb))
    (fun hb => Nonempty.elim i (fun a => Exists.intro a hb))

@[congr] theorem exists_prop_congr {p p' : Prop} {q q' : p → Prop} (hq : ∀ h, q h ↔ q' h) (hp : p ↔ p') :
    Exists q ↔ ∃ h : p', q' (hp.mpr h) :=
  Iff.intro
    (fun hex => Exists.elim hex (fun h hqh => Exists.intro (hp.mp h) ((hq h).mp hqh)))
    (fun hex => Exists.elim hex (fun h hqh => Exists.intro (hp.mpr h) ((hq (hp.mpr h)).mpr hqh)))

theorem exists_prop_of_true {p : Prop} {q : p → Prop} (h : p) : (∃ h' : p, q h') ↔ q h :=
  Iff.intro (fun hex => Exists.elim hex (fun _ hq => hq)) (fun hq => Exists.intro h hq)

@[simp] theorem exists_true_left {p : True → Prop} : Exists p ↔ p True.intro :=
  exists_prop_of_true True.intro

instance exists_prop_decidable {p : Prop} (P : p → Prop) [Decidable p] [s : ∀ h, Decidable (P h)] :
    Decidable (∃ h, P h) :=
  dite p (fun h => decidable_of_decidable_of_iff (exists_prop_of_true h).symm)
    (fun h => isFalse (fun hex => Exists.elim hex (fun hp _ => h hp)))

instance forall_prop_decidable {p : Prop} (P : p → Prop) [Decidable p] [s : ∀ h, Decidable (P h)] :
    Decidable (∀ h, P h) :=
  dite p (fun h => decidable_of_decidable_of_iff (p := P h) (Iff.intro (fun hP _ => hP) (fun hall => hall h)))
    (fun h => isTrue (fun hp => absurd hp h))

theorem forall_congr' {α : Sort u} {p q : α → Prop} (h : ∀ a, p a ↔ q a) : (∀ a, p a) ↔ ∀ a, q a :=
  Iff.intro (fun H a => (h a).mp (H a)) (fun H a => (h a).mpr (H a))

theorem exists_congr {α : Sort u} {p q : α → Prop} (h : ∀ a, p a ↔ q a) : (∃ a, p a) ↔ ∃ a, q a :=
  Iff.intro (Exists.imp (fun a => (h a).mp)) (Exists.imp (fun a => (h a).mpr))

theorem forall₂_congr {α : Sort u} {β : α → Sort v} {p q : (a : α) → β a → Prop} (h : ∀ a b, p a b ↔ q a b) :
    (∀ a b, p a b) ↔ ∀ a b, q a b :=
  forall_congr' (fun a => forall_congr' (h a))

theorem exists₂_congr {α : Sort u} {β : α → Sort v} {p q : (a : α) → β a → Prop} (h : ∀ a b, p a b ↔ q a b) :
    (∃ a b, p a b) ↔ ∃ a b, q a b :=
  exists_congr (fun a => exists_congr (h a))

@[simp] theorem not_exists {α : Sort u} {p : α → Prop} : (¬∃ x, p x) ↔ ∀ x, ¬p x :=
  Iff.intro (fun h x hp => h (Exists.intro x hp)) (fun h hex => Exists.elim hex h)

theorem forall_not_of_not_exists {α : Sort u} {p : α → Prop} (h : ¬∃ x, p x) : ∀ x, ¬p x :=
  not_exists.mp h

theorem not_exists_of_forall_not {α : Sort u} {p : α → Prop} (h : ∀ x, ¬p x) : ¬∃ x, p x :=
  not_exists.mpr h

theorem forall_and {α : Sort u} {p q : α → Prop} : (∀ x, p x ∧ q x) ↔ (∀ x, p x) ∧ (∀ x, q x) :=
  Iff.intro
    (fun h => And.intro (fun x => (h x).left) (fun x => (h x).right))
    (fun h x => And.intro (h.left x) (h.right x))

theorem exists_or {α : Sort u} {p q : α → Prop} : (∃ x, p x ∨ q x) ↔ (∃ x, p x) ∨ ∃ x, q x :=
  Iff.intro
    (fun hex => Exists.elim hex (fun x h => Or.elim h
      (fun hp => Or.inl (Exists.intro x hp))
      (fun hq => Or.inr (Exists.intro x hq))))
    (fun h => Or.elim h
      (fun hex => Exists.elim hex (fun x hp => Exists.intro x (Or.inl hp)))
      (fun hex => Exists.elim hex (fun x hq => Exists.intro x (Or.inr hq))))

@[simp] theorem exists_false {α : Sort u} : ¬(∃ _a : α, False) :=
  fun hex => Exists.elim hex (fun _ h => h)

@[simp] theorem forall_const {b : Prop} (α : Sort u) [i : Nonempty α] : (α → b) ↔ b :=
  Iff.intro (fun h => Nonempty.elim i h) (fun hb _ => hb)

theorem Exists.nonempty {α : Sort u} {p : α → Prop} : (∃ x, p x) → Nonempty α :=
  fun hex => Exists.elim hex (fun x _ => Nonempty.intro x)

theorem not_forall_of_exists_not {α : Sort u} {p : α → Prop} : (∃ x, ¬p x) → ¬∀ x, p x :=
  fun hex h => Exists.elim hex (fun x hn => hn (h x))

@[simp] theorem forall_eq {α : Sort u} {p : α → Prop} {a' : α} : (∀ a, a = a' → p a) ↔ p a' :=
  Iff.intro
    (fun h => h a' rfl)
    (fun h _ e => Eq.subst (motive := p) (Eq.symm e) h)

@[simp] theorem forall_eq' {α : Sort u} {p : α → Prop} {a' : α} : (∀ a, a' = a → p a) ↔ p a' :=
  Iff.intro
    (fun h => h a' rfl)
    (fun h _ e => Eq.subst (motive := p) e h)

@[simp] theorem exists_eq {α : Sort u} {a' : α} : ∃ a, a = a' := Exists.intro a' rfl

@[simp] theorem exists_eq' {α : Sort u} {a' : α} : ∃ a, a' = a := Exists.intro a' rfl

@[simp] theorem exists_eq_left {α : Sort u} {p : α → Prop} {a' : α} : (∃ a, a = a' ∧ p a) ↔ p a' :=
  Iff.intro
    (fun hex => Exists.elim hex (fun _ h => Eq.subst (motive := p) h.left h.right))
    (fun h => Exists.intro a' (And.intro rfl h))

@[simp] theorem exists_eq_right {α : Sort u} {p : α → Prop} {a' : α} : (∃ a, p a ∧ a = a') ↔ p a' :=
  Iff.intro
    (fun hex => Exists.elim hex (fun _ h => Eq.subst (motive := p) h.right h.left))
    (fun h => Exists.intro a' (And.intro h rfl))

@[simp] theorem exists_and_left {α : Sort u} {p : α → Prop} {b : Prop} :
    (∃ x, b ∧ p x) ↔ b ∧ (∃ x, p x) :=
  Iff.intro
    (fun hex => Exists.elim hex (fun x h => And.intro h.left (Exists.intro x h.right)))
    (fun h => Exists.elim h.right (fun x hp => Exists.intro x (And.intro h.left hp)))

@[simp] theorem exists_and_right {α : Sort u} {p : α → Prop} {b : Prop} :
    (∃ x, p x ∧ b) ↔ (∃ x, p x) ∧ b :=
  Iff.intro
    (fun hex => Exists.elim hex (fun x h => And.intro (Exists.intro x h.left) h.right))
    (fun h => Exists.elim h.left (fun x hp => Exists.intro x (And.intro hp h.right)))

@[simp] theorem exists_eq_left' {α : Sort u} {p : α → Prop} {a' : α} : (∃ a, a' = a ∧ p a) ↔ p a' :=
  Iff.intro
    (fun hex => Exists.elim hex (fun _ h => Eq.subst (motive := p) (Eq.symm h.left) h.right))
    (fun h => Exists.intro a' (And.intro rfl h))

@[simp] theorem exists_eq_right' {α : Sort u} {p : α → Prop} {a' : α} : (∃ a, p a ∧ a' = a) ↔ p a' :=
  Iff.intro
    (fun hex => Exists.elim hex (fun _ h => Eq.subst (motive := p) (Eq.symm h.right) h.left))
    (fun h => Exists.intro a' (And.intro h rfl))

@[simp] theorem forall_eq_or_imp {α : Sort u} {p q : α → Prop} {a' : α} :
    (∀ a, a = a' ∨ q a → p a) ↔ p a' ∧ ∀ a, q a → p a :=
  Iff.intro
    (fun h => And.intro (h a' (Or.inl rfl)) (fun a hq => h a (Or.inr hq)))
    (fun h a haq => Or.elim haq (fun e => Eq.subst (motive := p) (Eq.symm e) h.left) (h.right a))

@[simp] theorem exists_eq_or_imp {α : Sort u} {p q : α → Prop} {a' : α} :
    (∃ a, (a = a' ∨ q a) ∧ p a) ↔ p a' ∨ ∃ a, q a ∧ p a :=
  Iff.intro
    (fun hex => Exists.elim hex (fun a h => Or.elim h.left
      (fun e => Or.inl (Eq.subst (motive := p) e h.right))
      (fun hq => Or.inr (Exists.intro a (And.intro hq h.right)))))
    (fun h => Or.elim h
      (fun hp => Exists.intro a' (And.intro (Or.inl rfl) hp))
      (fun hex => Exists.elim hex (fun a x => Exists.intro a (And.intro (Or.inr x.left) x.right))))

@[simp] theorem exists_or_eq_left {α : Sort u} (y : α) (p : α → Prop) : ∃ x : α, x = y ∨ p x :=
  Exists.intro y (Or.inl rfl)

@[simp] theorem exists_or_eq_right {α : Sort u} (y : α) (p : α → Prop) : ∃ x : α, p x ∨ x = y :=
  Exists.intro y (Or.inr rfl)

@[simp] theorem exists_or_eq_left' {α : Sort u} (y : α) (p : α → Prop) : ∃ x : α, y = x ∨ p x :=
  Exists.intro y (Or.inl rfl)

@[simp] theorem exists_or_eq_right' {α : Sort u} (y : α) (p : α → Prop) : ∃ x : α, p x ∨ y = x :=
  Exists.intro y (Or.inr rfl)

theorem exists_prop' {α : Sort u} {p : Prop} : (∃ _ : α, p) ↔ Nonempty α ∧ p :=
  Iff.intro
    (fun hex => Exists.elim hex (fun a hp => And.intro (Nonempty.intro a) hp))
    (fun h => Nonempty.elim h.left (fun a => Exists.intro a h.right))

@[simp] theorem exists_prop {b a : Prop} : (∃ _h : a, b) ↔ a ∧ b :=
  Iff.intro
    (fun hex => Exists.elim hex (fun ha hb => And.intro ha hb))
    (fun h => Exists.intro h.left h.right)

@[simp] theorem exists_apply_eq_apply {α : Sort u} {β : Sort v} (f : α → β) (a' : α) : ∃ a, f a = f a' :=
  Exists.intro a' rfl

theorem forall_prop_of_true {p : Prop} {q : p → Prop} (h : p) : (∀ h' : p, q h') ↔ q h :=
  Iff.intro (fun H => H h) (fun hq _ => hq)

theorem forall_prop_of_false {p : Prop} {q : p → Prop} (hn : ¬p) : (∀ h' : p, q h') ↔ True :=
  iff_true_intro (fun h => absurd h hn)

theorem forall_comm {α : Sort u} {β : Sort v} {p : α → β → Prop} : (∀ a b, p a b) ↔ (∀ b a, p a b) :=
  Iff.intro (fun h b a => h a b) (fun h a b => h b a)

theorem exists_comm {α : Sort u} {β : Sort v} {p : α → β → Prop} : (∃ a b, p a b) ↔ (∃ b a, p a b) :=
  Iff.intro
    (fun hex => Exists.elim hex (fun a h => Exists.elim h (fun b hp => Exists.intro b (Exists.intro a hp))))
    (fun hex => Exists.elim hex (fun b h => Exists.elim h (fun a hp => Exists.intro a (Exists.intro b hp))))

@[simp] theorem forall_apply_eq_imp_iff {α : Sort u} {β : Sort v} {f : α → β} {p : β → Prop} :
    (∀ b a, f a = b → p b) ↔ ∀ a, p (f a) :=
  Iff.intro
    (fun h a => h (f a) a rfl)
    (fun h _ a e => Eq.subst (motive := p) e (h a))

@[simp] theorem forall_eq_apply_imp_iff {α : Sort u} {β : Sort v} {f : α → β} {p : β → Prop} :
    (∀ b a, b = f a → p b) ↔ ∀ a, p (f a) :=
  Iff.intro
    (fun h a => h (f a) a rfl)
    (fun h _ a e => Eq.subst (motive := p) (Eq.symm e) (h a))

@[simp] theorem nonempty_prop {p : Prop} : Nonempty p ↔ p :=
  Iff.intro (fun h => Nonempty.elim h (fun hp => hp)) Nonempty.intro

/- Decidable cases -/

protected theorem Decidable.not_forall {α : Sort u} {p : α → Prop} [Decidable (∃ x, ¬p x)]
    [∀ x, Decidable (p x)] : (¬∀ x, p x) ↔ ∃ x, ¬p x :=
  Iff.intro
    (fun h => Decidable.byContradiction (fun hne =>
      h (fun x => Decidable.byContradiction (fun hn => hne (Exists.intro x hn)))))
    not_forall_of_exists_not

protected theorem Decidable.not_forall_not {α : Sort u} {p : α → Prop} [Decidable (∃ x, p x)] :
    (¬∀ x, ¬p x) ↔ ∃ x, p x :=
  Iff.intro
    (fun h => Decidable.byContradiction (fun hne => h (fun x hp => hne (Exists.intro x hp))))
    (fun hex h => Exists.elim hex h)

protected theorem Decidable.not_exists_not {α : Sort u} {p : α → Prop} [∀ x, Decidable (p x)] :
    (¬∃ x, ¬p x) ↔ ∀ x, p x :=
  Iff.intro
    (fun h x => Decidable.byContradiction (fun hn => h (Exists.intro x hn)))
    (fun h hex => Exists.elim hex (fun x hn => hn (h x)))
