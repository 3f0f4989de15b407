/- Lists of a type with an equality test: contains, count, erase, lookup; pairwise, permutations, ranges. -/

universe u v w

variable {α : Type u} {β : Type v} {γ : Type w}

namespace List

/- Subset and sublist -/

theorem subset_def {l₁ l₂ : List α} : l₁ ⊆ l₂ ↔ ∀ {a : α}, a ∈ l₁ → a ∈ l₂ := Iff.rfl

@[simp] theorem nil_subset (l : List α) : [] ⊆ l := fun _ h => absurd h not_mem_nil

@[simp] theorem Subset.refl (l : List α) : l ⊆ l := fun _ h => h

theorem Subset.trans {l₁ l₂ l₃ : List α} (h₁ : l₁ ⊆ l₂) (h₂ : l₂ ⊆ l₃) : l₁ ⊆ l₃ := fun _ h => h₂ (h₁ h)

theorem subset_cons_self (a : α) (l : List α) : l ⊆ a :: l := fun _ h => mem_cons_of_mem a h

theorem Sublist.refl (l : List α) : Sublist l l := by
  induction l with
  | nil => exact Sublist.slnil
  | cons a l ih => exact Sublist.cons_cons a ih

theorem nil_sublist (l : List α) : Sublist [] l := by
  induction l with
  | nil => exact Sublist.slnil
  | cons a l ih => exact Sublist.cons a ih

theorem Sublist.length_le {l₁ l₂ : List α} (h : Sublist l₁ l₂) : l₁.length ≤ l₂.length := by
  induction h with
  | slnil => exact Nat.le_refl 0
  | cons _ _ ih => exact Nat.le_succ_of_le ih
  | cons_cons _ _ ih => exact Nat.succ_le_succ ih

theorem Sublist.subset {l₁ l₂ : List α} (h : Sublist l₁ l₂) : l₁ ⊆ l₂ := by
  induction h with
  | slnil => exact fun _ h => h
  | cons a _ ih => exact fun _ h => mem_cons_of_mem a (ih h)
  | cons_cons a _ ih => exact fun _ h => mem_cons.mpr ((mem_cons.mp h).imp id (fun k => ih k))

/- Equality tests -/

@[simp] theorem cons_beq_cons [BEq α] {a b : α} {l₁ l₂ : List α} : (a :: l₁ == b :: l₂) = (a == b && l₁ == l₂) := rfl

instance instReflBEq [BEq α] [ReflBEq α] : ReflBEq (List α) := ⟨fun {as} => by
  induction as with
  | nil => rfl
  | cons a as ih => rw [cons_beq_cons, ih, BEq.rfl]; rfl⟩

instance instLawfulBEq [BEq α] [LawfulBEq α] : LawfulBEq (List α) := ⟨fun {as bs} h => by
  induction as generalizing bs with
  | nil => cases bs with
    | nil => rfl
    | cons b bs => exact absurd h Bool.false_ne_true
  | cons a as ih => cases bs with
    | nil => exact absurd h Bool.false_ne_true
    | cons b bs =>
      rw [cons_beq_cons, Bool.and_eq_true_iff] at h
      rw [eq_of_beq h.left, ih h.right]⟩

/- Contains -/

section
variable [BEq α]

theorem elem_nil {a : α} : ([] : List α).elem a = false := rfl

theorem elem_cons {a b : α} {l : List α} : (b :: l).elem a = match a == b with | true => true | false => l.elem a := rfl

@[simp] theorem contains_nil {a : α} : ([] : List α).contains a = false := rfl

@[simp] theorem elem_eq_contains {a : α} {l : List α} : elem a l = l.contains a := rfl

@[simp] theorem contains_cons {a b : α} {l : List α} : (a :: l).contains b = (b == a || l.contains b) := by
  refine (elem_cons (a := b) (b := a) (l := l)).trans ?_
  cases (b == a) <;> rfl

variable [LawfulBEq α]

theorem contains_iff_mem {a : α} {as : List α} : as.contains a = true ↔ a ∈ as := by
  induction as with
  | nil => exact ⟨fun h => absurd h Bool.false_ne_true, fun h => absurd h not_mem_nil⟩
  | cons b as ih => rw [contains_cons, Bool.or_eq_true_iff, ih, mem_cons, beq_iff_eq]

theorem elem_iff {a : α} {as : List α} : elem a as = true ↔ a ∈ as := contains_iff_mem

instance instDecidableMemOfLawfulBEq (a : α) (as : List α) : Decidable (a ∈ as) :=
  decidable_of_iff (elem a as = true) elem_iff

@[simp] theorem contains_eq_mem (a : α) (as : List α) : as.contains a = decide (a ∈ as) := by
  rw [Bool.eq_iff_iff, contains_iff_mem, decide_eq_true_iff]

end

/- Counting -/

@[simp] theorem countP_nil {p : α → Bool} : countP p [] = 0 := rfl

@[simp] theorem countP_cons_of_pos {p : α → Bool} {a : α} {l : List α} (pa : p a = true) :
    countP p (a :: l) = countP p l + 1 := by
  show (match p a with | true => countP p l + 1 | false => countP p l) = countP p l + 1
  rw [pa]

@[simp] theorem countP_cons_of_neg {p : α → Bool} {a : α} {l : List α} (pa : ¬p a = true) :
    countP p (a :: l) = countP p l := by
  show (match p a with | true => countP p l + 1 | false => countP p l) = countP p l
  rw [eq_false_of_ne_true pa]

theorem countP_cons {p : α → Bool} {a : α} {l : List α} :
    countP p (a :: l) = countP p l + if p a = true then 1 else 0 := by
  by_cases h : p a = true
  · rw [countP_cons_of_pos h, if_pos h]
  · rw [countP_cons_of_neg h, if_neg h, Nat.add_zero]

theorem countP_eq_length_filter {p : α → Bool} {l : List α} : countP p l = (filter p l).length := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    by_cases h : p a = true
    · rw [countP_cons_of_pos h, filter_cons_of_pos h, ih, length_cons]
    · rw [countP_cons_of_neg h, filter_cons_of_neg h, ih]

@[simp] theorem countP_append {p : α → Bool} {l₁ l₂ : List α} : countP p (l₁ ++ l₂) = countP p l₁ + countP p l₂ := by
  rw [countP_eq_length_filter, filter_append, length_append, ← countP_eq_length_filter, ← countP_eq_length_filter]

theorem countP_le_length {p : α → Bool} {l : List α} : countP p l ≤ l.length := by
  rw [countP_eq_length_filter]
  exact length_filter_le p l

@[simp] theorem count_nil [BEq α] {a : α} : count a [] = 0 := rfl

theorem count_cons [BEq α] {a b : α} {l : List α} : count a (b :: l) = count a l + if (b == a) = true then 1 else 0 :=
  countP_cons

@[simp] theorem count_cons_self [BEq α] [LawfulBEq α] {a : α} {l : List α} : count a (a :: l) = count a l + 1 := by
  rw [count_cons, if_pos BEq.rfl]

@[simp] theorem count_cons_of_ne [BEq α] [LawfulBEq α] {a b : α} (h : b ≠ a) {l : List α} :
    count a (b :: l) = count a l := by
  rw [count_cons, if_neg (fun e => h (eq_of_beq e)), Nat.add_zero]

@[simp] theorem count_append [BEq α] {a : α} {l₁ l₂ : List α} : count a (l₁ ++ l₂) = count a l₁ + count a l₂ :=
  countP_append

theorem count_le_length [BEq α] {a : α} {l : List α} : count a l ≤ l.length := countP_le_length

/- Erase and lookup -/

@[simp] theorem erase_nil [BEq α] (a : α) : [].erase a = [] := rfl

theorem erase_cons [BEq α] {a b : α} {l : List α} :
    (b :: l).erase a = if (b == a) = true then l else b :: l.erase a := by
  show (match b == a with | true => l | false => b :: l.erase a) =
    if (b == a) = true then l else b :: l.erase a
  cases (b == a) <;> rfl

@[simp] theorem erase_cons_head [BEq α] [LawfulBEq α] {a : α} {l : List α} : (a :: l).erase a = l := by
  rw [erase_cons, if_pos BEq.rfl]

@[simp] theorem erase_cons_tail [BEq α] {a b : α} {l : List α} (h : ¬(b == a) = true) :
    (b :: l).erase a = b :: l.erase a := by
  rw [erase_cons, if_neg h]

theorem erase_of_not_mem [BEq α] [LawfulBEq α] {a : α} {l : List α} (h : ¬a ∈ l) : l.erase a = l := by
  induction l with
  | nil => rfl
  | cons b l ih =>
    rw [erase_cons_tail (fun e => h (by rw [eq_of_beq e]; exact mem_cons_self)), ih (not_mem_of_not_mem_cons h)]

theorem mem_of_mem_erase [BEq α] {a b : α} {l : List α} (h : a ∈ l.erase b) : a ∈ l := by
  induction l with
  | nil => exact h
  | cons c l ih =>
    rw [erase_cons] at h
    by_cases k : (c == b) = true
    · rw [if_pos k] at h
      exact mem_cons_of_mem c h
    · rw [if_neg k] at h
      exact mem_cons.mpr ((mem_cons.mp h).imp id ih)

@[simp] theorem lookup_nil [BEq α] {k : α} : ([] : List (α × β)).lookup k = none := rfl

theorem lookup_cons [BEq α] {k a : α} {b : β} {as : List (α × β)} :
    ((a, b) :: as).lookup k = match k == a with | true => some b | false => as.lookup k := rfl

@[simp] theorem lookup_cons_self [BEq α] [LawfulBEq α] {b : β} {es : List (α × β)} {k : α} :
    ((k, b) :: es).lookup k = some b := by rw [lookup_cons, BEq.rfl]

/- Pairwise -/

@[simp] theorem pairwise_cons {R : α → α → Prop} {a : α} {l : List α} :
    Pairwise R (a :: l) ↔ (∀ a', a' ∈ l → R a a') ∧ Pairwise R l :=
  ⟨fun h => by cases h with | cons h k => exact ⟨h, k⟩, fun h => Pairwise.cons h.left h.right⟩

@[simp] theorem nodup_nil : @Nodup α [] := Pairwise.nil

@[simp] theorem nodup_cons {a : α} {l : List α} : Nodup (a :: l) ↔ ¬a ∈ l ∧ Nodup l := by
  refine pairwise_cons.trans (and_congr_left' ⟨fun h m => h a m rfl, fun h b m e => h ?_⟩)
  rw [e]
  exact m

theorem pairwise_singleton (R : α → α → Prop) (a : α) : Pairwise R [a] :=
  pairwise_cons.mpr ⟨fun _ m => absurd m not_mem_nil, Pairwise.nil⟩

/- Permutations -/

@[simp] theorem Perm.refl (l : List α) : Perm l l := by
  induction l with
  | nil => exact Perm.nil
  | cons a l ih => exact Perm.cons a ih

protected theorem Perm.rfl {l : List α} : Perm l l := Perm.refl l

protected theorem Perm.symm {l₁ l₂ : List α} (h : Perm l₁ l₂) : Perm l₂ l₁ := by
  induction h with
  | nil => exact Perm.nil
  | cons x _ ih => exact Perm.cons x ih
  | swap x y l => exact Perm.swap y x l
  | trans _ _ ih₁ ih₂ => exact Perm.trans ih₂ ih₁

theorem perm_comm {l₁ l₂ : List α} : Perm l₁ l₂ ↔ Perm l₂ l₁ := ⟨Perm.symm, Perm.symm⟩

theorem Perm.mem_iff {a : α} {l₁ l₂ : List α} (h : Perm l₁ l₂) : a ∈ l₁ ↔ a ∈ l₂ := by
  induction h with
  | nil => exact Iff.rfl
  | cons x _ ih => rw [mem_cons, mem_cons, ih]
  | swap x y l => rw [mem_cons, mem_cons, mem_cons, mem_cons]; exact or_left_comm
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

theorem Perm.length_eq {l₁ l₂ : List α} (h : Perm l₁ l₂) : l₁.length = l₂.length := by
  induction h with
  | nil => rfl
  | cons _ _ ih => exact congrArg Nat.succ ih
  | swap _ _ _ => rfl
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

theorem Perm.append_left {t₁ t₂ : List α} (l : List α) (h : Perm t₁ t₂) : Perm (l ++ t₁) (l ++ t₂) := by
  induction l with
  | nil => exact h
  | cons a l ih => exact Perm.cons a ih

theorem Perm.append_right {l₁ l₂ : List α} (t : List α) (h : Perm l₁ l₂) : Perm (l₁ ++ t) (l₂ ++ t) := by
  induction h with
  | nil => exact Perm.refl t
  | cons x _ ih => exact Perm.cons x ih
  | swap x y l => exact Perm.swap x y (l ++ t)
  | trans _ _ ih₁ ih₂ => exact Perm.trans ih₁ ih₂

theorem perm_middle {a : α} {l₁ l₂ : List α} : Perm (l₁ ++ a :: l₂) (a :: (l₁ ++ l₂)) := by
  induction l₁ with
  | nil => exact Perm.refl _
  | cons b l ih => exact Perm.trans (Perm.cons b ih) (Perm.swap a b (l ++ l₂))

theorem perm_append_comm {l₁ l₂ : List α} : Perm (l₁ ++ l₂) (l₂ ++ l₁) := by
  induction l₁ with
  | nil => rw [append_nil]; exact Perm.refl l₂
  | cons a l ih => exact Perm.trans (Perm.cons a ih) (Perm.symm perm_middle)

theorem Perm.map (f : α → β) {l₁ l₂ : List α} (h : Perm l₁ l₂) : Perm (l₁.map f) (l₂.map f) := by
  induction h with
  | nil => exact Perm.nil
  | cons x _ ih => exact Perm.cons (f x) ih
  | swap x y l => exact Perm.swap (f x) (f y) (l.map f)
  | trans _ _ ih₁ ih₂ => exact Perm.trans ih₁ ih₂

theorem reverse_perm (l : List α) : Perm l.reverse l := by
  induction l with
  | nil => exact Perm.nil
  | cons a l ih => rw [reverse_cons]; exact Perm.trans perm_append_comm (Perm.cons a ih)

/- Ranges -/

theorem range_loop_eq (n : Nat) (l : List Nat) : range.loop n l = range n ++ l := by
  induction n generalizing l with
  | zero => rfl
  | succ n ih =>
    show range.loop n (n :: l) = range.loop n [n] ++ l
    rw [ih, ih [n], append_assoc]
    rfl

@[simp] theorem range_zero : range 0 = [] := rfl

theorem range_succ {n : Nat} : range (n + 1) = range n ++ [n] := range_loop_eq n [n]

@[simp] theorem length_range {n : Nat} : (range n).length = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [range_succ, length_append, ih]; rfl

@[simp] theorem mem_range {m n : Nat} : m ∈ range n ↔ m < n := by
  induction n with
  | zero => exact ⟨fun h => absurd h not_mem_nil, fun h => absurd h (Nat.not_lt_zero m)⟩
  | succ n ih => rw [range_succ, mem_append, ih, mem_singleton, Nat.lt_succ_iff_lt_or_eq]

@[simp] theorem range_eq_nil {n : Nat} : range n = [] ↔ n = 0 := by rw [← length_eq_zero_iff, length_range]

@[simp] theorem range'_zero {s step : Nat} : range' s 0 step = [] := rfl

theorem range'_succ {s n step : Nat} : range' s (n + 1) step = s :: range' (s + step) n step := rfl

@[simp] theorem length_range' {s n step : Nat} : (range' s n step).length = n := by
  induction n generalizing s with
  | zero => rfl
  | succ n ih => rw [range'_succ, length_cons, ih]

end List
