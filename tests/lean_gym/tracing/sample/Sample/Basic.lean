import Init

/-! Doubling, with a notation for the files that import this one. -/

namespace Sample

def double (n : Nat) : Nat := n + n

notation "⟪" n "⟫" => Sample.double n

@[simp] theorem double_zero : double 0 = 0 := rfl

theorem double_eq (n : Nat) : ⟪n⟫ = 2 * n := by
  unfold double
  omega

/-- A list of twos. -/
inductive Twos : List Nat → Prop
  | nil : Twos []
  | cons {l : List Nat} : Twos l → Twos (2 :: l)

structure Pair where
  first : Nat
  second : Nat

end Sample
