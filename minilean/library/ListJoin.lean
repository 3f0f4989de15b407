/- Lists: heads and ends, lists of lists, functions that may fail. -/

universe u v w

variable {α : Type u} {β : Type v} {γ : Type w}

namespace List

/- The first and the last element -/

@[simp] theorem head_mem {l : List α} (h : l ≠ []) : head l h ∈ l := by
  cases l with
  | nil => exact absurd rfl h
  | cons a l => exact mem_cons_self

@[simp] theorem cons_head_tail {l : List α} (h : l ≠ []) : l.head h :: l.tail = l := by
  cases l with
  | nil => exact absurd rfl h
  | cons a l => rfl

@[simp] theorem head?_eq_none_iff {l : List α} : l.head? = none ↔ l = [] := by
  cases l with
  | nil => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | cons a l => exact ⟨nofun, nofun⟩

theorem head?_eq_some_iff {xs : List α} {a : α} : xs.head? = some a ↔ ∃ ys, xs = a :: ys := by
  cases xs with
  | nil => exact ⟨nofun, fun ⟨_, e⟩ => absurd e.symm (cons_ne_nil _ _)⟩
  | cons b l => exact ⟨fun h => ⟨l, by rw [Option.some.inj h]⟩, fun ⟨_, e⟩ => by rw [(List.cons.inj e).left]; rfl⟩

theorem head?_eq_some_head {l : List α} (h : l ≠ []) : head? l = some (head l h) := by
  cases l with
  | nil => exact absurd rfl h
  | cons a l => rfl

theorem mem_of_head? {l : List α} {a : α} (h : l.head? = some a) : a ∈ l := by
  obtain ⟨ys, e⟩ := head?_eq_some_iff.mp h
  rw [e]
  exact mem_cons_self

@[simp] theorem isSome_head? {l : List α} : l.head?.isSome = true ↔ l ≠ [] := by
  cases l with
  | nil => exact ⟨nofun, fun h => absurd rfl h⟩
  | cons a l => exact ⟨fun _ => cons_ne_nil a l, fun _ => rfl⟩

@[simp] theorem head?_append {l l' : List α} : (l ++ l').head? = l.head?.or l'.head? := by cases l <;> rfl

@[simp] theorem headD_eq_head?_getD {l : List α} {a : α} : headD l a = (head? l).getD a := by cases l <;> rfl

@[simp] theorem getLast_mem {l : List α} (h : l ≠ []) : getLast l h ∈ l := by
  induction l with
  | nil => exact absurd rfl h
  | cons a l ih =>
    cases l with
    | nil => exact mem_cons_self
    | cons b l => exact mem_cons_of_mem a (ih (cons_ne_nil b l))

theorem getLast?_eq_some_getLast {l : List α} (h : l ≠ []) : getLast? l = some (getLast l h) := by
  cases l with
  | nil => exact absurd rfl h
  | cons a l => rfl

theorem getLast_cons {a : α} {l : List α} (h : l ≠ []) : getLast (a :: l) (cons_ne_nil a l) = getLast l h := by
  cases l with
  | nil => exact absurd rfl h
  | cons b l => rfl

theorem getLast_concat {a : α} {l : List α} : getLast (l ++ [a]) (concat_ne_nil a l) = a := by
  induction l with
  | nil => rfl
  | cons b l ih => exact (getLast_cons (concat_ne_nil a l)).trans ih

@[simp] theorem getLast?_concat {l : List α} {a : α} : getLast? (l ++ [a]) = some a := by
  rw [getLast?_eq_some_getLast (concat_ne_nil a l), getLast_concat]

@[simp] theorem getLast?_reverse {l : List α} : l.reverse.getLast? = l.head? := by
  cases l with
  | nil => rfl
  | cons a l => rw [reverse_cons, getLast?_concat]; rfl

@[simp] theorem head?_reverse {l : List α} : l.reverse.head? = l.getLast? := by
  rw [← getLast?_reverse, reverse_reverse]

@[simp] theorem getLast?_eq_none_iff {xs : List α} : xs.getLast? = none ↔ xs = [] := by
  rw [← head?_reverse, head?_eq_none_iff, reverse_eq_nil_iff]

@[simp] theorem dropLast_concat {a : α} {l₁ : List α} : dropLast (l₁ ++ [a]) = l₁ := by
  induction l₁ with
  | nil => rfl
  | cons b l ih =>
    cases l with
    | nil => rfl
    | cons c l => exact congrArg (List.cons b) ih

@[simp] theorem dropLast_append_getLast {l : List α} (h : l ≠ []) : dropLast l ++ [getLast l h] = l := by
  induction l with
  | nil => exact absurd rfl h
  | cons a l ih =>
    cases l with
    | nil => rfl
    | cons b l => exact congrArg (List.cons a) (ih (cons_ne_nil b l))

theorem eq_nil_or_concat (l : List α) : l = [] ∨ ∃ l' b, l = concat l' b := by
  cases h : l.reverse with
  | nil => exact Or.inl (reverse_eq_nil_iff.mp h)
  | cons b l' => exact Or.inr ⟨l'.reverse, b, by rw [concat_eq_append]; exact reverse_eq_cons_iff.mp h⟩

/- Lists of lists -/

@[simp] theorem mem_flatten {a : α} {L : List (List α)} : a ∈ L.flatten ↔ ∃ l, l ∈ L ∧ a ∈ l := by
  induction L with
  | nil => exact ⟨fun h => absurd h not_mem_nil, fun ⟨_, h, _⟩ => absurd h not_mem_nil⟩
  | cons b L ih =>
    rw [flatten_cons, mem_append, ih]
    constructor
    · intro h
      cases h with
      | inl h => exact ⟨b, mem_cons_self, h⟩
      | inr h =>
        obtain ⟨l, m, k⟩ := h
        exact ⟨l, mem_cons_of_mem b m, k⟩
    · intro ⟨l, m, k⟩
      cases mem_cons.mp m with
      | inl e => rw [e] at k; exact Or.inl k
      | inr m => exact Or.inr ⟨l, m, k⟩

@[simp] theorem flatten_append {L₁ L₂ : List (List α)} : flatten (L₁ ++ L₂) = flatten L₁ ++ flatten L₂ := by
  induction L₁ with
  | nil => rfl
  | cons a L ih => rw [cons_append, flatten_cons, ih, flatten_cons, append_assoc]

theorem flatten_singleton {l : List α} : [l].flatten = l := append_nil l

@[simp] theorem length_flatten {L : List (List α)} : L.flatten.length = (L.map length).sum := by
  induction L with
  | nil => rfl
  | cons a L ih => rw [flatten_cons, length_append, ih]; rfl

@[simp] theorem map_flatten {f : α → β} {L : List (List α)} : (flatten L).map f = (map (map f) L).flatten := by
  induction L with
  | nil => rfl
  | cons a L ih => rw [flatten_cons, map_append, ih]; rfl

@[simp] theorem filter_flatten {p : α → Bool} {L : List (List α)} :
    filter p (flatten L) = flatten (map (filter p) L) := by
  induction L with
  | nil => rfl
  | cons a L ih => rw [flatten_cons, filter_append, ih]; rfl

@[simp] theorem flatten_eq_nil_iff {L : List (List α)} : L.flatten = [] ↔ ∀ l, l ∈ L → l = [] := by
  induction L with
  | nil => exact ⟨fun _ _ m => absurd m not_mem_nil, fun _ => rfl⟩
  | cons a L ih => rw [flatten_cons, append_eq_nil_iff, ih, forall_mem_cons]

theorem flatMap_def {l : List α} {f : α → List β} : l.flatMap f = flatten (map f l) := rfl

@[simp] theorem flatMap_id {L : List (List α)} : L.flatMap id = L.flatten := by rw [flatMap_def, map_id]

@[simp] theorem flatMap_append {xs ys : List α} {f : α → List β} :
    (xs ++ ys).flatMap f = xs.flatMap f ++ ys.flatMap f := by
  rw [flatMap_def, map_append, flatten_append]; rfl

@[simp] theorem mem_flatMap {f : α → List β} {b : β} {l : List α} : b ∈ l.flatMap f ↔ ∃ a, a ∈ l ∧ b ∈ f a := by
  rw [flatMap_def, mem_flatten]
  constructor
  · intro ⟨_, m, h⟩
    obtain ⟨a, m, e⟩ := mem_map.mp m
    exact ⟨a, m, by rw [e]; exact h⟩
  · intro ⟨a, m, h⟩
    exact ⟨f a, mem_map_of_mem m, h⟩

@[simp] theorem length_flatMap {l : List α} {f : α → List β} :
    length (l.flatMap f) = sum (map (fun a => (f a).length) l) := by
  rw [flatMap_def, length_flatten, map_map]; rfl

theorem flatMap_singleton (f : α → List β) (x : α) : [x].flatMap f = f x := append_nil (f x)

theorem map_flatMap {f : β → γ} {g : α → List β} {l : List α} :
    (l.flatMap g).map f = l.flatMap (fun a => (g a).map f) := by
  rw [flatMap_def, map_flatten, map_map]; rfl

theorem flatMap_map (f : α → β) (g : β → List γ) (l : List α) : (map f l).flatMap g = l.flatMap (fun a => g (f a)) := by
  rw [flatMap_def, map_map]; rfl

theorem flatMap_assoc {l : List α} {f : α → List β} {g : β → List γ} :
    (l.flatMap f).flatMap g = l.flatMap (fun x => (f x).flatMap g) := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [flatMap_cons, flatMap_append, ih, flatMap_cons]

/- Functions that may fail -/

@[simp] theorem filterMap_cons_none {f : α → Option β} {a : α} {l : List α} (h : f a = none) :
    filterMap f (a :: l) = filterMap f l := by rw [filterMap_cons, h]

@[simp] theorem filterMap_cons_some {f : α → Option β} {a : α} {l : List α} {b : β} (h : f a = some b) :
    filterMap f (a :: l) = b :: filterMap f l := by rw [filterMap_cons, h]

@[simp] theorem filterMap_eq_map {f : α → β} : filterMap (some ∘ f) = map f := by
  funext l
  induction l with
  | nil => rfl
  | cons a l ih => rw [filterMap_cons_some (f := some ∘ f) rfl, ih, map_cons]

@[simp] theorem filterMap_some {l : List α} : filterMap some l = l := (congrFun (filterMap_eq_map (f := id)) l).trans (map_id l)

@[simp] theorem mem_filterMap {f : α → Option β} {l : List α} {b : β} :
    b ∈ filterMap f l ↔ ∃ a, a ∈ l ∧ f a = some b := by
  induction l with
  | nil => exact ⟨fun h => absurd h not_mem_nil, fun ⟨_, h, _⟩ => absurd h not_mem_nil⟩
  | cons c l ih =>
    cases h : f c with
    | none =>
      rw [filterMap_cons_none h, ih]
      refine ⟨fun ⟨a, m, e⟩ => ⟨a, mem_cons_of_mem c m, e⟩, ?_⟩
      intro ⟨a, m, e⟩
      cases mem_cons.mp m with
      | inl k => rw [k, h] at e; exact absurd e.symm (Option.some_ne_none b)
      | inr m => exact ⟨a, m, e⟩
    | some d =>
      rw [filterMap_cons_some h, mem_cons, ih]
      constructor
      · intro k
        cases k with
        | inl k => exact ⟨c, mem_cons_self, by rw [k]; exact h⟩
        | inr k =>
          obtain ⟨a, m, e⟩ := k
          exact ⟨a, mem_cons_of_mem c m, e⟩
      · intro ⟨a, m, e⟩
        cases mem_cons.mp m with
        | inl k => rw [k, h] at e; exact Or.inl (Option.some.inj e).symm
        | inr m => exact Or.inr ⟨a, m, e⟩

@[simp] theorem filterMap_append {l l' : List α} {f : α → Option β} :
    filterMap f (l ++ l') = filterMap f l ++ filterMap f l' := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    cases h : f a with
    | none => rw [cons_append, filterMap_cons_none h, filterMap_cons_none h, ih]
    | some b => rw [cons_append, filterMap_cons_some h, filterMap_cons_some h, ih, cons_append]

@[simp] theorem find?_eq_none {p : α → Bool} {l : List α} : l.find? p = none ↔ ∀ x, x ∈ l → ¬p x = true := by
  induction l with
  | nil => exact ⟨fun _ _ m => absurd m not_mem_nil, fun _ => rfl⟩
  | cons a l ih =>
    rw [forall_mem_cons, ← ih]
    by_cases h : p a = true
    · rw [find?_cons_of_pos h]
      exact ⟨nofun, fun k => absurd h k.left⟩
    · rw [find?_cons_of_neg h]
      exact ⟨fun k => ⟨h, k⟩, And.right⟩

theorem find?_some {p : α → Bool} {a : α} {l : List α} (h : l.find? p = some a) : p a = true := by
  induction l with
  | nil => exact absurd h.symm (Option.some_ne_none a)
  | cons b l ih =>
    by_cases k : p b = true
    · rw [find?_cons_of_pos k] at h
      rw [← Option.some.inj h]
      exact k
    · rw [find?_cons_of_neg k] at h
      exact ih h

theorem mem_of_find?_eq_some {p : α → Bool} {a : α} {l : List α} (h : l.find? p = some a) : a ∈ l := by
  induction l with
  | nil => exact absurd h.symm (Option.some_ne_none a)
  | cons b l ih =>
    by_cases k : p b = true
    · rw [find?_cons_of_pos k] at h
      rw [← Option.some.inj h]
      exact mem_cons_self
    · rw [find?_cons_of_neg k] at h
      exact mem_cons_of_mem b (ih h)

@[simp] theorem map_zipWith {δ : Type u} {f : γ → δ} {g : α → β → γ} {l : List α} {l' : List β} :
    map f (zipWith g l l') = zipWith (fun x y => f (g x y)) l l' := by
  induction l generalizing l' with
  | nil => rfl
  | cons a l ih =>
    cases l' with
    | nil => rfl
    | cons b l' => rw [zipWith_cons_cons, map_cons, ih, zipWith_cons_cons]

theorem zip_map_left {f : α → γ} {l₁ : List α} {l₂ : List β} :
    zip (l₁.map f) l₂ = (zip l₁ l₂).map (Prod.map f id) := by
  induction l₁ generalizing l₂ with
  | nil => rfl
  | cons a l ih =>
    cases l₂ with
    | nil => rfl
    | cons b l₂ => rw [map_cons, zip_cons_cons, ih, zip_cons_cons, map_cons]; rfl

end List
