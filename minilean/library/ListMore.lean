/- Lists: more about length, append, map, reverse, folds, membership, filter. -/

universe u v w

variable {α : Type u} {β : Type v} {γ : Type w}

namespace List

/- Length and emptiness -/

@[simp] theorem nil_eq {xs : List α} : [] = xs ↔ xs = [] := eq_comm

theorem ne_nil_of_length_eq_add_one {l : List α} {n : Nat} (h : length l = n + 1) : l ≠ [] :=
  fun e => by rw [e] at h; exact absurd h.symm (Nat.succ_ne_zero n)

theorem eq_nil_iff_length_eq_zero {l : List α} : l = [] ↔ length l = 0 := length_eq_zero_iff.symm

theorem length_pos_iff {l : List α} : 0 < length l ↔ l ≠ [] :=
  Nat.pos_iff_ne_zero.trans (not_congr length_eq_zero_iff)

theorem ne_nil_iff_length_pos {l : List α} : l ≠ [] ↔ 0 < length l := length_pos_iff.symm

theorem length_pos_of_mem {a : α} {l : List α} (h : a ∈ l) : 0 < length l := length_pos_iff.mpr (ne_nil_of_mem h)

theorem exists_cons_of_length_pos {l : List α} (h : 0 < l.length) : ∃ h t, l = h :: t :=
  exists_cons_of_ne_nil (length_pos_iff.mp h)

theorem exists_cons_of_length_eq_add_one {l : List α} {n : Nat} (h : l.length = n + 1) : ∃ h t, l = h :: t :=
  exists_cons_of_ne_nil (ne_nil_of_length_eq_add_one h)

theorem ne_nil_iff_exists_cons {l : List α} : l ≠ [] ↔ ∃ b l', l = b :: l' :=
  ⟨exists_cons_of_ne_nil, fun ⟨b, l', e⟩ => by rw [e]; exact cons_ne_nil b l'⟩

theorem exists_mem_of_ne_nil (l : List α) (h : l ≠ []) : ∃ x, x ∈ l := by
  cases l with
  | nil => exact absurd rfl h
  | cons a l => exact ⟨a, mem_cons_self⟩

theorem length_eq_one_iff {l : List α} : length l = 1 ↔ ∃ a, l = [a] := by
  constructor
  · intro h
    cases l with
    | nil => exact absurd h (Nat.zero_ne_one)
    | cons a l => exact ⟨a, by rw [eq_nil_of_length_eq_zero (Nat.succ.inj h)]⟩
  · intro ⟨a, h⟩
    rw [h]
    rfl

@[simp] theorem ne_cons_self {a : α} {l : List α} : l ≠ a :: l := fun h => cons_ne_self a l h.symm

theorem cons_inj_right (a : α) {l l' : List α} : a :: l = a :: l' ↔ l = l' :=
  ⟨fun h => (List.cons.inj h).right, fun h => by rw [h]⟩

theorem singleton_inj {a b : α} : [a] = [b] ↔ a = b := ⟨fun h => (List.cons.inj h).left, fun h => by rw [h]⟩

@[simp] theorem isEmpty_iff {l : List α} : l.isEmpty = true ↔ l = [] := by
  cases l with
  | nil => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | cons a l => exact ⟨nofun, nofun⟩

@[simp] theorem isEmpty_eq_false_iff {l : List α} : l.isEmpty = false ↔ l ≠ [] := by
  rw [← Bool.not_eq_true, isEmpty_iff]

theorem isEmpty_iff_length_eq_zero {l : List α} : l.isEmpty = true ↔ l.length = 0 := by
  rw [isEmpty_iff, length_eq_zero_iff]

/- Append -/

@[simp] theorem concat_ne_nil (a : α) (l : List α) : l ++ [a] ≠ [] := by cases l <;> nofun

@[simp] theorem concat_eq_append {as : List α} {a : α} : as.concat a = as ++ [a] := by
  induction as with
  | nil => rfl
  | cons b as ih => exact congrArg (List.cons b) ih

theorem append_inj {s₁ s₂ t₁ t₂ : List α} (h : s₁ ++ t₁ = s₂ ++ t₂) (hl : length s₁ = length s₂) :
    s₁ = s₂ ∧ t₁ = t₂ := by
  induction s₁ generalizing s₂ with
  | nil =>
    cases s₂ with
    | nil => exact ⟨rfl, h⟩
    | cons b s₂ => exact absurd hl.symm (Nat.succ_ne_zero _)
  | cons a s₁ ih =>
    cases s₂ with
    | nil => exact absurd hl (Nat.succ_ne_zero _)
    | cons b s₂ =>
      have e := List.cons.inj h
      have k := ih e.right (Nat.succ.inj hl)
      exact ⟨by rw [e.left, k.left], k.right⟩

theorem append_inj_right {s₁ s₂ t₁ t₂ : List α} (h : s₁ ++ t₁ = s₂ ++ t₂) (hl : length s₁ = length s₂) : t₁ = t₂ :=
  (append_inj h hl).right

theorem append_inj_left {s₁ s₂ t₁ t₂ : List α} (h : s₁ ++ t₁ = s₂ ++ t₂) (hl : length s₁ = length s₂) : s₁ = s₂ :=
  (append_inj h hl).left

theorem append_inj' {s₁ s₂ t₁ t₂ : List α} (h : s₁ ++ t₁ = s₂ ++ t₂) (hl : length t₁ = length t₂) :
    s₁ = s₂ ∧ t₁ = t₂ :=
  append_inj h (by
    have e := congrArg length h
    rw [length_append, length_append, hl] at e
    exact Nat.add_right_cancel e)

theorem append_right_inj {t₁ t₂ : List α} (s : List α) : s ++ t₁ = s ++ t₂ ↔ t₁ = t₂ :=
  ⟨append_cancel_left, fun h => by rw [h]⟩

theorem append_left_inj {s₁ s₂ : List α} (t : List α) : s₁ ++ t = s₂ ++ t ↔ s₁ = s₂ :=
  ⟨fun h => (append_inj' h rfl).left, fun h => by rw [h]⟩

theorem append_cancel_right {as bs cs : List α} (h : as ++ bs = cs ++ bs) : as = cs := (append_left_inj bs).mp h

@[simp] theorem append_cancel_left_eq (as bs cs : List α) : (as ++ bs = as ++ cs) = (bs = cs) :=
  propext (append_right_inj as)

@[simp] theorem append_cancel_right_eq (as bs cs : List α) : (as ++ bs = cs ++ bs) = (as = cs) :=
  propext (append_left_inj bs)

@[simp] theorem append_left_eq_self {xs ys : List α} : xs ++ ys = ys ↔ xs = [] := append_left_inj (s₂ := []) ys

@[simp] theorem self_eq_append_left {xs ys : List α} : ys = xs ++ ys ↔ xs = [] := eq_comm.trans append_left_eq_self

@[simp] theorem append_right_eq_self {xs ys : List α} : xs ++ ys = xs ↔ ys = [] := by
  conv => lhs; rhs; rw [← append_nil xs]
  exact append_right_inj xs

@[simp] theorem self_eq_append_right {xs ys : List α} : xs = xs ++ ys ↔ ys = [] := eq_comm.trans append_right_eq_self

theorem append_ne_nil_of_left_ne_nil {s : List α} (h : s ≠ []) (t : List α) : s ++ t ≠ [] :=
  fun e => h (append_eq_nil_iff.mp e).left

theorem append_ne_nil_of_right_ne_nil {t : List α} (s : List α) (h : t ≠ []) : s ++ t ≠ [] :=
  fun e => h (append_eq_nil_iff.mp e).right

@[simp] theorem append_singleton_inj {as bs : List α} {a b : α} : as ++ [a] = bs ++ [b] ↔ as = bs ∧ a = b :=
  ⟨fun h => ⟨(append_inj' h rfl).left, singleton_inj.mp (append_inj' h rfl).right⟩, fun h => by rw [h.left, h.right]⟩

/- Membership -/

theorem eq_or_mem_of_mem_cons {a b : α} {l : List α} : a ∈ b :: l → a = b ∨ a ∈ l := mem_cons.mp

theorem eq_of_mem_singleton {a b : α} (h : a ∈ [b]) : a = b := mem_singleton.mp h

theorem mem_of_ne_of_mem {a y : α} {l : List α} (h₁ : a ≠ y) (h₂ : a ∈ y :: l) : a ∈ l :=
  (mem_cons.mp h₂).resolve_left h₁

theorem ne_of_not_mem_cons {a b : α} {l : List α} : ¬a ∈ b :: l → a ≠ b := mt (fun e => mem_cons.mpr (Or.inl e))

theorem not_mem_of_not_mem_cons {a b : α} {l : List α} : ¬a ∈ b :: l → ¬a ∈ l := mt (Mem.tail b)

theorem not_mem_append {a : α} {s t : List α} (h₁ : ¬a ∈ s) (h₂ : ¬a ∈ t) : ¬a ∈ s ++ t :=
  fun h => Or.elim (mem_append.mp h) h₁ h₂

theorem forall_mem_append {p : α → Prop} {l₁ l₂ : List α} :
    (∀ x, x ∈ l₁ ++ l₂ → p x) ↔ (∀ x, x ∈ l₁ → p x) ∧ (∀ x, x ∈ l₂ → p x) :=
  ⟨fun h => ⟨fun x m => h x (mem_append.mpr (Or.inl m)), fun x m => h x (mem_append.mpr (Or.inr m))⟩,
   fun h x m => Or.elim (mem_append.mp m) (h.left x) (h.right x)⟩

theorem forall_mem_singleton {p : α → Prop} {a : α} : (∀ x, x ∈ [a] → p x) ↔ p a :=
  ⟨fun h => h a (mem_singleton_self a), fun h x m => by rw [eq_of_mem_singleton m]; exact h⟩

theorem append_of_mem {a : α} {l : List α} (h : a ∈ l) : ∃ s t : List α, l = s ++ a :: t := by
  induction h with
  | head as => exact ⟨[], as, rfl⟩
  | tail b _ ih =>
    obtain ⟨s, t, e⟩ := ih
    exact ⟨b :: s, t, by rw [e, cons_append]⟩

theorem mem_iff_append {a : α} {l : List α} : a ∈ l ↔ ∃ s t : List α, l = s ++ a :: t :=
  ⟨append_of_mem, fun ⟨s, t, e⟩ => by rw [e]; exact mem_append_right s mem_cons_self⟩

theorem exists_of_mem_map {b : β} {f : α → β} {l : List α} (h : b ∈ map f l) : ∃ a, a ∈ l ∧ f a = b := mem_map.mp h

theorem forall_mem_map {f : α → β} {l : List α} {P : β → Prop} :
    (∀ i, i ∈ l.map f → P i) ↔ ∀ j, j ∈ l → P (f j) :=
  ⟨fun h j m => h (f j) (mem_map_of_mem m), fun h i m => by
    obtain ⟨a, m, e⟩ := mem_map.mp m
    rw [← e]
    exact h a m⟩

/- Map -/

theorem map_singleton {f : α → β} {a : α} : map f [a] = [f a] := rfl

@[simp] theorem map_id_fun' : map (fun (a : α) => a) = id := map_id_fun

theorem map_id' (l : List α) : map (fun (a : α) => a) l = l := map_id l

@[simp] theorem isEmpty_map {l : List α} {f : α → β} : (l.map f).isEmpty = l.isEmpty := by cases l <;> rfl

@[simp] theorem map_inj_left {f g : α → β} {l : List α} : map f l = map g l ↔ ∀ a, a ∈ l → f a = g a := by
  induction l with
  | nil => exact ⟨fun _ _ m => absurd m not_mem_nil, fun _ => rfl⟩
  | cons b l ih =>
    rw [map_cons, map_cons, forall_mem_cons, ← ih]
    exact cons_eq_cons

theorem map_congr_left {f g : α → β} {l : List α} (h : ∀ a, a ∈ l → f a = g a) : map f l = map g l :=
  map_inj_left.mpr h

theorem eq_nil_of_map_eq_nil {f : α → β} {l : List α} (h : map f l = []) : l = [] := map_eq_nil_iff.mp h

@[simp] theorem head?_map {f : α → β} {l : List α} : (map f l).head? = l.head?.map f := by cases l <;> rfl

@[simp] theorem map_tail {f : α → β} {l : List α} : map f l.tail = (map f l).tail := by cases l <;> rfl

theorem map_eq_foldr {f : α → β} {l : List α} : map f l = foldr (fun a bs => f a :: bs) [] l := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [map_cons, ih]; rfl

/- Reverse -/

@[simp] theorem reverseAux_eq {as bs : List α} : reverseAux as bs = reverse as ++ bs := reverseAux_eq_append

theorem reverse_singleton {a : α} : [a].reverse = [a] := rfl

theorem reverse_concat {l : List α} {a : α} : (l ++ [a]).reverse = a :: l.reverse := by rw [reverse_append]; rfl

theorem reverse_eq_iff {as bs : List α} : as.reverse = bs ↔ as = bs.reverse :=
  ⟨fun h => by rw [← h, reverse_reverse], fun h => by rw [h, reverse_reverse]⟩

@[simp] theorem reverse_inj {xs ys : List α} : xs.reverse = ys.reverse ↔ xs = ys := by
  rw [reverse_eq_iff, reverse_reverse]

@[simp] theorem reverse_eq_cons_iff {xs : List α} {a : α} {ys : List α} :
    xs.reverse = a :: ys ↔ xs = ys.reverse ++ [a] := by rw [reverse_eq_iff, reverse_cons]

@[simp] theorem reverse_eq_append_iff {xs ys zs : List α} : xs.reverse = ys ++ zs ↔ xs = zs.reverse ++ ys.reverse := by
  rw [reverse_eq_iff, reverse_append]

theorem reverse_ne_nil_iff {xs : List α} : xs.reverse ≠ [] ↔ xs ≠ [] := not_congr reverse_eq_nil_iff

@[simp] theorem isEmpty_reverse {xs : List α} : xs.reverse.isEmpty = xs.isEmpty := by
  rw [Bool.eq_iff_iff, isEmpty_iff, isEmpty_iff, reverse_eq_nil_iff]

@[simp] theorem filter_reverse {p : α → Bool} {l : List α} : l.reverse.filter p = (l.filter p).reverse := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    rw [reverse_cons, filter_append, ih]
    by_cases h : p a = true
    · rw [filter_cons_of_pos h, filter_cons_of_pos h, reverse_cons]; rfl
    · rw [filter_cons_of_neg h, filter_cons_of_neg h]; exact append_nil _

/- Folds -/

theorem foldl_map {γ : Type w} {f : α → β} {g : γ → β → γ} {l : List α} {init : γ} :
    (l.map f).foldl g init = l.foldl (fun x y => g x (f y)) init := by
  induction l generalizing init with
  | nil => rfl
  | cons a l ih => exact ih

theorem foldr_map {γ : Type w} {f : α → β} {g : β → γ → γ} {l : List α} {init : γ} :
    (l.map f).foldr g init = l.foldr (fun x y => g (f x) y) init := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [map_cons, foldr_cons, ih]; rfl

@[simp] theorem foldr_cons_eq_append {l : List α} {f : α → β} {l' : List β} :
    l.foldr (fun x ys => f x :: ys) l' = l.map f ++ l' := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [foldr_cons, ih]; rfl

@[simp] theorem foldr_cons_eq_append' {l l' : List β} : l.foldr cons l' = l ++ l' := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [foldr_cons, ih]; rfl

theorem foldr_cons_nil {l : List α} : l.foldr cons [] = l := by rw [foldr_cons_eq_append', append_nil]

@[simp] theorem foldl_flip_cons_eq_append {l : List α} {f : α → β} {l' : List β} :
    l.foldl (fun xs y => f y :: xs) l' = (l.map f).reverse ++ l' := by
  induction l generalizing l' with
  | nil => rfl
  | cons a l ih => rw [foldl_cons, ih, map_cons, reverse_cons, append_assoc]; rfl

@[simp] theorem foldl_reverse {l : List α} {f : β → α → β} {b : β} :
    l.reverse.foldl f b = l.foldr (fun x y => f y x) b := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [reverse_cons, foldl_append, ih]; rfl

@[simp] theorem foldr_reverse {l : List α} {f : α → β → β} {b : β} :
    l.reverse.foldr f b = l.foldl (fun x y => f y x) b := by
  rw [← foldl_reverse (f := fun x y => f y x), reverse_reverse]

/- Filter -/

@[simp] theorem filter_eq_nil_iff {p : α → Bool} {l : List α} : filter p l = [] ↔ ∀ a, a ∈ l → ¬p a = true := by
  rw [eq_nil_iff_forall_not_mem]
  exact forall_congr' (fun a => (not_congr mem_filter).trans not_and)

@[simp] theorem filter_eq_self {p : α → Bool} {l : List α} : filter p l = l ↔ ∀ a, a ∈ l → p a = true := by
  induction l with
  | nil => exact ⟨fun _ _ m => absurd m not_mem_nil, fun _ => rfl⟩
  | cons b l ih =>
    rw [forall_mem_cons, ← ih]
    by_cases h : p b = true
    · rw [filter_cons_of_pos h, cons_inj_right]
      exact ⟨fun e => ⟨h, e⟩, And.right⟩
    · rw [filter_cons_of_neg h]
      refine ⟨fun e => ?_, fun e => absurd e.left h⟩
      have k := length_filter_le p l
      rw [e] at k
      exact absurd k (Nat.not_succ_le_self _)

@[simp] theorem filter_filter {p q : α → Bool} {l : List α} : filter p (filter q l) = filter (fun a => p a && q a) l := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    by_cases hq : q a = true
    · by_cases hp : p a = true
      · rw [filter_cons_of_pos hq, filter_cons_of_pos hp, ih, filter_cons_of_pos (by rw [hp, hq]; rfl)]
      · rw [filter_cons_of_pos hq, filter_cons_of_neg hp, ih,
          filter_cons_of_neg (by rw [eq_false_of_ne_true hp]; exact Bool.false_ne_true)]
    · rw [filter_cons_of_neg hq, ih,
        filter_cons_of_neg (by rw [eq_false_of_ne_true hq, Bool.and_false]; exact Bool.false_ne_true)]

theorem filter_map {f : β → α} {p : α → Bool} {l : List β} : filter p (map f l) = map f (filter (p ∘ f) l) := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    by_cases h : p (f a) = true
    · rw [map_cons, filter_cons_of_pos h, filter_cons_of_pos (p := p ∘ f) h, map_cons, ih]
    · rw [map_cons, filter_cons_of_neg h, filter_cons_of_neg (p := p ∘ f) h, ih]

/- Any and all -/

@[simp] theorem any_eq_true {p : α → Bool} {l : List α} : l.any p = true ↔ ∃ x, x ∈ l ∧ p x = true := by
  induction l with
  | nil => exact ⟨nofun, fun ⟨_, m, _⟩ => absurd m not_mem_nil⟩
  | cons a l ih =>
    rw [any_cons, Bool.or_eq_true_iff, ih]
    refine ⟨fun h => Or.elim h (fun h => ⟨a, mem_cons_self, h⟩) (fun ⟨x, m, h⟩ => ⟨x, mem_cons_of_mem a m, h⟩), ?_⟩
    intro ⟨x, m, h⟩
    cases mem_cons.mp m with
    | inl e => rw [e] at h; exact Or.inl h
    | inr m => exact Or.inr ⟨x, m, h⟩

@[simp] theorem all_eq_true {p : α → Bool} {l : List α} : l.all p = true ↔ ∀ x, x ∈ l → p x = true := by
  induction l with
  | nil => exact ⟨fun _ _ m => absurd m not_mem_nil, fun _ => rfl⟩
  | cons a l ih => rw [all_cons, Bool.and_eq_true_iff, ih, forall_mem_cons]

@[simp] theorem any_eq_false {p : α → Bool} {l : List α} : l.any p = false ↔ ∀ x, x ∈ l → ¬p x = true := by
  rw [← Bool.not_eq_true, any_eq_true]
  exact ⟨fun h x m k => h ⟨x, m, k⟩, fun h ⟨x, m, k⟩ => h x m k⟩

@[simp] theorem all_eq_false {p : α → Bool} {l : List α} : l.all p = false ↔ ∃ x, x ∈ l ∧ ¬p x = true := by
  rw [← Bool.not_eq_true, all_eq_true, Classical.not_forall]
  exact exists_congr (fun x => Classical.not_imp)

@[simp] theorem any_append {p : α → Bool} {xs ys : List α} : (xs ++ ys).any p = (xs.any p || ys.any p) := by
  induction xs with
  | nil => rfl
  | cons a xs ih => rw [cons_append, any_cons, ih, any_cons, Bool.or_assoc]

@[simp] theorem all_append {p : α → Bool} {xs ys : List α} : (xs ++ ys).all p = (xs.all p && ys.all p) := by
  induction xs with
  | nil => rfl
  | cons a xs ih => rw [cons_append, all_cons, ih, all_cons, Bool.and_assoc]

end List
