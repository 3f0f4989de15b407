/- Lists: length, append, map, reverse, folds, membership, filter. -/

universe u v w

variable {α : Type u} {β : Type v} {γ : Type w}

namespace List

/- Length -/

@[simp] theorem length_nil : length ([] : List α) = 0 := rfl

@[simp] theorem length_cons {a : α} {as : List α} : length (a :: as) = length as + 1 := rfl

@[simp] theorem length_singleton {a : α} : length [a] = 1 := rfl

theorem eq_nil_of_length_eq_zero {l : List α} : length l = 0 → l = [] := by
  cases l with
  | nil => intro _; rfl
  | cons a l => intro h; exact absurd h (Nat.succ_ne_zero _)

@[simp] theorem length_eq_zero_iff {l : List α} : length l = 0 ↔ l = [] :=
  ⟨eq_nil_of_length_eq_zero, fun h => by rw [h]; rfl⟩

theorem ne_nil_of_length_pos {l : List α} : 0 < length l → l ≠ [] := by
  intro h e
  rw [e] at h
  exact absurd h (Nat.lt_irrefl 0)

theorem exists_cons_of_ne_nil {l : List α} : l ≠ [] → ∃ b L, l = b :: L := by
  cases l with
  | nil => intro h; exact absurd rfl h
  | cons a l => intro _; exact ⟨a, l, rfl⟩

theorem cons_ne_nil (a : α) (l : List α) : a :: l ≠ [] := by
  intro h
  cases h

@[simp] theorem cons_ne_self (a : α) (l : List α) : a :: l ≠ l := by
  intro h
  have e : length (a :: l) = length l := congrArg length h
  exact absurd e (Nat.succ_ne_self (length l))

theorem head_eq_of_cons_eq {h₁ h₂ : α} {t₁ t₂ : List α} (H : h₁ :: t₁ = h₂ :: t₂) : h₁ = h₂ :=
  (List.cons.inj H).left

theorem tail_eq_of_cons_eq {h₁ h₂ : α} {t₁ t₂ : List α} (H : h₁ :: t₁ = h₂ :: t₂) : t₁ = t₂ :=
  (List.cons.inj H).right

theorem cons_eq_cons {a b : α} {l l' : List α} : a :: l = b :: l' ↔ a = b ∧ l = l' :=
  ⟨fun h => List.cons.inj h, fun h => by rw [h.left, h.right]⟩

/- Append -/

@[simp] theorem append_eq {as bs : List α} : List.append as bs = as ++ bs := rfl

@[simp] theorem nil_append (as : List α) : [] ++ as = as := rfl

@[simp] theorem cons_append {a : α} {as bs : List α} : (a :: as) ++ bs = a :: (as ++ bs) := rfl

@[simp] theorem append_nil (as : List α) : as ++ [] = as := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [cons_append, ih]

@[simp] theorem append_assoc (as bs cs : List α) : (as ++ bs) ++ cs = as ++ (bs ++ cs) := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [cons_append, cons_append, cons_append, ih]

@[simp] theorem singleton_append {x : α} {l : List α} : [x] ++ l = x :: l := rfl

theorem append_cons (as : List α) (b : α) (bs : List α) : as ++ b :: bs = as ++ [b] ++ bs := by
  rw [append_assoc]
  rfl

@[simp] theorem length_append {as bs : List α} : (as ++ bs).length = as.length + bs.length := by
  induction as with
  | nil => rw [nil_append, length_nil, Nat.zero_add]
  | cons a as ih => rw [cons_append, length_cons, length_cons, ih, Nat.add_right_comm]

theorem append_cancel_left {as bs cs : List α} (h : as ++ bs = as ++ cs) : bs = cs := by
  induction as with
  | nil => exact h
  | cons a as ih => exact ih (List.cons.inj h).right

@[simp] theorem append_eq_nil_iff {p q : List α} : p ++ q = [] ↔ p = [] ∧ q = [] := by
  cases p with
  | nil => exact ⟨fun h => ⟨rfl, h⟩, fun h => h.right⟩
  | cons a p => exact ⟨fun h => absurd h (cons_ne_nil a (p ++ q)), fun h => absurd h.left (cons_ne_nil a p)⟩

/- Map -/

@[simp] theorem map_nil {f : α → β} : map f [] = [] := rfl

@[simp] theorem map_cons {f : α → β} {a : α} {l : List α} : map f (a :: l) = f a :: map f l := rfl

@[simp] theorem length_map {as : List α} (f : α → β) : (as.map f).length = as.length := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [map_cons, length_cons, length_cons, ih]

@[simp] theorem map_append {f : α → β} {l₁ l₂ : List α} : map f (l₁ ++ l₂) = map f l₁ ++ map f l₂ := by
  induction l₁ with
  | nil => rfl
  | cons a l ih => rw [cons_append, map_cons, map_cons, cons_append, ih]

@[simp] theorem map_map {g : β → γ} {f : α → β} {l : List α} : map g (map f l) = map (g ∘ f) l := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [map_cons, map_cons, map_cons, ih]; rfl

theorem map_id (l : List α) : map (id : α → α) l = l := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [map_cons, ih]; rfl

@[simp] theorem map_id_fun : map (id : α → α) = id := by
  funext l
  exact map_id l

@[simp] theorem map_eq_nil_iff {f : α → β} {l : List α} : map f l = [] ↔ l = [] := by
  cases l with
  | nil => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | cons a l => exact ⟨fun h => absurd h (cons_ne_nil _ _), fun h => absurd h (cons_ne_nil _ _)⟩

/- Reverse -/

theorem reverseAux_eq_append {as bs : List α} : reverseAux as bs = reverseAux as [] ++ bs := by
  induction as generalizing bs with
  | nil => rfl
  | cons a as ih =>
    show reverseAux as (a :: bs) = reverseAux as [a] ++ bs
    rw [ih, @ih [a], append_assoc]
    rfl

@[simp] theorem reverse_nil : reverse ([] : List α) = [] := rfl

@[simp] theorem reverse_cons {a : α} {as : List α} : reverse (a :: as) = reverse as ++ [a] := by
  show reverseAux as [a] = reverseAux as [] ++ [a]
  exact reverseAux_eq_append

@[simp] theorem reverse_append {as bs : List α} : (as ++ bs).reverse = bs.reverse ++ as.reverse := by
  induction as with
  | nil => rw [nil_append, reverse_nil, append_nil]
  | cons a as ih => rw [cons_append, reverse_cons, ih, reverse_cons, append_assoc]

@[simp] theorem reverse_reverse (as : List α) : as.reverse.reverse = as := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [reverse_cons, reverse_append, ih]; rfl

@[simp] theorem length_reverse {as : List α} : (as.reverse).length = as.length := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [reverse_cons, length_append, ih]; rfl

@[simp] theorem map_reverse {f : α → β} {l : List α} : map f l.reverse = (map f l).reverse := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [reverse_cons, map_append, ih, map_cons, map_cons, map_nil, reverse_cons]

@[simp] theorem reverse_eq_nil_iff {xs : List α} : xs.reverse = [] ↔ xs = [] :=
  ⟨fun h => by rw [← reverse_reverse xs, h]; rfl, fun h => by rw [h]; rfl⟩

/- Folds -/

@[simp] theorem foldl_nil {f : β → α → β} {b : β} : foldl f b [] = b := rfl

@[simp] theorem foldl_cons {f : β → α → β} {a : α} {l : List α} {b : β} :
    foldl f b (a :: l) = foldl f (f b a) l := rfl

@[simp] theorem foldr_nil {f : α → β → β} {b : β} : foldr f b [] = b := rfl

@[simp] theorem foldr_cons {a : α} {f : α → β → β} {b : β} {l : List α} :
    foldr f b (a :: l) = f a (foldr f b l) := rfl

@[simp] theorem foldl_append {f : β → α → β} {b : β} {l l' : List α} :
    foldl f b (l ++ l') = foldl f (foldl f b l) l' := by
  induction l generalizing b with
  | nil => rfl
  | cons a l ih => rw [cons_append, foldl_cons, foldl_cons, ih]

@[simp] theorem foldr_append {f : α → β → β} {b : β} {l l' : List α} :
    foldr f b (l ++ l') = foldr f (foldr f b l') l := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [cons_append, foldr_cons, foldr_cons, ih]

/- Membership -/

@[simp] theorem not_mem_nil {a : α} : ¬a ∈ [] := by
  intro h
  cases h

@[simp] theorem mem_cons {a b : α} {l : List α} : a ∈ b :: l ↔ a = b ∨ a ∈ l := by
  constructor
  · intro h
    cases h with
    | head => exact Or.inl rfl
    | tail _ h => exact Or.inr h
  · intro h
    cases h with
    | inl h => rw [h]; exact Mem.head l
    | inr h => exact Mem.tail b h

theorem mem_cons_self {a : α} {l : List α} : a ∈ a :: l := Mem.head l

theorem mem_cons_of_mem (y : α) {a : α} {l : List α} : a ∈ l → a ∈ y :: l := Mem.tail y

theorem mem_singleton_self (a : α) : a ∈ [a] := mem_cons_self

theorem mem_singleton {a b : α} : a ∈ [b] ↔ a = b := by
  rw [mem_cons]
  exact ⟨fun h => Or.elim h (fun e => e) (fun n => absurd n not_mem_nil), Or.inl⟩

@[simp] theorem mem_append {a : α} {s t : List α} : a ∈ s ++ t ↔ a ∈ s ∨ a ∈ t := by
  induction s with
  | nil => exact ⟨Or.inr, fun h => Or.elim h (fun n => absurd n not_mem_nil) (fun h => h)⟩
  | cons b s ih => rw [cons_append, mem_cons, mem_cons, ih, or_assoc]

theorem mem_append_left {a : α} {as : List α} (bs : List α) : a ∈ as → a ∈ as ++ bs :=
  fun h => mem_append.mpr (Or.inl h)

theorem mem_append_right {b : α} {bs : List α} (as : List α) : b ∈ bs → b ∈ as ++ bs :=
  fun h => mem_append.mpr (Or.inr h)

@[simp 500] theorem mem_map {b : β} {f : α → β} {l : List α} : b ∈ l.map f ↔ ∃ a, a ∈ l ∧ f a = b := by
  induction l with
  | nil => exact ⟨fun h => absurd h not_mem_nil, fun ⟨_, h, _⟩ => absurd h not_mem_nil⟩
  | cons c l ih =>
    rw [map_cons, mem_cons, ih]
    constructor
    · intro h
      cases h with
      | inl e => exact ⟨c, mem_cons_self, e.symm⟩
      | inr h =>
        cases h with
        | intro a h => exact ⟨a, mem_cons_of_mem c h.left, h.right⟩
    · intro h
      cases h with
      | intro a h =>
        cases mem_cons.mp h.left with
        | inl e => exact Or.inl (by rw [← h.right, e])
        | inr m => exact Or.inr ⟨a, m, h.right⟩

theorem mem_map_of_mem {a : α} {l : List α} {f : α → β} (h : a ∈ l) : f a ∈ map f l :=
  mem_map.mpr ⟨a, h, rfl⟩

@[simp] theorem mem_reverse {x : α} {as : List α} : x ∈ as.reverse ↔ x ∈ as := by
  induction as with
  | nil => exact Iff.rfl
  | cons a as ih =>
    rw [reverse_cons, mem_append, mem_singleton, mem_cons, ih]
    exact ⟨fun h => h.symm, fun h => h.symm⟩

theorem ne_nil_of_mem {a : α} {l : List α} (h : a ∈ l) : l ≠ [] := by
  intro e
  rw [e] at h
  exact not_mem_nil h

theorem eq_nil_iff_forall_not_mem {l : List α} : l = [] ↔ ∀ a, ¬a ∈ l := by
  cases l with
  | nil => exact ⟨fun _ _ h => not_mem_nil h, fun _ => rfl⟩
  | cons b l => exact ⟨fun h => absurd h (cons_ne_nil b l), fun h => absurd mem_cons_self (h b)⟩

theorem forall_mem_cons {p : α → Prop} {a : α} {l : List α} :
    (∀ x, x ∈ a :: l → p x) ↔ p a ∧ ∀ x, x ∈ l → p x := by
  constructor
  · intro h
    exact ⟨h a mem_cons_self, fun x m => h x (mem_cons_of_mem a m)⟩
  · intro h x m
    cases mem_cons.mp m with
    | inl e => rw [e]; exact h.left
    | inr m => exact h.right x m

/- Filter -/

@[simp] theorem filter_nil {p : α → Bool} : filter p [] = [] := rfl

@[simp] theorem filter_cons_of_pos {p : α → Bool} {a : α} {l : List α} (pa : p a = true) :
    filter p (a :: l) = a :: filter p l := by
  show (match p a with | true => a :: filter p l | false => filter p l) = a :: filter p l
  rw [pa]

@[simp] theorem filter_cons_of_neg {p : α → Bool} {a : α} {l : List α} (pa : ¬p a = true) :
    filter p (a :: l) = filter p l := by
  show (match p a with | true => a :: filter p l | false => filter p l) = filter p l
  rw [Bool.of_not_eq_true pa]

theorem filter_cons {x : α} {xs : List α} {p : α → Bool} :
    (x :: xs).filter p = if p x then x :: (xs.filter p) else xs.filter p := by
  by_cases h : p x = true
  · rw [if_pos h, filter_cons_of_pos h]
  · rw [if_neg h, filter_cons_of_neg h]

@[simp] theorem mem_filter {x : α} {p : α → Bool} {as : List α} :
    x ∈ filter p as ↔ x ∈ as ∧ p x = true := by
  induction as with
  | nil => exact ⟨fun h => absurd h not_mem_nil, fun h => absurd h.left not_mem_nil⟩
  | cons a as ih =>
    by_cases h : p a = true
    · rw [filter_cons_of_pos h, mem_cons, mem_cons, ih]
      constructor
      · intro m
        cases m with
        | inl e => exact ⟨Or.inl e, by rw [e]; exact h⟩
        | inr m => exact ⟨Or.inr m.left, m.right⟩
      · intro m
        cases m.left with
        | inl e => exact Or.inl e
        | inr n => exact Or.inr ⟨n, m.right⟩
    · rw [filter_cons_of_neg h, mem_cons, ih]
      constructor
      · intro m
        exact ⟨Or.inr m.left, m.right⟩
      · intro m
        cases m.left with
        | inl e => exact absurd (by rw [← e]; exact m.right) h
        | inr n => exact ⟨n, m.right⟩

@[simp] theorem filter_append {p : α → Bool} (l₁ l₂ : List α) :
    filter p (l₁ ++ l₂) = filter p l₁ ++ filter p l₂ := by
  induction l₁ with
  | nil => rfl
  | cons a l ih =>
    by_cases h : p a = true
    · rw [cons_append, filter_cons_of_pos h, filter_cons_of_pos h, cons_append, ih]
    · rw [cons_append, filter_cons_of_neg h, filter_cons_of_neg h, ih]

theorem length_filter_le (p : α → Bool) (l : List α) : (l.filter p).length ≤ l.length := by
  induction l with
  | nil => exact Nat.le_refl 0
  | cons a l ih =>
    by_cases h : p a = true
    · rw [filter_cons_of_pos h]
      exact Nat.succ_le_succ ih
    · rw [filter_cons_of_neg h]
      exact Nat.le_succ_of_le ih

/- Decisions -/

instance instInhabited : Inhabited (List α) := ⟨[]⟩

/-- Decides an equation between lists, element by element. -/
protected def hasDecEq [DecidableEq α] : (as bs : List α) → Decidable (as = bs)
  | [], [] => isTrue rfl
  | _ :: _, [] => isFalse (fun h => cons_ne_nil _ _ h)
  | [], _ :: _ => isFalse (fun h => cons_ne_nil _ _ h.symm)
  | a :: as, b :: bs =>
    match decEq a b, List.hasDecEq as bs with
    | isTrue hab, isTrue habs => isTrue (by rw [hab, habs])
    | isFalse nab, _ => isFalse (fun h => nab (List.cons.inj h).left)
    | isTrue _, isFalse nabs => isFalse (fun h => nabs (List.cons.inj h).right)

instance instDecidableEq [DecidableEq α] : DecidableEq (List α) := List.hasDecEq

instance (priority := low) instDecidableEqNil : (as : List α) → Decidable (as = [])
  | [] => isTrue rfl
  | _ :: _ => isFalse (fun h => nomatch h)

instance (priority := low) instDecidableNilEq : (as : List α) → Decidable ([] = as)
  | [] => isTrue rfl
  | _ :: _ => isFalse (fun h => nomatch h)

/-- Decides membership, element by element. -/
protected def decMem [DecidableEq α] (a : α) : (as : List α) → Decidable (a ∈ as)
  | [] => isFalse not_mem_nil
  | b :: bs =>
    match decEq a b, List.decMem a bs with
    | isTrue h, _ => isTrue (mem_cons.mpr (Or.inl h))
    | isFalse _, isTrue h => isTrue (mem_cons_of_mem b h)
    | isFalse n, isFalse k => isFalse (fun m => Or.elim (mem_cons.mp m) n k)

instance instDecidableMem [DecidableEq α] (a : α) (as : List α) : Decidable (a ∈ as) := List.decMem a as

instance decidableBAll (p : α → Prop) [DecidablePred p] : (l : List α) → Decidable (∀ x, x ∈ l → p x)
  | [] => isTrue (fun _ h => absurd h not_mem_nil)
  | b :: t =>
    match (inferInstance : Decidable (p b)), decidableBAll p t with
    | isTrue h, isTrue n => isTrue (forall_mem_cons.mpr ⟨h, n⟩)
    | isTrue _, isFalse n => isFalse (fun a => n (fun x m => a x (mem_cons_of_mem b m)))
    | isFalse h, _ => isFalse (fun a => h (a b mem_cons_self))

end List
