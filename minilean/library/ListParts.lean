/- Lists: what the first functions do on `[]` and `a :: l`; take and drop, replicate. -/

universe u v w

variable {α : Type u} {β : Type v} {γ : Type w}

namespace List

/- Parts -/

@[simp] theorem take_zero {l : List α} : l.take 0 = [] := rfl

@[simp] theorem take_nil {i : Nat} : ([] : List α).take i = [] := by cases i <;> rfl

@[simp] theorem take_succ_cons {a : α} {as : List α} {i : Nat} : (a :: as).take (i + 1) = a :: as.take i := rfl

@[simp] theorem drop_zero {l : List α} : l.drop 0 = l := rfl

@[simp] theorem drop_nil {i : Nat} : ([] : List α).drop i = [] := by cases i <;> rfl

@[simp] theorem drop_succ_cons {a : α} {l : List α} {i : Nat} : (a :: l).drop (i + 1) = l.drop i := rfl

@[simp] theorem take_append_drop (i : Nat) (l : List α) : l.take i ++ l.drop i = l := by
  induction l generalizing i with
  | nil => rw [take_nil, drop_nil]; rfl
  | cons a l ih =>
    cases i with
    | zero => rfl
    | succ i => rw [take_succ_cons, drop_succ_cons, cons_append, ih]

@[simp] theorem replicate_zero {a : α} : replicate 0 a = [] := rfl

theorem replicate_succ {a : α} {n : Nat} : replicate (n + 1) a = a :: replicate n a := rfl

@[simp] theorem length_replicate {n : Nat} {a : α} : (replicate n a).length = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [replicate_succ, length_cons, ih]

@[simp] theorem tail_nil : ([] : List α).tail = [] := rfl

@[simp] theorem tail_cons {a : α} {as : List α} : (a :: as).tail = as := rfl

@[simp] theorem head?_nil : ([] : List α).head? = none := rfl

@[simp] theorem head?_cons {a : α} {l : List α} : (a :: l).head? = some a := rfl

@[simp] theorem isEmpty_nil : ([] : List α).isEmpty = true := rfl

@[simp] theorem isEmpty_cons {x : α} {xs : List α} : (x :: xs).isEmpty = false := rfl

@[simp] theorem flatten_nil : flatten ([] : List (List α)) = [] := rfl

@[simp] theorem flatten_cons {l : List α} {L : List (List α)} : (l :: L).flatten = l ++ L.flatten := rfl

@[simp] theorem any_nil {f : α → Bool} : ([] : List α).any f = false := rfl

@[simp] theorem any_cons {a : α} {l : List α} {f : α → Bool} : (a :: l).any f = (f a || l.any f) := rfl

@[simp] theorem all_nil {f : α → Bool} : ([] : List α).all f = true := rfl

@[simp] theorem all_cons {a : α} {l : List α} {f : α → Bool} : (a :: l).all f = (f a && l.all f) := rfl

@[simp] theorem headD_nil {a : α} : ([] : List α).headD a = a := rfl

@[simp] theorem headD_cons {a b : α} {l : List α} : (a :: l).headD b = a := rfl

@[simp] theorem head_cons {a : α} {l : List α} {h : a :: l ≠ []} : (a :: l).head h = a := rfl

@[simp] theorem tail?_nil : ([] : List α).tail? = none := rfl

@[simp] theorem tail?_cons {a : α} {l : List α} : (a :: l).tail? = some l := rfl

@[simp] theorem getLast_singleton {a : α} (h : [a] ≠ []) : getLast [a] h = a := rfl

@[simp] theorem getLast_cons_cons {a b : α} {l : List α} :
    getLast (a :: b :: l) (cons_ne_nil _ _) = getLast (b :: l) (cons_ne_nil _ _) := rfl

@[simp] theorem getLast?_nil : getLast? ([] : List α) = none := rfl

@[simp] theorem getLast?_singleton {a : α} : getLast? [a] = some a := rfl

@[simp] theorem getLast?_cons_cons {a b : α} {l : List α} : (a :: b :: l).getLast? = (b :: l).getLast? := rfl

@[simp] theorem dropLast_nil : ([] : List α).dropLast = [] := rfl

@[simp] theorem dropLast_singleton {a : α} : [a].dropLast = [] := rfl

@[simp] theorem dropLast_cons₂ {x y : α} {zs : List α} : (x :: y :: zs).dropLast = x :: (y :: zs).dropLast := rfl

@[simp] theorem filterMap_nil {f : α → Option β} : filterMap f [] = [] := rfl

theorem filterMap_cons {f : α → Option β} {a : α} {l : List α} :
    filterMap f (a :: l) = match f a with
      | none => filterMap f l
      | some b => b :: filterMap f l := rfl

@[simp] theorem flatMap_nil {f : α → List β} : List.flatMap f [] = [] := rfl

@[simp] theorem flatMap_cons {x : α} {xs : List α} {f : α → List β} :
    List.flatMap f (x :: xs) = f x ++ List.flatMap f xs := rfl

@[simp] theorem find?_nil {p : α → Bool} : ([] : List α).find? p = none := rfl

@[simp] theorem find?_cons_of_pos {p : α → Bool} {a : α} {l : List α} (h : p a = true) :
    find? p (a :: l) = some a := by
  show (match p a with | true => some a | false => find? p l) = some a
  rw [h]

@[simp] theorem find?_cons_of_neg {p : α → Bool} {a : α} {l : List α} (h : ¬p a = true) :
    find? p (a :: l) = find? p l := by
  show (match p a with | true => some a | false => find? p l) = find? p l
  rw [Bool.of_not_eq_true h]

@[simp] theorem takeWhile_nil {p : α → Bool} : ([] : List α).takeWhile p = [] := rfl

@[simp] theorem dropWhile_nil {p : α → Bool} : ([] : List α).dropWhile p = [] := rfl

@[simp] theorem zipWith_nil_left {l : List β} {f : α → β → γ} : zipWith f [] l = [] := rfl

@[simp] theorem zipWith_nil_right {l : List α} {f : α → β → γ} : zipWith f l [] = [] := by cases l <;> rfl

@[simp] theorem zipWith_cons_cons {f : α → β → γ} {a : α} {as : List α} {b : β} {bs : List β} :
    zipWith f (a :: as) (b :: bs) = f a b :: zipWith f as bs := rfl

@[simp] theorem zip_nil_left {l : List β} : zip ([] : List α) l = [] := rfl

@[simp] theorem zip_nil_right {l : List α} : zip l ([] : List β) = [] := zipWith_nil_right

@[simp] theorem zip_cons_cons {a : α} {b : β} {as : List α} {bs : List β} :
    zip (a :: as) (b :: bs) = (a, b) :: zip as bs := rfl

@[simp] theorem unzip_nil : unzip ([] : List (α × β)) = ([], []) := rfl

@[simp] theorem unzip_cons {t : List (α × β)} {h : α × β} :
    unzip (h :: t) = (h.1 :: (unzip t).1, h.2 :: (unzip t).2) := rfl

@[simp] theorem sum_nil : ([] : List Nat).sum = 0 := rfl

@[simp] theorem sum_cons {a : Nat} {l : List Nat} : (a :: l).sum = a + l.sum := rfl

@[simp] theorem prod_nil : ([] : List Nat).prod = 1 := rfl

@[simp] theorem prod_cons {a : Nat} {l : List Nat} : (a :: l).prod = a * l.prod := rfl

@[simp] theorem set_nil {i : Nat} {a : α} : [].set i a = [] := rfl

@[simp] theorem set_cons_zero {x : α} {xs : List α} {a : α} : (x :: xs).set 0 a = a :: xs := rfl

@[simp] theorem set_cons_succ {x : α} {xs : List α} {i : Nat} {a : α} : (x :: xs).set (i + 1) a = x :: xs.set i a := rfl

@[simp] theorem length_set {as : List α} {i : Nat} {a : α} : (as.set i a).length = as.length := by
  induction as generalizing i with
  | nil => rfl
  | cons b as ih => cases i; rfl; exact congrArg Nat.succ ih

@[simp] theorem length_tail {l : List α} : l.tail.length = l.length - 1 := by cases l <;> rfl

@[simp] theorem length_dropLast {xs : List α} : xs.dropLast.length = xs.length - 1 := by
  induction xs with
  | nil => rfl
  | cons a l ih =>
    cases l with
    | nil => rfl
    | cons b l => exact congrArg Nat.succ ih

@[simp] theorem length_zipWith {f : α → β → γ} {l₁ : List α} {l₂ : List β} :
    (zipWith f l₁ l₂).length = min l₁.length l₂.length := by
  induction l₁ generalizing l₂ with
  | nil => exact (Nat.min_eq_left (Nat.zero_le _)).symm
  | cons a l ih =>
    cases l₂ with
    | nil => exact (Nat.min_eq_right (Nat.zero_le _)).symm
    | cons b l₂ => rw [zipWith_cons_cons, length_cons, ih, length_cons, length_cons, Nat.add_min_add_right]

@[simp] theorem length_zip {l₁ : List α} {l₂ : List β} : (zip l₁ l₂).length = min l₁.length l₂.length := length_zipWith

@[simp] theorem length_take {i : Nat} {l : List α} : (l.take i).length = min i l.length := by
  induction l generalizing i with
  | nil => rw [take_nil]; exact (Nat.min_eq_right (Nat.zero_le _)).symm
  | cons a l ih =>
    cases i with
    | zero => exact (Nat.min_eq_left (Nat.zero_le _)).symm
    | succ i => rw [take_succ_cons, length_cons, ih, length_cons, Nat.add_min_add_right]

theorem length_take_le (i : Nat) (l : List α) : (l.take i).length ≤ i := by rw [length_take]; exact Nat.min_le_left _ _

theorem length_take_of_le {i : Nat} {l : List α} (h : i ≤ l.length) : (l.take i).length = i := by
  rw [length_take]
  exact Nat.min_eq_left h

@[simp] theorem length_drop {i : Nat} {l : List α} : (l.drop i).length = l.length - i := by
  induction l generalizing i with
  | nil => rw [drop_nil]; exact (Nat.zero_sub i).symm
  | cons a l ih =>
    cases i with
    | zero => rfl
    | succ i => rw [drop_succ_cons, ih, length_cons, Nat.add_sub_add_right]

theorem take_of_length_le {i : Nat} {l : List α} (h : l.length ≤ i) : l.take i = l := by
  induction l generalizing i with
  | nil => exact take_nil
  | cons a l ih =>
    cases i with
    | zero => exact absurd h (Nat.not_succ_le_zero _)
    | succ i => rw [take_succ_cons, ih (Nat.le_of_succ_le_succ h)]

theorem drop_of_length_le {i : Nat} {l : List α} (h : l.length ≤ i) : l.drop i = [] := by
  apply eq_nil_of_length_eq_zero
  rw [length_drop]
  exact Nat.sub_eq_zero_of_le h

@[simp] theorem take_length {l : List α} : l.take l.length = l := take_of_length_le (Nat.le_refl _)

@[simp] theorem drop_length {l : List α} : l.drop l.length = [] := drop_of_length_le (Nat.le_refl _)

@[simp] theorem drop_one {l : List α} : l.drop 1 = l.tail := by cases l <;> rfl

theorem take_one {l : List α} : l.take 1 = l.head?.toList := by cases l <;> rfl

@[simp] theorem drop_drop {i j : Nat} {l : List α} : drop i (drop j l) = drop (j + i) l := by
  induction l generalizing j with
  | nil => rw [drop_nil, drop_nil, drop_nil]
  | cons a l ih =>
    cases j with
    | zero => rw [drop_zero, Nat.zero_add]
    | succ j => rw [drop_succ_cons, ih, Nat.succ_add, drop_succ_cons]

theorem take_take {i j : Nat} {l : List α} : take i (take j l) = take (min i j) l := by
  induction l generalizing i j with
  | nil => rw [take_nil, take_nil, take_nil]
  | cons a l ih =>
    cases i with
    | zero => rw [Nat.min_eq_left (Nat.zero_le j)]; rfl
    | succ i =>
      cases j with
      | zero => rfl
      | succ j => rw [take_succ_cons, take_succ_cons, ih, Nat.add_min_add_right, take_succ_cons]

@[simp] theorem map_take {f : α → β} {l : List α} {i : Nat} : (l.take i).map f = (l.map f).take i := by
  induction l generalizing i with
  | nil => rw [take_nil, map_nil, take_nil]
  | cons a l ih =>
    cases i with
    | zero => rfl
    | succ i => rw [take_succ_cons, map_cons, ih, map_cons, take_succ_cons]

@[simp] theorem map_drop {f : α → β} {l : List α} {i : Nat} : (l.drop i).map f = (l.map f).drop i := by
  induction l generalizing i with
  | nil => rw [drop_nil, map_nil, drop_nil]
  | cons a l ih =>
    cases i with
    | zero => rfl
    | succ i => exact ih

theorem mem_of_mem_take {a : α} {i : Nat} {l : List α} (h : a ∈ l.take i) : a ∈ l := by
  rw [← take_append_drop i l]
  exact mem_append_left _ h

theorem mem_of_mem_drop {a : α} {i : Nat} {l : List α} (h : a ∈ l.drop i) : a ∈ l := by
  rw [← take_append_drop i l]
  exact mem_append_right _ h

theorem mem_of_mem_tail {a : α} {l : List α} (h : a ∈ tail l) : a ∈ l := by
  cases l with
  | nil => exact h
  | cons b l => exact mem_cons_of_mem b h

@[simp] theorem replicate_one {a : α} : replicate 1 a = [a] := rfl

theorem replicate_succ' {a : α} {n : Nat} : replicate (n + 1) a = replicate n a ++ [a] := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg (List.cons a) ih

@[simp] theorem mem_replicate {a b : α} {n : Nat} : b ∈ replicate n a ↔ n ≠ 0 ∧ b = a := by
  induction n with
  | zero => exact ⟨fun h => absurd h not_mem_nil, fun h => absurd rfl h.left⟩
  | succ n ih =>
    rw [replicate_succ, mem_cons, ih]
    exact ⟨fun h => ⟨Nat.succ_ne_zero n, Or.elim h id And.right⟩, fun h => Or.inl h.right⟩

theorem eq_of_mem_replicate {a b : α} {n : Nat} (h : b ∈ replicate n a) : b = a := (mem_replicate.mp h).right

@[simp] theorem replicate_succ_ne_nil {n : Nat} {a : α} : replicate (n + 1) a ≠ [] := cons_ne_nil a (replicate n a)

@[simp] theorem replicate_eq_nil_iff {n : Nat} (a : α) : replicate n a = [] ↔ n = 0 := by
  cases n with
  | zero => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | succ n => exact ⟨nofun, nofun⟩

@[simp] theorem tail_replicate {n : Nat} {a : α} : (replicate n a).tail = replicate (n - 1) a := by cases n <;> rfl

@[simp] theorem map_replicate {n : Nat} {a : α} {f : α → β} : (replicate n a).map f = replicate n (f a) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [replicate_succ, map_cons, ih, replicate_succ]

@[simp] theorem replicate_append_replicate {n m : Nat} {a : α} :
    replicate n a ++ replicate m a = replicate (n + m) a := by
  induction n with
  | zero => rw [Nat.zero_add]; rfl
  | succ n ih => rw [Nat.succ_add, replicate_succ, cons_append, ih, replicate_succ]

@[simp] theorem map_const {l : List α} {b : β} : map (Function.const α b) l = replicate l.length b := by
  induction l with
  | nil => rfl
  | cons a l ih => rw [map_cons, ih]; rfl

theorem map_const' {l : List α} {b : β} : map (fun _ => b) l = replicate l.length b := map_const

@[simp] theorem reverse_replicate {n : Nat} {a : α} : (replicate n a).reverse = replicate n a := by
  induction n with
  | zero => rfl
  | succ n ih => rw [replicate_succ, reverse_cons, ih, ← replicate_succ']; rfl

@[simp] theorem sum_append {l₁ l₂ : List Nat} : (l₁ ++ l₂).sum = l₁.sum + l₂.sum := by
  induction l₁ with
  | nil => exact (Nat.zero_add _).symm
  | cons a l ih => rw [cons_append, sum_cons, ih, sum_cons, Nat.add_assoc]

@[simp] theorem sum_reverse (xs : List Nat) : xs.reverse.sum = xs.sum := by
  induction xs with
  | nil => rfl
  | cons a l ih => rw [reverse_cons, sum_append, ih, sum_cons]; exact Nat.add_comm _ _

end List
