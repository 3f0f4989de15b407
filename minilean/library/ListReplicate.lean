/- Lists: what functions do on `n` times the same element, and on images and reversed lists. -/

universe u v w

namespace List

variable {α : Type u} {β : Type v} {γ : Type w}

attribute [simp] Pairwise.nil

/- Images and reversed lists -/

@[simp] theorem map_dropLast {f : α → β} {l : List α} : l.dropLast.map f = (l.map f).dropLast := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    cases l with
    | nil => rfl
    | cons b l => exact congrArg (List.cons (f a)) ih

@[simp] theorem find?_map {f : β → α} {p : α → Bool} {l : List β} :
    find? p (l.map f) = (l.find? (p ∘ f)).map f := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    by_cases h : p (f a) = true
    · rw [map_cons, find?_cons_of_pos h, find?_cons_of_pos (p := p ∘ f) h]; rfl
    · rw [map_cons, find?_cons_of_neg h, find?_cons_of_neg (p := p ∘ f) h, ih]

@[simp] theorem getLast?_append {l l' : List α} : (l ++ l').getLast? = l'.getLast?.or l.getLast? := by
  rw [← head?_reverse, reverse_append, head?_append, head?_reverse, head?_reverse]

@[simp] theorem filterMap_reverse {f : α → Option β} {l : List α} : l.reverse.filterMap f = (l.filterMap f).reverse := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    rw [reverse_cons, filterMap_append, ih]
    cases h : f a with
    | none => rw [filterMap_cons_none h, filterMap_cons_none h, filterMap_nil, append_nil]
    | some b => rw [filterMap_cons_some h, filterMap_cons_some h, filterMap_nil, reverse_cons]

theorem ne_nil_of_map {f : α → β} {l : List α} (w : map f l ≠ []) : l ≠ [] := fun h => w (by rw [h]; rfl)

@[simp] theorem head_map {f : α → β} {l : List α} (w : map f l ≠ []) : (map f l).head w = f (l.head (ne_nil_of_map w)) := by
  cases l with
  | nil => exact absurd rfl w
  | cons a l => rfl

@[simp] theorem getLast_map {f : α → β} {l : List α} (h : map f l ≠ []) :
    (map f l).getLast h = f (l.getLast (ne_nil_of_map h)) := by
  induction l with
  | nil => exact absurd rfl h
  | cons a l ih =>
    cases l with
    | nil => rfl
    | cons b l => exact ih (cons_ne_nil (f b) (map f l))

theorem ne_nil_of_reverse {l : List α} (h : l.reverse ≠ []) : l ≠ [] := fun e => h (by rw [e]; rfl)

@[simp] theorem head_reverse {l : List α} (h : l.reverse ≠ []) : l.reverse.head h = l.getLast (ne_nil_of_reverse h) := by
  have e : some (l.reverse.head h) = some (l.getLast (ne_nil_of_reverse h)) := by
    rw [← head?_eq_some_head h, ← getLast?_eq_some_getLast (ne_nil_of_reverse h), head?_reverse]
  exact Option.some.inj e

@[simp] theorem getLast_reverse {l : List α} (h : l.reverse ≠ []) : l.reverse.getLast h = l.head (ne_nil_of_reverse h) := by
  have e : some (l.reverse.getLast h) = some (l.head (ne_nil_of_reverse h)) := by
    rw [← getLast?_eq_some_getLast h, ← head?_eq_some_head (ne_nil_of_reverse h), getLast?_reverse]
  exact Option.some.inj e

/- The same element -/

@[simp] theorem getElem_replicate {a : α} {n i : Nat} (h : i < (replicate n a).length) : (replicate n a)[i] = a := by
  induction n generalizing i with
  | zero => exact absurd h (Nat.not_lt_zero i)
  | succ n ih =>
    cases i with
    | zero => rfl
    | succ i => exact ih (Nat.lt_of_succ_lt_succ h)

@[simp] theorem head_replicate {n : Nat} {a : α} (w : replicate n a ≠ []) : head (replicate n a) w = a := by
  cases n with
  | zero => exact absurd rfl w
  | succ n => rfl

@[simp] theorem getLast_replicate {n : Nat} {a : α} (w : replicate n a ≠ []) : getLast (replicate n a) w = a :=
  eq_of_mem_replicate (getLast_mem w)

@[simp] theorem isEmpty_replicate {n : Nat} {a : α} : (replicate n a).isEmpty = decide (n = 0) := by
  cases n <;> rfl

@[simp] theorem dropLast_replicate {n : Nat} {a : α} : (replicate n a).dropLast = replicate (n - 1) a := by
  cases n with
  | zero => rfl
  | succ n => rw [replicate_succ', dropLast_concat]; rfl

@[simp] theorem filter_replicate_of_pos {n : Nat} {a : α} {p : α → Bool} (h : p a = true) :
    (replicate n a).filter p = replicate n a := by
  induction n with
  | zero => rfl
  | succ n ih => rw [replicate_succ, filter_cons_of_pos h, ih]

@[simp] theorem filter_replicate_of_neg {n : Nat} {a : α} {p : α → Bool} (h : ¬p a = true) :
    (replicate n a).filter p = [] := by
  induction n with
  | zero => rfl
  | succ n ih => rw [replicate_succ, filter_cons_of_neg h, ih]

@[simp] theorem flatten_replicate_nil {n : Nat} : (replicate n ([] : List α)).flatten = [] := by
  induction n with
  | zero => rfl
  | succ n ih => rw [replicate_succ, flatten_cons, ih]; rfl

@[simp] theorem flatten_replicate_singleton {n : Nat} {a : α} : (replicate n [a]).flatten = replicate n a := by
  induction n with
  | zero => rfl
  | succ n ih => rw [replicate_succ, flatten_cons, ih, replicate_succ]; rfl

@[simp] theorem flatten_replicate_replicate {n m : Nat} {a : α} :
    (replicate n (replicate m a)).flatten = replicate (n * m) a := by
  induction n with
  | zero => rw [Nat.zero_mul]; rfl
  | succ n ih => rw [replicate_succ, flatten_cons, ih, replicate_append_replicate, Nat.succ_mul, Nat.add_comm]

theorem find?_replicate {n : Nat} {a : α} {p : α → Bool} :
    find? p (replicate n a) = if n = 0 then none else if p a = true then some a else none := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [if_neg (Nat.succ_ne_zero n), replicate_succ]
    by_cases h : p a = true
    · rw [find?_cons_of_pos h, if_pos h]
    · rw [find?_cons_of_neg h, ih, if_neg h, ite_self]

@[simp] theorem find?_replicate_of_size_pos {n : Nat} {a : α} {p : α → Bool} (h : 0 < n) :
    find? p (replicate n a) = if p a = true then some a else none := by
  rw [find?_replicate, if_neg (Nat.ne_of_gt h)]

@[simp] theorem find?_replicate_of_pos {n : Nat} {a : α} {p : α → Bool} (h : p a = true) :
    find? p (replicate n a) = if n = 0 then none else some a := by rw [find?_replicate, if_pos h]

@[simp] theorem find?_replicate_of_neg {n : Nat} {a : α} {p : α → Bool} (h : ¬p a = true) :
    find? p (replicate n a) = none := by rw [find?_replicate, if_neg h, ite_self]

@[simp] theorem zipWith_replicate {f : α → β → γ} {a : α} {b : β} {m n : Nat} :
    zipWith f (replicate m a) (replicate n b) = replicate (min m n) (f a b) := by
  induction m generalizing n with
  | zero => rw [Nat.zero_min]; rfl
  | succ m ih =>
    cases n with
    | zero => rw [Nat.min_zero]; rfl
    | succ n => rw [replicate_succ, replicate_succ, zipWith_cons_cons, ih, Nat.add_min_add_right]; rfl

@[simp] theorem zipWith_replicate' {f : α → β → γ} {a : α} {b : β} {n : Nat} :
    zipWith f (replicate n a) (replicate n b) = replicate n (f a b) := by rw [zipWith_replicate, Nat.min_self]

@[simp] theorem zip_replicate {a : α} {b : β} {m n : Nat} :
    zip (replicate m a) (replicate n b) = replicate (min m n) (a, b) := zipWith_replicate

@[simp] theorem zip_replicate' {a : α} {b : β} {n : Nat} :
    zip (replicate n a) (replicate n b) = replicate n (a, b) := zipWith_replicate'

@[simp] theorem replicate_inj {n m : Nat} {a b : α} : replicate n a = replicate m b ↔ n = m ∧ (n = 0 ∨ a = b) := by
  constructor
  · intro h
    have e : n = m := by rw [← length_replicate (n := n) (a := a), h, length_replicate]
    refine ⟨e, ?_⟩
    cases n with
    | zero => exact Or.inl rfl
    | succ n => exact Or.inr (eq_of_mem_replicate (by rw [← h]; exact mem_cons_self))
  · intro h
    cases h with
    | intro e k =>
      cases e
      cases k with
      | inl z => rw [z]; rfl
      | inr z => rw [z]

end List
