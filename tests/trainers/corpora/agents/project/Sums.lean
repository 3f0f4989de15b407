import Sums.Basic
import Sums.More

open Sums

theorem double_two : double 2 = 4 := by
  rfl

theorem double_three : double 3 = 6 := by
  rfl

theorem double_five : double 5 = 10 := by
  sorry

theorem double_false : double 2 = 5 := by
  sorry
