/- Lists: positions of elements, extrema, pairs with positions, splitting. -/

universe u v

variable {α : Type u} {β : Type v}

namespace List

/-- The element at a position, or `fallback`. -/
def getD (as : List α) (i : Nat) (fallback : α) : α := as[i]?.getD fallback

@[simp] theorem getD_eq_getElem?_getD {l : List α} {i : Nat} {a : α} : getD l i a = (l[i]?).getD a := rfl

theorem getD_nil {n : Nat} {d : α} : getD [] n d = d := rfl

theorem getD_cons_zero {x d : α} {xs : List α} : getD (x :: xs) 0 d = x := rfl

theorem getD_cons_succ {x d : α} {xs : List α} {n : Nat} : getD (x :: xs) (n + 1) d = getD xs n d := rfl

/-- The position of the first element that passes a test, or else the length. -/
def findIdx (p : α → Bool) (l : List α) : Nat := go l 0
where
  go : List α → Nat → Nat
  | [], n => n
  | a :: l, n => bif p a then n else go l (n + 1)

@[simp] theorem findIdx_nil {p : α → Bool} : [].findIdx p = 0 := rfl

/-- The position of the first element that passes a test. -/
def findIdx? (p : α → Bool) (l : List α) : Option Nat := go l 0
where
  go : List α → Nat → Option Nat
  | [], _ => none
  | a :: l, i => if p a then some i else go l (i + 1)

/-- The position of an element, or else the length. -/
def idxOf [BEq α] (a : α) : List α → Nat := findIdx (fun x => x == a)

@[simp] theorem idxOf_nil [BEq α] {x : α} : ([] : List α).idxOf x = 0 := rfl

/-- The position of an element. -/
def idxOf? [BEq α] (a : α) : List α → Option Nat := findIdx? (fun x => x == a)

theorem findIdx_go_succ (p : α → Bool) (l : List α) : ∀ n : Nat, findIdx.go p l (n + 1) = findIdx.go p l n + 1 := by
  induction l with
  | nil => exact fun _ => rfl
  | cons a l ih =>
    intro n
    simp only [findIdx.go]
    cases p a
    · exact ih (n + 1)
    · rfl

theorem findIdx_cons {p : α → Bool} {b : α} {l : List α} :
    (b :: l).findIdx p = bif p b then 0 else (l.findIdx p) + 1 := by
  show (bif p b then 0 else findIdx.go p l 1) = bif p b then 0 else findIdx.go p l 0 + 1
  rw [findIdx_go_succ p l 0]

theorem idxOf_cons [BEq α] {x y : α} {xs : List α} : (x :: xs).idxOf y = bif x == y then 0 else xs.idxOf y + 1 :=
  findIdx_cons

@[simp] theorem idxOf_cons_self [BEq α] [ReflBEq α] {a : α} {l : List α} : (a :: l).idxOf a = 0 := by
  rw [idxOf_cons, BEq.rfl, cond_true]

theorem findIdx?_go_eq {p : α → Bool} {xs : List α} :
    ∀ i : Nat, findIdx?.go p xs i = (findIdx?.go p xs 0).map fun k => k + i := by
  induction xs with
  | nil => exact fun _ => rfl
  | cons a xs ih =>
    intro i
    simp only [findIdx?.go]
    cases h : p a
    · simp only [Bool.false_eq_true, if_false]
      rw [ih (i + 1), ih (0 + 1), Option.map_map]
      congr 1
      funext k
      show k + (i + 1) = k + 1 + i
      exact Nat.add_right_comm k i 1
    · simp

@[simp] theorem findIdx?_nil {p : α → Bool} : ([] : List α).findIdx? p = none := rfl

@[simp] theorem findIdx?_cons {p : α → Bool} {x : α} {xs : List α} :
    (x :: xs).findIdx? p = if p x then some 0 else (xs.findIdx? p).map fun i => i + 1 := by
  show (if p x then some 0 else findIdx?.go p xs 1) = if p x then some 0 else (findIdx?.go p xs 0).map fun i => i + 1
  rw [findIdx?_go_eq 1]

/-- The elements, each with its position, counted from `n`. -/
def zipIdx (l : List α) (n : Nat := 0) : List (α × Nat) :=
  match l, n with
  | [], _ => []
  | x :: xs, n => (x, n) :: zipIdx xs (n + 1)

@[simp] theorem zipIdx_nil {i : Nat} : ([] : List α).zipIdx i = [] := rfl

@[simp] theorem zipIdx_cons {a : α} {as : List α} {i : Nat} : (a :: as).zipIdx i = (a, i) :: as.zipIdx (i + 1) := rfl

@[simp] theorem length_zipIdx {l : List α} : ∀ {i : Nat}, (zipIdx l i).length = l.length := by
  induction l with
  | nil => exact rfl
  | cons a l ih =>
    intro i
    rw [zipIdx_cons, length_cons, length_cons, ih]

/-- The least element, if there is one. -/
def min? [Min α] : List α → Option α
  | [] => none
  | a :: as => some (as.foldl Min.min a)

/-- The greatest element, if there is one. -/
def max? [Max α] : List α → Option α
  | [] => none
  | a :: as => some (as.foldl Max.max a)

/-- The least element of a list that has one. -/
protected def min [Min α] : (l : List α) → l ≠ [] → α
  | a :: as, _ => as.foldl Min.min a

/-- The greatest element of a list that has one. -/
protected def max [Max α] : (l : List α) → l ≠ [] → α
  | a :: as, _ => as.foldl Max.max a

@[simp] theorem min?_nil [Min α] : ([] : List α).min? = none := rfl

@[simp] theorem max?_nil [Max α] : ([] : List α).max? = none := rfl

theorem min?_cons' [Min α] {x : α} {xs : List α} : (x :: xs).min? = some (xs.foldl min x) := rfl

theorem max?_cons' [Max α] {x : α} {xs : List α} : (x :: xs).max? = some (xs.foldl max x) := rfl

/-- Whether a list has the same elements as another one, as often. -/
def isPerm [BEq α] : List α → List α → Bool
  | [], l₂ => l₂.isEmpty
  | a :: l₁, l₂ => l₂.contains a && l₁.isPerm (l₂.erase a)

/-- The elements that pass a test, and the others. -/
def partition (p : α → Bool) (as : List α) : List α × List α := loop as ([], [])
where
  loop : List α → List α × List α → List α × List α
  | [], (bs, cs) => (bs.reverse, cs.reverse)
  | a :: as, (bs, cs) => match p a with
    | true => loop as (a :: bs, cs)
    | false => loop as (bs, a :: cs)

/-- The longest beginning of elements that pass a test, and the rest. -/
def span (p : α → Bool) (as : List α) : List α × List α := loop as []
where
  loop : List α → List α → List α × List α
  | [], acc => (acc.reverse, [])
  | a :: as, acc => match p a with
    | true => loop as (a :: acc)
    | false => (acc.reverse, a :: as)

/-- The first `n` elements, and the rest. -/
def splitAt (n : Nat) (l : List α) : List α × List α := go l n []
where
  go : List α → Nat → List α → List α × List α
  | [], _, _ => (l, [])
  | x :: xs, n + 1, acc => go xs n (x :: acc)
  | xs, _, acc => (acc.reverse, xs)

/-- The list with an element that it may lack. -/
protected def insert [BEq α] (a : α) (l : List α) : List α := if l.elem a then l else a :: l

/-- The list with another element for the first occurrence of one. -/
def replace [BEq α] : (l : List α) → (a : α) → (b : α) → List α
  | [], _, _ => []
  | a :: as, b, c => match b == a with
    | true => c :: as
    | false => a :: replace as b c

/-- The list with its first `i` elements at its end. -/
def rotateLeft (xs : List α) (i : Nat := 1) : List α :=
  let len := xs.length
  if len ≤ 1 then xs
  else
    let i := i % len
    let ys := xs.take i
    let zs := xs.drop i
    zs ++ ys

/-- The list with its last `i` elements at its beginning. -/
def rotateRight (xs : List α) (i : Nat := 1) : List α :=
  let len := xs.length
  if len ≤ 1 then xs
  else
    let i := len - i % len
    let ys := xs.take i
    let zs := xs.drop i
    zs ++ ys

end List
