-- Checked with Lean 4.35.0.

/-! # Well-founded recursion of functions and theorems that call each other -/

set_option linter.unusedVariables false

/-! Section variables and tactics of each function. -/

namespace Ex1
section
variable (k : Nat)
mutual
def up (n : Nat) : Nat := if n < 10 then down (n + k + 1) else n
termination_by 10 - n
decreasing_by omega
def down (n : Nat) : Nat := if n < 10 then up (n + 1) else n
termination_by 10 - n
decreasing_by
  omega
end
end

/-- info: up : Nat → Nat → Nat -/
#guard_msgs in
#check @up
end Ex1

namespace WithEven

mutual
def isEven (n : Nat) : Bool := if h : n = 0 then true else isOdd (n - 1)
termination_by n
def isOdd (n : Nat) : Bool := if h : n = 0 then false else isEven (n - 1)
termination_by n
end

/-! Equations values and axioms. -/

namespace Ex1

/-- info: isEven.eq_def : ∀ (n : Nat), isEven n = if h : n = 0 then true else isOdd (n - 1) -/
#guard_msgs in
#check @isEven.eq_def
theorem zero : isEven 0 = true := by unfold isEven; simp
theorem two : isOdd 2 = false := by simp [isOdd, isEven]
theorem step (n : Nat) (h : n ≠ 0) : isEven n = isOdd (n - 1) := by
  rw [isEven]; simp [h]
end Ex1

end WithEven
