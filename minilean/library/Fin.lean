/- Numbers below a bound, with the arithmetic that wraps around. -/

/-- Numbers below `n`. -/
structure Fin (n : Nat) : Type where
  val : Nat
  isLt : val < n

attribute [pp_using_anonymous_constructor] Fin

theorem Fin.eq_of_val_eq {n : Nat} {i j : Fin n} (h : i.val = j.val) : i = j := by
  cases i with
  | mk a ha =>
    cases j with
    | mk b hb =>
      have e : a = b := h
      subst e
      rfl

@[ext (iff := false)] theorem Fin.ext {n : Nat} {a b : Fin n} (h : a.val = b.val) : a = b := Fin.eq_of_val_eq h

theorem Fin.val_ne_of_ne {n : Nat} {i j : Fin n} (h : i ≠ j) : i.val ≠ j.val := fun e => h (Fin.eq_of_val_eq e)

instance instLEFin {n : Nat} : LE (Fin n) := ⟨fun a b => a.val ≤ b.val⟩

instance instLTFin {n : Nat} : LT (Fin n) := ⟨fun a b => a.val < b.val⟩

instance instDecidableEqFin (n : Nat) : DecidableEq (Fin n) :=
  fun i j => match decEq i.val j.val with
    | isTrue h => isTrue (Fin.eq_of_val_eq h)
    | isFalse h => isFalse (fun e => h (by rw [e]))

instance Fin.decLt {n : Nat} (a b : Fin n) : Decidable (a < b) := Nat.decLt a.val b.val

instance Fin.decLe {n : Nat} (a b : Fin n) : Decidable (a ≤ b) := Nat.decLe a.val b.val
