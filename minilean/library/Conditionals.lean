/- Equations between an `if` and one of its branches, and conditions that are negated. -/

universe u

@[simp] theorem dite_not {α : Sort u} {p : Prop} [hn : Decidable ¬p] [h : Decidable p] (x : ¬p → α) (y : ¬¬p → α) :
    dite (¬p) x y = dite p (fun h => y (not_not_intro h)) x :=
  match h with
  | isTrue hp => (dif_neg (not_not_intro hp)).trans (dif_pos (t := fun h => y (not_not_intro h)) hp).symm
  | isFalse hp => (dif_pos hp).trans (dif_neg hp).symm

@[simp] theorem ite_not {α : Sort u} (p : Prop) [Decidable p] (x y : α) : ite (¬p) x y = ite p y x :=
  dite_not (fun _ => x) (fun _ => y)

@[simp] theorem dite_eq_left_iff {α : Sort u} {p : Prop} [h : Decidable p] {x : α} {y : ¬p → α} :
    (if h : p then x else y h) = x ↔ ∀ h : ¬p, y h = x :=
  match h with
  | isTrue hp => ⟨fun _ hn => absurd hp hn, fun _ => dif_pos hp⟩
  | isFalse hp => ⟨fun e _ => (dif_neg hp).symm.trans e, fun e => (dif_neg hp).trans (e hp)⟩

@[simp] theorem dite_eq_right_iff {α : Sort u} {p : Prop} [h : Decidable p] {x : p → α} {y : α} :
    (if h : p then x h else y) = y ↔ ∀ h : p, x h = y :=
  match h with
  | isTrue hp => ⟨fun e _ => (dif_pos hp).symm.trans e, fun e => (dif_pos hp).trans (e hp)⟩
  | isFalse hp => ⟨fun _ h => absurd h hp, fun _ => dif_neg hp⟩

@[simp] theorem ite_eq_left_iff {α : Sort u} {p : Prop} [Decidable p] {x y : α} :
    (if p then x else y) = x ↔ ¬p → y = x := dite_eq_left_iff

@[simp] theorem ite_eq_right_iff {α : Sort u} {p : Prop} [Decidable p] {x y : α} :
    (if p then x else y) = y ↔ p → x = y := dite_eq_right_iff

@[simp] theorem ite_iff_left_iff {p : Prop} [h : Decidable p] {x y : Prop} :
    ((if p then x else y) ↔ x) ↔ ¬p → y = x :=
  match h with
  | isTrue hp => ⟨fun _ hn => absurd hp hn, fun _ => Iff.of_eq (if_pos hp)⟩
  | isFalse hp => ⟨fun e _ => (if_neg hp).symm.trans (propext e), fun e => Iff.of_eq ((if_neg hp).trans (e hp))⟩

@[simp] theorem ite_iff_right_iff {p : Prop} [h : Decidable p] {x y : Prop} :
    ((if p then x else y) ↔ y) ↔ p → x = y :=
  match h with
  | isTrue hp => ⟨fun e _ => (if_pos hp).symm.trans (propext e), fun e => Iff.of_eq ((if_pos hp).trans (e hp))⟩
  | isFalse hp => ⟨fun _ h => absurd h hp, fun _ => Iff.of_eq (if_neg hp)⟩

@[simp] theorem dite_eq_ite {α : Sort u} {p : Prop} {a b : α} [Decidable p] :
    (dite p (fun _ => a) fun _ => b) = ite p a b := rfl

@[simp] theorem ite_then_self {p q : Prop} [h : Decidable p] : (if p then p else q) ↔ (¬p → q) :=
  match h with
  | isTrue hp => ⟨fun _ hn => absurd hp hn, fun _ => (if_pos (c := p) hp).mpr hp⟩
  | isFalse hp => ⟨fun e _ => (if_neg (c := p) hp).mp e, fun e => (if_neg (c := p) hp).mpr (e hp)⟩

@[simp] theorem ite_else_self {p q : Prop} [h : Decidable p] : (if p then q else p) ↔ (p ∧ q) :=
  match h with
  | isTrue hp => ⟨fun e => ⟨hp, (if_pos (c := p) hp).mp e⟩, fun e => (if_pos (c := p) hp).mpr e.2⟩
  | isFalse hp => ⟨fun e => absurd ((if_neg (c := p) hp).mp e) hp, fun e => absurd e.1 hp⟩

@[simp] theorem ite_then_not_self {p q : Prop} [h : Decidable p] : (if p then ¬p else q) ↔ (¬p ∧ q) :=
  match h with
  | isTrue hp => ⟨fun e => absurd hp ((if_pos (c := p) hp).mp e), fun e => absurd hp e.1⟩
  | isFalse hp => ⟨fun e => ⟨hp, (if_neg (c := p) hp).mp e⟩, fun e => (if_neg (c := p) hp).mpr e.2⟩

@[simp] theorem ite_else_not_self {p q : Prop} [h : Decidable p] : (if p then q else ¬p) ↔ (p → q) :=
  match h with
  | isTrue hp => ⟨fun e _ => (if_pos (c := p) hp).mp e, fun e => (if_pos (c := p) hp).mpr (e hp)⟩
  | isFalse hp => ⟨fun _ h => absurd h hp, fun _ => (if_neg (c := p) hp).mpr hp⟩
