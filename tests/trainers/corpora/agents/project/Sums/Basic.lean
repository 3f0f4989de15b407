namespace Sums

def double (n : Nat) : Nat := n + n

theorem double_zero : double 0 = 0 := by
  rfl

theorem double_eq (n : Nat) : double n = 2 * n := by
  unfold double
  omega

theorem double_succ (n : Nat) : double (n + 1) = double n + 2 := by
  unfold double
  omega

theorem double_add (a b : Nat) : double (a + b) = double a + double b := by
  unfold double
  omega

theorem le_double (n : Nat) : n ≤ double n := by
  sorry

end Sums
