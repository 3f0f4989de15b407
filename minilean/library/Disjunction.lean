/- The laws of `∨`, the distributive laws, and De Morgan's laws as far as they need no case distinction. -/

universe u

theorem Or.imp {a c b d : Prop} (f : a → c) (g : b → d) (h : a ∨ b) : c ∨ d :=
  Or.elim h (fun ha => Or.inl (f ha)) (fun hb => Or.inr (g hb))

theorem Or.imp_left {a b c : Prop} (f : a → b) : a ∨ c → b ∨ c :=
  fun h => Or.elim h (fun ha => Or.inl (f ha)) Or.inr

theorem Or.imp_right {b c a : Prop} (f : b → c) : a ∨ b → a ∨ c :=
  fun h => Or.elim h Or.inl (fun hb => Or.inr (f hb))

theorem or_assoc {a b c : Prop} : (a ∨ b) ∨ c ↔ a ∨ (b ∨ c) :=
  Iff.intro
    (fun h => Or.elim h
      (fun hab => Or.elim hab Or.inl (fun hb => Or.inr (Or.inl hb)))
      (fun hc => Or.inr (Or.inr hc)))
    (fun h => Or.elim h
      (fun ha => Or.inl (Or.inl ha))
      (fun hbc => Or.elim hbc (fun hb => Or.inl (Or.inr hb)) Or.inr))

theorem or_self_iff {a : Prop} : a ∨ a ↔ a := Iff.of_eq (or_self a)

theorem not_or_intro {a b : Prop} (ha : ¬a) (hb : ¬b) : ¬(a ∨ b) := fun h => Or.elim h ha hb

theorem or_congr {a c b d : Prop} (h₁ : a ↔ c) (h₂ : b ↔ d) : (a ∨ b) ↔ (c ∨ d) :=
  Iff.intro (Or.imp h₁.mp h₂.mp) (Or.imp h₁.mpr h₂.mpr)

theorem or_congr_left {a b c : Prop} (h : a ↔ b) : a ∨ c ↔ b ∨ c := or_congr h Iff.rfl

theorem or_congr_right {b c a : Prop} (h : b ↔ c) : a ∨ b ↔ a ∨ c := or_congr Iff.rfl h

theorem or_left_comm {a b c : Prop} : a ∨ (b ∨ c) ↔ b ∨ (a ∨ c) :=
  Iff.trans (Iff.symm or_assoc) (Iff.trans (or_congr_left or_comm) or_assoc)

theorem or_right_comm {a b c : Prop} : (a ∨ b) ∨ c ↔ (a ∨ c) ∨ b :=
  Iff.trans or_assoc (Iff.trans (or_congr_right or_comm) (Iff.symm or_assoc))

theorem or_or_or_comm {a b c d : Prop} : (a ∨ b) ∨ c ∨ d ↔ (a ∨ c) ∨ b ∨ d :=
  Iff.trans or_assoc (Iff.trans (or_congr_right or_left_comm) (Iff.symm or_assoc))

theorem or_or_distrib_left {a b c : Prop} : a ∨ b ∨ c ↔ (a ∨ b) ∨ a ∨ c :=
  Iff.trans (or_congr_left (Iff.symm or_self_iff)) or_or_or_comm

theorem or_or_distrib_right {a b c : Prop} : (a ∨ b) ∨ c ↔ (a ∨ c) ∨ b ∨ c :=
  Iff.trans (or_congr_right (Iff.symm or_self_iff)) or_or_or_comm

theorem or_rotate {a b c : Prop} : a ∨ b ∨ c ↔ b ∨ c ∨ a :=
  Iff.trans or_comm or_assoc

theorem or_iff_right_of_imp {a b : Prop} (ha : a → b) : (a ∨ b) ↔ b :=
  Iff.intro (fun h => Or.elim h ha (fun hb => hb)) Or.inr

theorem or_iff_left_of_imp {b a : Prop} (hb : b → a) : (a ∨ b) ↔ a :=
  Iff.intro (fun h => Or.elim h (fun ha => ha) hb) Or.inl

@[simp] theorem or_self_left {a b : Prop} : a ∨ (a ∨ b) ↔ a ∨ b := or_iff_right_of_imp Or.inl

@[simp] theorem or_self_right {a b : Prop} : (a ∨ b) ∨ b ↔ a ∨ b := or_iff_left_of_imp Or.inr

@[simp] theorem or_iff_left_iff_imp {a b : Prop} : (a ∨ b ↔ a) ↔ (b → a) :=
  Iff.intro (fun h hb => h.mp (Or.inr hb)) or_iff_left_of_imp

@[simp] theorem or_iff_right_iff_imp {a b : Prop} : (a ∨ b ↔ b) ↔ (a → b) :=
  Iff.intro (fun h ha => h.mp (Or.inl ha)) or_iff_right_of_imp

@[simp] theorem iff_self_or {a b : Prop} : (a ↔ a ∨ b) ↔ (b → a) :=
  Iff.intro (fun h hb => h.mpr (Or.inr hb)) (fun h => Iff.symm (or_iff_left_of_imp h))

@[simp] theorem iff_or_self {a b : Prop} : (b ↔ a ∨ b) ↔ (a → b) :=
  Iff.intro (fun h ha => h.mpr (Or.inl ha)) (fun h => Iff.symm (or_iff_right_of_imp h))

theorem or_iff_left {b a : Prop} (hb : ¬b) : a ∨ b ↔ a := or_iff_left_of_imp (fun h => absurd h hb)

theorem or_iff_right {a b : Prop} (ha : ¬a) : a ∨ b ↔ b := or_iff_right_of_imp (fun h => absurd h ha)

/- Distributivity and negation -/

theorem not_not_em (a : Prop) : ¬¬(a ∨ ¬a) := fun h => h (Or.inr (fun ha => h (Or.inl ha)))

theorem not_imp_of_and_not {a b : Prop} : a ∧ ¬b → ¬(a → b) := fun h hab => h.right (hab h.left)

theorem imp_and {b c : Prop} {α : Sort u} : (α → b ∧ c) ↔ (α → b) ∧ (α → c) :=
  Iff.intro
    (fun h => And.intro (fun ha => (h ha).left) (fun ha => (h ha).right))
    (fun h ha => And.intro (h.left ha) (h.right ha))

theorem not_and' {a b : Prop} : ¬(a ∧ b) ↔ (b → ¬a) := Iff.trans not_and imp_not_comm

theorem and_or_left {a b c : Prop} : a ∧ (b ∨ c) ↔ (a ∧ b) ∨ (a ∧ c) :=
  Iff.intro
    (fun h => Or.elim h.right
      (fun hb => Or.inl (And.intro h.left hb))
      (fun hc => Or.inr (And.intro h.left hc)))
    (fun h => Or.elim h
      (fun hab => And.intro hab.left (Or.inl hab.right))
      (fun hac => And.intro hac.left (Or.inr hac.right)))

theorem or_and_right {a b c : Prop} : (a ∨ b) ∧ c ↔ (a ∧ c) ∨ (b ∧ c) :=
  Iff.intro
    (fun h => Or.elim h.left
      (fun ha => Or.inl (And.intro ha h.right))
      (fun hb => Or.inr (And.intro hb h.right)))
    (fun h => Or.elim h
      (fun hac => And.intro (Or.inl hac.left) hac.right)
      (fun hbc => And.intro (Or.inr hbc.left) hbc.right))

theorem or_and_left {a b c : Prop} : a ∨ (b ∧ c) ↔ (a ∨ b) ∧ (a ∨ c) :=
  Iff.intro
    (fun h => Or.elim h
      (fun ha => And.intro (Or.inl ha) (Or.inl ha))
      (fun hbc => And.intro (Or.inr hbc.left) (Or.inr hbc.right)))
    (fun h => Or.elim h.left Or.inl (fun hb => Or.elim h.right Or.inl (fun hc => Or.inr (And.intro hb hc))))

theorem and_or_right {a b c : Prop} : (a ∧ b) ∨ c ↔ (a ∨ c) ∧ (b ∨ c) :=
  Iff.intro
    (fun h => Or.elim h
      (fun hab => And.intro (Or.inl hab.left) (Or.inl hab.right))
      (fun hc => And.intro (Or.inr hc) (Or.inr hc)))
    (fun h => Or.elim h.left
      (fun ha => Or.elim h.right (fun hb => Or.inl (And.intro ha hb)) Or.inr)
      Or.inr)

theorem or_imp {a b c : Prop} : (a ∨ b → c) ↔ (a → c) ∧ (b → c) :=
  Iff.intro
    (fun h => And.intro (fun ha => h (Or.inl ha)) (fun hb => h (Or.inr hb)))
    (fun h hab => Or.elim hab h.left h.right)

@[simp] theorem not_or {p q : Prop} : ¬(p ∨ q) ↔ ¬p ∧ ¬q :=
  Iff.intro
    (fun h => And.intro (fun hp => h (Or.inl hp)) (fun hq => h (Or.inr hq)))
    (fun h hpq => Or.elim hpq h.left h.right)

theorem not_and_of_not_or_not {a b : Prop} (h : ¬a ∨ ¬b) : ¬(a ∧ b) :=
  fun hab => Or.elim h (fun hn => hn hab.left) (fun hn => hn hab.right)

theorem peirce' {a : Prop} (H : ∀ b : Prop, (a → b) → a) : a := H a (fun ha => ha)

/- With decidable propositions -/

theorem Decidable.not_and_iff_or_not {p q : Prop} [d₁ : Decidable p] [d₂ : Decidable q] :
    ¬(p ∧ q) ↔ ¬p ∨ ¬q :=
  Iff.intro
    (fun h => Decidable.byCases (p := p)
      (fun hp => Or.inr (fun hq => h (And.intro hp hq)))
      (fun hn => Or.inl hn))
    not_and_of_not_or_not

@[simp] theorem Decidable.not_not {p : Prop} [Decidable p] : ¬¬p ↔ p :=
  Iff.intro Decidable.of_not_not not_not_intro

theorem Decidable.or_not_self (p : Prop) [Decidable p] : p ∨ ¬p := Decidable.em p

theorem Decidable.not_or_self (p : Prop) [h : Decidable p] : ¬p ∨ p := Or.symm (Decidable.em p)

theorem Decidable.of_not_imp {a b : Prop} [Decidable a] (h : ¬(a → b)) : a :=
  Decidable.byContradiction (not_not_of_not_imp h)

theorem Decidable.not_imp_symm {a b : Prop} [Decidable a] (h : ¬a → b) (hb : ¬b) : a :=
  Decidable.byContradiction (fun hn => hb (h hn))

theorem Decidable.not_imp_comm {a b : Prop} [Decidable a] [Decidable b] : (¬a → b) ↔ (¬b → a) :=
  Iff.intro Decidable.not_imp_symm Decidable.not_imp_symm

theorem Decidable.not_imp_self {a : Prop} [Decidable a] : (¬a → a) ↔ a :=
  Iff.intro (fun h => Decidable.byContradiction (fun hn => hn (h hn))) (fun ha _ => ha)

theorem Decidable.or_iff_not_imp_left {a b : Prop} [Decidable a] : a ∨ b ↔ (¬a → b) :=
  Iff.intro Or.resolve_left (fun h => Decidable.byCases (p := a) Or.inl (fun hn => Or.inr (h hn)))

theorem Decidable.or_iff_not_imp_right {b a : Prop} [Decidable b] : a ∨ b ↔ (¬b → a) :=
  Iff.trans or_comm Decidable.or_iff_not_imp_left

theorem Decidable.not_imp_not {a b : Prop} [Decidable a] : (¬a → ¬b) ↔ (b → a) :=
  Iff.intro (fun h hb => Decidable.byContradiction (fun hn => h hn hb)) mt

theorem Decidable.not_or_of_imp {a b : Prop} [Decidable a] (h : a → b) : ¬a ∨ b :=
  Decidable.byCases (p := a) (fun ha => Or.inr (h ha)) Or.inl

theorem Decidable.imp_iff_not_or {a b : Prop} [Decidable a] : (a → b) ↔ (¬a ∨ b) :=
  Iff.intro Decidable.not_or_of_imp Or.neg_resolve_left

theorem Decidable.imp_iff_or_not {b a : Prop} [Decidable b] : (b → a) ↔ a ∨ ¬b :=
  Iff.trans Decidable.imp_iff_not_or or_comm

theorem Decidable.imp_or {a b c : Prop} [Decidable a] : (a → b ∨ c) ↔ (a → b) ∨ (a → c) :=
  Iff.intro
    (fun h => Decidable.byCases (p := a)
      (fun ha => Or.imp (fun hb _ => hb) (fun hc _ => hc) (h ha))
      (fun hn => Or.inl (fun ha => absurd ha hn)))
    (fun h ha => Or.imp (fun f => f ha) (fun f => f ha) h)

theorem Decidable.not_imp_iff_and_not {a b : Prop} [Decidable a] : ¬(a → b) ↔ a ∧ ¬b :=
  Iff.intro (fun h => And.intro (Decidable.of_not_imp h) (not_of_not_imp h)) not_imp_of_and_not

theorem Decidable.peirce (a b : Prop) [Decidable a] : ((a → b) → a) → a :=
  fun h => Decidable.byCases (p := a) (fun ha => ha) (fun hn => h (fun ha => absurd ha hn))

theorem Decidable.not_iff_not {a b : Prop} [Decidable a] [Decidable b] : (¬a ↔ ¬b) ↔ (a ↔ b) :=
  Iff.intro
    (fun h => Iff.intro (Decidable.not_imp_not.mp h.mpr) (Decidable.not_imp_not.mp h.mp))
    not_congr

theorem Decidable.not_iff {b a : Prop} [Decidable b] : ¬(a ↔ b) ↔ (¬a ↔ b) :=
  Decidable.byCases (p := b)
    (fun hb => Iff.trans (not_congr (iff_true_right hb)) (Iff.symm (iff_true_right hb)))
    (fun hn => Iff.trans (not_congr (iff_false_right hn)) (Iff.symm (iff_false_right hn)))

theorem Decidable.iff_iff_and_or_not_and_not {a b : Prop} [Decidable b] : (a ↔ b) ↔ (a ∧ b) ∨ (¬a ∧ ¬b) :=
  Iff.intro
    (fun h => Decidable.byCases (p := b)
      (fun hb => Or.inl (And.intro (h.mpr hb) hb))
      (fun hn => Or.inr (And.intro (fun ha => hn (h.mp ha)) hn)))
    (fun h => Or.elim h (fun x => iff_of_true x.left x.right) (fun x => iff_of_false x.left x.right))

theorem Decidable.not_and_not_right {b a : Prop} [Decidable b] : ¬(a ∧ ¬b) ↔ (a → b) :=
  Iff.intro
    (fun h ha => Decidable.byContradiction (fun hn => h (And.intro ha hn)))
    (fun h x => x.right (h x.left))

theorem Decidable.not_and_iff_not_or_not {a b : Prop} [Decidable a] : ¬(a ∧ b) ↔ ¬a ∨ ¬b :=
  Iff.intro
    (fun h => Decidable.byCases (p := a) (fun ha => Or.inr (fun hb => h (And.intro ha hb))) Or.inl)
    not_and_of_not_or_not

theorem Decidable.not_and_iff_not_or_not' {b a : Prop} [Decidable b] : ¬(a ∧ b) ↔ ¬a ∨ ¬b :=
  Iff.intro
    (fun h => Decidable.byCases (p := b) (fun hb => Or.inl (fun ha => h (And.intro ha hb))) Or.inr)
    not_and_of_not_or_not

theorem Decidable.or_iff_not_not_and_not {a b : Prop} [Decidable a] [Decidable b] : a ∨ b ↔ ¬(¬a ∧ ¬b) :=
  Iff.intro
    (fun h x => Or.elim h x.left x.right)
    (fun h => Decidable.byCases (p := a) Or.inl
      (fun hn => Or.inr (Decidable.byContradiction (fun hb => h (And.intro hn hb)))))

theorem Decidable.and_iff_not_not_or_not {a b : Prop} [Decidable a] [Decidable b] : a ∧ b ↔ ¬(¬a ∨ ¬b) :=
  Iff.intro
    (fun h x => not_and_of_not_or_not x h)
    (fun h => And.intro
      (Decidable.byContradiction (fun hn => h (Or.inl hn)))
      (Decidable.byContradiction (fun hn => h (Or.inr hn))))

theorem Decidable.imp_iff_right_iff {a b : Prop} [Decidable a] : ((a → b) ↔ b) ↔ a ∨ b :=
  Iff.intro
    (fun h => Decidable.byCases (p := a) Or.inl (fun hn => Or.inr (h.mp (fun ha => absurd ha hn))))
    (fun h => Or.elim h (fun ha => imp_iff_right ha) (fun hb => iff_of_true (fun _ => hb) hb))

theorem Decidable.imp_iff_left_iff {a b : Prop} [Decidable a] : (b ↔ (a → b)) ↔ a ∨ b :=
  Iff.trans Iff.comm Decidable.imp_iff_right_iff

theorem Decidable.and_or_imp {a b c : Prop} [Decidable a] : a ∧ b ∨ (a → c) ↔ (a → b ∨ c) :=
  Iff.intro
    (fun h ha => Or.elim h (fun x => Or.inl x.right) (fun f => Or.inr (f ha)))
    (fun h => Decidable.byCases (p := a)
      (fun ha => Or.imp (fun hb => And.intro ha hb) (fun hc _ => hc) (h ha))
      (fun hn => Or.inr (fun ha => absurd ha hn)))
