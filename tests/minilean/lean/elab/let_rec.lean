-- Checked with Lean 4.35.0.

/-! # `let rec` inside terms: functions over the local variables that they mention -/

set_option linter.unusedVariables false

/-! A function over a local definition. -/

namespace Ex1
def f (n : Nat) : Nat :=
  let k := n + 1
  let rec go (m : Nat) : Nat := match m with
    | 0 => k
    | m + 1 => go m + n
  go 3

/-- info: 'Ex1.f' does not depend on any axioms -/
#guard_msgs in
#print axioms f
example : f 2 = 9 := rfl
theorem t (n : Nat) : f n = 4 * n + 1 := by simp [f, f.go]; omega
end Ex1

/-! Functions in branches arguments and alternatives. -/

namespace Ex2
def g (xs : List Nat) : Nat × Nat :=
  if xs.length = 0 then (0, 0) else
    let rec sum : List Nat → Nat
      | [] => 0
      | x :: xs => x + sum xs
    let rec scaled (c : Nat) : List Nat → Nat
      | [] => 0
      | y :: ys => c * sum [y] + scaled c ys
    (sum xs, scaled 2 xs)
def h (α : Type) (d : α) (xs : List α) : List α :=
  xs ++ (let rec rep (n : Nat) : List α := if n = 0 then [] else d :: rep (n - 1); rep 2)

/-- info: h.rep : (α : Type) → α → Nat → List α -/
#guard_msgs in
#check @h.rep
def pat (n : Nat) : Nat := match n with
  | 0 => 0
  | k + 1 => let rec go (j : Nat) : Nat := if j = 0 then k else go (j - 1); go n
theorem t (n : Nat) : n + 0 = n ∧ True := ⟨(let rec q (x : Nat) : x + 0 = x := rfl; q n), trivial⟩
end Ex2

/-! A hypothesis stays a hypothesis. -/

namespace Ex3
theorem t (h : 1 = 2) : 1 = 2 ∧ True := ⟨(let rec q (x : Nat) : 1 = 2 := h; q 0), trivial⟩

/-- info: t.q : 1 = 2 → ∀ (x : Nat), 1 = 2 -/
#guard_msgs in
#check @t.q

/--
error: numerals are data in Lean, but the expected type is a proposition
  1 = 2 : Prop
-/
#guard_msgs in
example : 1 = 2 := t.q 3
end Ex3

/-! The value determines an omitted type. -/

namespace Ex4
def f (n : Nat) : Nat := n + (let rec go (k : Nat) := if k = 0 then n else go (k - 1) + 1; go 3)

/-- info: Ex4.f.go (n k : Nat) : Nat -/
#guard_msgs in
#check f.go
def g (n : Nat) : List Nat := [n] ++ (let rec two := [n, 2]; two)
end Ex4

/-! After another tactic. -/

namespace Ex5

/--
trace: case right
n : Nat
⊢ 0 + n = n
-/
#guard_msgs in
theorem t (n : Nat) : n + 0 = n ∧ 0 + n = n := by
  constructor
  let rec first (x : Nat) : x + 0 = x := rfl
  · exact first n
  · let rec second : (x : Nat) → 0 + x = x
      | 0 => rfl
      | x + 1 => congrArg Nat.succ (second x)
    trace_state
    exact second n

/-- info: Ex5.t.second (x : Nat) : 0 + x = x -/
#guard_msgs in
#check t.second
def f (n : Nat) : Nat := by
  cases n
  exact 1
  let rec twice (k : Nat) := k * 2
  exact twice 4
end Ex5

/-! A function in a proof proves nothing by itself. -/

-- a hypothesis that a function uses becomes a parameter
namespace Ex6
theorem t (h : 1 = 2) : 1 = 2 := by
  skip
  let rec q (n : Nat) : 1 = 2 := h
  exact q 0

/-- info: t.q : 1 = 2 → ∀ (n : Nat), 1 = 2 -/
#guard_msgs in
#check @t.q

/--
error: numerals are data in Lean, but the expected type is a proposition
  1 = 2 : Prop
-/
#guard_msgs in
example : 1 = 2 := t.q 0
end Ex6
