/- Rewriting with propositions: congruence, units, and the laws of `∧`, `∨`, `→` and `↔`. -/

universe u v

/- Trivial equations -/

@[simp] theorem eq_self {α : Sort u} (a : α) : (a = a) = True := eq_true (Eq.refl a)

@[simp] theorem ne_eq {α : Sort u} (a b : α) : (a ≠ b) = ¬(a = b) := rfl

/- Congruence -/

theorem Lean.injEq_helper {P Q R : Prop} : (P → Q → R) → P ∧ Q → R := fun f h => f h.left h.right


theorem implies_congr {p₁ p₂ : Sort u} {q₁ q₂ : Sort v} (h₁ : p₁ = p₂) (h₂ : q₁ = q₂) :
    (p₁ → q₁) = (p₂ → q₂) :=
  Eq.subst (motive := fun (x : Sort u) => (p₁ → q₁) = (x → q₂)) h₁
    (Eq.subst (motive := fun (y : Sort v) => (p₁ → q₁) = (p₁ → y)) h₂ (Eq.refl (p₁ → q₁)))

theorem iff_congr {p₁ p₂ q₁ q₂ : Prop} (h₁ : p₁ ↔ p₂) (h₂ : q₁ ↔ q₂) : (p₁ ↔ q₁) ↔ (p₂ ↔ q₂) :=
  Iff.intro
    (fun h => Iff.trans (Iff.symm h₁) (Iff.trans h h₂))
    (fun h => Iff.trans h₁ (Iff.trans h (Iff.symm h₂)))

theorem implies_dep_congr_ctx {p₁ p₂ q₁ : Prop} (h₁ : p₁ = p₂) {q₂ : p₂ → Prop}
    (h₂ : (h : p₂) → q₁ = q₂ h) : (p₁ → q₁) = ((h : p₂) → q₂ h) :=
  propext (Iff.intro
    (fun hl hp₂ => Eq.mp (h₂ hp₂) (hl (Eq.mpr h₁ hp₂)))
    (fun hr hp₁ => Eq.mpr (h₂ (Eq.mp h₁ hp₁)) (hr (Eq.mp h₁ hp₁))))

theorem implies_congr_ctx {p₁ p₂ q₁ q₂ : Prop} (h₁ : p₁ = p₂) (h₂ : p₂ → q₁ = q₂) :
    (p₁ → q₁) = (p₂ → q₂) :=
  propext (Iff.intro
    (fun hl hp₂ => Eq.mp (h₂ hp₂) (hl (Eq.mpr h₁ hp₂)))
    (fun hr hp₁ => Eq.mpr (h₂ (Eq.mp h₁ hp₁)) (hr (Eq.mp h₁ hp₁))))

theorem forall_congr {α : Sort u} {p q : α → Prop} (h : ∀ a, p a = q a) : (∀ a, p a) = (∀ a, q a) :=
  propext (Iff.intro (fun H a => Eq.mp (h a) (H a)) (fun H a => Eq.mpr (h a) (H a)))

theorem forall_prop_domain_congr {p₁ p₂ : Prop} {q₁ : p₁ → Prop} {q₂ : p₂ → Prop} (h₁ : p₁ = p₂)
    (h₂ : ∀ a : p₂, q₁ (Eq.substr (p := fun (x : Prop) => x) h₁ a) = q₂ a) :
    (∀ a : p₁, q₁ a) = (∀ a : p₂, q₂ a) :=
  propext (Iff.intro
    (fun H a => Eq.mp (h₂ a) (H (Eq.mpr h₁ a)))
    (fun H a => Eq.mpr (h₂ (Eq.mp h₁ a)) (H (Eq.mp h₁ a))))

theorem forall_prop_congr_dom {p₁ p₂ : Prop} (h : p₁ = p₂) (q : p₁ → Prop) :
    (∀ a : p₁, q a) = (∀ a : p₂, q (Eq.substr (p := fun (x : Prop) => x) h a)) :=
  propext (Iff.intro (fun H a => H (Eq.mpr h a)) (fun H a => H (Eq.mp h a)))

theorem pi_congr {α : Sort u} {β β' : α → Sort v} (h : ∀ a, β a = β' a) : (∀ a, β a) = ∀ a, β' a :=
  Eq.subst (motive := fun (γ : α → Sort v) => (∀ a, β a) = ∀ a, γ a) (funext h) (Eq.refl (∀ a, β a))

theorem Eq.mpr_prop {p q : Prop} (h₁ : p = q) (h₂ : q) : p := Eq.mpr h₁ h₂

theorem Eq.mpr_not {p q : Prop} (h₁ : p = q) (h₂ : ¬q) : ¬p := fun hp => h₂ (Eq.mp h₁ hp)

@[congr] theorem ite_congr {α : Sort u} {b c : Prop} {x y u v : α} {s : Decidable b} [Decidable c]
    (h₁ : b = c) (h₂ : c → x = u) (h₃ : ¬c → y = v) : @ite α b s x y = ite c u v :=
  Decidable.byCases (p := c)
    (fun hc => Eq.trans (if_pos (Eq.mpr h₁ hc)) (Eq.trans (h₂ hc) (Eq.symm (if_pos hc))))
    (fun hn => Eq.trans (if_neg (Eq.mpr_not h₁ hn)) (Eq.trans (h₃ hn) (Eq.symm (if_neg hn))))

@[congr] theorem dite_congr {b c : Prop} {α : Sort u} {s : Decidable b} [Decidable c] {x : b → α} {u : c → α}
    {y : ¬b → α} {v : ¬c → α} (h₁ : b = c) (h₂ : (h : c) → x (Eq.mpr_prop h₁ h) = u h)
    (h₃ : (h : ¬c) → y (Eq.mpr_not h₁ h) = v h) : @dite α b s x y = dite c u v :=
  Decidable.byCases (p := c)
    (fun hc => Eq.trans (dif_pos (Eq.mpr_prop h₁ hc)) (Eq.trans (h₂ hc) (Eq.symm (dif_pos hc))))
    (fun hn => Eq.trans (dif_neg (Eq.mpr_not h₁ hn)) (Eq.trans (h₃ hn) (Eq.symm (dif_neg hn))))

@[simp] theorem ite_true {α : Sort u} (a b : α) : (if True then a else b) = a := rfl

@[simp] theorem ite_false {α : Sort u} (a b : α) : (if False then a else b) = b := rfl

theorem ite_eq_left {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t e : α} : ite c t e = t := if_pos hc

theorem ite_eq_right {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t e : α} : ite c t e = e := if_neg hnc

theorem dite_eq_left {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    dite c t e = t hc := dif_pos hc

theorem dite_eq_right {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    dite c t e = e hnc := dif_neg hnc

theorem dite_eq_left_of_eq_true {α : Sort u} {c : Prop} {inst : Decidable c} {t : c → α} {e : ¬c → α} (h : c = True) :
    @dite α c inst t e = t (of_eq_true h) := dif_pos (of_eq_true h)

theorem dite_eq_right_of_eq_false {α : Sort u} {c : Prop} {inst : Decidable c} {t : c → α} {e : ¬c → α}
    (h : c = False) : @dite α c inst t e = e (of_eq_false h) := dif_neg (of_eq_false h)

theorem ite_eq_left_of_eq_true {α : Sort u} {c : Prop} {inst : Decidable c} (a b : α) (h : c = True) :
    @ite α c inst a b = a := if_pos (of_eq_true h)

theorem ite_eq_right_of_eq_false {α : Sort u} {c : Prop} {inst : Decidable c} (a b : α) (h : c = False) :
    @ite α c inst a b = b := if_neg (of_eq_false h)

theorem ite_cond_eq_true {α : Sort u} {c : Prop} {inst : Decidable c} (a b : α) (h : c = True) :
    @ite α c inst a b = a := if_pos (of_eq_true h)

theorem ite_cond_eq_false {α : Sort u} {c : Prop} {inst : Decidable c} (a b : α) (h : c = False) :
    @ite α c inst a b = b := if_neg (of_eq_false h)

theorem dite_cond_eq_true {α : Sort u} {c : Prop} {inst : Decidable c} {t : c → α} {e : ¬c → α}
    (h : c = True) : @dite α c inst t e = t (of_eq_true h) := dif_pos (of_eq_true h)

theorem dite_cond_eq_false {α : Sort u} {c : Prop} {inst : Decidable c} {t : c → α} {e : ¬c → α}
    (h : c = False) : @dite α c inst t e = e (of_eq_false h) := dif_neg (of_eq_false h)

@[simp] theorem if_true {α : Sort u} {h : Decidable True} (t e : α) : @ite α True h t e = t :=
  if_pos True.intro

@[simp] theorem if_false {α : Sort u} {h : Decidable False} (t e : α) : @ite α False h t e = e :=
  if_neg not_false

@[simp] theorem ite_self {α : Sort u} {c : Prop} {d : Decidable c} (a : α) : @ite α c d a a = a :=
  Decidable.rec (motive := fun (x : Decidable c) => @ite α c x a a = a) (fun _ => rfl) (fun _ => rfl) d

/- Units -/

@[simp] theorem and_true (p : Prop) : (p ∧ True) = p :=
  propext (Iff.intro (fun h => h.left) (fun h => And.intro h True.intro))

@[simp] theorem true_and (p : Prop) : (True ∧ p) = p :=
  propext (Iff.intro (fun h => h.right) (fun h => And.intro True.intro h))

@[simp] theorem and_false (p : Prop) : (p ∧ False) = False := eq_false (fun h => h.right)

@[simp] theorem false_and (p : Prop) : (False ∧ p) = False := eq_false (fun h => h.left)

@[simp] theorem and_self (p : Prop) : (p ∧ p) = p :=
  propext (Iff.intro (fun h => h.left) (fun h => And.intro h h))

@[simp] theorem and_not_self {a : Prop} : ¬(a ∧ ¬a) := fun h => h.right h.left

@[simp] theorem not_and_self {a : Prop} : ¬(¬a ∧ a) := fun h => h.left h.right

@[simp] theorem and_imp {a b c : Prop} : (a ∧ b → c) ↔ (a → b → c) :=
  Iff.intro (fun h ha hb => h (And.intro ha hb)) (fun h hab => h hab.left hab.right)

@[simp] theorem not_and {a b : Prop} : ¬(a ∧ b) ↔ (a → ¬b) :=
  Iff.intro (fun h ha hb => h (And.intro ha hb)) (fun h hab => h hab.left hab.right)

@[simp] theorem or_self (p : Prop) : (p ∨ p) = p :=
  propext (Iff.intro (fun h => Or.elim h (fun hp => hp) (fun hp => hp)) Or.inl)

@[simp] theorem or_true (p : Prop) : (p ∨ True) = True := eq_true (Or.inr True.intro)

@[simp] theorem true_or (p : Prop) : (True ∨ p) = True := eq_true (Or.inl True.intro)

@[simp] theorem or_false (p : Prop) : (p ∨ False) = p :=
  propext (Iff.intro (fun h => Or.elim h (fun hp => hp) False.elim) Or.inl)

@[simp] theorem false_or (p : Prop) : (False ∨ p) = p :=
  propext (Iff.intro (fun h => Or.elim h False.elim (fun hp => hp)) Or.inr)

@[simp] theorem iff_self (p : Prop) : (p ↔ p) = True := eq_true (Iff.refl p)

@[simp] theorem iff_true (p : Prop) : (p ↔ True) = p := propext (Iff.intro of_iff_true iff_true_intro)

@[simp] theorem true_iff (p : Prop) : (True ↔ p) = p :=
  propext (Iff.intro (fun h => h.mp True.intro) (fun hp => iff_of_true True.intro hp))

@[simp] theorem iff_false (p : Prop) : (p ↔ False) = ¬p := propext (Iff.intro (fun h => h.mp) iff_false_intro)

@[simp] theorem false_iff (p : Prop) : (False ↔ p) = ¬p :=
  propext (Iff.intro (fun h => h.mpr) (fun hn => iff_of_false not_false hn))

@[simp] theorem false_implies (p : Prop) : (False → p) = True := eq_true (fun h => False.elim h)

@[simp] theorem forall_false (p : False → Prop) : (∀ h : False, p h) = True := eq_true (fun h => False.elim h)

@[simp] theorem implies_true (α : Sort u) : (α → True) = True := eq_true (fun _ => True.intro)

@[simp] theorem true_implies (p : Prop) : (True → p) = p :=
  propext (Iff.intro (fun h => h True.intro) (fun hp _ => hp))

@[simp] theorem not_false_eq_true : (¬False) = True := eq_true not_false

@[simp] theorem not_true_eq_false : (¬True) = False := eq_false (not_not_intro True.intro)

/- Conjunction -/

theorem and_self_iff {a : Prop} : a ∧ a ↔ a := Iff.of_eq (and_self a)

theorem and_not_self_iff (a : Prop) : a ∧ ¬a ↔ False := iff_false_intro and_not_self

theorem not_and_self_iff (a : Prop) : ¬a ∧ a ↔ False := iff_false_intro not_and_self

theorem And.imp {a c b d : Prop} (f : a → c) (g : b → d) (h : a ∧ b) : c ∧ d :=
  And.intro (f h.left) (g h.right)

theorem And.imp_left {a b c : Prop} (h : a → b) : a ∧ c → b ∧ c := fun x => And.intro (h x.left) x.right

theorem And.imp_right {a b c : Prop} (h : a → b) : c ∧ a → c ∧ b := fun x => And.intro x.left (h x.right)

theorem and_congr {a c b d : Prop} (h₁ : a ↔ c) (h₂ : b ↔ d) : a ∧ b ↔ c ∧ d :=
  Iff.intro (And.imp h₁.mp h₂.mp) (And.imp h₁.mpr h₂.mpr)

theorem and_congr_left' {a b c : Prop} (h : a ↔ b) : a ∧ c ↔ b ∧ c := and_congr h Iff.rfl

theorem and_congr_right' {b c a : Prop} (h : b ↔ c) : a ∧ b ↔ a ∧ c := and_congr Iff.rfl h

theorem and_congr_right {a b c : Prop} (h : a → (b ↔ c)) : a ∧ b ↔ a ∧ c :=
  Iff.intro
    (fun x => And.intro x.left ((h x.left).mp x.right))
    (fun x => And.intro x.left ((h x.left).mpr x.right))

theorem and_congr_left {c a b : Prop} (h : c → (a ↔ b)) : a ∧ c ↔ b ∧ c :=
  Iff.intro
    (fun x => And.intro ((h x.right).mp x.left) x.right)
    (fun x => And.intro ((h x.right).mpr x.left) x.right)

theorem and_congr_right_eq {a b c : Prop} (h : a → b = c) : (a ∧ b) = (a ∧ c) :=
  propext (and_congr_right (fun ha => Iff.of_eq (h ha)))

theorem and_congr_left_eq {c a b : Prop} (h : c → a = b) : (a ∧ c) = (b ∧ c) :=
  propext (and_congr_left (fun hc => Iff.of_eq (h hc)))

theorem not_and_of_not_left {a : Prop} (b : Prop) : ¬a → ¬(a ∧ b) := fun hn h => hn h.left

theorem not_and_of_not_right (a : Prop) {b : Prop} : ¬b → ¬(a ∧ b) := fun hn h => hn h.right

theorem and_assoc {a b c : Prop} : (a ∧ b) ∧ c ↔ a ∧ (b ∧ c) :=
  Iff.intro
    (fun h => And.intro h.left.left (And.intro h.left.right h.right))
    (fun h => And.intro (And.intro h.left h.right.left) h.right.right)

theorem and_left_comm {a b c : Prop} : a ∧ b ∧ c ↔ b ∧ a ∧ c :=
  Iff.intro
    (fun h => And.intro h.right.left (And.intro h.left h.right.right))
    (fun h => And.intro h.right.left (And.intro h.left h.right.right))

theorem and_right_comm {a b c : Prop} : (a ∧ b) ∧ c ↔ (a ∧ c) ∧ b :=
  Iff.intro
    (fun h => And.intro (And.intro h.left.left h.right) h.left.right)
    (fun h => And.intro (And.intro h.left.left h.right) h.left.right)

theorem and_rotate {a b c : Prop} : a ∧ b ∧ c ↔ b ∧ c ∧ a :=
  Iff.intro
    (fun h => And.intro h.right.left (And.intro h.right.right h.left))
    (fun h => And.intro h.right.right (And.intro h.left h.right.left))

theorem and_and_and_comm {a b c d : Prop} : (a ∧ b) ∧ c ∧ d ↔ (a ∧ c) ∧ b ∧ d :=
  Iff.intro
    (fun h => And.intro (And.intro h.left.left h.right.left) (And.intro h.left.right h.right.right))
    (fun h => And.intro (And.intro h.left.left h.right.left) (And.intro h.left.right h.right.right))

theorem and_and_left {a b c : Prop} : a ∧ (b ∧ c) ↔ (a ∧ b) ∧ a ∧ c :=
  Iff.intro
    (fun h => And.intro (And.intro h.left h.right.left) (And.intro h.left h.right.right))
    (fun h => And.intro h.left.left (And.intro h.left.right h.right.right))

theorem and_and_right {a b c : Prop} : (a ∧ b) ∧ c ↔ (a ∧ c) ∧ b ∧ c :=
  Iff.intro
    (fun h => And.intro (And.intro h.left.left h.right) (And.intro h.left.right h.right))
    (fun h => And.intro (And.intro h.left.left h.right.left) h.left.right)

theorem and_iff_left {b a : Prop} (hb : b) : a ∧ b ↔ a := Iff.intro And.left (fun ha => And.intro ha hb)

theorem and_iff_right {a b : Prop} (ha : a) : a ∧ b ↔ b := Iff.intro And.right (fun hb => And.intro ha hb)

theorem and_iff_left_of_imp {a b : Prop} (h : a → b) : (a ∧ b) ↔ a :=
  Iff.intro And.left (fun ha => And.intro ha (h ha))

theorem and_iff_right_of_imp {b a : Prop} (h : b → a) : (a ∧ b) ↔ b :=
  Iff.intro And.right (fun hb => And.intro (h hb) hb)

@[simp] theorem and_self_left {a b : Prop} : a ∧ (a ∧ b) ↔ a ∧ b := and_iff_right_of_imp And.left

@[simp] theorem and_self_right {a b : Prop} : (a ∧ b) ∧ b ↔ a ∧ b := and_iff_left_of_imp And.right

@[simp] theorem and_congr_right_iff {a b c : Prop} : (a ∧ b ↔ a ∧ c) ↔ (a → (b ↔ c)) :=
  Iff.intro
    (fun h ha => Iff.intro
      (fun hb => (h.mp (And.intro ha hb)).right)
      (fun hc => (h.mpr (And.intro ha hc)).right))
    and_congr_right

@[simp] theorem and_congr_left_iff {a c b : Prop} : (a ∧ c ↔ b ∧ c) ↔ (c → (a ↔ b)) :=
  Iff.intro
    (fun h hc => Iff.intro
      (fun ha => (h.mp (And.intro ha hc)).left)
      (fun hb => (h.mpr (And.intro hb hc)).left))
    and_congr_left

@[simp] theorem and_iff_left_iff_imp {a b : Prop} : ((a ∧ b) ↔ a) ↔ (a → b) :=
  Iff.intro (fun h ha => (h.mpr ha).right) and_iff_left_of_imp

@[simp] theorem and_iff_right_iff_imp {a b : Prop} : ((a ∧ b) ↔ b) ↔ (b → a) :=
  Iff.intro (fun h hb => (h.mpr hb).left) and_iff_right_of_imp

@[simp] theorem iff_self_and {p q : Prop} : (p ↔ p ∧ q) ↔ (p → q) :=
  Iff.intro (fun h hp => (h.mp hp).right) (fun h => Iff.symm (and_iff_left_of_imp h))

@[simp] theorem iff_and_self {p q : Prop} : (p ↔ q ∧ p) ↔ (p → q) :=
  Iff.intro (fun h hp => (h.mp hp).left) (fun h => Iff.symm (and_iff_right_of_imp h))
