/- Sorting lists by merging. -/

universe u

namespace List

variable {α : Type u}

@[simp] theorem splitAt_eq {n : Nat} {l : List α} : splitAt n l = (l.take n, l.drop n) := by
  have aux : ∀ (as : List α) (k : Nat) (acc : List α), acc.reverse ++ as.take k = l.take n → as.drop k = l.drop n →
      (as.length ≤ k → l.take n = l) → splitAt.go l as k acc = (l.take n, l.drop n) := by
    intro as
    induction as with
    | nil =>
      intro k acc h h' h''
      have e := h'' (Nat.zero_le k)
      rw [drop_nil] at h'
      show (l, []) = (l.take n, l.drop n)
      rw [e, ← h']
    | cons a as ih =>
      intro k acc h h' h''
      cases k with
      | zero =>
        show (acc.reverse, a :: as) = (l.take n, l.drop n)
        rw [← h, ← h']
        simp
      | succ k =>
        show splitAt.go l as k (a :: acc) = (l.take n, l.drop n)
        apply ih
        · rw [← h]
          simp
        · exact h'
        · exact fun hk => h'' (Nat.succ_le_succ hk)
  exact aux l n [] rfl rfl take_of_length_le

/-- The elements of two sorted lists in order. -/
def merge (xs ys : List α) (le : α → α → Bool := by exact fun a b => a ≤ b) : List α :=
  match xs, ys with
  | [], ys => ys
  | xs, [] => xs
  | x :: xs, y :: ys =>
    if le x y then x :: merge xs (y :: ys) le
    else y :: merge (x :: xs) ys le
termination_by xs.length + ys.length

@[simp] theorem nil_merge {le : α → α → Bool} (ys : List α) : merge [] ys le = ys := by rw [merge]

@[simp] theorem merge_right {le : α → α → Bool} (xs : List α) : merge xs [] le = xs := by cases xs <;> simp [merge]

/-- Splits a list in two halves; the first one may be longer by one element. -/
def MergeSort.Internal.splitInTwo {n : Nat} (l : { l : List α // l.length = n }) :
    { l : List α // l.length = (n + 1) / 2 } × { l : List α // l.length = n / 2 } :=
  let r := splitAt ((n + 1) / 2) l.1
  (⟨r.1, by simp [r, splitAt_eq, l.2]; omega⟩, ⟨r.2, by simp [r, splitAt_eq, l.2]; omega⟩)

theorem MergeSort.Internal.longer_half_lt (n : Nat) : (n + 2 + 1) / 2 < n + 2 := by omega

theorem MergeSort.Internal.half_lt (n : Nat) : (n + 2) / 2 < n + 2 := by omega

open MergeSort.Internal in
/-- The elements in order; those that `le` does not tell apart stay as they are. -/
def mergeSort (xs : List α) (le : α → α → Bool := by exact fun a b => a ≤ b) : List α :=
  match xs, le with
  | [], _ => []
  | [a], _ => [a]
  | a :: b :: xs, le =>
    let lr := splitInTwo ⟨a :: b :: xs, rfl⟩
    merge (mergeSort lr.1 le) (mergeSort lr.2 le) le
termination_by xs.length
decreasing_by
  · exact Nat.lt_of_le_of_lt (Nat.le_of_eq lr.1.2) (longer_half_lt xs.length)
  · exact Nat.lt_of_le_of_lt (Nat.le_of_eq lr.2.2) (half_lt xs.length)

@[simp] theorem mergeSort_nil {r : α → α → Bool} : [].mergeSort r = [] := by rw [mergeSort]

@[simp] theorem mergeSort_singleton {r : α → α → Bool} (a : α) : [a].mergeSort r = [a] := by rw [mergeSort]

end List
