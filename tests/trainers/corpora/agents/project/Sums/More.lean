import Sums.Basic

namespace Sums

theorem double_one : double 1 = 2 := by
  rfl

theorem double_twice (n : Nat) : double (double n) = 4 * n := by
  unfold double
  omega

theorem double_le (a b : Nat) (h : a ≤ b) : double a ≤ double b := by
  unfold double
  omega

theorem double_pos (n : Nat) (h : 0 < n) : 0 < double n := by
  sorry

end Sums
