import Sample.More
import Sample.Side

open Sample in
theorem three (m : Nat) (h : ⟪m⟫ = ⟪3⟫) : m = 3 := by
  have := double_inj m 3 h
  exact this

theorem right (a : Nat) (h : 0 ⊞ a = 2) : a = 2 := by
  simp at h
  exact h
