/- Lists: what is taken, dropped, repeated, zipped, found. -/

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

end List
