-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Well-founded recursion of functions and theorems that call each other -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! Nested types. -/

namespace Ex1
inductive Tm where
  | var : Nat → Tm
  | app : String → List Tm → Tm
mutual
def Tm.size : Tm → Nat
  | .var _ => 1
  | .app _ ts => 1 + sizes ts
termination_by t => sizeOf t
def sizes : List Tm → Nat
  | [] => 0
  | t :: ts => t.size + sizes ts
termination_by ts => sizeOf ts
end

/-- info: 4 -/
#guard_msgs in
#eval (Tm.app "f" [.var 1, .app "g" [.var 2]]).size
theorem size_pos (t : Tm) : 0 < t.size := by
  cases t <;> simp [Tm.size]
  omega
end Ex1

/-! Lexicographic measures. -/

namespace Ex2
mutual
def ping : Nat → Nat → Nat
  | 0, m => m
  | n + 1, m => pong n (m + 1)
termination_by n _ => (n, 0)
def pong : Nat → Nat → Nat
  | 0, m => m
  | n + 1, m => ping n (m / 2) + pong n m
termination_by n _ => (n, 1)
end

/-- info: 19 -/
#guard_msgs in
#eval ping 5 3

/-- info: ping.eq_2 : ∀ (n m : Nat), ping n.succ m = pong n (m + 1) -/
#guard_msgs in
#check @ping.eq_2
end Ex2

/-! Three functions. -/

namespace Ex3
mutual
def one (n : Nat) : Nat := if h : n = 0 then 0 else two (n - 1) n
termination_by n
def two (n m : Nat) : Nat := if h : n = 0 then m else three m (n - 1)
termination_by n
def three (m n : Nat) : Nat := if h : n = 0 then m else one (n - 1) + three 0 (n - 1)
termination_by n
end

/-- info: 4 -/
#guard_msgs in
#eval one 7
end Ex3

/-! Measures that nobody wrote. -/

namespace Ex4
mutual
def a (n : Nat) : Nat := match n with
  | 0 => 0
  | n + 1 => b (n / 2) true + 1
def b (n : Nat) (c : Bool) : Nat := match n with
  | 0 => 0
  | n + 1 => if c then a (n / 3) else b (n / 2) true
end

/-- info: 3 -/
#guard_msgs in
#eval a 100
end Ex4

/-! Section variables and tactics of each function. -/

namespace Ex5
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

/-- info: 10 -/
#guard_msgs in
#eval up 2 3
end Ex5

namespace Ex6
section
variable (k : Nat)

/--
error: unsolved goals
k n : Nat
h✝ : n < 10
⊢ 10 - (n + k + 1) < 10 - n
-/
#guard_msgs in
mutual
def up (n : Nat) : Nat := if n < 10 then down (n + k + 1) else n
termination_by 10 - n
decreasing_by skip
def down (n : Nat) : Nat := if n < 10 then up (n + 1) else n
termination_by 10 - n
decreasing_by
  omega
end
end

/-- error: Unknown identifier `up` -/
#guard_msgs in
#eval up 2 3

/-- error: Unknown identifier `up` -/
#guard_msgs in
#check @up
end Ex6

/-! Refusals declare nothing. -/

-- Lean: error: well-founded recursion cannot be used, `Ex7.a` does not take any (non-fixed) arguments
namespace Ex7
/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
n : Nat
x✝ : ∀ (y : Nat ⊕' Nat), WellFoundedRelation.rel y (PSum.inl n) → PSum.rec (fun n => 1 = 2) (fun x => 1 = 2) y
⊢ False
-/
#guard_msgs in
mutual
theorem a (n : Nat) : 1 = 2 := b n
termination_by n
theorem b (n : Nat) : 1 = 2 := a n
termination_by n
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex7

-- Lean: error: well-founded recursion cannot be used, `Ex8.a` does not take any (non-fixed) arguments
namespace Ex8
/--
error: failed to prove termination, possible solutions:
  - Use `have`-expressions to prove the remaining goals
  - Use `termination_by` to specify a different well-founded relation
  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal
x✝ : Nat
⊢ 1 < 0
-/
#guard_msgs in
mutual
def a (n : Nat) : Empty := b n
termination_by (n, 1)
def b (n : Nat) : Empty := a n
termination_by (n, 0)
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex8

-- Lean: info: a : Nat → Empty
namespace Ex9
/-- error: `simp` made no progress -/
#guard_msgs in
mutual
def a (n : Nat) : Empty := b (n + 1)
termination_by n
decreasing_by simp
def b (n : Nat) : Empty := a (n - 1)
termination_by n
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex9

-- Lean: error: The termination measures of mutually recursive functions must have the same return type, but
-- the termination measure of Ex10.a has type Nat while the ..
namespace Ex10
/--
error: The termination measures of mutually recursive functions must have the same type, but that of `Ex10.b` has type
  Bool
and that of `Ex10.a` has type
  Nat
-/
#guard_msgs in
mutual
def a (n : Nat) : Nat := if n = 0 then 0 else b (n - 1) true
termination_by n
def b (n : Nat) (c : Bool) : Nat := if n = 0 then 0 else a (n - 1)
termination_by c
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex10

-- Lean: error: incomplete set of termination hints: This function is mutually recursive with Ex11.b, which
-- does not have a termination hint. The present clause is ignored.
namespace Ex11
/--
error: incomplete set of termination hints: `Ex11.b` needs `termination_by`, as the functions that it is mutually recursive with
-/
#guard_msgs in
mutual
def a (n : Nat) : Nat := b n
termination_by n
def b (n : Nat) : Nat := n + a 0
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex11

-- Lean has `Not considering parameter n of Ex12.a:` there.
namespace Ex12
/--
error: unsupported: a measure for the functions of this `mutual` block: please use `termination_by`

fail to show termination for
  Ex12.a
  Ex12.b
with errors
failed to infer structural recursion:
Skipping arguments of type that is not an inductive type.
-/
#guard_msgs in
mutual
def a (n : Nat) : Empty := b n
def b (n : Nat) : Empty := a n
end

/-- error: Unknown identifier `a` -/
#guard_msgs in
#check @a
end Ex12

namespace WithEven

mutual
def isEven (n : Nat) : Bool := if h : n = 0 then true else isOdd (n - 1)
termination_by n
def isOdd (n : Nat) : Bool := if h : n = 0 then false else isEven (n - 1)
termination_by n
end

/-! Equations values and axioms. -/

namespace Ex1

/-- info: true -/
#guard_msgs in
#eval isEven 10

/-- info: 'WithEven.isEven' does not depend on any axioms -/
#guard_msgs in
#print axioms isEven
theorem zero : isEven 0 = true := by unfold isEven; simp
theorem two : isOdd 2 = false := by simp [isOdd, isEven]
theorem step (n : Nat) (h : n ≠ 0) : isEven n = isOdd (n - 1) := by
  rw [isEven]; simp [h]
end Ex1

/-! A function by well founded recursion does not compute by definition. -/

-- Lean numbers the metavariables otherwise.
/--
error: Type mismatch
  rfl
has type
  ?m.3 = ?m.3
but is expected to have type
  isEven 4 = true
-/
#guard_msgs in
example : isEven 4 = true := rfl

end WithEven
