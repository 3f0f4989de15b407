/- Equality, equivalence, decidability and implication. -/

universe u v w

/- True and false propositions as equations -/

theorem of_eq_true {p : Prop} (h : p = True) : p := Eq.mpr h True.intro

theorem of_eq_false {p : Prop} (h : p = False) : ¬p := fun hp => Eq.mp h hp

theorem eq_true {p : Prop} (h : p) : p = True :=
  propext (Iff.intro (fun _ => True.intro) (fun _ => h))

theorem eq_false {p : Prop} (h : ¬p) : p = False :=
  propext (Iff.intro (fun hp => h hp) (fun hf => False.elim hf))

theorem eq_false' {p : Prop} (h : p → False) : p = False := eq_false h

theorem eq_true_of_decide {p : Prop} [Decidable p] (h : Decidable.decide p = Bool.true) : p = True :=
  eq_true (of_decide_eq_true h)

theorem eq_false_of_decide {p : Prop} {inst : Decidable p} (h : @Decidable.decide p inst = Bool.false) :
    p = False :=
  eq_false (@of_decide_eq_false p inst h)

/- Functions -/

@[simp] theorem id_eq {α : Sort u} (a : α) : id a = a := rfl

theorem id_def {α : Sort u} (a : α) : id a = a := rfl

@[simp] theorem Function.const_apply {β : Sort u} {α : Sort v} {y : β} {x : α} :
    Function.const α y x = y := rfl

@[simp] theorem Function.comp_apply {β : Sort u} {δ : Sort v} {α : Sort w} {f : β → δ} {g : α → β} {x : α} :
    Function.comp f g x = f (g x) := rfl

theorem Function.comp_def {α : Sort u} {β : Sort v} {δ : Sort w} (f : β → δ) (g : α → β) :
    f ∘ g = fun x => f (g x) := rfl

@[simp] theorem Function.comp_id {α : Sort u} {β : Sort v} (f : α → β) : f ∘ id = f := rfl

@[simp] theorem Function.id_comp {α : Sort u} {β : Sort v} (f : α → β) : id ∘ f = f := rfl

/- Negation and equality -/

theorem trivial : True := True.intro

theorem mt {a b : Prop} (h₁ : a → b) (h₂ : ¬b) : ¬a :=
  fun ha => h₂ (h₁ ha)

theorem not_false : ¬False := fun h => h

theorem not_not_intro {p : Prop} (h : p) : ¬¬p :=
  fun hn => hn h

theorem proof_irrel {a : Prop} (h₁ h₂ : a) : h₁ = h₂ := rfl

@[simp] theorem cast_eq {α : Sort u} (h : α = α) (a : α) : cast h a = a := rfl

@[simp] theorem eq_mp_eq_cast {α β : Sort u} (h : α = β) : Eq.mp h = cast h := rfl

@[simp] theorem eq_mpr_eq_cast {α β : Sort u} (h : α = β) : Eq.mpr h = cast (Eq.symm h) := rfl

theorem Ne.intro {α : Sort u} {a b : α} (h : a = b → False) : a ≠ b := h

theorem Ne.elim {α : Sort u} {a b : α} (h : a ≠ b) : a = b → False := h

theorem Ne.irrefl {α : Sort u} {a : α} (h : a ≠ a) : False := h (Eq.refl a)

@[symm] theorem Ne.symm {α : Sort u} {a b : α} (h : a ≠ b) : b ≠ a :=
  fun h₁ => h (Eq.symm h₁)

theorem false_of_ne {α : Sort u} {a : α} : a ≠ a → False := Ne.irrefl

theorem ne_false_of_self {p : Prop} : p → p ≠ False :=
  fun hp h => Eq.mp h hp

theorem ne_true_of_not {p : Prop} : ¬p → p ≠ True :=
  fun hnp h => hnp (Eq.mpr h True.intro)

theorem true_ne_false : ¬True = False := ne_false_of_self True.intro

theorem false_ne_true : False ≠ True :=
  fun h => Eq.mpr h True.intro

theorem ne_of_apply_ne {α : Sort u} {β : Sort v} (f : α → β) {x y : α} : f x ≠ f y → x ≠ y :=
  fun h e => h (congrArg f e)

theorem Bool.of_not_eq_true {b : Bool} : ¬(b = Bool.true) → b = Bool.false :=
  Bool.casesOn (motive := fun b => ¬(b = Bool.true) → b = Bool.false) b
    (fun _ => rfl) (fun h => absurd rfl h)

theorem Bool.of_not_eq_false {b : Bool} : ¬(b = Bool.false) → b = Bool.true :=
  Bool.casesOn (motive := fun b => ¬(b = Bool.false) → b = Bool.true) b
    (fun h => absurd rfl h) (fun _ => rfl)

theorem eq_false_of_ne_true {b : Bool} : ¬(b = Bool.true) → b = Bool.false := Bool.of_not_eq_true

theorem eq_true_of_ne_false {b : Bool} : ¬(b = Bool.false) → b = Bool.true := Bool.of_not_eq_false

theorem ne_false_of_eq_true {b : Bool} : b = Bool.true → ¬(b = Bool.false) :=
  fun h e => Bool.false_ne_true (Eq.trans (Eq.symm e) h)

theorem ne_true_of_eq_false {b : Bool} : b = Bool.false → ¬(b = Bool.true) :=
  fun h e => Bool.false_ne_true (Eq.trans (Eq.symm h) e)

/- Heterogeneous equality -/

@[symm] theorem HEq.symm {α β : Sort u} {a : α} {b : β} (h : HEq a b) : HEq b a :=
  HEq.rec (motive := fun {γ : Sort u} (c : γ) _ => HEq c a) (HEq.refl a) h

theorem HEq.subst {α β : Sort u} {a : α} {b : β} {p : (T : Sort u) → T → Prop} (h₁ : HEq a b) (h₂ : p α a) :
    p β b :=
  HEq.rec (motive := fun {γ : Sort u} (c : γ) _ => p γ c) h₂ h₁

theorem HEq.trans {α β φ : Sort u} {a : α} {b : β} {c : φ} (h₁ : HEq a b) (h₂ : HEq b c) : HEq a c :=
  HEq.rec (motive := fun {γ : Sort u} (d : γ) _ => HEq a d) h₁ h₂

theorem heq_of_heq_of_eq {α β : Sort u} {a : α} {b b' : β} (h₁ : HEq a b) (h₂ : b = b') : HEq a b' :=
  HEq.trans h₁ (heq_of_eq h₂)

theorem heq_of_eq_of_heq {α β : Sort u} {a a' : α} {b : β} (h₁ : a = a') (h₂ : HEq a' b) : HEq a b :=
  HEq.trans (heq_of_eq h₁) h₂

theorem type_eq_of_heq {α β : Sort u} {a : α} {b : β} (h : HEq a b) : α = β :=
  HEq.rec (motive := fun {γ : Sort u} (_ : γ) _ => α = γ) (Eq.refl α) h

@[simp] theorem cast_heq {α β : Sort u} (h : α = β) (a : α) : HEq (cast h a) a :=
  Eq.rec (motive := fun (γ : Sort u) (e : α = γ) => HEq (cast e a) a) (HEq.refl a) h

@[simp] theorem heq_eq_eq {α : Sort u} (a b : α) : HEq a b = (a = b) :=
  propext (Iff.intro eq_of_heq heq_of_eq)

/- Equivalence -/

theorem iff_iff_implies_and_implies {a b : Prop} : (a ↔ b) ↔ (a → b) ∧ (b → a) :=
  Iff.intro (fun h => And.intro h.mp h.mpr) (fun h => Iff.intro h.left h.right)

@[refl] theorem Iff.refl (a : Prop) : a ↔ a :=
  Iff.intro (fun h => h) (fun h => h)

protected theorem Iff.rfl {a : Prop} : a ↔ a :=
  Iff.refl a

theorem Iff.of_eq {a b : Prop} (h : a = b) : a ↔ b :=
  Iff.intro (fun ha => Eq.mp h ha) (fun hb => Eq.mpr h hb)

theorem Iff.trans {a b c : Prop} (h₁ : a ↔ b) (h₂ : b ↔ c) : a ↔ c :=
  Iff.intro (fun ha => h₂.mp (h₁.mp ha)) (fun hc => h₁.mpr (h₂.mpr hc))

instance instTransIff : Trans Iff Iff Iff := ⟨fun h₁ h₂ => Iff.trans h₁ h₂⟩

theorem Eq.comm {α : Sort u} {a b : α} : a = b ↔ b = a := Iff.intro Eq.symm Eq.symm

theorem eq_comm {α : Sort u} {a b : α} : a = b ↔ b = a := Eq.comm

theorem ne_comm {α : Sort u} {a b : α} : a ≠ b ↔ b ≠ a := Iff.intro Ne.symm Ne.symm

theorem HEq.comm {α β : Sort u} {a : α} {b : β} : HEq a b ↔ HEq b a := Iff.intro HEq.symm HEq.symm

@[symm] theorem Iff.symm {a b : Prop} (h : a ↔ b) : b ↔ a := Iff.intro h.mpr h.mp

theorem Iff.comm {a b : Prop} : (a ↔ b) ↔ (b ↔ a) := Iff.intro Iff.symm Iff.symm

theorem iff_comm {a b : Prop} : (a ↔ b) ↔ (b ↔ a) := Iff.comm

@[symm] theorem And.symm {a b : Prop} : a ∧ b → b ∧ a := fun h => And.intro h.right h.left

theorem And.comm {a b : Prop} : a ∧ b ↔ b ∧ a := Iff.intro And.symm And.symm

theorem and_comm {a b : Prop} : a ∧ b ↔ b ∧ a := And.comm

@[symm] theorem Or.symm {a b : Prop} : a ∨ b → b ∨ a := fun h => Or.elim h Or.inr Or.inl

theorem Or.comm {a b : Prop} : a ∨ b ↔ b ∨ a := Iff.intro Or.symm Or.symm

theorem or_comm {a b : Prop} : a ∨ b ↔ b ∨ a := Or.comm

/- Decidable propositions -/

@[simp] theorem decide_true (h : Decidable True) : @Decidable.decide True h = Bool.true :=
  @decide_eq_true True h True.intro

@[simp] theorem decide_false (h : Decidable False) : @Decidable.decide False h = Bool.false :=
  @decide_eq_false False h not_false

@[simp] theorem decide_eq_true_eq {p : Prop} [Decidable p] : (Decidable.decide p = Bool.true) = p :=
  propext (Iff.intro of_decide_eq_true decide_eq_true)

@[simp] theorem decide_eq_false_iff_not {p : Prop} {inst : Decidable p} :
    @Decidable.decide p inst = Bool.false ↔ ¬p :=
  Iff.intro (@of_decide_eq_false p inst) (@decide_eq_false p inst)

theorem decide_eq_true_iff {p : Prop} [Decidable p] : Decidable.decide p = Bool.true ↔ p :=
  Iff.intro of_decide_eq_true decide_eq_true

/-- Proof and definition by cases on a decidable proposition. -/
def Decidable.byCases {p : Prop} {q : Sort u} [dec : Decidable p] (h1 : p → q) (h2 : ¬p → q) : q :=
  Decidable.casesOn (motive := fun _ => q) dec h2 h1

theorem Decidable.em (p : Prop) [Decidable p] : p ∨ ¬p :=
  Decidable.byCases (p := p) (fun hp => Or.inl hp) (fun hn => Or.inr hn)

theorem Decidable.byContradiction {p : Prop} [dec : Decidable p] (h : ¬p → False) : p :=
  Decidable.byCases (p := p) (fun hp => hp) (fun hn => False.elim (h hn))

theorem Decidable.of_not_not {p : Prop} [Decidable p] : ¬¬p → p :=
  fun hnn => Decidable.byContradiction (p := p) (fun hn => hnn hn)

theorem Decidable.by_contra {p : Prop} [Decidable p] : (¬p → False) → p := Decidable.of_not_not

/-- Decides a proposition through an equivalent one. -/
def decidable_of_decidable_of_iff {p q : Prop} [Decidable p] (h : p ↔ q) : Decidable q :=
  dite p (fun hp => Decidable.isTrue (h.mp hp)) (fun hp => Decidable.isFalse (fun hq => hp (h.mpr hq)))

/-- Decides a proposition through an equal one. -/
def decidable_of_decidable_of_eq {p q : Prop} [Decidable p] (h : p = q) : Decidable q :=
  decidable_of_decidable_of_iff (p := p) (Iff.of_eq h)

/-- Decides `b` through the equivalent `a`. -/
abbrev decidable_of_iff {b : Prop} (a : Prop) (h : a ↔ b) [Decidable a] : Decidable b :=
  decidable_of_decidable_of_iff h

theorem if_pos {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t e : α} : @ite α c h t e = t :=
  Decidable.rec (motive := fun (d : Decidable c) => @ite α c d t e = t)
    (fun hnc => absurd hc hnc) (fun _ => rfl) h

theorem if_neg {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t e : α} : @ite α c h t e = e :=
  Decidable.rec (motive := fun (d : Decidable c) => @ite α c d t e = e)
    (fun _ => rfl) (fun hc => absurd hc hnc) h

theorem dif_pos {c : Prop} {h : Decidable c} (hc : c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    @dite α c h t e = t hc :=
  Decidable.rec (motive := fun (d : Decidable c) => @dite α c d t e = t hc)
    (fun hnc => absurd hc hnc) (fun _ => rfl) h

theorem dif_neg {c : Prop} {h : Decidable c} (hnc : ¬c) {α : Sort u} {t : c → α} {e : ¬c → α} :
    @dite α c h t e = e hnc :=
  Decidable.rec (motive := fun (d : Decidable c) => @dite α c d t e = e hnc)
    (fun _ => rfl) (fun hc => absurd hc hnc) h

/- Lemmas about the connectives -/

/-- `absurd` with the negation first, for `h.elim`. -/
def Not.elim {a : Prop} {α : Sort u} (H1 : ¬a) (H2 : a) : α := absurd H2 H1

/-- Uses both halves of a conjunction. -/
abbrev And.elim {a b : Prop} {α : Sort u} (f : a → b → α) (h : a ∧ b) : α := f h.left h.right

/-- Uses both directions of an equivalence. -/
def Iff.elim {a b : Prop} {α : Sort u} (f : (a → b) → (b → a) → α) (h : a ↔ b) : α := f h.mp h.mpr

theorem Eq.propIntro {a b : Prop} (h₁ : a → b) (h₂ : b → a) : a = b := propext (Iff.intro h₁ h₂)

theorem Iff.subst {a b : Prop} {p : Prop → Prop} (h₁ : a ↔ b) (h₂ : p a) : p b :=
  Eq.subst (motive := p) (propext h₁) h₂

theorem Not.intro {a : Prop} (h : a → False) : ¬a := h

theorem Not.imp {a b : Prop} (H2 : ¬b) (H1 : a → b) : ¬a := mt H1 H2

theorem not_congr {a b : Prop} (h : a ↔ b) : ¬a ↔ ¬b :=
  Iff.intro (fun hn hb => hn (h.mpr hb)) (fun hn ha => hn (h.mp ha))

theorem not_not_not {a : Prop} : ¬¬¬a ↔ ¬a :=
  Iff.intro (fun h ha => h (fun hn => hn ha)) (fun h hn => hn h)

theorem iff_of_true {a b : Prop} (ha : a) (hb : b) : a ↔ b := Iff.intro (fun _ => hb) (fun _ => ha)

theorem iff_of_false {a b : Prop} (ha : ¬a) (hb : ¬b) : a ↔ b :=
  Iff.intro (fun h => absurd h ha) (fun h => absurd h hb)

theorem iff_true_left {a b : Prop} (ha : a) : (a ↔ b) ↔ b :=
  Iff.intro (fun h => h.mp ha) (fun hb => iff_of_true ha hb)

theorem iff_true_right {a b : Prop} (ha : a) : (b ↔ a) ↔ b :=
  Iff.intro (fun h => h.mpr ha) (fun hb => iff_of_true hb ha)

theorem iff_false_left {a b : Prop} (ha : ¬a) : (a ↔ b) ↔ ¬b :=
  Iff.intro (fun h hb => ha (h.mpr hb)) (fun hb => iff_of_false ha hb)

theorem iff_false_right {a b : Prop} (ha : ¬a) : (b ↔ a) ↔ ¬b :=
  Iff.intro (fun h hb => ha (h.mp hb)) (fun hb => iff_of_false hb ha)

theorem of_iff_true {a : Prop} (h : a ↔ True) : a := h.mpr True.intro

theorem iff_true_intro {a : Prop} (h : a) : a ↔ True := iff_of_true h True.intro

theorem not_of_iff_false {p : Prop} : (p ↔ False) → ¬p := fun h => h.mp

theorem iff_false_intro {a : Prop} (h : ¬a) : a ↔ False := iff_of_false h not_false

theorem not_iff_false_intro {a : Prop} (h : a) : ¬a ↔ False := iff_false_intro (not_not_intro h)

theorem not_true : (¬True) ↔ False := iff_false_intro (not_not_intro True.intro)

theorem not_false_iff : (¬False) ↔ True := iff_true_intro not_false

theorem Eq.to_iff {a b : Prop} : a = b → (a ↔ b) := Iff.of_eq

theorem iff_of_eq {a b : Prop} : a = b → (a ↔ b) := Iff.of_eq

theorem neq_of_not_iff {a b : Prop} : ¬(a ↔ b) → a ≠ b := fun h e => h (Iff.of_eq e)

theorem iff_iff_eq {a b : Prop} : (a ↔ b) ↔ a = b := Iff.intro propext Iff.of_eq

@[simp] theorem eq_iff_iff {a b : Prop} : a = b ↔ (a ↔ b) := Iff.intro Iff.of_eq propext

theorem eq_self_iff_true {α : Sort u} (a : α) : a = a ↔ True := iff_true_intro (Eq.refl a)

theorem ne_self_iff_false {α : Sort u} (a : α) : a ≠ a ↔ False := not_iff_false_intro (Eq.refl a)

theorem false_of_true_iff_false (h : True ↔ False) : False := h.mp True.intro

theorem false_of_true_eq_false (h : True = False) : False := Eq.mp h True.intro

theorem true_eq_false_of_false : False → (True = False) := fun h => False.elim h

theorem iff_def {a b : Prop} : (a ↔ b) ↔ (a → b) ∧ (b → a) := iff_iff_implies_and_implies

theorem iff_def' {a b : Prop} : (a ↔ b) ↔ (b → a) ∧ (a → b) := Iff.trans iff_def And.comm

theorem true_iff_false : (True ↔ False) ↔ False := iff_false_intro (fun h => h.mp True.intro)

theorem false_iff_true : (False ↔ True) ↔ False := iff_false_intro (fun h => h.mpr True.intro)

@[simp] theorem iff_not_self {a : Prop} : ¬(a ↔ ¬a) :=
  fun H => have hn : ¬a := fun h => H.mp h h
    hn (H.mpr hn)

@[simp] theorem not_iff_self {a : Prop} : ¬(¬a ↔ a) := fun H => iff_not_self (Iff.symm H)

/- Implication -/

theorem not_not_of_not_imp {a b : Prop} : ¬(a → b) → ¬¬a := fun h hn => h (fun ha => absurd ha hn)

theorem not_of_not_imp {b a : Prop} : ¬(a → b) → ¬b := fun h hb => h (fun _ => hb)

@[simp] theorem imp_not_self {a : Prop} : (a → ¬a) ↔ ¬a :=
  Iff.intro (fun h ha => h ha ha) (fun h _ => h)

theorem imp_intro {α β : Prop} (h : α) : β → α := fun _ => h

theorem imp_imp_imp {a b c d : Prop} (h₀ : c → a) (h₁ : b → d) : (a → b) → (c → d) :=
  fun h hc => h₁ (h (h₀ hc))

theorem imp_iff_right {b a : Prop} (ha : a) : (a → b) ↔ b :=
  Iff.intro (fun h => h ha) (fun hb _ => hb)

theorem imp_true_iff (α : Sort u) : (α → True) ↔ True := iff_true_intro (fun _ => True.intro)

theorem false_imp_iff (a : Prop) : (False → a) ↔ True := iff_true_intro (fun h => False.elim h)

theorem true_imp_iff {α : Prop} : (True → α) ↔ α := imp_iff_right True.intro

@[simp high] theorem imp_self {a : Prop} : (a → a) ↔ True := iff_true_intro (fun ha => ha)

@[simp] theorem imp_false {a : Prop} : (a → False) ↔ ¬a := Iff.rfl

theorem imp.swap {a b c : Prop} : (a → b → c) ↔ (b → a → c) :=
  Iff.intro (fun h hb ha => h ha hb) (fun h ha hb => h hb ha)

theorem imp_not_comm {a b : Prop} : (a → ¬b) ↔ (b → ¬a) :=
  Iff.intro (fun h hb ha => h ha hb) (fun h ha hb => h hb ha)

theorem imp_congr_left {a b c : Prop} (h : a ↔ b) : (a → c) ↔ (b → c) :=
  Iff.intro (fun hac hb => hac (h.mpr hb)) (fun hbc ha => hbc (h.mp ha))

theorem imp_congr_right {a b c : Prop} (h : a → (b ↔ c)) : (a → b) ↔ (a → c) :=
  Iff.intro (fun hab ha => (h ha).mp (hab ha)) (fun hac ha => (h ha).mpr (hac ha))

theorem imp_congr_ctx {a b c d : Prop} (h₁ : a ↔ c) (h₂ : c → (b ↔ d)) : (a → b) ↔ (c → d) :=
  Iff.trans (imp_congr_left h₁) (imp_congr_right h₂)

theorem imp_congr {a b c d : Prop} (h₁ : a ↔ c) (h₂ : b ↔ d) : (a → b) ↔ (c → d) :=
  imp_congr_ctx h₁ (fun _ => h₂)

theorem imp_iff_not {a b : Prop} (hb : ¬b) : (a → b) ↔ ¬a :=
  imp_congr_right (fun _ => iff_false_intro hb)
