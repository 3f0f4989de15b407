/- The order notations on any type. -/

universe u

@[simp] theorem ge_iff_le {α : Type u} [LE α] {x y : α} : x ≥ y ↔ y ≤ x := Iff.rfl

@[simp] theorem gt_iff_lt {α : Type u} [LT α] {x y : α} : x > y ↔ y < x := Iff.rfl

theorem le_of_eq_of_le {α : Type u} {a b c : α} [LE α] (h₁ : a = b) (h₂ : b ≤ c) : a ≤ c :=
  Eq.subst (motive := fun (x : α) => x ≤ c) (Eq.symm h₁) h₂

theorem le_of_le_of_eq {α : Type u} {a b c : α} [LE α] (h₁ : a ≤ b) (h₂ : b = c) : a ≤ c :=
  Eq.subst (motive := fun (x : α) => a ≤ x) h₂ h₁

theorem lt_of_eq_of_lt {α : Type u} {a b c : α} [LT α] (h₁ : a = b) (h₂ : b < c) : a < c :=
  Eq.subst (motive := fun (x : α) => x < c) (Eq.symm h₁) h₂

theorem lt_of_lt_of_eq {α : Type u} {a b c : α} [LT α] (h₁ : a < b) (h₂ : b = c) : a < c :=
  Eq.subst (motive := fun (x : α) => a < x) h₂ h₁
