import Sample.Basic

namespace Sample

variable (m n : Nat)

theorem double_add : ⟪m + n⟫ = ⟪m⟫ + ⟪n⟫ := by
  rw [double_eq, double_eq, double_eq]
  omega

theorem double_inj : ⟪m⟫ = ⟪n⟫ → m = n := by
  sorry

theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  · exact hp
  · exact hq

theorem length_map_id (l : List Nat) : (l.map id).length = l.length := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    simp [List.map_cons]

end Sample
